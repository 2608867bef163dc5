// Retention: announces what will be removed, and removes it in small steps, by one process at a time.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Metrics } from '../base/metrics.ts';
import { type RetentionDays, retentionKinds } from '../base/retention-days.ts';
import type { Db } from '../db/db.ts';
import { type Announcements, type Cutoffs, cutoffsOf, earliest, noticeDays } from './cutoffs.ts';
import { dropOldPartitions, type LastSearches } from './drop-partitions.ts';
import { type RemovedKind, removeLostAttempts, removeRows } from './remove-rows.ts';
import {
  endRun,
  findNotices,
  hasJumped,
  leaseRun,
  listAccountDays,
  notAhead,
  recordNotices,
} from './settings-store.ts';

export interface RetentionDeps {
  db: Db;
  log: Log;
  clock: Clock;
  /** Of the settings. */
  days: RetentionDays;
  processId: number;
}

/** What a run did until now. */
export interface Removed {
  rows: Partial<Record<RemovedKind, number>>;
  partitions: string[];
  /** Partitions that could not be dropped now: a backup reads them, or their locks were not free. */
  busy: string[];
}

const dayMs = 86_400_000;
/** From the end of a run to the next one. */
export const everySeconds = 3_600;

/** Announces the days of the settings, if they are new, in the log; returns what was announced. */
async function announce(deps: Pick<RetentionDeps, 'db' | 'log' | 'days'>, now: Date): Promise<Announcements> {
  const before = await findNotices(deps.db);
  const isNew = retentionKinds.filter((kind) => before[kind]?.days !== deps.days[kind]);
  if (isNew.length === 0 && retentionKinds.every((kind) => before[kind])) return before;
  await recordNotices(deps.db, deps.days, now);
  const announced = await findNotices(deps.db);
  for (const kind of isNew) {
    const days = deps.days[kind];
    if (days === null) continue;
    const from = new Date((announced[kind]?.announcedAt ?? now).getTime() + noticeDays * dayMs);
    deps.log.warn({ kind, days, from: from.toISOString() }, 'retention.announced');
  }
  return announced;
}

/** The times of every account. */
async function allCutoffs(
  { db, days }: Pick<RetentionDeps, 'db' | 'days'>,
  announced: Announcements,
  now: Date,
): Promise<{ accountId: string; cutoffs: Cutoffs }[]> {
  const accounts = await listAccountDays(db);
  return accounts.map(({ accountId, own }) => ({
    accountId,
    cutoffs: cutoffsOf({ gateway: days, own, announced }, now),
  }));
}

/**
 * Removes what no account keeps at that time, or at the database's if that is earlier, in bounded steps; yields after each what was removed
 * until then. Each step is a transaction of its own that finds again what it removes, so a crash between two of them, and two runs at a
 * time, do no harm. `searches` spares later runs of this process useless searches of partitions.
 */
export async function* removeExpired(
  deps: Pick<RetentionDeps, 'db' | 'log' | 'days'>,
  machineNow: Date,
  searches: LastSearches = new Map(),
): AsyncGenerator<Removed, Removed> {
  const removed: Removed = { rows: {}, partitions: [], busy: [] };
  const now = await notAhead(deps.db, machineNow);
  const announced = await announce(deps, now);
  if (await hasJumped(deps.db, now)) {
    deps.log.warn('retention.postponed_after_clock_step');
    return removed;
  }
  const accounts = await allCutoffs(deps, announced, now);
  const cutoffs = accounts.map((account) => account.cutoffs);
  for await (const step of dropOldPartitions(deps.db, cutoffs, { now: now.getTime(), searches })) {
    if (step.kind === 'busy') removed.busy.push(step.name);
    else if (step.kind === 'partition') {
      removed.partitions.push(step.name);
      deps.log.info({ partition: step.name, movedRows: step.moved }, 'retention.partition_dropped');
    }
    yield removed;
  }
  for (const { accountId, cutoffs } of accounts) {
    for await (const { kind, rows } of removeRows(deps.db, accountId, cutoffs)) {
      removed.rows[kind] = (removed.rows[kind] ?? 0) + rows;
      yield removed;
    }
  }
  const oldest = earliest(cutoffs, 'deliveries');
  if (oldest !== null) for await (const _ of removeLostAttempts(deps.db, oldest)) yield removed;
  return removed;
}

export interface RetentionWorkerDeps extends RetentionDeps {
  metrics: Pick<Metrics, 'retention'>;
}

/** A pause after each step, as a multiple of its duration: retention takes a quarter of one connection's time at most. */
const pausePerStep = 3;
const pauseMinMs = 10;

/**
 * The worker's round: does the next step of a run, and returns 1 while there are more. One process runs at a time; if it dies, another
 * one begins again after two minutes.
 */
export function openRetention(deps: RetentionWorkerDeps): () => Promise<number> {
  const { db, log, clock, metrics, processId } = deps;
  const searches: LastSearches = new Map();
  let steps: AsyncGenerator<Removed, Removed> | undefined;
  const counted: Partial<Record<RemovedKind, number>> = {};

  function count({ rows }: Removed): void {
    for (const [kind, n] of Object.entries(rows) as [RemovedKind, number][]) {
      const more = n - (counted[kind] ?? 0);
      if (more > 0) metrics.retention.inc({ kind }, more);
      counted[kind] = n;
    }
  }

  async function end({ rows, partitions, busy }: Removed): Promise<number> {
    steps = undefined;
    for (const kind of Object.keys(counted) as RemovedKind[]) delete counted[kind];
    await endRun(db, processId, everySeconds);
    const some = Object.fromEntries(Object.entries(rows).filter(([, n]) => n > 0));
    if (Object.keys(some).length + partitions.length + busy.length > 0)
      log.info({ rows: some, partitions, busy }, 'retention.done');
    return 0;
  }

  return async () => {
    if (!(await leaseRun(db, processId))) {
      steps = undefined;
      return 0;
    }
    steps ??= removeExpired(deps, new Date(clock.now()), searches);
    const beganMs = clock.steady();
    try {
      const { value, done } = await steps.next();
      count(value);
      if (done) return await end(value);
    } catch (error) {
      steps = undefined;
      throw error;
    }
    await clock.sleep(Math.max(pauseMinMs, (clock.steady() - beganMs) * pausePerStep));
    return 1;
  };
}
