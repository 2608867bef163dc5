// The database of a command, as configured; also while a gateway uses it.
import { openLog } from '../base/log.ts';
import { type Config, readConfig } from '../config.ts';
import { shareConnections } from '../db/connections.ts';
import { type OpenDatabase, openDatabaseBeside, type Purpose, type Where } from '../db/open-database.ts';
import { CommandError, errorText } from './exit-codes.ts';

/** The server of DATABASE_URL; null: the embedded one. */
export function databaseOf(config: Config): Where {
  const connection = config.databaseUrl === null ? null : { connectionString: config.databaseUrl };
  return {
    connection,
    dataDir: config.dataDir,
    maxConnections: shareConnections(config.databaseConnections).general,
  };
}

/** Opens the database of a command, beside a running gateway; its failures end with the exit code of an unavailable database. */
export async function openBeside(config: Config, purpose: Purpose, level = 'warn'): Promise<OpenDatabase> {
  return openDatabaseBeside(databaseOf(config), openLog(level), purpose).catch((error: Error) => {
    throw new CommandError('unavailable', errorText(error), { cause: error });
  });
}

/** Runs `work` on the configured database, which must exist and be migrated unless `purpose` says otherwise. */
export async function onDatabase<T>(
  work: (database: OpenDatabase) => Promise<T>,
  purpose: Purpose = 'use',
): Promise<T> {
  const database = await openBeside(readConfig(), purpose);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
