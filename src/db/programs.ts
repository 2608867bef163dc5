// The programs whose processes use this database, and which of them would break if a migration ran.
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import type { Db, Tx } from './db.ts';
import { readMigrations } from './migration-files.ts';
import { lockClass } from './process-lock.ts';

/** A version of the gateway, as its processes register it. */
export interface Program {
  /** A digest of `migrations`. */
  id: string;
  version: string;
  /** The names of the migrations that it knows. */
  migrations: string[];
}

/** A program that does not know some migration. */
export interface OlderProgram {
  version: string;
  /** When a process of it last ran, to the hour. */
  seenAt: Date;
  isRunning: boolean;
}

/** Describes this program for `processes`; `version` is that of its package. */
export async function thisProgram(version: string): Promise<Program> {
  const migrations = (await readMigrations()).map(({ name }) => name);
  const id = createHash('sha256').update(migrations.join()).digest('base64url');
  return { id, version, migrations };
}

/** Hours without a process of an older program, after which a contract migration runs. */
export const unseenHours = 24;

/** Records which programs have a process now. Call it every hour. */
export async function notePrograms(db: Db): Promise<void> {
  if (!(await isRecorded(db))) return;
  await sql`
    insert into programs (id, version, migrations)
    select distinct coalesce(program, ''), 'of an earlier release', '{}'::text[] from processes where ended_at is null order by 1
    on conflict (id) do update set seen_at = now()`.execute(db);
  await sql`delete from programs where seen_at < now() - interval '1 year'`.execute(db);
}

/** False in a database that has not run the migration of these tables. */
async function isRecorded(db: Db): Promise<boolean> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('programs') is not null as there`.execute(db);
  return rows[0]?.there === true;
}

/** True if a program that does not know `migration` has a process, or had one in the last `hours` (undefined: ever). */
export async function wasSeenWithout(db: Db, migration: string, hours?: number): Promise<boolean> {
  const { rows } = await sql<{ was: boolean }>`
    select exists (select from programs where not ${migration} = any(migrations)
      and (${hours === undefined} or seen_at > now() - ${hours ?? 0} * interval '1 hour')) as was`.execute(
    db,
  );
  return rows[0]?.was === true;
}

/** Keeps processes from registering until the transaction ends. */
export async function lockProcesses(tx: Db): Promise<void> {
  if (await isRecorded(tx)) await sql`lock table processes in share row exclusive mode`.execute(tx);
}

/**
 * Lists the programs that do not know `migration` and have a process now, or had one in the last `hours`. Call it in a
 * transaction: it takes the locks of processes that have ended.
 */
export async function findOlderPrograms(tx: Tx, migration: string, hours: number): Promise<OlderProgram[]> {
  if (!(await isRecorded(tx))) return [];
  const { rows } = await sql<OlderProgram>`
    with live as materialized (
      select distinct coalesce(program, '') as id from processes where not pg_try_advisory_xact_lock(${lockClass}, id)),
    p as (
      select version, seen_at as "seenAt", id in (select id from live) as "isRunning" from programs
      where not ${migration} = any(migrations)
      union all
      -- not noted yet
      select 'of an earlier release', now(), true from live where id = '' and not exists (select from programs where id = ''))
    select * from p where "isRunning" or "seenAt" > now() - ${hours} * interval '1 hour' order by "seenAt" desc`.execute(
    tx,
  );
  return rows;
}

/** Older programs in words: `version 1.2.0 (running)`. */
export const programsText = (programs: readonly OlderProgram[]): string =>
  programs
    .map(
      ({ version, seenAt, isRunning }) =>
        `version ${version} (${isRunning ? 'running' : `last seen ${seenAt.toISOString()}`})`,
    )
    .join(', ');
