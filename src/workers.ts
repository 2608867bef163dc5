// The workers and how often each runs.
import { deleteEndedSessions } from './accounts/sessions-store.ts';
import { deleteOldBackups } from './backup/backups-store.ts';
import type { Clock } from './base/clock.ts';
import type { Log } from './base/log.ts';
import { deleteOldChanges } from './changes/store.ts';
import { runContracts } from './db/contract.ts';
import { deleteOldSteps } from './db/database-clock.ts';
import type { Db } from './db/db.ts';
import { deleteOldKeys } from './db/idempotency-keys.ts';
import { analyzeFirstRows, makePartitions } from './db/partitions.ts';
import { openRecordMissed } from './messaging/conversations/missed.ts';
import { deleteOldOutages, recordCallbackUptime } from './messaging/status-reports/callback-uptime-store.ts';
import { deleteOldStatistics } from './statistics/fold.ts';
import type { Activity } from './work/activity.ts';
import type { ClockWatch } from './work/clock-watch.ts';
import { type IdleLoop, openIdleWatch } from './work/idle-watch.ts';
import { startWorker, type Work, type Worker } from './work/worker.ts';

/** One round of each worker: claims and does a bounded amount of work, and returns how much it found. */
export interface WorkerRounds {
  /** Messages to the platform. */
  dispatch: () => Promise<number>;
  /** Messages of templates that were approved again, and sends that are being cancelled. */
  queue: () => Promise<number>;
  /** Recipients that enter or leave the queue, and scheduled sends. */
  feed: () => Promise<number>;
  /** One-time codes of messages that expired, or that earlier versions sent. */
  removeCodes: () => Promise<number>;
  /** Deliveries of webhook events to receivers. */
  deliver: () => Promise<number>;
  /** Dead-lettering, recovery and replays of endpoints. */
  endpointMaintenance: () => Promise<number>;
  /** Bookings whose pending change is not in the calendar yet. */
  reconcile: () => Promise<number>;
  /** External changes of bookings' events. */
  calendarSync: () => Promise<number>;
  /** Stored files of unfinished uploads and removals. */
  mediaCleanup: () => Promise<number>;
  /** The platform's templates. */
  templateSync: () => Promise<number>;
  /** The hourly checks of senders. */
  senderChecks: () => Promise<number>;
  /** People whose erasure a request did not finish. */
  erase: () => Promise<number>;
  /** Recorded changes of counts. */
  foldStatistics: () => Promise<number>;
  /** Contacts that changed, for lists of conversations. */
  foldConversations: () => Promise<number>;
  /** Leases of processes that ended. */
  releaseLeases: () => Promise<number>;
}

/** Rounds that change nothing outside this database: they also run while the gateway is held. */
const internal: ReadonlySet<keyof WorkerRounds> = new Set([
  'removeCodes',
  'foldStatistics',
  'foldConversations',
  'releaseLeases',
]);

/** What every loop needs. */
interface LoopDeps {
  clock: Clock;
  log: Log;
  activity: Activity;
}

export interface WorkersDeps extends LoopDeps {
  db: Db;
  rounds: WorkerRounds;
  /** What a partition of messages and webhooks covers. */
  partitionBy: 'month' | 'day';
  /** True while the gateway is held. */
  isHeld: () => boolean;
  /** Writes the times at which keys were last used. */
  flushKeys: () => Promise<void>;
  /** Removes remains of interrupted uploads from the object store. */
  sweepObjects: () => Promise<unknown>;
  /** Starts a backup when one is due, and reports how they are doing. */
  backups: () => Promise<number>;
  /** Removes the next part of what ended long ago. */
  retention: () => Promise<number>;
}

export type Workers = Record<keyof WorkerRounds | 'backups' | 'retention' | 'cleanUp' | 'hourly', Worker>;

/** The pause of messages and deliveries just after an idle time. */
const freshMs = 30;
const othersAfterMs = 200;

/** Starts every worker's loop. Requests nudge the workers that they create work for. All stop asking while the process is idle. */
export function startWorkers(deps: WorkersDeps): Workers {
  const rounds = { ...deps.rounds };
  for (const [name, round] of Object.entries(deps.rounds) as [keyof WorkerRounds, () => Promise<number>][])
    if (!internal.has(name)) rounds[name] = async () => (deps.isHeld() ? 0 : round());
  const recordMissed = openRecordMissed(deps);
  const start = (work: Work) => startWorker(work, deps);
  const background = (work: Work) => start({ ...work, isBackground: true });
  const workers = {
    dispatch: start({ name: 'dispatch', perform: rounds.dispatch, idleMs: 250, freshMs }),
    queue: start({ name: 'queue', perform: rounds.queue, idleMs: 1_000 }),
    feed: start({ name: 'feed', perform: rounds.feed, idleMs: 500 }),
    removeCodes: start({ name: 'remove-codes', perform: rounds.removeCodes, idleMs: 1_000 }),
    deliver: start({ name: 'deliver', perform: rounds.deliver, idleMs: 250, freshMs }),
    endpointMaintenance: start({
      name: 'endpoint-maintenance',
      perform: rounds.endpointMaintenance,
      idleMs: 1_000,
    }),
    reconcile: start({ name: 'reconcile', perform: rounds.reconcile, idleMs: 1_000 }),
    calendarSync: background({ name: 'calendar-sync', perform: rounds.calendarSync, idleMs: 2_000 }),
    mediaCleanup: background({ name: 'media-cleanup', perform: rounds.mediaCleanup, idleMs: 5_000 }),
    templateSync: background({ name: 'template-sync', perform: rounds.templateSync, idleMs: 2_000 }),
    senderChecks: background({ name: 'sender-checks', perform: rounds.senderChecks, idleMs: 5_000 }),
    erase: background({ name: 'erase', perform: rounds.erase, idleMs: 15_000, runsIdle: true }),
    foldStatistics: background({ name: 'fold-statistics', perform: rounds.foldStatistics, idleMs: 4_000 }),
    foldConversations: background({
      name: 'fold-conversations',
      perform: rounds.foldConversations,
      idleMs: 1_000,
    }),
    releaseLeases: background({ name: 'release-leases', perform: rounds.releaseLeases, idleMs: 2_000 }),
    cleanUp: background({ name: 'clean-up', perform: () => cleanUp(deps), idleMs: 30_000 }),
    backups: background({ name: 'backups', perform: deps.backups, idleMs: 60_000, runsIdle: true }),
    retention: background({
      name: 'retention',
      perform: deps.retention,
      idleMs: 60_000,
      runsIdle: true,
    }),
    hourly: start({
      name: 'hourly',
      perform: () => hourly(deps, recordMissed),
      idleMs: 3_600_000,
      isBackground: true,
      runsIdle: true,
    }),
  };
  const {
    hourly: _never,
    backups: _nor,
    retention: _either,
    erase: _too,
    dispatch,
    deliver,
    ...others
  } = workers;
  deps.activity.onWake(() => {
    dispatch.nudge();
    deliver.nudge();
  });
  nudgeOnWake(deps, Object.values(others));
  return workers;
}

/** Ends the pauses of these loops at the end of each idle time, a moment later: they do not compete with what was announced. */
function nudgeOnWake({ activity }: LoopDeps, workers: Worker[]): void {
  const nudge = () => {
    for (const worker of workers) worker.nudge();
  };
  activity.onWake(() => void setTimeout(nudge, othersAfterMs).unref());
}

/** Watches the clocks, in processes of every role. */
export function startClockWatch(deps: LoopDeps, watch: ClockWatch): Worker {
  const worker = startWorker(
    { name: 'clock', perform: watch.round, idleMs: 2_000, isBackground: true },
    deps,
  );
  nudgeOnWake(deps, [worker]);
  return worker;
}

/** Records every few seconds that this process accepts callbacks, and when the last ones came (`flush`). */
export function startUptime(deps: LoopDeps & { hot: Db; flush: () => Promise<void> }): Worker {
  const perform = async () => {
    await recordCallbackUptime(deps.hot);
    await deps.flush();
    return 0;
  };
  const worker = startWorker({ name: 'callback-uptime', perform, idleMs: 5_000 }, deps);
  nudgeOnWake(deps, [worker]);
  return worker;
}

/** An idle process records that it accepts callbacks at every third look: after 3 or 6 s. */
const looksPerUptime = 3;

/**
 * Starts the loop of an idle process, in processes of every role. `listens`: it accepts callbacks. `nudge` runs a loop once.
 */
export function startIdleWatch(
  deps: LoopDeps & { hot: Db; processId: number; nudge: (loop: IdleLoop) => void; listens: boolean },
  watch: ClockWatch,
): Worker {
  let looks = 0;
  const perform = async (tx: Db) => {
    await watch.read(tx);
    looks += 1;
    if (deps.listens && looks % looksPerUptime === 0) await recordCallbackUptime(tx);
  };
  const work = { name: 'idle-watch', perform: openIdleWatch({ ...deps, perform }), idleMs: 1_000 };
  return startWorker({ ...work, runsIdle: true }, deps);
}

const deletedKeysMax = 5_000;

async function cleanUp(deps: WorkersDeps): Promise<number> {
  await deps.flushKeys();
  await analyzeFirstRows(deps.db);
  const deleted = await deleteOldKeys(deps.db, deletedKeysMax);
  return deleted === deletedKeysMax ? deleted : 0;
}

async function hourly(deps: WorkersDeps, recordMissed: () => Promise<unknown>): Promise<number> {
  await makePartitions(deps.db, deps.partitionBy);
  await deleteOldSteps(deps.db);
  await deleteOldOutages(deps.db);
  await deleteOldStatistics(deps);
  await deleteOldChanges(deps.db);
  await deleteEndedSessions(deps.db, new Date(deps.clock.now()));
  await deleteOldBackups(deps.db);
  await deps.sweepObjects();
  // notes the programs, for the next step
  const { run } = await runContracts(deps.db);
  if (run.length > 0) deps.log.info({ migrations: run }, 'database.migrated');
  await recordMissed();
  return 0;
}

/** Stops every loop and waits for the rounds in progress. */
export async function stopWorkers(workers: Workers): Promise<void> {
  await Promise.all(Object.values(workers).map((worker) => worker.stop()));
}
