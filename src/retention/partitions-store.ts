// Partitions that nobody needs any more: searched for rows that stay, then dropped. See "Partitions" in docs/retention.md.
import { sql } from 'kysely';
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

/** Notes every row that is written to the partition from now on, and forgets what an earlier search found. */
export async function watchPartition(db: Db, { table, name }: Partition): Promise<void> {
  await sql`select retention_watch(${table}, ${name})`.execute(db);
  await sql`delete from retention_kept where part = ${name}`.execute(db);
}

/** Ends that. */
export async function unwatchPartition(db: Db, name: string): Promise<void> {
  await sql`select retention_unwatch(${name})`.execute(db);
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
    on conflict do nothing`.execute(db);
}

/** How many rows of the partition are kept, counted up to `limit`. */
export async function countKept(db: Db, name: string, limit: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from (select from retention_kept where part = ${name} limit ${limit}::int) k`.execute(
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
 * Drops partitions of the same months in one statement, so that no other process is stopped while this one is slow. Rows that
 * `keptOf` keeps move to the default partitions, all of them if it is null. Returns how many; null while a backup needs the partitions.
 * Throws with code 55P03 if the locks are not free within 100 ms.
 */
export async function dropPartitions(
  db: Db,
  partitions: readonly Partition[],
  keptOf: string | null,
): Promise<number | null> {
  const { rows } = await sql<{ moved: number | null }>`
    select retention_drop(${partitions.map(({ table }) => table)}::text[], ${partitions.map(({ name }) => name)}::text[],
      ${keptOf}) as moved`.execute(db);
  return rows[0]?.moved ?? null;
}
