// Mutations of the creation of partitions.
import type { Mutation } from '../mutation.ts';

export const mutations: Mutation[] = [
  {
    name: 'everybody waits for a table that a backup reads when it gets a partition',
    file: 'src/db/default-partition.ts',
    find: 'const lockTimeoutMs = 100;',
    replace: 'const lockTimeoutMs = 10_000;',
    tests: ['test/db/partitions.test.ts'],
  },
  {
    name: 'everybody waits while PostgreSQL searches a large default partition',
    file: 'src/db/partitions.ts',
    find: 'if (later && pages > lockedPagesMax)',
    replace: 'if (later && pages < 0)',
    tests: ['test/db/default-partition.test.ts'],
  },
  {
    name: 'rows of the present are rejected while a partition is being created',
    file: 'src/db/partitions.ts',
    find: 'from: later.from });',
    replace: "from: later.from.replace(/^.*/, '01a00000-0000-0000-0000-000000000000') });",
    tests: ['test/db/default-partition.test.ts'],
  },
  {
    name: 'a crash leaves a check that rejects rows of later months',
    file: 'src/db/partitions.ts',
    find: 'if (isChecked) await inLocked',
    replace: 'if (isChecked && table === null) await inLocked',
    tests: ['test/db/default-partition.test.ts'],
  },
  {
    name: 'each call locks the table of a month whose first rows are in the default partition',
    file: 'src/db/partitions.ts',
    find: 'where ${key} >= b.from and ${key} < b.to) as "isMissing"',
    replace: 'where ${key} >= b.from and ${key} < b.to and false) as "isMissing"',
    tests: ['test/db/default-partition.test.ts'],
  },
  {
    name: 'the first month of a gateway without workers is in the default partition',
    file: 'src/commands/start.ts',
    find: 'await makePartitions(running.database.db, settings.partitionBy)',
    replace: 'await Promise.resolve(makePartitions)',
    tests: ['test/journeys/start-partitions.test.ts'],
  },
];
