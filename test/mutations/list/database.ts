// Mutations of migrations and the embedded database.
import type { Mutation } from '../mutation.ts';

export const mutations: Mutation[] = [
  {
    name: 'a migration edited after it ran goes unnoticed',
    file: 'src/db/migrate.ts',
    find: 'run.has(name) && digest !== (run.get(name) ?? released)',
    replace: 'false',
    tests: ['test/db/migrate.test.ts'],
  },
  {
    name: 'a database without digests takes whatever file it finds for what it ran',
    file: 'src/db/migrate.ts',
    find: '(run.get(name) ?? released)',
    replace: '(run.get(name) ?? digest)',
    tests: ['test/db/migrate.test.ts'],
  },
  {
    name: 'a database that an earlier program migrated never gets its digests',
    file: 'src/db/migrate.ts',
    find: 'await recordMissingDigests(db, files);',
    replace: '',
    tests: ['test/db/migrate.test.ts'],
  },
  {
    name: 'an edited migration is recorded as if it were new',
    file: 'scripts/record-migrations.ts',
    find: 'if (wrong.length > 0)',
    replace: 'if (wrong.length < 0)',
    tests: ['test/db/migrate.test.ts'],
  },
];
