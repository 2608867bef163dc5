// The database of this process: the embedded one or a server, its version checked, migrated and ready.
import { type Connection, checkServer, type Db, openDb } from './db.ts';
import { startEmbeddedPostgres } from './embedded.ts';
import type { EmbeddedLog } from './embedded-hold.ts';
import { findRunningEmbedded, hasEmbedded } from './embedded-running.ts';
import { isReadOnly, unreachableErrnos } from './failure.ts';
import { migrateToLatest, migrationState, problemWith } from './migrate.ts';

export interface OpenDatabase {
  connection: Connection;
  db: Db;
  close(): Promise<void>;
  /** For the last moment of a process: ends an embedded server at once. */
  stopNow(): void;
}

/**
 * `make`: the database is made and migrated where that is missing. `use`: it has to be there and migrated. `look`: it has
 * to be there, in whatever state.
 */
export type Purpose = 'make' | 'use' | 'look';

export interface Where {
  connection: Connection | null;
  dataDir: string;
}

/**
 * Opens the database at `connection`; null: the embedded one in `dataDir`. Throws, having closed everything, if the
 * server is too old, cannot be reached, or holds a database that this program cannot use.
 */
export async function openDatabase(where: Where, log: EmbeddedLog, purpose: Purpose): Promise<OpenDatabase> {
  if (!where.connection && purpose !== 'make' && !(await hasEmbedded(where.dataDir)))
    throw new Error(noDatabaseText(where.dataDir));
  const embedded = where.connection
    ? undefined
    : await startEmbeddedPostgres({ dataDir: where.dataDir, log });
  const connection = where.connection ?? (embedded?.connection as Connection);
  const stopNow = () => embedded?.stopNow();
  const db = openDb(connection, { maxConnections: 12, applicationName: 'gateway' });
  const close = async () => {
    await db.destroy();
    await embedded?.stop();
  };
  try {
    await checkServer(db);
    await bringInShape({ db, connection, purpose, log });
    return { connection, db, close, stopNow };
  } catch (error) {
    await close();
    throw where.connection ? inWords(error) : error;
  }
}

/** By a connection of its own, which is given up never: a large table may take its while. */
async function migrate(connection: Connection): Promise<string[]> {
  const patient = openDb(connection, {
    maxConnections: 2,
    applicationName: 'gateway migration',
    statementTimeoutMs: 0,
  });
  try {
    return await migrateToLatest(patient);
  } finally {
    await patient.destroy();
  }
}

async function bringInShape(opened: {
  db: Db;
  connection: Connection;
  purpose: Purpose;
  log: EmbeddedLog;
}): Promise<void> {
  const { db, connection, purpose, log } = opened;
  if (purpose === 'make') {
    const migrations = await migrate(connection);
    if (migrations.length > 0) log.info({ migrations }, 'database.migrated');
  }
  if (purpose !== 'use') return;
  const state = await migrationState(db);
  const problem = problemWith(state);
  if (problem !== undefined) throw new Error(problem);
  if (state.pending.length > 0)
    throw new Error(
      `The database lacks ${state.pending.length} migrations. Only "start" and "migrate" run them: run one of them first.`,
    );
}

function noDatabaseText(dataDir: string): string {
  return (
    `There is no database in ${dataDir} (DATA_DIR). Only "start" and "migrate" make one: run one of them first, or set ` +
    'DATA_DIR or DATABASE_URL as the gateway has it, in the environment or in the file .env of the working directory.'
  );
}

// invalid_authorization_specification, invalid_password, invalid_catalog_name
const refusedCodes = new Set(['28000', '28P01', '3D000']);

/** An error for the operator who set DATABASE_URL; other errors unchanged. */
function inWords(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (unreachableErrnos.has(code) || /timeout.*connect|connection timeout/i.test(error.message)) {
    return new Error(
      `The database server cannot be reached: ${error.message || code}. Check the address in DATABASE_URL, and that the server runs and lets this machine in.`,
      { cause: error },
    );
  }
  if (isReadOnly(error)) {
    return new Error(
      `The database server cannot be used: ${error.message}. Let DATABASE_URL name the primary, or an address that always leads to it.`,
      { cause: error },
    );
  }
  if (!refusedCodes.has(code)) return error;
  return new Error(
    `The database server rejected the connection: ${error.message}. Check the user, password and database name in DATABASE_URL.`,
    { cause: error },
  );
}

/**
 * Opens the database for a command that runs once: the server, the embedded one of a gateway that runs beside it, or
 * the embedded one by itself.
 */
export async function openDatabaseBeside(
  where: Where,
  log: EmbeddedLog,
  purpose: Purpose,
): Promise<OpenDatabase> {
  const running = where.connection ? undefined : await findRunningEmbedded(where.dataDir);
  const connection = where.connection ?? running ?? null;
  return openDatabase({ ...where, connection }, log, purpose).catch((error) => {
    const code = ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code ?? '';
    if (!running || !refusedCodes.has(code)) throw error;
    throw new Error(
      `The gateway that runs on ${where.dataDir} is of an earlier version: restart it with this one first.`,
      { cause: error },
    );
  });
}
