// The month partitions of tables that are ranged by a UUIDv7, made ahead of the time when their rows come.
import { sql } from 'kysely';
import type { Db } from './db.ts';

const eager = 'autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05';

/** The ranged tables and how each month of them is stored. */
const ranged: Record<string, string> = {
  // room on each page, so that a message's moves stay heap-only (measured: 28 % of them without it, 78 % with it)
  messages: `with (fillfactor = 50, ${eager})`,
  // half a page for the row as it is when delivered: it stays beside the first (measured: a fifth less write-ahead log)
  deliveries: `with (fillfactor = 50, ${eager})`,
  attempts: '',
};

/**
 * Makes the partitions of this month and the next two where they are missing; answers how many it made. A month whose
 * first rows already lie in the default partition stays there. Safe to repeat, and from several processes at once.
 */
export async function makePartitions(db: Db, monthsAhead = 2): Promise<number> {
  let made = 0;
  for (const [table, storage] of Object.entries(ranged)) {
    const { rows } = await sql<{ made: number }>`
      select make_month_partitions(${table}, ${monthsAhead}::int, ${storage}) as made`.execute(db);
    made += rows[0]?.made ?? 0;
  }
  return made;
}

/**
 * Analyzes partitions that PostgreSQL's statistics still count as empty: a month that was vacuumed
 * before its time came. Plans made for an empty table read all of it for each row (its keys cost as much as nothing), and
 * stay until this, or the server's own upkeep, gives them up. Answers how many there were.
 */
export async function analyzeYoungPartitions(db: Db): Promise<number> {
  const { rows } = await sql<{ name: string }>`
    select c.oid::regclass::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = any (${Object.keys(ranged)}::text[]::regclass[]) and c.reltuples = 0
      and pg_relation_size(c.oid) > 0`.execute(db);
  for (const { name } of rows) await sql`analyze ${sql.table(name)}`.execute(db);
  return rows.length;
}
