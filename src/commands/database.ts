// The database of a command: the one that the settings name, also while a gateway uses it. Loads no part of the gateway.
import { openLog } from '../base/log.ts';
import { type Config, readConfig } from '../config.ts';
import { type OpenDatabase, openDatabaseBeside, type Purpose, type Where } from '../db/open-database.ts';

/** The server that the settings name; null: the embedded one. */
export function databaseOf(config: Config): Where {
  const connection = config.databaseUrl === null ? null : { connectionString: config.databaseUrl };
  return { connection, dataDir: config.dataDir };
}

/** Runs `work` on the database of the settings, which has to be there and migrated unless `purpose` is to make it. */
export async function onDatabase<T>(
  work: (database: OpenDatabase) => Promise<T>,
  purpose: Purpose = 'use',
): Promise<T> {
  const database = await openDatabaseBeside(databaseOf(readConfig()), openLog('warn'), purpose);
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}
