// Everything in a database, to compare it with another one: rows of every table, partitions and sequences.
import { sql } from 'kysely';
import type { Db } from '../../src/db/db.ts';

export interface DatabaseContent {
  /** Rows as text, sorted. */
  tables: Record<string, string[]>;
  partitions: string[];
  sequences: string[];
}

/** Reads it. Leaves out the tables of migrations, whose times differ. */
export async function contentOf(db: Db): Promise<DatabaseContent> {
  const { rows: found } = await sql<{ name: string }>`
    select c.relname::text as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not in ('kysely_migration', 'kysely_migration_lock', 'migration_digests') order by 1`.execute(
    db,
  );
  const tables: Record<string, string[]> = {};
  for (const { name } of found) {
    const { rows } = await sql<{ row: string }>`
      select t::text as row from ${sql.table(name)} t order by 1`.execute(db);
    tables[name] = rows.map(({ row }) => row);
  }
  const partitions = await sql<{ text: string }>`
    select format('%s %s %s', c.relname, pg_get_expr(c.relpartbound, c.oid), c.reloptions) as text
    from pg_class c where c.relispartition and c.relkind = 'r' order by 1`.execute(db);
  const sequences = await sql<{ text: string }>`
    select format('%s %s', sequencename, last_value) as text from pg_sequences order by 1`.execute(db);
  return {
    tables,
    partitions: partitions.rows.map(({ text }) => text),
    sequences: sequences.rows.map(({ text }) => text),
  };
}
