// The database of a command, as configured; also while a gateway uses it.
import { openLog } from '../base/log.ts';
import { type Config, readConfig } from '../config.ts';
import { shareConnections } from '../db/connections.ts';
import { type OpenDatabase, openDatabaseBeside, type Purpose, type Where } from '../open-database.ts';
import { CommandError, errorText } from './exit-codes.ts';
import { interruptible } from './interruption.ts';

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
export async function openBeside(where: Where, purpose: Purpose, level = 'warn'): Promise<OpenDatabase> {
  return openDatabaseBeside(where, openLog(level), purpose).catch((error: Error) => {
    throw new CommandError('unavailable', errorText(error), { cause: error });
  });
}

/**
 * Runs `work` on the database that `open` opens, and closes it. On a signal, an embedded server that was started for it stops before the
 * command ends (`interruptible`).
 */
export async function withDatabase<T>(
  open: (where: Where) => Promise<OpenDatabase>,
  work: (database: OpenDatabase) => Promise<T>,
): Promise<T> {
  return interruptible(async (onServer) => {
    const database = await open({ ...databaseOf(readConfig()), onServer, sharesServer: true });
    try {
      return await work(database);
    } finally {
      await database.close();
    }
  });
}

/** Runs `work` on the configured database, which must exist and be migrated unless `purpose` says otherwise. */
export const onDatabase = <T>(
  work: (database: OpenDatabase) => Promise<T>,
  purpose: Purpose = 'use',
  level = 'warn',
): Promise<T> => withDatabase((where) => openBeside(where, purpose, level), work);
