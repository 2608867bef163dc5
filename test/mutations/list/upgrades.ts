// Mutations of rolling upgrades: which migrations run beside older processes.
import type { Mutation } from '../mutation.ts';

const contract = ['test/db/contract.test.ts'];

export const mutations: Mutation[] = [
  {
    name: 'a contract migration runs immediately',
    file: 'src/db/migrate.ts',
    find: "kind === 'contract' && run.size > 0",
    replace: "kind === 'contract' && run.size < 0",
    tests: contract,
  },
  {
    name: 'a contract migration runs beside an older process that was noted long ago',
    file: 'src/db/programs.ts',
    find: 'where "isRunning" or "seenAt"',
    replace: 'where "seenAt"',
    tests: contract,
  },
  {
    name: 'a contract migration runs as soon as no older process runs',
    file: 'src/db/programs.ts',
    find: 'export const unseenHours = 24;',
    replace: 'export const unseenHours = 0;',
    tests: contract,
  },
  {
    name: 'a contract migration runs although an older process has registered in the meantime',
    file: 'src/db/contract.ts',
    find: 'const older = await findOlderPrograms(tx, name, 0);\n  if (older.length > 0)',
    replace: 'const older = await findOlderPrograms(tx, name, 0);\n  if (older.length < 0)',
    tests: contract,
  },
  {
    name: 'older processes register while a contract migration runs',
    file: 'src/db/programs.ts',
    find: 'in share row exclusive mode',
    replace: 'in access share mode',
    tests: contract,
  },
  {
    name: 'processes of earlier releases do not count',
    file: 'src/db/programs.ts',
    find: 'from processes where ended_at is null order by 1',
    replace: 'from processes where ended_at is null and program is not null order by 1',
    tests: contract,
  },
  {
    name: 'an older program runs the contract migrations of a newer database',
    file: 'src/db/contract.ts',
    find: 'unknown.length === 0 && pending.length === 0',
    replace: 'pending.length === 0',
    tests: contract,
  },
  {
    name: 'a migration that waits for a lock fails',
    file: 'src/db/migrate.ts',
    find: 'if (isLocked && pauseMs !== undefined)',
    replace: 'if (!isLocked && pauseMs !== undefined)',
    tests: contract,
  },
  {
    name: 'a statement that a migration made stale fails for ever',
    file: 'src/db/preparing-client.ts',
    find: 'preparations += 1;',
    replace: '',
    tests: ['test/db/db.test.ts'],
  },
  {
    name: 'a transaction whose statement a migration made stale is not repeated',
    file: 'src/db/failure.ts',
    find: 'if (isStalePlan(error)) return true;',
    replace: '',
    tests: ['test/db/db.test.ts'],
  },
  {
    name: 'an unverified copy takes the place of the old directory',
    file: 'src/db/embedded/upgrade.ts',
    find: 'const isVerified = existsSync(join(copy, unprovenName));',
    replace: 'const isVerified = existsSync(copy);',
    tests: ['test/db/embedded-upgrade.test.ts'],
  },
  {
    name: 'a directory that a gateway has used is given up for the old one',
    file: 'src/db/embedded/upgrade.ts',
    find: 'if (!existsSync(join(cluster, unprovenName)) || !existsSync(old)) return false;',
    replace: 'if (!existsSync(old)) return false;',
    tests: ['test/db/embedded-upgrade.test.ts'],
  },
  {
    name: 'a copy that was given up counts as verified',
    file: 'src/db/embedded/upgrade.ts',
    find: 'await rm(join(cluster, unprovenName));\n  await rm(copy',
    replace: 'await rm(copy',
    tests: ['test/db/embedded-upgrade.test.ts'],
  },
];
