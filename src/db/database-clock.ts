// The database's clock, read by every process: it remembers the latest instant seen, so that a step back is noticed.
import { sql } from 'kysely';
import type { Db, Tx } from './db.ts';

/** Smaller ones need no repair: every lease is given up long before it lapses. */
export const smallestStepSeconds = 2;
/** Steps that are kept, for `doctor`. */
const keptMax = 100;
/** Several processes notice the same step. */
const sameWithinSeconds = 15;

export interface DatabaseReading {
  /** Milliseconds since the epoch, by the database's clock. */
  nowMs: number;
  /** How far it had stepped back since any process read it, in seconds; null: not at all. Noted in `clock_steps`. */
  backSeconds: number | null;
}

/** Reads the database's clock, and notes a step back, once whoever notices it. */
export async function readDatabaseClock(db: Db, machine: string): Promise<DatabaseReading> {
  const { rows } = await sql<DatabaseReading>`
    with was as materialized (select seen_at from database_clock for update),
    -- read once the row is locked: another process may have written a later instant than this statement's own
    x as materialized (select seen_at, clock_timestamp() as now_at from was),
    step as (
      insert into clock_steps (clock, machine, seconds, noticed_at, mended)
      select 'database', ${machine}, extract(epoch from now_at - seen_at), now_at, '{}' from x
      where seen_at > now_at + ${smallestStepSeconds} * interval '1 second'
      returning -seconds as back),
    relaxed as (select set_config('synchronous_commit', 'off', true))
    update database_clock c set seen_at = x.now_at from x, relaxed
    returning extract(epoch from x.now_at)::float8 * 1000 as "nowMs", (select back from step) as "backSeconds"`.execute(
    db,
  );
  return rows[0] as DatabaseReading;
}

export interface ClockStep {
  clock: 'database' | 'machine';
  machine: string;
  /** Negative: backward. */
  seconds: number;
}

/** Notes a step that needs no repair; false if another process of that machine (or, for the database, any) just did. */
export async function noteStep(db: Db, step: ClockStep): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into clock_steps (clock, machine, seconds, noticed_at)
    select ${step.clock}, ${step.machine}, ${step.seconds}, now() where not exists (
      select from clock_steps where clock = ${step.clock} and (clock = 'database' or machine = ${step.machine})
        and sign(seconds) = sign(${step.seconds}::float8) and noticed_at > now() - ${sameWithinSeconds} * interval '1 second'
        and noticed_at <= now())`.execute(db);
  return numAffectedRows === 1n;
}

/** The steps noticed since then, newest first, at most ten; `nowMs` is the database's clock. */
export async function findSteps(
  db: Db,
  since: Date,
): Promise<{ nowMs: number; steps: (ClockStep & { noticedAt: Date })[] }> {
  const { rows } = await sql<ClockStep & { noticedAt: Date }>`
    select clock, machine, seconds, noticed_at as "noticedAt" from clock_steps
    where noticed_at >= ${since} order by id desc limit 10`.execute(db);
  const { rows: clock } = await sql<{ nowMs: number }>`
    select extract(epoch from clock_timestamp())::float8 * 1000 as "nowMs"`.execute(db);
  return { nowMs: clock[0]?.nowMs ?? Number.NaN, steps: rows };
}

/** A step back that is being made good. */
export interface StepBack {
  id: string;
  /** The first instant after it that was noticed. */
  after: Date;
  /** No earlier than the latest instant before it. */
  before: Date;
  mended: string[];
  /** Since it was noticed. */
  ageSeconds: number;
}

/** The steps back that are not made good yet, locked for this transaction; those that another process has are left out. */
export async function lockOpenSteps(tx: Tx): Promise<StepBack[]> {
  // the latest instant seen is up to two seconds older than the step, and a moment more on a busy machine
  const { rows } = await sql<StepBack>`
    select id::text, noticed_at as after, noticed_at + (2 - seconds) * interval '1 second' as before, mended,
      extract(epoch from now() - noticed_at)::float8 as "ageSeconds"
    from clock_steps where mended is not null order by id for update skip locked`.execute(tx);
  return rows;
}

/** Notes what is made good; null: everything. */
export async function recordFixed(tx: Tx, id: string, mended: string[] | null): Promise<void> {
  await sql`update clock_steps set mended = ${mended} where id = ${id}::bigint`.execute(tx);
}

/** Forgets all but the latest steps. */
export async function deleteOldSteps(db: Db): Promise<void> {
  await sql`
    delete from clock_steps where mended is null and id < (
      select id from clock_steps order by id desc offset ${keptMax} limit 1)`.execute(db);
}
