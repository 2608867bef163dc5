// The digests of the migrations a database has run, kept in that database, so that a file edited afterwards is noticed.
import { sql } from 'kysely';
import type { Db } from './db.ts';
import type { MigrationFile } from './migration-files.ts';

export interface MigrationRun {
  name: string;
  /** Null: run by a program that recorded no digests. */
  digest: string | null;
}

/** The migrations that the database has run, in order. Reads only, whatever the state of the database. */
export async function migrationsRun(db: Db): Promise<MigrationRun[]> {
  const { rows: found } = await sql<{ run: boolean; digests: boolean }>`
    select to_regclass('kysely_migration') is not null as run,
      to_regclass('migration_digests') is not null as digests`.execute(db);
  if (!found[0]?.run) return [];
  const { rows } = found[0].digests
    ? await sql<MigrationRun>`
        select name, digest from kysely_migration left join migration_digests using (name) order by name`.execute(
        db,
      )
    : await sql<MigrationRun>`select name, null as digest from kysely_migration order by name`.execute(db);
  return rows;
}

// any two numbers that nothing else here locks
const lock = [1_128_813_383, 2];

/** Records the digests of files that ran, inside the caller's transaction. A digest recorded before stays. */
export async function recordDigests(tx: Db, files: MigrationFile[]): Promise<void> {
  // of two `create table if not exists` at the same time, one fails
  await sql`select pg_advisory_xact_lock(${lock[0]}, ${lock[1]})`.execute(tx);
  await sql`
    create table if not exists migration_digests (
      name text primary key,
      digest text not null,
      recorded_at timestamptz not null default now()
    )`.execute(tx);
  await sql`
    insert into migration_digests (name, digest)
    select * from unnest(${files.map(({ name }) => name)}::text[], ${files.map(({ digest }) => digest)}::text[])
    on conflict (name) do nothing`.execute(tx);
}

/** Records the files that an earlier program ran without a digest. The caller has checked them against the released digests. */
export async function recordMissingDigests(db: Db, files: MigrationFile[]): Promise<void> {
  const run = await migrationsRun(db);
  const missing = new Set(run.filter(({ digest }) => digest === null).map(({ name }) => name));
  if (missing.size === 0) return;
  const those = files.filter(({ name }) => missing.has(name));
  await db.transaction().execute((tx) => recordDigests(tx, those));
}
