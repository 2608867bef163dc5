// Partitions that nobody needs any more: searched for rows that stay, then dropped. See "Partitions" in docs/retention.md.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { nilUuid } from '../base/ids.ts';
import type { Db } from '../db/db.ts';
import { isDeliveryExpired, isMessageExpired, isReceivedExpired } from './expired-store.ts';

/** The tables whose partitions are dropped; those of attempts go with the deliveries. */
export type PartitionedTable = 'messages' | 'deliveries' | 'received_messages';

export interface Partition {
  table: string;
  name: string;
  /** Ids of its rows: from this one, to below that one. */
  from: string;
  to: string;
}

/** Partitions of these tables except the default ones, oldest first. */
export async function listPartitions(db: Db, tables: readonly string[]): Promise<Partition[]> {
  const { rows } = await sql<Partition>`
    select p.relname::text as table, c.relname::text as name, b.ids[1] as from, b.ids[2] as to
    from pg_inherits i join pg_class p on p.oid = i.inhparent join pg_class c on c.oid = i.inhrelid,
      lateral (select regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \\(''([^'']+)''\\) TO \\(''([^'']+)''\\)') as ids) b
    where p.relnamespace = current_schema()::regnamespace and p.relname = any (${[...tables]}::text[]) and b.ids is not null
      and not i.inhdetachpending
    order by b.ids[1], p.relname`.execute(db);
  return rows;
}

/** The stage of the row of `retention_kept` that names the latest search of a partition; no key has it. */
const searchStage = sql.lit(-1);

/**
 * Begins a search: notes every row that is written to the partition from now on, and forgets what earlier searches found. Returns the
 * id of the search; earlier ones can no longer drop the partition.
 */
export async function watchPartition(db: Db, { table, name }: Partition): Promise<string> {
  await sql`select retention_watch(${table}, ${name})`.execute(db);
  const search = randomUUID();
  await sql`
    with earlier as (delete from retention_kept where part = ${name})
    insert into retention_kept (part, first_id, second_id, stage) values (${name}, ${search}, ${nilUuid}, ${searchStage})`.execute(
    db,
  );
  return search;
}

/** Ends that. */
export async function unwatchPartition(db: Db, name: string): Promise<void> {
  await sql`select retention_unwatch(${name})`.execute(db);
}

/** Ends the searches of all other partitions than these: a crash has left them, and they are kept longer now. */
export async function unwatchOthers(db: Db, names: readonly string[]): Promise<void> {
  await sql`
    select retention_unwatch(c.relname::text) from pg_trigger t join pg_class c on c.oid = t.tgrelid
    where t.tgname = 'retention_keep' and c.relnamespace = current_schema()::regnamespace
      and c.relname <> all (${[...names]}::text[])`.execute(db);
}

/** The pages of a partition's table. */
export async function countPages(db: Db, name: string): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select (pg_relation_size(to_regclass(quote_ident(${name}))) / current_setting('block_size')::int)::float8 as pages`.execute(
    db,
  );
  return rows[0]?.pages ?? 0;
}

/** A part of a partition: rows that did not end before a time are kept. */
export interface Search {
  partition: Partition;
  before: Date;
  fromPage: number;
  toPage: number;
  /** Rows that are kept at most: with so many, the partition is not dropped. */
  limit: number;
}

/** Keeps rows of messages. */
export async function keepMessages(db: Db, search: Search): Promise<void> {
  const { partition, before } = search;
  await sql`
    insert into retention_kept (part, first_id, second_id, stage)
    select ${partition.name}, m.account_id, m.id, 0 from messages m
    where m.id >= ${partition.from} and m.id < ${partition.to} and m.tableoid = to_regclass(quote_ident(${partition.name}))
      and m.ctid >= ${`(${search.fromPage},0)`}::tid and m.ctid < ${`(${search.toPage},0)`}::tid
      and not ${isMessageExpired(before)}
    limit ${search.limit}::int
    on conflict do nothing`.execute(db);
}

/** Keeps messages of which a delivery is still there. */
export async function keepMessagesOfDeliveries(db: Db, { name, from, to }: Partition): Promise<void> {
  await sql`
    insert into retention_kept (part, first_id, second_id, stage)
    select ${name}, d.account_id, d.subject_id, 0 from deliveries d where d.subject_id >= ${from} and d.subject_id < ${to}
    on conflict do nothing`.execute(db);
}

/** Keeps rows of deliveries. */
export async function keepDeliveries(db: Db, search: Search): Promise<void> {
  const { partition, before } = search;
  await sql`
    insert into retention_kept (part, first_id, second_id, stage)
    select ${partition.name}, d.subject_id, d.endpoint_id, d.stage from deliveries d
    where d.subject_id >= ${partition.from} and d.subject_id < ${partition.to}
      and d.tableoid = to_regclass(quote_ident(${partition.name}))
      and d.ctid >= ${`(${search.fromPage},0)`}::tid and d.ctid < ${`(${search.toPage},0)`}::tid
      and not ${isDeliveryExpired(before)}
    limit ${search.limit}::int
    on conflict do nothing`.execute(db);
}

/** Keeps rows of received messages. */
export async function keepReceived(db: Db, search: Search): Promise<void> {
  const { partition, before } = search;
  await sql`
    insert into retention_kept (part, first_id, second_id, stage)
    select ${partition.name}, m.account_id, m.id, 0 from received_messages m
    where m.id >= ${partition.from} and m.id < ${partition.to} and m.tableoid = to_regclass(quote_ident(${partition.name}))
      and m.ctid >= ${`(${search.fromPage},0)`}::tid and m.ctid < ${`(${search.toPage},0)`}::tid
      and not ${isReceivedExpired(before)}
    limit ${search.limit}::int
    on conflict do nothing`.execute(db);
}

/** How many rows of the partition are kept, counted up to `limit`. */
export async function countKept(db: Db, name: string, limit: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (select from retention_kept where part = ${name} and stage <> ${searchStage} limit ${limit}::int) k`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
}

/** True if deliveries have a subject in this range of a partition, also in another partition; counted up to `limit`. */
export async function countDeliveriesBetween(
  db: Db,
  { from, to }: Pick<Partition, 'from' | 'to'>,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (
      select from deliveries d where d.subject_id >= ${from} and d.subject_id < ${to} limit ${limit}::int) k`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
}

/**
 * Drops partitions of the same months in one statement, so that no other process is stopped while this one is slow. The rows that
 * `search` of the first partition keeps move to the default partitions. Returns how many; null if another search has begun, or while a
 * backup needs the partitions. Throws with code 55P03 if the locks are not free within 100 ms.
 */
export async function dropPartitions(
  db: Db,
  partitions: readonly [Partition, ...Partition[]],
  search: string,
): Promise<number | null> {
  const [{ name }] = partitions;
  // the lock of its row lets no other search begin before the end of the statement
  const { rows } = await sql<{ moved: number | null }>`
    with s as materialized (
      select from retention_kept where part = ${name} and first_id = ${search} and second_id = ${nilUuid} and stage = ${searchStage}
      for update)
    select retention_drop(${partitions.map(({ table }) => table)}::text[], ${partitions.map(({ name }) => name)}::text[],
      ${name}) as moved from s`.execute(db);
  return rows[0]?.moved ?? null;
}

/** The rows of a partition of attempts, counted up to `limit`. */
export async function countAttempts(db: Db, { name, from, to }: Partition, limit: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (
      select from attempts a where a.subject_id >= ${from} and a.subject_id < ${to}
        and a.tableoid = to_regclass(quote_ident(${name})) limit ${limit}::int) k`.execute(db);
  return rows[0]?.n ?? 0;
}

/** Drops a partition of attempts, as `dropPartitions` does. All of its rows move to the default partition. */
export async function dropAttempts(db: Db, { name }: Partition): Promise<number | null> {
  const { rows } = await sql<{ moved: number | null }>`
    select retention_drop(array['attempts'], array[${name}::text], null) as moved`.execute(db);
  return rows[0]?.moved ?? null;
}
