// The database of this process: embedded or a server, checked and, where needed, migrated.
import { type Contracted, runContracts, waitingText } from './db/contract.ts';
import { type Connection, checkServer, type Db, openDb } from './db/db.ts';
import { type EmbeddedLog, OtherGatewayError } from './db/embedded/acquire.ts';
import { hasEmbedded, useRunningEmbedded } from './db/embedded/running.ts';
import { type Embedded, startEmbeddedPostgres } from './db/embedded/start.ts';
import { isReadOnly, unreachableErrnos } from './db/failure.ts';
import { migrateToLatest, migrationState, problemWith } from './db/migrate.ts';
import { rejectSharedSessions } from './db/pooler.ts';
import { findIncompleteRestore, incompleteRestoreText } from './db/restore-target.ts';

export interface OpenDatabase {
  connection: Connection;
  db: Db;
  close(): Promise<void>;
  /** Immediate shutdown of an embedded server, for a process that is about to exit. */
  stopNow(): void;
}

/**
 * `migrate`: create the database if it is missing, and migrate it. `use`: it must exist and be migrated. `inspect`: it must
 * exist, in any state. `restore`: create the database if it is missing; only `restore` accepts an incomplete one.
 */
export type Purpose = 'migrate' | 'use' | 'inspect' | 'restore';

export interface Where {
  connection: Connection | null;
  dataDir: string;
  /** Default 6. */
  maxConnections?: number;
  /** Called with lines for people while an embedded database is moved to a new major version of PostgreSQL. */
  onProgress?: (text: string) => void;
  /** Commands share an embedded server: it is left running while another one uses it. */
  sharesServer?: boolean;
  /** Called before an embedded server is started, with what stops it, also while the database is being opened. */
  onServer?: (stop: () => Promise<void>) => void;
}

/**
 * Opens the database at `connection`; null: the embedded one in `dataDir`. If the server is too old or unreachable, or this
 * program cannot use the database, closes everything and throws.
 */
export async function openDatabase(where: Where, log: EmbeddedLog, purpose: Purpose): Promise<OpenDatabase> {
  const creates = purpose === 'migrate' || purpose === 'restore';
  if (!where.connection && !creates && !(await hasEmbedded(where.dataDir)))
    throw new Error(noDatabaseText(where.dataDir));
  const embedded = where.connection ? undefined : await startServer(where, log, purpose);
  const connection = where.connection ?? (embedded?.connection as Connection);
  const stopNow = () => embedded?.stopNow();
  const db = openDb(connection, { maxConnections: where.maxConnections ?? 6, applicationName: 'gateway' });
  const close = async () => {
    await db.destroy();
    await embedded?.stop();
  };
  try {
    await checkServer(db);
    if (where.connection) await rejectSharedSessions(where.connection);
    await migrateOrCheck({ db, connection, purpose, log });
    return { connection, db, close, stopNow };
  } catch (error) {
    await close();
    throw where.connection ? describeFailure(error) : error;
  }
}

function startServer(where: Where, log: EmbeddedLog, purpose: Purpose): Promise<Embedded> {
  const { dataDir, onProgress, sharesServer: isShared } = where;
  const starting = startEmbeddedPostgres({
    dataDir,
    log,
    upgrade: purpose === 'migrate',
    onProgress,
    isShared,
  });
  where.onServer?.(() =>
    starting.then(
      ({ stop }) => stop(),
      () => undefined,
    ),
  );
  return starting;
}

/**
 * Runs the pending migrations, and the contract migrations that no older program hinders. Uses its
 * own connection without timeouts: a large table may take long.
 */
async function migrate(connection: Connection, log: EmbeddedLog): Promise<string[]> {
  const withoutTimeouts = openDb(connection, {
    maxConnections: 2,
    applicationName: 'gateway migration',
    statementTimeoutMs: 0,
  });
  try {
    const run = await migrateToLatest(withoutTimeouts);
    // this program works without them too
    const contracted = await runContracts(withoutTimeouts).catch((error: unknown): Contracted => {
      log.error({ err: error }, 'database.contract_failed');
      return { run: [], waiting: [], older: [] };
    });
    const waits = waitingText(contracted);
    if (waits !== undefined)
      log.info({ migrations: contracted.waiting }, `database.contract_waits: ${waits}`);
    return [...run, ...contracted.run];
  } finally {
    await withoutTimeouts.destroy();
  }
}

async function migrateOrCheck(opened: {
  db: Db;
  connection: Connection;
  purpose: Purpose;
  log: EmbeddedLog;
}): Promise<void> {
  const { db, connection, purpose, log } = opened;
  if (purpose === 'restore') return;
  const incomplete = await findIncompleteRestore(db);
  if (incomplete) throw new Error(incompleteRestoreText(incomplete));
  if (purpose === 'migrate') {
    const migrations = await migrate(connection, log);
    if (migrations.length > 0) log.info({ migrations }, 'database.migrated');
  }
  if (purpose !== 'use') return;
  const state = await migrationState(db);
  const problem = problemWith(state);
  if (problem !== undefined) throw new Error(problem);
  if (state.pending.length > 0)
    throw new Error(
      `The database has pending migrations (${state.pending.length}). Only "start" and "migrate" run them: run one of them first.`,
    );
}

function noDatabaseText(dataDir: string): string {
  return (
    `There is no database in ${dataDir} (DATA_DIR). Only "start" and "migrate" create one: run one of them first, or set ` +
    'DATA_DIR or DATABASE_URL as for the gateway, in the environment or in the file .env of the working directory.'
  );
}

// invalid_authorization_specification, invalid_password, invalid_catalog_name
const rejectedCodes = new Set(['28000', '28P01', '3D000']);

/** Turns connection errors into ones that say what to check in DATABASE_URL; returns other errors unchanged. */
function describeFailure(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  if (unreachableErrnos.has(code) || /timeout.*connect|connection timeout/i.test(error.message)) {
    return new Error(
      `The database server cannot be reached: ${error.message || code}. Check the address in DATABASE_URL, and that the server runs and accepts connections from this machine.`,
      { cause: error },
    );
  }
  if (isReadOnly(error)) {
    return new Error(
      `The database server cannot be used: ${error.message}. Set DATABASE_URL to the primary, or to an address that always leads to it.`,
      { cause: error },
    );
  }
  if (!rejectedCodes.has(code)) return error;
  return new Error(
    `The database server rejected the connection: ${error.message}. Check the user, password and database name in DATABASE_URL.`,
    { cause: error },
  );
}

/**
 * Opens the database for a command: the server of DATABASE_URL, the embedded server of a running gateway, or the
 * embedded server, started for this command. Throws if the running gateway is of a version without this program's role.
 */
export async function openDatabaseBeside(
  given: Where,
  log: EmbeddedLog,
  purpose: Purpose,
): Promise<OpenDatabase> {
  const where = { ...given, sharesServer: true };
  const running = where.connection ? undefined : await useRunningEmbedded(where.dataDir);
  if (!running)
    return openDatabase(where, log, purpose).catch((error: unknown) => {
      if (!(error instanceof OtherGatewayError)) throw error;
      // another command, or a gateway, has started it in the meantime
      return openDatabaseBeside(given, log, purpose);
    });
  const { connection, use } = running;
  if (use && !use.isOfGateway) where.onServer?.(() => use.end());
  try {
    const opened = await openDatabase({ ...where, connection }, log, purpose);
    return { ...opened, close: () => opened.close().finally(() => use?.end()) };
  } catch (error) {
    await use?.end();
    const code = ((error as Error).cause as NodeJS.ErrnoException | undefined)?.code ?? '';
    if (!rejectedCodes.has(code)) throw error;
    // the server lacks this program's role: its gateway is older, or was killed before it created the role
    return openDatabase(where, log, purpose).catch((second: unknown) => {
      if (!(second instanceof OtherGatewayError)) throw second;
      throw new Error(
        `The gateway running on ${where.dataDir} is an earlier version. Restart it with this version first.`,
        { cause: error },
      );
    });
  }
}
