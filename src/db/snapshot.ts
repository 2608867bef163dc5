// A consistent snapshot of the database for a backup: one read-only transaction, its tables as text in COPY's format.
import { setTimeout as sleepReally } from 'node:timers/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Connection } from './db.ts';

/** The keys of the advisory lock of backups: only one runs at a time. */
export const backupLock = [0x63_67_62, 1] as const;
/** Partitions are only dropped under this lock (`retention_drop`): a snapshot does not keep the rows of one that is dropped before it is read. */
const partitionsLock = [0x63_67_62, 2] as const;

export interface SnapshotTable {
  name: string;
  columns: string[];
  /** Bytes on disk. */
  bytes: number;
}

export interface Snapshot {
  at: Date;
  postgresVersion: string;
  /** In an order in which they can be loaded: a table follows those that it references. */
  tables: SnapshotTable[];
  sequences: { name: string; lastValue: string | null }[];
  partitions: { table: string; name: string; bounds: string }[];
  migrations: { name: string; digest: string | null }[];
  /** The rows of a table, as COPY writes them. */
  copy(table: SnapshotTable): AsyncIterable<Buffer>;
  /** The keys of stored files that this snapshot names, a thousand at a time. */
  fileKeys(): AsyncIterable<string[]>;
  /** Ends the transaction; the lock stays. */
  end(): Promise<void>;
  /** Releases the lock and closes the connection. */
  close(): Promise<void>;
}

export interface SnapshotOptions {
  /** The transaction is aborted after this time: it keeps PostgreSQL from removing old rows. */
  maxMs: number;
  /** Waits for that time, or until the signal aborts. */
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Called when the lock is held, before the snapshot begins: its content becomes part of the snapshot. */
  onLocked?: () => Promise<void>;
  /** Tables that are not part of it. Default: those that a backup leaves out. */
  leftOut?: readonly string[];
}

/** Written by migrations, or about this installation. */
const backupLeavesOut: readonly string[] = [
  'kysely_migration',
  'kysely_migration_lock',
  'migration_digests',
  'breaking_migrations',
  'backups',
  'gateway_state',
];

const systemSleep = (ms: number, signal: AbortSignal): Promise<void> =>
  sleepReally(ms, undefined, { signal }).catch(() => undefined);

const readyState = 'ready';
const keysAtOnce = 1000;

/** The same text for every server's defaults. */
const settings = [
  "set timezone = 'UTC'",
  "set datestyle = 'ISO'",
  "set intervalstyle = 'postgres'",
  "set bytea_output = 'hex'",
  'set extra_float_digits = 1',
  "set client_encoding = 'UTF8'",
  'set lock_timeout = 10000',
  // a scan of a large table would begin where another one is
  'set synchronize_seqscans = off',
].join('; ');

/**
 * Begins a snapshot. Returns undefined if another backup of this database is running. Its statements fail after `maxMs`, on
 * the server too, so that a stuck process cannot keep the snapshot.
 */
export async function openSnapshot(
  connection: Connection,
  { maxMs, sleep = systemSleep, onLocked, leftOut = backupLeavesOut }: SnapshotOptions,
): Promise<Snapshot | undefined> {
  const client = new pg.Client({ ...connection, application_name: 'gateway backup', keepAlive: true });
  // a lost connection fails the current statement; without a listener it would end the process
  client.on('error', () => {});
  await client.connect();
  const ended = new AbortController();
  try {
    await client.query(
      `${settings}; set statement_timeout = ${maxMs}; set idle_in_transaction_session_timeout = ${maxMs}`,
    );
    const { rows } = await client.query('select pg_try_advisory_lock($1, $2) as locked', [...backupLock]);
    if (rows[0].locked !== true) {
      await client.end();
      return undefined;
    }
    await client.query('select pg_advisory_lock_shared($1, $2)', [...partitionsLock]);
    await onLocked?.();
    return await begin(client, { maxMs, sleep, leftOut, ended });
  } catch (error) {
    ended.abort();
    await client.end().catch(() => undefined);
    throw error;
  }
}

async function begin(
  client: pg.Client,
  { maxMs, sleep, leftOut, ended }: Omit<Required<SnapshotOptions>, 'onLocked'> & { ended: AbortController },
): Promise<Snapshot> {
  let expired = false;
  // ends the connection, even in the middle of a table
  void sleep(maxMs, ended.signal).then(() => {
    if (ended.signal.aborted) return;
    expired = true;
    void client.end().catch(() => undefined);
  });
  const named = (error: unknown) =>
    expired
      ? new Error(
          `The snapshot of the database lasted longer than ${Math.round(maxMs / 60_000)} minutes (BACKUP_SNAPSHOT_MINUTES), so the backup was stopped.`,
          { cause: error },
        )
      : error;
  const rowsOf = async <T>(text: string, values: unknown[] = []): Promise<T[]> => {
    const { rows } = await client.query(text, values).catch((error: unknown) => {
      throw named(error);
    });
    return rows as T[];
  };

  await rowsOf('begin isolation level repeatable read, read only');
  const [about] = await rowsOf<{ at: Date; version: string }>(
    "select now() as at, current_setting('server_version') as version",
  );
  const tables = inLoadingOrder(
    await rowsOf<SnapshotTable & { references: string[] }>(tablesText, [leftOut]),
  );
  return {
    at: about?.at as Date,
    postgresVersion: about?.version as string,
    tables,
    sequences: await rowsOf(
      'select sequencename as name, last_value::text as "lastValue" from pg_sequences where schemaname = current_schema() order by 1',
    ),
    partitions: await rowsOf(partitionsText),
    migrations: await rowsOf(
      'select name, digest from kysely_migration left join migration_digests using (name) order by name',
    ),
    copy: (table) => copyRows(client, table, named),

    async *fileKeys() {
      await rowsOf(
        `declare file_keys no scroll cursor for select object_key as key from media where state = '${readyState}' order by id`,
      );
      while (true) {
        const rows = await rowsOf<{ key: string }>(`fetch ${keysAtOnce} from file_keys`);
        if (rows.length === 0) return;
        yield rows.map(({ key }) => key);
      }
    },

    async end() {
      ended.abort();
      await rowsOf('commit');
    },

    async close() {
      ended.abort();
      await client.end().catch(() => undefined);
    },
  };
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

async function* copyRows(
  client: pg.Client,
  { name, columns }: SnapshotTable,
  named: (error: unknown) => unknown,
): AsyncGenerator<Buffer> {
  // a partitioned table itself has no rows for "copy table"
  const text = `copy (select ${columns.map(quoted).join(', ')} from ${quoted(name)}) to stdout`;
  const stream = client.query(copyTo(text));
  // the connection's end does not end the stream
  const lost = () => stream.destroy(new Error('The connection to the database was lost.'));
  client.once('end', lost);
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    throw named(error);
  } finally {
    client.removeListener('end', lost);
  }
}

/** Tables without those of their partitions, with the columns that can be written. */
const tablesText = `
  select c.relname as name,
    (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
    (select coalesce(sum(pg_relation_size(t.relid)), 0)::float8 from pg_partition_tree(c.oid) t) as bytes,
    array(select distinct f.confrelid::regclass::text from pg_constraint f
      where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as references
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
    and c.relname <> all ($1::text[])
  order by c.relname`;

/** Partitions other than the default one. */
const partitionsText = `
  select p.relname as table, c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
  from pg_inherits i join pg_class p on p.oid = i.inhparent join pg_class c on c.oid = i.inhrelid
  where p.relnamespace = current_schema()::regnamespace and p.relkind = 'p' and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'
  order by 1, 2`;

/** Sorts tables so that each follows those that it references. */
function inLoadingOrder(tables: readonly (SnapshotTable & { references: string[] })[]): SnapshotTable[] {
  const ordered: SnapshotTable[] = [];
  const visited = new Set<string>();
  const byName = new Map(tables.map((table) => [table.name, table]));
  const visit = (table: SnapshotTable & { references: string[] }) => {
    if (visited.has(table.name)) return;
    visited.add(table.name);
    for (const name of table.references) {
      const referenced = byName.get(name);
      if (referenced) visit(referenced);
    }
    const { name, columns, bytes } = table;
    ordered.push({ name, columns, bytes });
  };
  for (const table of tables) visit(table);
  return ordered;
}
