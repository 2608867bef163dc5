// Digests of the migrations that a database has run, stored in that database, to detect files edited afterwards.
import { sql } from 'kysely';
import type { Db } from './db.ts';
import type { MigrationFile } from './migration-files.ts';

export interface MigrationRun {
  name: string;
  /** Null if a version without digests ran the migration. */
  digest: string | null;
}

/** The migrations that the database has run, in order. Works on an empty database too, and never writes. */
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

// two arbitrary numbers that no other lock uses
const lock = [1_128_813_383, 2];

/** Records digests of files that ran, in the caller's transaction. Keeps digests that are already recorded. */
export async function recordDigests(tx: Db, files: MigrationFile[]): Promise<void> {
  // if two processes run `create table if not exists` concurrently, one fails
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

/** Records digests of files that an earlier version ran. The caller has compared them with the released digests. */
export async function recordMissingDigests(db: Db, files: MigrationFile[]): Promise<void> {
  const run = await migrationsRun(db);
  const missing = new Set(run.filter(({ digest }) => digest === null).map(({ name }) => name));
  if (missing.size === 0) return;
  const those = files.filter(({ name }) => missing.has(name));
  await db.transaction().execute((tx) => recordDigests(tx, those));
}
