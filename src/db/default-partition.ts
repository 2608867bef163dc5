// The default partition of a table, beside which new partitions are created: PostgreSQL searches it for their rows.
import { sql } from 'kysely';
import type { Db, Tx } from './db.ts';
import { violates } from './failure.ts';

const checkName = 'before_new_partitions';

/** Its name. */
export const defaultOf = (table: string): string => `${table}_default`;

/** A new partition locks its table. While a backup copies it, all other statements would wait behind that lock. */
const lockTimeoutMs = 100;

/** Does the work in a transaction that fails with code 55P03 if a lock is not free. */
export const inLocked = <T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().execute(async (tx) => {
    await sql`set local lock_timeout = ${sql.lit(lockTimeoutMs)}`.execute(tx);
    return work(tx);
  });

/** The pages of the default partition, and whether the check of `checkDefault` is there. */
export async function readDefault(db: Db, table: string): Promise<{ pages: number; isChecked: boolean }> {
  const { rows } = await sql<{ pages: number; isChecked: boolean }>`
    select (pg_relation_size(c.oid) / current_setting('block_size')::int)::float8 as pages,
      exists (select from pg_constraint where conrelid = c.oid and conname = ${checkName}) as "isChecked"
    from pg_class c where c.oid = to_regclass(${defaultOf(table)})`.execute(db);
  return rows[0] ?? { pages: 0, isChecked: false };
}

/**
 * Lets PostgreSQL search the default partition while it is read and written: a validated check that it has no keys from `from` on spares
 * the search by each new partition, which locks the whole table (measured with a million rows in memory: 0.1 s each). The keys begin
 * tomorrow or later, so the check rejects no rows of the present. Without the check if it fails: a wrong clock has made later rows.
 */
export async function checkDefault(
  db: Db,
  { table, key, from }: { table: string; key: string; from: string },
): Promise<void> {
  const name = sql.table(defaultOf(table));
  await inLocked(db, (tx) =>
    sql`
      alter table ${name} add constraint ${sql.id(checkName)} check (${sql.ref(key)} < ${sql.lit(from)}) not valid`.execute(
      tx,
    ),
  );
  await sql`alter table ${name} validate constraint ${sql.id(checkName)}`
    .execute(db)
    .catch(async (error: unknown) => {
      await inLocked(db, (tx) => dropCheck(tx, table));
      if (!violates(error, checkName)) throw error;
    });
}

/** Drops the check of `checkDefault`. */
export async function dropCheck(tx: Tx, table: string): Promise<void> {
  await sql`alter table ${sql.table(defaultOf(table))} drop constraint if exists ${sql.id(checkName)}`.execute(
    tx,
  );
}

/** A partition to be created. */
export interface NewPartition {
  name: string;
  /** Its first day. */
  first: string;
  /** The day after its last one. */
  last: string;
}

/** Creates them; returns how many. One that is there, or whose first rows came in the meantime, is left out. */
export async function createPartitions(
  tx: Tx,
  table: string,
  partitions: readonly NewPartition[],
  storage: string,
): Promise<number> {
  let made = 0;
  for (const { name, first, last } of partitions) {
    const { rows } = await sql<{ isMade: boolean | null }>`
      select make_partition(${table}, ${name}, ${first}::date, ${last}::date, ${storage}) as "isMade"`.execute(
      tx,
    );
    if (rows[0]?.isMade) made += 1;
  }
  return made;
}
