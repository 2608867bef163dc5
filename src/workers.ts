// The map of workers: which, how often, and by which claim. Each does what was left over by requests, crashes and time.
import type { Clock } from './base/clock.ts';
import type { Log } from './base/log.ts';
import { deleteOldSteps } from './db/database-clock.ts';
import type { Db } from './db/db.ts';
import { deleteOldKeys } from './db/idempotency-keys.ts';
import { analyzeYoungPartitions, makePartitions } from './db/partitions.ts';
import { deleteOldOutages, recordCallbackUptime } from './messaging/sending/callback-uptime-store.ts';
import { type ClockWatchDeps, openClockWatch } from './work/clock-watch.ts';
import { startWorker, type Work, type Worker } from './work/worker.ts';

/** What each worker's loop body is; every one claims and does a bounded amount, and answers how much it found. */
export interface Doers {
  /** dispatch: messages to the platform. */
  dispatch: () => Promise<number>;
  /** queue: messages of templates that are approved again, and sends that are being cancelled. */
  queue: () => Promise<number>;
  /** codes: one-time codes of messages that expired, or that earlier versions ended. */
  removeCodes: () => Promise<number>;
  /** deliver: events to receivers. */
  deliver: () => Promise<number>;
  /** deliver: what endpoints ask for beside their deliveries (burials, recoveries, replays). */
  deliverChores: () => Promise<number>;
  /** settle: bookings whose wish differs from what the calendar is known to hold. */
  settle: () => Promise<number>;
  /** settle: what was done to bookings' events by hand. */
  follow: () => Promise<number>;
  /** register: stored files that were left half-way. */
  register: () => Promise<number>;
  /** sync: the platform's templates to ours. */
  sync: () => Promise<number>;
  /** release: what processes had leased that have ended. */
  releaseLeases: () => Promise<number>;
}

export interface WorkersDeps {
  db: Db;
  clock: Clock;
  log: Log;
  doers: Doers;
  /** Writes when keys were last used. */
  flushKeys: () => Promise<void>;
  /** Removes what puts that were cut off left in the object store. */
  sweepObjects: () => Promise<unknown>;
}

export type Workers = Record<keyof Doers | 'tidy' | 'hourly', Worker>;

/** Starts every worker's loop. Requests nudge the ones whose work they made. */
export function startWorkers(deps: WorkersDeps): Workers {
  const { doers } = deps;
  const start = (work: Work) => startWorker(work, deps);
  return {
    dispatch: start({ name: 'dispatch', perform: doers.dispatch, idleMs: 250 }),
    queue: start({ name: 'queue', perform: doers.queue, idleMs: 1_000 }),
    removeCodes: start({ name: 'remove-codes', perform: doers.removeCodes, idleMs: 1_000 }),
    deliver: start({ name: 'deliver', perform: doers.deliver, idleMs: 250 }),
    deliverChores: start({ name: 'deliver-chores', perform: doers.deliverChores, idleMs: 1_000 }),
    settle: start({ name: 'settle', perform: doers.settle, idleMs: 1_000 }),
    follow: start({ name: 'follow', perform: doers.follow, idleMs: 2_000 }),
    register: start({ name: 'register', perform: doers.register, idleMs: 5_000 }),
    sync: start({ name: 'sync', perform: doers.sync, idleMs: 2_000 }),
    releaseLeases: start({ name: 'release-leases', perform: doers.releaseLeases, idleMs: 2_000 }),
    tidy: start({ name: 'tidy', perform: () => tidy(deps), idleMs: 30_000 }),
    hourly: start({ name: 'hourly', perform: () => hourly(deps), idleMs: 3_600_000 }),
  };
}

/** Watches the clocks, in every process, whatever its role. */
export function startClockWatch(deps: ClockWatchDeps): Worker {
  return startWorker({ name: 'clock', perform: openClockWatch(deps), idleMs: 2_000 }, deps);
}

/** Notes every few seconds that callbacks can be taken; for every process that takes them, whatever its role. */
export function startUptime(deps: { hot: Db; clock: Clock; log: Log }): Worker {
  const perform = async () => {
    await recordCallbackUptime(deps.hot);
    return 0;
  };
  return startWorker({ name: 'callback-uptime', perform, idleMs: 5_000 }, deps);
}

const tidyMax = 5_000;

async function tidy(deps: WorkersDeps): Promise<number> {
  await deps.flushKeys();
  await analyzeYoungPartitions(deps.db);
  const deleted = await deleteOldKeys(deps.db, tidyMax);
  return deleted === tidyMax ? deleted : 0;
}

async function hourly(deps: WorkersDeps): Promise<number> {
  await makePartitions(deps.db);
  await deleteOldSteps(deps.db);
  await deleteOldOutages(deps.db);
  await deps.sweepObjects();
  return 0;
}

/** Stops every loop and waits until what is under way has ended. */
export async function stopWorkers(workers: Workers): Promise<void> {
  await Promise.all(Object.values(workers).map((worker) => worker.stop()));
}
