// The record of attempts: many results in one commit, which also leases the next stages.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Db, Tx } from '../../db/db.ts';
import { isLockFailure, isTransient, isUnavailable } from '../../db/failure.ts';
import { retryDelayMs, type Schedule } from '../../work/backoff.ts';
import { batch } from '../../work/batch.ts';
import { retryWrite } from '../../work/retry-write.ts';
import { endpointStatus } from '../endpoints/status.ts';
import {
  type FailedDelivery,
  isGone,
  type LeasedDelivery,
  lastStage,
  lockKey,
  type PublishedLease,
  type SucceededDelivery,
} from './delivery.ts';
import type { DeliverySettings } from './settings.ts';
import {
  completeDeliveries,
  type EndpointFailures,
  type FailingEndpoint,
  failDeliveries,
  leaseNextStages,
  recordEndpointFailures,
  recordEndpointRecovery,
  releaseLeases,
} from './store.ts';

export interface RecordDeps {
  /** Connections with the settings of hot statements. */
  hot: Db;
  /** The process that leases; see `db/process-session.ts`. */
  processId: number;
  clock: Clock;
  log: Log;
}

/** The consequences of one commit. Its first item carries all of them, the others none, so that each is handled once. */
interface FailureRecorded {
  /** Next stages that may start now, leased to this process. */
  released: readonly LeasedDelivery[];
  /** Endpoints that back off or were disabled. */
  suspendedEndpointIds: readonly string[];
}

const none: readonly never[] = [];
const noConsequences: FailureRecorded = { released: none, suspendedEndpointIds: none };

/**
 * Time between commits: a released lease may wait longer than a result. With few successes the time is shorter; with many, commits of 2 ms
 * took 8 % more of PostgreSQL's time.
 */
const gapMs = { success: 8, failure: 8, release: 20 } as const;
const perCommitMax = 500;
/** Between attempts to record successes while the database is unavailable. */
const longestDelayMs = 2_000;

/** Also when a migration of a later version has changed or locked the table. */
const isRetryable = (error: unknown): boolean =>
  isUnavailable(error) || isTransient(error) || isLockFailure(error);

/** Whether a later stage may wait for this one. */
const isAwaited = ({ stage }: LeasedDelivery): boolean => stage > 0 && stage !== lastStage;

/**
 * Whether a stage may wait for this group. Behind the first of a claimed group also one that came between: a replay of a stage that had ended
 * when the group was claimed.
 */
const isGroupAwaited = (group: readonly LeasedDelivery[]): boolean =>
  group.slice(-1).some(isAwaited) || (group.length > 1 && group[0]?.lease === undefined);

export class Recorder {
  readonly failed: (delivery: FailedDelivery) => Promise<FailureRecorded>;
  /** Releases the lease of a delivery that this process will not attempt. */
  readonly released: (delivery: LeasedDelivery) => Promise<void>;
  readonly #deps: RecordDeps;
  readonly #succeeded: (group: SucceededDelivery[]) => Promise<readonly LeasedDelivery[]>;
  readonly #schedule: Schedule;
  readonly #random: () => number;
  /** Endpoints that failed here since their last success, which deliveries read before that do not show. */
  readonly #failingEndpoints = new Set<string>();
  /** Groups whose successes wait for the database. */
  #delayed = 0;

  /** `random` is in [0, 1), for the jitter of the schedule. */
  constructor(deps: RecordDeps, settings: Pick<DeliverySettings, 'schedule' | 'random' | 'onRecord'>) {
    this.#deps = deps;
    this.#schedule = settings.schedule;
    this.#random = settings.random ?? Math.random;
    const common = { max: perCommitMax, onDeadlock: () => deps.log.warn('webhooks.deadlock') };
    this.#succeeded = batch((groups) => this.#recordSuccesses(groups), {
      ...common,
      key: ([first]) => (first ? lockKey(first) : ''),
      gapMs: gapMs.success,
      gapPerItemMs: 1,
      ...(settings.onRecord ? { onRun: settings.onRecord } : {}),
    });
    this.failed = batch<FailedDelivery, FailureRecorded>((failed) => this.#recordFailures(failed), {
      ...common,
      key: lockKey,
      gapMs: gapMs.failure,
    });
    this.released = batch<LeasedDelivery, void>(
      async (deliveries) => {
        await releaseLeases(deps.hot, deliveries, deps.processId);
        return deliveries.map(() => undefined);
      },
      { ...common, key: lockKey, gapMs: gapMs.release },
    );
  }

  /**
   * Resolves with next stages to start, once the successes of one ordering group are committed, in their order. Retries while the database is unavailable, until
   * `untilMs` of `clock.steady()`: the receiver has the deliveries, and only this process knows. If the response of a commit was lost, the next
   * stages that it leased start when their lease ends.
   */
  async succeeded(
    group: SucceededDelivery[],
    untilMs: number,
    stopping: AbortSignal,
  ): Promise<readonly LeasedDelivery[]> {
    const { clock, log } = this.#deps;
    let isDelayed = false;
    const onDelayed = (error: unknown) => {
      isDelayed = true;
      // one line per outage
      if (this.#delayed === 0) log.warn({ err: error }, 'webhooks.record_delayed');
      this.#delayed += 1;
    };
    try {
      return await retryWrite(() => this.#succeeded(group), stopping, {
        ...{ clock, isRetryable, onDelayed, untilMs, longestDelayMs },
      });
    } finally {
      if (isDelayed) this.#delayed -= 1;
    }
  }

  async #recordSuccesses(groups: SucceededDelivery[][]): Promise<(readonly LeasedDelivery[])[]> {
    const done = groups.flat();
    const awaited = groups.filter(isGroupAwaited).flatMap((group) => group.slice(-1));
    const hasFailed = (item: SucceededDelivery) =>
      item.failures > 0 || (this.#failingEndpoints.size > 0 && this.#failingEndpoints.has(item.endpointId));
    const recovered = new Set(done.filter(hasFailed).map((item) => item.endpointId));
    const counts = countByLease(done);
    const released = await this.#writeSuccesses(done, awaited, [...recovered], counts);
    for (const [lease, count] of counts) lease.open -= count;
    for (const id of recovered) this.#failingEndpoints.delete(id);
    this.#deps.log.info({ count: done.length, released: released.length }, 'webhooks.delivered');
    return groups.map((_group, index) => (index === 0 ? released : none));
  }

  async #writeSuccesses(
    done: SucceededDelivery[],
    awaited: SucceededDelivery[],
    recovered: string[],
    counts: Map<PublishedLease, number>,
  ): Promise<LeasedDelivery[]> {
    const endedLeaseIds = [...counts].filter(([lease, count]) => lease.open === count).map(([{ id }]) => id);
    // usually no stage waits and no endpoint recovers: a single statement needs no transaction
    if (awaited.length + recovered.length === 0) {
      await completeDeliveries(this.#deps.hot, done, endedLeaseIds);
      return [];
    }
    return this.#deps.hot.transaction().execute(async (tx) => {
      await completeDeliveries(tx, done, endedLeaseIds);
      const released = await this.#leaseNext(tx, awaited, recovered.length === 0);
      if (recovered.length > 0) await recordEndpointRecovery(tx, recovered);
      return released;
    });
  }

  async #recordFailures(failed: FailedDelivery[]): Promise<FailureRecorded[]> {
    const scheduled = failed.map((item) => ({ ...item, delayMs: this.#retryDelayMs(item) }));
    const dead = scheduled.filter((item) => item.delayMs === undefined);
    const { released, failing } = await this.#deps.hot.transaction().execute(async (tx) => {
      await failDeliveries(tx, scheduled);
      // before the next stages, so that none is leased for a resting or disabled endpoint
      const endpoints = await recordEndpointFailures(tx, failuresByEndpoint(failed));
      return { released: await this.#leaseNext(tx, dead.filter(isAwaited)), failing: endpoints };
    });
    for (const { endpointId, id, status, reason, delayMs = null } of scheduled)
      this.#deps.log.info({ endpointId, deliveryId: id, status, reason, delayMs }, 'webhooks.failed');
    const suspendedEndpointIds = this.#trackFailing(failed, failing);
    return failed.map((_item, index) => (index === 0 ? { released, suspendedEndpointIds } : noConsequences));
  }

  #retryDelayMs(item: FailedDelivery): number | undefined {
    if (isGone(item)) return undefined;
    return retryDelayMs(this.#schedule, item.failedAttempts + 1, this.#random(), item.retryAfterMs);
  }

  async #leaseNext(tx: Tx, ended: LeasedDelivery[], isLast = false): Promise<LeasedDelivery[]> {
    return ended.length === 0 ? [] : leaseNextStages(tx, ended, this.#deps.processId, isLast);
  }

  /** Remembers which endpoints fail; returns those that back off or were disabled. */
  #trackFailing(failed: FailedDelivery[], failing: FailingEndpoint[]): string[] {
    // a disabled or deleted endpoint never succeeds, so it is not kept
    for (const { endpointId } of failed) this.#failingEndpoints.delete(endpointId);
    for (const { id, status, disabledReason } of failing) {
      if (status !== endpointStatus.disabled) this.#failingEndpoints.add(id);
      else this.#deps.log.warn({ endpointId: id, reason: disabledReason }, 'webhooks.endpoint_disabled');
    }
    return failing
      .filter(({ resting, status }) => resting || status === endpointStatus.disabled)
      .map(({ id }) => id);
  }
}

/** How many of these deliveries each published lease covers. */
function countByLease(done: readonly SucceededDelivery[]): Map<PublishedLease, number> {
  const counts = new Map<PublishedLease, number>();
  for (const { lease } of done) if (lease) counts.set(lease, (counts.get(lease) ?? 0) + 1);
  return counts;
}

const tooManyRequests = 429;
const serviceUnavailable = 503;

/** One entry per endpoint, sorted by id, the order in which every statement locks endpoints. */
function failuresByEndpoint(failed: FailedDelivery[]): EndpointFailures[] {
  const byEndpoint = new Map<string, EndpointFailures>();
  for (const { endpointId, retryAfterMs, status } of failed) {
    const entry = byEndpoint.get(endpointId) ?? { endpointId, failures: 0, gone: false, retryAfterMs: 0 };
    entry.failures += 1;
    entry.gone ||= isGone({ status });
    // with these two statuses, Retry-After applies to the receiver, not to one delivery
    if (status === tooManyRequests || status === serviceUnavailable)
      entry.retryAfterMs = Math.max(entry.retryAfterMs, retryAfterMs);
    byEndpoint.set(endpointId, entry);
  }
  return [...byEndpoint.values()].sort((a, b) => (a.endpointId < b.endpointId ? -1 : 1));
}
