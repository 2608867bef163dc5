// The database's clock and the latest time that any process read from it, to detect backward steps.
import { sql } from 'kysely';
import type { Db, Tx } from './db.ts';

/** Smaller steps need no fix: processes stop using a lease well before it expires. */
export const smallestStepSeconds = 2;
/** Number of steps kept for `doctor`. */
const keptMax = 100;
/** Steps noticed within this time are the same one, seen by several processes. */
const sameWithinSeconds = 15;

export interface DatabaseReading {
  /** The database's time, in milliseconds since the epoch. */
  nowMs: number;
  /** Seconds by which the clock stepped back since any process read it; null if it did not. */
  backSeconds: number | null;
}

/** Reads the database's clock. Records a backward step in `clock_steps`, once for all processes. */
export async function readDatabaseClock(db: Db, machine: string): Promise<DatabaseReading> {
  const { rows } = await sql<DatabaseReading>`
    /* readDatabaseClock */ with was as materialized (select seen_at from database_clock for update),
    -- read the clock after locking the row: another process may have written a time later than this statement's start
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

/**
 * Records a step that needs no fix. False if another process just recorded it: one on the same machine or, for the
 * database's clock, any process.
 */
export async function noteStep(db: Db, step: ClockStep): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into clock_steps (clock, machine, seconds, noticed_at)
    select ${step.clock}, ${step.machine}, ${step.seconds}, now() where not exists (
      select from clock_steps where clock = ${step.clock} and (clock = 'database' or machine = ${step.machine})
        and sign(seconds) = sign(${step.seconds}::float8) and noticed_at > now() - ${sameWithinSeconds} * interval '1 second'
        and noticed_at <= now())`.execute(db);
  return numAffectedRows === 1n;
}

/** The latest ten steps noticed since `since`, newest first, and the database's time. */
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

/** A backward step whose fixes have not all run. */
export interface StepBack {
  id: string;
  /** The first time that was read after the step. */
  after: Date;
  /** An upper bound of the time before the step. */
  before: Date;
  /** Names of the fixes that have run. */
  mended: string[];
  /** Seconds since the step was noticed. */
  ageSeconds: number;
}

/** Locks the backward steps that still need fixes, for this transaction. Skips those that another process has locked. */
export async function lockOpenSteps(tx: Tx): Promise<StepBack[]> {
  // the clock is read every two seconds, so the step began up to two seconds after the latest reading
  const { rows } = await sql<StepBack>`
    select id::text, noticed_at as after, noticed_at + (2 - seconds) * interval '1 second' as before, mended,
      extract(epoch from now() - noticed_at)::float8 as "ageSeconds"
    from clock_steps where mended is not null order by id for update skip locked`.execute(tx);
  return rows;
}

/** Records which fixes have run; null: all of them. */
export async function recordFixed(tx: Tx, id: string, mended: string[] | null): Promise<void> {
  await sql`update clock_steps set mended = ${mended} where id = ${id}::bigint`.execute(tx);
}

/** Deletes all but the latest steps. */
export async function deleteOldSteps(db: Db): Promise<void> {
  await sql`
    delete from clock_steps where mended is null and id < (
      select id from clock_steps order by id desc offset ${keptMax} limit 1)`.execute(db);
}
