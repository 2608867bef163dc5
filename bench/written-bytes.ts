// What PostgreSQL writes: bytes of its log (WAL) by kind of record and relation, and the sizes of relations on disk.
import { type Kysely, sql } from 'kysely';
import { type Db, openDb } from '../src/db/db.ts';
import { administrator, readPasswords } from '../src/db/embedded/cluster.ts';
import { findCluster } from '../src/db/embedded/folders.ts';
import { findRunningEmbedded } from '../src/db/embedded/running.ts';

/** Opens the embedded database as its administrator: reading the log is for superusers. */
export async function openAsAdministrator(dataDir: string): Promise<Db> {
  const connection = await findRunningEmbedded(dataDir);
  const cluster = await findCluster(dataDir);
  if (!connection || !cluster || 'connectionString' in connection)
    throw new Error('the embedded database of the gateway was not found');
  const passwords = await readPasswords(cluster);
  return openDb(
    { ...connection, user: administrator, password: passwords.administrator },
    { maxConnections: 1, applicationName: 'bench', statementTimeoutMs: 0, idleInTransactionTimeoutMs: 0 },
  );
}

/** The end of the log now. */
export async function logPosition(db: Kysely<never> | Db): Promise<string> {
  const { rows } = await sql<{ at: string }>`select pg_current_wal_insert_lsn()::text as at`.execute(db);
  return rows[0]?.at as string;
}

export interface WrittenRecords {
  /** A relation without its month, or `-` for records of none, such as commits. */
  relation: string;
  /** The kind of record, such as `Heap/HOT_UPDATE`. */
  kind: string;
  records: number;
  bytes: number;
  /** Of `bytes`, whole pages: the first change of a page after a checkpoint. */
  pageBytes: number;
}

/** The log between two positions, the largest first. A record counts for the first relation that it changes. */
export async function writtenRecords(admin: Db, from: string, to: string): Promise<WrittenRecords[]> {
  await sql`create extension if not exists pg_walinspect`.execute(admin);
  const { rows } = await sql<WrittenRecords>`
    with refs as (
      select distinct on (start_lsn) start_lsn, relfilenode from pg_get_wal_block_info(${from}::pg_lsn, ${to}::pg_lsn, false)
      order by start_lsn, block_id),
    records as (
      select r.start_lsn, resource_manager || '/' || record_type as kind, record_length as length, fpi_length
      from pg_get_wal_records_info(${from}::pg_lsn, ${to}::pg_lsn) r)
    select coalesce(regexp_replace(c.relname, '_\\d{4}_\\d{2}', ''), '-') as relation, kind, count(*)::int as records,
      sum(length)::int8 as bytes, sum(fpi_length)::int8 as "pageBytes"
    from records left join refs using (start_lsn) left join pg_class c on c.relfilenode = refs.relfilenode
    group by 1, 2 order by 4 desc`.execute(admin);
  return rows;
}

/** The bytes of each table and index with its free space map, without system tables; months are added up. */
export async function relationBytes(db: Db): Promise<Map<string, number>> {
  const { rows } = await sql<{ name: string; bytes: number }>`
    select regexp_replace(c.relname, '_\\d{4}_\\d{2}', '') as name,
      sum(pg_relation_size(c.oid) + pg_relation_size(c.oid, 'fsm') + pg_relation_size(c.oid, 'vm'))::int8 as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind in ('r', 'i', 't') and n.nspname in ('public', 'pg_toast') group by 1`.execute(db);
  return new Map(rows.map(({ name, bytes }) => [name, bytes]));
}
