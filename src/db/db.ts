// The database connection: a pool under Kysely, session settings, and the conversion of PostgreSQL values.
import { Kysely, PostgresDialect, type Selectable, sql, type Transaction } from 'kysely';
import pg from 'pg';
import { openPool, type PoolUsage } from './pool.ts';
import type { DB } from './schema.ts';

export type Database = DB;
export type Db = Kysely<Database>;
export type Tx = Transaction<Database>;
/** A row of a table as statements return it. */
export type RowOf<Table extends keyof Database> = Selectable<Database[Table]>;

/** Where a server is: a `postgres://` address, or its parts (`host` may be the folder of a Unix socket). */
export type Connection =
  | { connectionString: string }
  | { host: string; port: number; user: string; password?: string; database: string };

export interface DbOptions {
  maxConnections: number;
  /** Shown in `pg_stat_activity`. */
  applicationName: string;
  /**
   * For statements that select rows by key, thousands of times a second: plans are generic and never use a sequential scan,
   * even if the tables were empty when they were planned (planning took a quarter of the server's time).
   */
  hot?: boolean;
  /** Maximum time of a statement; 0: no limit. Without an answer 5 s later, the connection is closed. */
  statementTimeoutMs?: number;
  /** Maximum wait for a lock; 0: no limit. */
  lockTimeoutMs?: number;
  /** Maximum pause inside a transaction, so that a stuck caller cannot keep locks; 0: no limit. */
  idleInTransactionTimeoutMs?: number;
  /** Maximum wait for a connection: for a free one, or for the server to accept a new one. */
  connectTimeoutMs?: number;
  /** Called when an idle connection is lost. The pool opens another. */
  onLostConnection?: (error: Error) => void;
  /** Called with the milliseconds that a statement or transaction waited for its connection. */
  onWait?: (ms: number) => void;
}

const hotSettings = [
  "set plan_cache_mode = 'force_generic_plan'",
  'set enable_seqscan = off',
  'set enable_bitmapscan = off',
  'set enable_hashjoin = off',
  'set enable_mergejoin = off',
];

const oids = { int8: 20, int8Array: 1016, date: 1082, dateArray: 1182, interval: 1186 };

function toNumber(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new Error(`The database returned ${text}, which exceeds the range of safe JavaScript integers.`);
  return value;
}

type Parse = (text: string) => unknown;
// 1009 is text[]: its parser splits any array that is not nested
const itemsOf: (text: string) => (string | null)[] = pg.types.getTypeParser(1009 as never, 'text');

const parsers: Record<number, Parse> = {
  [oids.int8]: toNumber,
  // numbers are never quoted; pg's parser reads every character and took 8 % of a booking's time
  [oids.int8Array]: (text) =>
    text === '{}'
      ? []
      : text
          .slice(1, -1)
          .split(',')
          .map((item) => (item === 'NULL' ? null : toNumber(item))),
  // a date has no time zone; pg would convert it to midnight in this machine's zone
  [oids.date]: (text) => text,
  [oids.dateArray]: itemsOf,
  [oids.interval]: (text) => text,
};

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    (format !== 'binary' && parsers[oid]) || pg.types.getTypeParser(oid, format as 'text'),
};

const defaultStatementTimeoutMs = 30_000;
/** statement_timeout does not cover a commit that waits for its standby, nor a server whose machine vanished. */
const answerMarginMs = 5_000;

/** Time after which a connection with an unanswered statement is closed; undefined: never. */
function answerWithin({ statementTimeoutMs = defaultStatementTimeoutMs }: DbOptions): number | undefined {
  return statementTimeoutMs === 0
    ? undefined
    : Math.max(statementTimeoutMs, defaultStatementTimeoutMs) + answerMarginMs;
}

/** The statements that every new connection runs first. The server, database or role may have other defaults. */
function sessionSettings(options: DbOptions): string {
  return [
    "set timezone = 'UTC'",
    "set datestyle = 'ISO'",
    "set intervalstyle = 'postgres'",
    "set default_transaction_isolation = 'read committed'",
    // an idle pool would lose its connections, some of them while a request takes them
    'set idle_session_timeout = 0',
    "set client_min_messages = 'warning'",
    `set statement_timeout = ${Math.trunc(options.statementTimeoutMs ?? defaultStatementTimeoutMs)}`,
    `set lock_timeout = ${Math.trunc(options.lockTimeoutMs ?? 10_000)}`,
    `set idle_in_transaction_session_timeout = ${Math.trunc(options.idleInTransactionTimeoutMs ?? 30_000)}`,
    ...(options.hot ? hotSettings : []),
  ].join('; ');
}

/**
 * Opens a pool. It connects at the first statement; `destroy()` closes it. Columns keep PostgreSQL's names
 * (snake_case). `timestamptz` is a Date, or ±Infinity for `'infinity'`; `int8` (and so `count(*)`) is a number and
 * throws beyond 2^53; `date` is `YYYY-MM-DD`; `numeric` and `interval` stay text; `jsonb` is parsed; `bytea` is a Buffer.
 */
export function openDb(connection: Connection, options: DbOptions): Db {
  const pool = openPool({
    ...connection,
    hot: options.hot === true,
    max: options.maxConnections,
    application_name: options.applicationName,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 10_000,
    types,
    settings: sessionSettings(options),
    answerWithinMs: answerWithin(options),
    onLostConnection: options.onLostConnection,
    onWait: options.onWait,
  });
  const db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  usages.set(db, pool.usage);
  return db;
}

const usages = new WeakMap<Db, () => PoolUsage>();

/** The connections of a pool that `openDb` opened; of no other object, such as a transaction. */
export const poolUsage = (db: Db): PoolUsage | undefined => usages.get(db)?.();

/**
 * Throws an error that says what to change if the server is older than PostgreSQL 15 or lacks btree_gist, or if the database is new and
 * its encoding is not UTF8.
 */
export async function checkServer(db: Db): Promise<void> {
  const { rows } = await sql<{
    version: string;
    number: number;
    installed: boolean;
    available: boolean;
    may: boolean;
    encoding: string;
    isNew: boolean;
  }>`
    select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
      exists (select from pg_extension where extname = 'btree_gist') as installed,
      exists (select from pg_available_extensions where name = 'btree_gist') as available,
      has_database_privilege(current_database(), 'create') as may,
      current_setting('server_encoding') as encoding, to_regclass('kysely_migration') is null as "isNew"`.execute(
    db,
  );
  const server = rows[0];
  if (!server) throw new Error('The database server did not return its version.');
  if (server.number < 150_000) {
    throw new Error(
      `The database server is PostgreSQL ${server.version}; version 15 or later is required. Upgrade it, or set DATABASE_URL to another server.`,
    );
  }
  if (server.isNew && server.encoding !== 'UTF8') {
    throw new Error(
      `The encoding of the database is ${server.encoding}; UTF8 is required. Create another database with "create database … encoding 'UTF8' template template0", and set DATABASE_URL to it.`,
    );
  }
  if (server.installed) return;
  if (!server.available) {
    throw new Error(
      'The database server lacks the extension btree_gist, which prevents overlapping bookings. Install PostgreSQL\'s "contrib" package on that server.',
    );
  }
  if (!server.may) {
    throw new Error(
      'The database user may not create the extension btree_gist. Run "create extension btree_gist" once as a privileged user, or "grant create on database … to …".',
    );
  }
}
