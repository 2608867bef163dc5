// Detects steps of the database's and this machine's clock, and corrects rows written before a step back.
import { hostname } from 'node:os';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import { type ClockFix, clockFixes } from '../db/clock-fixes.ts';
import {
  type ClockStep,
  lockOpenSteps,
  noteStep,
  readDatabaseClock,
  recordFixed,
  type StepBack,
  smallestStepSeconds,
} from '../db/database-clock.ts';
import type { Db, Tx } from '../db/db.ts';

export interface ClockWatchDeps {
  db: Db;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, 'clockSteps' | 'clockOffset'>;
  /** Monotonic milliseconds that stop while the machine sleeps; `performance.now()` outside tests. */
  monotonic?: () => number;
}

const rowsAtOnce = 500;

export interface ClockWatch {
  /** To call every two seconds. Returns how many rows it corrected; if above 0, there may be more. */
  round(): Promise<number>;
  /** The same without corrections, in a transaction of the caller. */
  read(tx: Db): Promise<void>;
}

/** Opens the watch of both clocks. */
export function openClockWatch(deps: ClockWatchDeps): ClockWatch {
  const { clock, monotonic = () => performance.now() } = deps;
  let database: { nowMs: number; askedAtMs: number } | undefined;
  let offsetMs = clock.now() - monotonic();

  async function noticed(step: ClockStep, isNew: boolean): Promise<void> {
    const direction = step.seconds < 0 ? 'backward' : 'forward';
    deps.metrics.clockSteps.inc({ clock: step.clock, direction });
    if (!isNew) return;
    const seconds = Math.round(Math.abs(step.seconds) * 10) / 10;
    deps.log.warn({ clock: step.clock, direction, seconds }, 'clock.stepped');
  }

  /** Compares this machine's clock with its monotonic one since the last call. Sleep appears as a step forward. */
  async function watchMachine(db: Db): Promise<void> {
    const offset = clock.now() - monotonic();
    const seconds = (offset - offsetMs) / 1000;
    offsetMs = offset;
    if (Math.abs(seconds) < smallestStepSeconds) return;
    const step: ClockStep = { clock: 'machine', machine: hostname(), seconds };
    await noticed(step, await noteStep(db, step));
  }

  /** A step back precedes the last reading in the database; a step forward exceeds the time that passed here. */
  async function watchDatabase(db: Db): Promise<void> {
    const machine = hostname();
    const askedAtMs = clock.steady();
    const wallMs = clock.now();
    const { nowMs, backSeconds } = await readDatabaseClock(db, machine);
    const answeredAtMs = clock.steady();
    deps.metrics.clockOffset.set((nowMs - (wallMs + clock.now()) / 2) / 1000);
    const last = database;
    database = { nowMs, askedAtMs };
    if (backSeconds !== null) {
      await noticed({ clock: 'database', machine, seconds: -backSeconds }, true);
      return;
    }
    if (!last) return;
    const seconds = (nowMs - last.nowMs - (answeredAtMs - last.askedAtMs)) / 1000;
    if (seconds < smallestStepSeconds) return;
    const step: ClockStep = { clock: 'database', machine, seconds };
    await noticed(step, await noteStep(db, step));
  }

  async function read(db: Db): Promise<void> {
    await watchMachine(db);
    await watchDatabase(db);
  }

  return {
    read,
    async round() {
      await read(deps.db);
      return fixSteps(deps);
    },
  };
}

/** Corrects one portion of the rows of each open step, in one transaction; returns how many. */
export async function fixSteps(deps: Pick<ClockWatchDeps, 'db' | 'log'>): Promise<number> {
  return deps.db.transaction().execute(async (tx) => {
    let moved = 0;
    for (const step of await lockOpenSteps(tx)) moved += await fixNext(deps, tx, step);
    return moved;
  });
}

async function fixNext(deps: Pick<ClockWatchDeps, 'log'>, tx: Tx, step: StepBack): Promise<number> {
  const isOpen = ({ name }: ClockFix) => !step.mended.includes(name);
  let moved = 0;
  for (const fix of clockFixes.filter(isOpen)) {
    if (step.ageSeconds < fix.afterSeconds) break;
    const count = await fix.perform(tx, step, rowsAtOnce);
    moved += count;
    // a separate transaction per portion, so that no lock is held for long
    if (count >= rowsAtOnce) break;
    step.mended.push(fix.name);
  }
  const isDone = clockFixes.every(({ name }) => step.mended.includes(name));
  await recordFixed(tx, step.id, isDone ? null : step.mended);
  if (moved > 0) deps.log.info({ rows: moved }, 'clock.fixed');
  return moved;
}
