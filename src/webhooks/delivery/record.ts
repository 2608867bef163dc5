// Writing down what tries came to: many outcomes, one commit, and the next stages that may start after it.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Db, Tx } from '../../db/db.ts';
import { retryDelayMs, type Schedule } from '../../work/backoff.ts';
import { batch } from '../../work/batch.ts';
import {
  type FailedDelivery,
  isGone,
  type LeasedDelivery,
  lastStage,
  lockKey,
  type SucceededDelivery,
} from './delivery.ts';
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
  /** Connections with the hot statements' settings. */
  hot: Db;
  /** The process that leases; see `db/process-session.ts`. */
  processId: number;
  clock: Clock;
  log: Log;
}

export interface Recorder {
  /**
   * Resolves when the successes are committed: stages of one subject at one endpoint, in their order. What waited for
   * the last of them has then been handed on.
   */
  succeeded(done: SucceededDelivery[]): Promise<void>;
  failed(delivery: FailedDelivery): Promise<void>;
  /** Gives the lease of a delivery back that will not be tried here. */
  returned(delivery: LeasedDelivery): Promise<void>;
}

interface Listener {
  /** Deliveries that may start now, leased. */
  onReleased(released: LeasedDelivery[]): void;
  /** An endpoint that rests or was disabled: what still waits for it here should be given back. */
  onTrouble(endpoint: FailingEndpoint): void;
}

const byKey = { max: 500, key: lockKey };

/** Whether a later stage may wait for the end of this one. */
const isAwaited = ({ stage }: LeasedDelivery): boolean => stage > 0 && stage !== lastStage;

/** `random` is in [0, 1), for the jitter of the schedule. */
export function openRecorder(
  deps: RecordDeps,
  settings: { schedule: Schedule; random?: () => number },
  listener: Listener,
): Recorder {
  const random = settings.random ?? Math.random;
  /** Endpoints that failed here since their last success, though deliveries read before that do not say so. */
  const failingHere = new Set<string>();
  const onDeadlock = () => deps.log.warn('webhooks.deadlock');

  const release = async (tx: Tx, ended: LeasedDelivery[]): Promise<LeasedDelivery[]> =>
    ended.length === 0 ? [] : leaseNextStages(tx, ended, deps.processId);

  async function writeSuccesses(done: SucceededDelivery[], awaited: LeasedDelivery[], recovered: string[]) {
    // mostly nothing waits and nobody recovers: one statement alone needs no transaction, and none of its round trips
    if (awaited.length + recovered.length === 0) {
      await completeDeliveries(deps.hot, done);
      return [];
    }
    return deps.hot.transaction().execute(async (tx) => {
      await completeDeliveries(tx, done);
      const released = await release(tx, awaited);
      if (recovered.length > 0) await recordEndpointRecovery(tx, recovered);
      return released;
    });
  }

  async function recordSuccesses(chains: SucceededDelivery[][]): Promise<undefined[]> {
    const done = chains.flat();
    const last = chains.flatMap((chain) => chain.slice(-1));
    const hasFailed = (item: SucceededDelivery) =>
      item.failures > 0 || (failingHere.size > 0 && failingHere.has(item.endpointId));
    const recovered = new Set(done.filter(hasFailed).map((item) => item.endpointId));
    const released = await writeSuccesses(done, last.filter(isAwaited), [...recovered]);
    for (const id of recovered) failingHere.delete(id);
    deps.log.info({ count: done.length, released: released.length }, 'webhooks.delivered');
    listener.onReleased(released);
    return chains.map(() => undefined);
  }

  async function recordFailures(failed: FailedDelivery[]): Promise<undefined[]> {
    const judged = failed.map((item) => ({
      ...item,
      delayMs: isGone(item)
        ? undefined
        : retryDelayMs(settings.schedule, item.failedAttempts + 1, random(), item.retryAfterMs),
    }));
    const dead = judged.filter((item) => item.delayMs === undefined);
    const { released, troubled } = await deps.hot.transaction().execute(async (tx) => {
      await failDeliveries(tx, judged);
      // Before the release, which leases nothing to an endpoint that rests or was just disabled.
      const noted = await recordEndpointFailures(tx, failuresByEndpoint(failed));
      return { released: await release(tx, dead.filter(isAwaited)), troubled: noted };
    });
    for (const item of judged) {
      const { endpointId, id, status, reason, delayMs } = item;
      deps.log.info(
        { endpointId, deliveryId: id, status, reason, delayMs: delayMs ?? null },
        'webhooks.failed',
      );
    }
    // One that is disabled or deleted will not succeed: nothing is kept of it.
    for (const { endpointId } of failed) failingHere.delete(endpointId);
    for (const endpoint of troubled) {
      if (endpoint.status !== 'disabled') failingHere.add(endpoint.id);
      else {
        deps.log.warn(
          { endpointId: endpoint.id, reason: endpoint.disabledReason },
          'webhooks.endpoint_disabled',
        );
      }
      if (endpoint.resting || endpoint.status === 'disabled') listener.onTrouble(endpoint);
    }
    listener.onReleased(released);
    return failed.map(() => undefined);
  }

  const success = batch(recordSuccesses, {
    max: byKey.max,
    key: ([first]) => (first ? lockKey(first) : ''),
    gapMs: 2,
    onDeadlock,
  });
  const failure = batch(recordFailures, { ...byKey, gapMs: 8, onDeadlock });
  const back = batch<LeasedDelivery, undefined>(
    async (items) => {
      await releaseLeases(deps.hot, items);
      return items.map(() => undefined);
    },
    { ...byKey, gapMs: 20, onDeadlock },
  );
  return {
    succeeded: success,
    failed: failure,
    returned: back,
  };
}

/** One entry an endpoint, sorted by its id as every statement locks endpoints. */
function failuresByEndpoint(failed: FailedDelivery[]): EndpointFailures[] {
  const byEndpoint = new Map<string, EndpointFailures>();
  for (const { endpointId, retryAfterMs, status } of failed) {
    const entry = byEndpoint.get(endpointId) ?? { endpointId, failures: 0, gone: false, retryAfterMs: 0 };
    entry.failures += 1;
    entry.gone ||= isGone({ status });
    // A wait asked for with 429 or 503 speaks of the receiver, not of one delivery.
    if (status === 429 || status === 503) entry.retryAfterMs = Math.max(entry.retryAfterMs, retryAfterMs);
    byEndpoint.set(endpointId, entry);
  }
  return [...byEndpoint.values()].sort((a, b) => (a.endpointId < b.endpointId ? -1 : 1));
}
