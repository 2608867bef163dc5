// `migrate`: creates the database if it does not exist, and runs pending migrations.
import { onDatabase } from './database.ts';
import { say } from './output.ts';

/** Migrates the configured database. */
export async function migrate(): Promise<object> {
  await onDatabase(async () => undefined, 'migrate');
  say('The database is up to date.');
  return { migrated: true };
}
