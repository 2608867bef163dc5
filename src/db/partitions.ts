// Partitions of tables whose key is a UUIDv7, by month or by day, created ahead of time.
import { sql } from 'kysely';
import type { Db } from './db.ts';
import { isLockTimeout } from './failure.ts';

const eager = 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05';

/** The partitioned tables, with the storage options of each partition. */
const ranged: Record<string, string> = {
  // free space on each page keeps updates of a message heap-only (measured: 78 % of them, 28 % without it)
  messages: `with (fillfactor = 50, ${eager})`,
  // free space for the row's update at delivery, which stays on its page (measured: a fifth less WAL)
  deliveries: `with (fillfactor = 50, ${eager})`,
  attempts: '',
  received_messages: '',
};

/** The names of the partitioned tables. */
export const partitionedTables = (): string[] => Object.keys(ranged);

/** The storage options of a partition of that table; empty: the defaults. */
export const partitionOptions = (table: string): string => ranged[table] ?? '';

const monthsAhead = 2;
/** Longer than workers are ever stopped: rows of days without a partition are in the default one. */
const daysAhead = 14;

/** A new partition locks its table. While a backup copies it, all other statements would wait behind that lock. */
const lockTimeoutMs = 100;

/**
 * Creates missing partitions of this month and the next two, or of today and the next 14 days; returns how many. A table whose lock is
 * not free gets its partitions by a later call. A month or day whose first rows are already in the default partition stays there. A change
 * of `by` takes effect after this month. Safe to repeat, also concurrently.
 */
export async function makePartitions(db: Db, by: 'month' | 'day' = 'month'): Promise<number> {
  let made = 0;
  for (const [table, storage] of Object.entries(ranged)) {
    const make =
      by === 'month'
        ? sql<{ made: number }>`select make_months(${table}, ${monthsAhead}::int, ${storage}) as made`
        : sql<{ made: number }>`select make_days(${table}, ${daysAhead}::int, ${storage}) as made`;
    made += await db
      .transaction()
      .execute(async (tx) => {
        await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(tx);
        return (await make.execute(tx)).rows[0]?.made ?? 0;
      })
      .catch((error: unknown) => {
        if (!isLockTimeout(error)) throw error;
        return 0;
      });
  }
  return made;
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
