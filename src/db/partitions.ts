// Partitions of tables whose key is a UUIDv7, by month or by day, created ahead of time.
import { sql } from 'kysely';
import type { Db, Tx } from './db.ts';
import {
  checkDefault,
  createPartitions,
  defaultOf,
  dropCheck,
  inLocked,
  type NewPartition,
  readDefault,
} from './default-partition.ts';
import { isLockTimeout } from './failure.ts';

const eager = 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05';

/** The partitioned tables, with the key of their rows and the storage options of each partition. */
const ranged: Record<string, { key: string; storage: string }> = {
  // free space on each page keeps updates of a message heap-only (measured: 78 % of them, 28 % without it)
  messages: { key: 'id', storage: `with (fillfactor = 50, ${eager})` },
  // free space for the row's update at delivery, which stays on its page (measured: a fifth less WAL)
  deliveries: { key: 'subject_id', storage: `with (fillfactor = 50, ${eager})` },
  attempts: { key: 'subject_id', storage: '' },
  received_messages: { key: 'id', storage: '' },
};

/** The names of the partitioned tables. */
export const partitionedTables = (): string[] => Object.keys(ranged);

/** The storage options of a partition of that table; empty: the defaults. */
export const partitionOptions = (table: string): string => ranged[table]?.storage ?? '';

type Unit = 'month' | 'day';

/** Days: longer than workers are ever stopped. Rows of days without a partition are in the default one. */
const ahead: Record<Unit, number> = { month: 2, day: 14 };

/** Pages of a default partition that PostgreSQL may search while nobody can use the table: 64 MB, some 20 ms if they are in memory. */
const lockedPagesMax = 8_192;

/**
 * Creates missing partitions of this month and the next two, or of today and the next 14 days; returns how many. A table whose lock is
 * not free gets its partitions by a later call. A month or day whose first rows are already in the default partition stays there. A change
 * of `by` takes effect after this month. Safe to repeat, also concurrently.
 */
export async function makePartitions(db: Db, by: Unit = 'month'): Promise<number> {
  let made = 0;
  for (const table of partitionedTables())
    made += await makePartitionsOf(db, table, by).catch((error: unknown) => {
      if (!isLockTimeout(error)) throw error;
      return 0;
    });
  return made;
}

const keyOf = (table: string) => ranged[table]?.key ?? 'id';

async function makePartitionsOf(db: Db, table: string, by: Unit): Promise<number> {
  const { isChecked, pages } = await readDefault(db, table);
  // a crash, or another process
  if (isChecked) await inLocked(db, (tx) => dropCheck(tx, table));
  const periods = await readPeriods(db, table, by);
  const missing = periods.filter(({ isMissing }) => isMissing);
  const isMixed = periods.some((period) => period.isMixed);
  if (!isMixed && missing.length === 0) return 0;
  const later = missing.find(({ isLater }) => isLater);
  if (later && pages > lockedPagesMax) await checkDefault(db, { table, key: keyOf(table), from: later.from });
  return inLocked(db, async (tx) => {
    const made = isMixed
      ? await makeMixed(tx, table, by)
      : await createPartitions(tx, table, missing, partitionOptions(table));
    await dropCheck(tx, table);
    return made;
  });
}

/** Where months and days meet. */
async function makeMixed(tx: Tx, table: string, by: Unit): Promise<number> {
  const make = by === 'month' ? sql`make_months` : sql`make_days`;
  const { rows } = await sql<{ made: number }>`
    select ${make}(${table}, ${ahead[by]}::int, ${partitionOptions(table)}) as made`.execute(tx);
  return rows[0]?.made ?? 0;
}

/** A month or a day. */
interface Period extends NewPartition {
  /** The lowest key. */
  from: string;
  isLater: boolean;
  /** It has no partition and can have one: none of its rows are in the default partition. */
  isMissing: boolean;
  /** Its month has days, or the days are to replace later months. */
  isMixed: boolean;
}

/** Whether a month after this one has a partition. */
const hasLaterMonths = (table: string) => sql`exists (
  select from generate_series(1, 3) n
  where to_regclass(${table} || to_char(date_trunc('month', now() at time zone 'UTC') + n * interval '1 month', '_YYYY_MM')) is not null)`;

/** The periods that need a partition, oldest first. Takes no lock. */
async function readPeriods(db: Db, table: string, by: Unit): Promise<Period[]> {
  const key = sql.ref(keyOf(table));
  const { rows } = await sql<Period>`
    with periods as (
      select p.first::date, (p.first + ${`1 ${by}`}::interval)::date as last,
        p.first > now() at time zone 'UTC' as "isLater",
        ${table} || to_char(p.first, ${by === 'month' ? '_YYYY_MM' : '_YYYY_MM_DD'}) as name,
        to_regclass(${table} || to_char(p.first, '_YYYY_MM')) is not null as has_month,
        has_days(${table}, date_trunc('month', p.first)::date) as has_days
      from generate_series(0, ${ahead[by]}::int) n,
        lateral (select date_trunc(${by}, now() at time zone 'UTC') + n * ${`1 ${by}`}::interval as first) p)
    select name, first::text, last::text, b.from, "isLater",
      to_regclass(name) is null and not has_month and not exists (
        select from ${sql.table(defaultOf(table))} where ${key} >= b.from and ${key} < b.to) as "isMissing",
      case when ${sql.lit(by === 'month')} then has_days else ${hasLaterMonths(table)} end as "isMixed"
    from periods, lateral (
      select uuid7_floor(first::timestamp at time zone 'UTC') as from, uuid7_floor(last::timestamp at time zone 'UTC') as to) b
    order by first`.execute(db);
  return rows;
}

/**
 * Analyzes partitions that have rows but that PostgreSQL's statistics count as empty, because they were vacuumed before their
 * first rows. Plans for an empty table use any index, and stay until the table is analyzed. Returns how many there were.
 */
export async function analyzeFirstRows(db: Db): Promise<number> {
  const { rows } = await sql<{ name: string }>`
    select c.oid::regclass::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = any (${partitionedTables()}::text[]::regclass[]) and c.reltuples = 0
      and pg_relation_size(c.oid) > 0`.execute(db);
  for (const { name } of rows) await sql`analyze ${sql.table(name)}`.execute(db);
  return rows.length;
}
