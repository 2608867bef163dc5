// The worker of deliveries: a queue for each endpoint, filled by hand-over after a commit and by the claim of what is due.
import type { Cipher } from '../../base/cipher.ts';
import { findVersions } from '../endpoints/store.ts';
import { openTargets } from '../endpoints/targets.ts';
import { type AttemptDeps, attempt } from './attempt.ts';
import { openClaims } from './claim.ts';
import {
  type AttemptResult,
  type FailedDelivery,
  failuresToBackOff,
  type LeasedDelivery,
  leaseMs,
  type SucceededDelivery,
} from './delivery.ts';
import { attemptGroup } from './ordering-group.ts';
import { openRecorder, type RecordDeps } from './record.ts';
import { type DeliverySettings, deliveryDefaults } from './settings.ts';

export interface DeliverDeps extends AttemptDeps, RecordDeps {
  cipher: Cipher;
}

export interface Deliveries {
  /** The process that its deliveries are leased to. */
  readonly processId: number;
  /** Takes deliveries that are leased to this process; call it after the commit that wrote them. */
  offer(leasedDeliveries: LeasedDelivery[]): void;
  /** Endpoints whose queue here is so full that new deliveries should not be leased to us (for `publish`). */
  busyEndpoints(): string[];
  /** Claims what is due and takes it; answers how many. The worker's perform. */
  claimDue(): Promise<number>;
  /** Gives back what waits in memory for an endpoint that was paused, changed or deleted. */
  drop(endpointId: string): void;
  /** `listener` is told when an endpoint's queue has run dry while more of it was left in the database. */
  onCapacity(listener: () => void): void;
  /** One try outside the queue, such as a test event's; undefined if the endpoint is gone, or we stop. Nothing is recorded. */
  attemptOnce(
    endpointId: string,
    version: number,
    id: string,
    body: string,
  ): Promise<AttemptResult | undefined>;
  /** Takes nothing more, gives back what waits, and resolves when what is under way has been recorded. */
  stop(): Promise<void>;
}

interface Lane {
  queue: { delivery: LeasedDelivery; freshUntil: number }[];
  running: number;
  /** More of it lies in the database. */
  more: boolean;
  /** The endpoint backs off: what runs is a probe, and nothing else is claimed meanwhile. */
  probing: boolean;
  /** How often what waited here was given back. */
  drops: number;
}

const emptyLane = (): Lane => ({ queue: [], running: 0, more: false, probing: false, drops: 0 });

/** Successes whose recording may be under way: what a crash could have delivered once more. */
const mostUnrecorded = 1_000;

/** How soon a process sees what another did to an endpoint whose deliveries wait here. */
const changesSeenWithinMs = 1_000;

/**
 * How long one message's stages may go to a receiver one after another without a commit between them (measured: a
 * quarter of the server's time went to releasing each by itself). A slower receiver's are recorded one by one.
 */
const chainMs = 1_000;

/** Between the end of the longest call and the lapse of its lease. */
const leaseMarginMs = 5_000;

export function openDeliveries(deps: DeliverDeps, given: Partial<DeliverySettings> = {}): Deliveries {
  const settings = { ...deliveryDefaults, ...given };
  const waitInMemoryMs = leaseMs - leaseMarginMs - deps.webhookTimeoutMs;
  const targets = openTargets({ ...deps, db: deps.hot });
  const claim = openClaims(deps.hot, deps.processId);
  const lanes = new Map<string, Lane>();
  const returning = new Set<Promise<void>>();
  const idle = new Set<() => void>();
  /** Tried already: their failure is about to be recorded, though the end of an earlier stage lets them start. */
  const judged = new Set<string>();
  let queued = 0;
  /** Successes that are not on disk yet; their places are taken again meanwhile. */
  let unrecorded = 0;
  let stopping = false;
  let roomListener = () => {};

  const recorder = openRecorder(deps, settings, {
    onReleased: (released) => offer(released),
    onTrouble: (endpoint) => drop(endpoint.id),
  });

  /** The lease lapses by itself should giving it back fail. */
  function releaseLeases(delivery: LeasedDelivery): void {
    const given = recorder
      .returned(delivery)
      .catch((error) => deps.log.error({ err: error }, 'webhooks.not_given_back'))
      .finally(() => returning.delete(given));
    returning.add(given);
  }

  const isFull = () => queued >= settings.queuedInAll;
  // A claim may bring what is assured to a lane that has nearly as much.
  const mostQueued = () => (isFull() ? settings.assuredPerEndpoint * 2 : settings.queuedPerEndpoint);

  function offer(leasedDeliveries: LeasedDelivery[], leasedAtMs = deps.clock.steady()): void {
    const freshUntil = leasedAtMs + waitInMemoryMs;
    const touched = new Set<string>();
    for (const delivery of leasedDeliveries) {
      if (judged.size > 0 && judged.has(delivery.id)) continue;
      const lane = lanes.get(delivery.endpointId) ?? emptyLane();
      if (stopping || lane.queue.length >= mostQueued()) {
        lane.more = true;
        releaseLeases(delivery);
        continue;
      }
      lanes.set(delivery.endpointId, lane);
      lane.probing = delivery.failures >= failuresToBackOff;
      lane.queue.push({ delivery, freshUntil });
      queued += 1;
      touched.add(delivery.endpointId);
    }
    for (const endpointId of touched) pump(endpointId);
    watch();
  }

  let watching: NodeJS.Timeout | undefined;

  /** Every second while something waits here. */
  function watch(): void {
    if (watching || stopping || queued === 0) return;
    watching = setTimeout(async () => {
      await noticeChanges().catch((error) => deps.log.error({ err: error }, 'webhooks.changes_not_seen'));
      watching = undefined;
      watch();
    }, changesSeenWithinMs);
    watching.unref();
  }

  /** Of endpoints that another process paused, nothing more is sent; where it changed one, the new row counts. */
  async function noticeChanges(): Promise<void> {
    const waiting = [...lanes].filter(([, lane]) => lane.queue.length > 0).map(([endpointId]) => endpointId);
    if (waiting.length === 0) return;
    for (const { id, version, active } of await findVersions(deps.hot, waiting)) {
      if (!active) drop(id);
      for (const { delivery } of lanes.get(id)?.queue ?? [])
        delivery.version = Math.max(delivery.version, version);
    }
  }

  function pump(endpointId: string): void {
    const lane = lanes.get(endpointId);
    if (!lane) return;
    while (lane.running < settings.inFlightPerEndpoint) {
      const next = lane.queue.shift();
      if (!next) break;
      queued -= 1;
      // Its lease is about to lapse: another process may be about to take it.
      if (deps.clock.steady() > next.freshUntil) continue;
      lane.running += 1;
      void perform(next, lane);
    }
    if (lane.queue.length > 0) return;
    if (lane.more) {
      lane.more = false;
      roomListener();
    }
    if (lane.running > 0) return;
    lanes.delete(endpointId);
    if (lanes.size === 0) for (const resolve of idle) resolve();
  }

  /** Tries a delivery and, while its receiver is quick, those that wait for it alone. Its lease covers them all. */
  async function perform({ delivery, freshUntil }: Lane['queue'][number], lane: Lane): Promise<void> {
    const { drops } = lane;
    const until = Math.min(freshUntil, deps.clock.steady() + chainMs);
    try {
      const { done, failure, untried } = await attemptGroup(
        delivery,
        ({ id, body }) => attemptOnce(delivery.endpointId, delivery.version, id, body),
        () => !stopping && lane.drops === drops && deps.clock.steady() < until,
      );
      if (untried) releaseLeases(untried);
      if (failure) judged.add(failure.id);
      if (done.length > 0) {
        const recorded = recordSuccesses(done);
        if (failure || unrecorded >= mostUnrecorded) await recorded;
      }
      if (failure) await recordFailure(failure);
    } catch (error) {
      notRecorded(delivery, error);
    }
    lane.running -= 1;
    pump(delivery.endpointId);
  }

  async function recordFailure(failure: FailedDelivery): Promise<void> {
    await recorder.failed(failure).catch((error) => notRecorded(failure, error));
    judged.delete(failure.id);
  }

  /** Resolves when they are on disk: a receiver's next call need not wait for that. */
  function recordSuccesses(done: SucceededDelivery[]): Promise<void> {
    unrecorded += done.length;
    const recording = recorder
      .succeeded(done)
      .catch((error) => notRecorded(done[0] as LeasedDelivery, error))
      .finally(() => {
        unrecorded -= done.length;
        returning.delete(recording);
      });
    returning.add(recording);
    return recording;
  }

  /** Its lease lapses, and it is tried again. */
  function notRecorded({ id, endpointId }: LeasedDelivery, error: unknown): void {
    deps.log.error({ err: error, deliveryId: id, endpointId }, 'webhooks.not_recorded');
  }

  async function attemptOnce(
    endpointId: string,
    version: number,
    id: string,
    body: string,
  ): Promise<AttemptResult | undefined> {
    const target = await targets.get(endpointId, version);
    if (!target) return undefined;
    const outcome = await attempt(deps, target, id, body);
    if (outcome) settings.onAttempt?.(outcome);
    return outcome;
  }

  function drop(endpointId: string): void {
    const lane = lanes.get(endpointId);
    if (!lane) return;
    const waiting = lane.queue.splice(0);
    queued -= waiting.length;
    lane.drops += 1;
    lane.more = false;
    for (const { delivery } of waiting) releaseLeases(delivery);
    pump(endpointId);
  }

  async function claimDue(): Promise<number> {
    if (stopping) return 0;
    const enough = isFull() ? settings.assuredPerEndpoint : settings.inFlightPerEndpoint;
    const except: string[] = [];
    for (const [endpointId, lane] of lanes) {
      if (!lane.probing && lane.queue.length < enough) continue;
      lane.more = true;
      except.push(endpointId);
    }
    // before the claim: the machine may sleep before it reads what it has leased
    const leasedAtMs = deps.clock.steady();
    const claimed = await claim({
      // Twice what one endpoint may have under way, so that its next ones are here when a call ends.
      perEndpoint: isFull() ? enough : enough * 2,
      total: settings.claimedPerRound,
      except,
    });
    offer(claimed, leasedAtMs);
    return claimed.length;
  }

  return {
    processId: deps.processId,
    offer,
    busyEndpoints() {
      const busy: string[] = [];
      for (const [endpointId, lane] of lanes) {
        if (lane.queue.length < settings.queuedPerEndpoint / 2) continue;
        lane.more = true;
        busy.push(endpointId);
      }
      return busy;
    },
    claimDue,
    drop,
    onCapacity(listener) {
      roomListener = listener;
    },
    attemptOnce,
    async stop() {
      stopping = true;
      clearTimeout(watching);
      for (const endpointId of [...lanes.keys()]) drop(endpointId);
      if (lanes.size > 0) await new Promise<void>((resolve) => idle.add(resolve));
      await Promise.all(returning);
    },
  };
}
