// Deliveries of this process: queues what it leases, attempts it, records the results.
import type { Cipher } from '../../base/cipher.ts';
import { machineMs } from '../../base/steady.ts';
import { uuidTime } from '../../base/uuid-time.ts';
import type { Leased } from '../../work/keyed-queue.ts';
import { findVersions } from '../endpoints/store.ts';
import { openTargets, type Targets } from '../endpoints/targets.ts';
import { type AttemptDeps, attempt } from './attempt.ts';
import { openClaims } from './claim.ts';
import {
  type AttemptResult,
  type DeliveryToAttempt,
  type FailedDelivery,
  type LeasedDelivery,
  leaseMs,
  type SucceededDelivery,
} from './delivery.ts';
import { attemptGroup, type GroupResult } from './ordering-group.ts';
import { DeliveryQueue, type EndpointQueue } from './queue.ts';
import { type RecordDeps, Recorder } from './record.ts';
import { type DeliverySettings, deliveryDefaults } from './settings.ts';

export interface DeliverDeps extends AttemptDeps, RecordDeps {
  cipher: Cipher;
}

export interface Deliveries {
  /** The process that leases its deliveries. */
  readonly processId: number;
  /** Deliveries that wait in memory. */
  readonly queued: number;
  /** Takes deliveries that this process leases. Call it after the commit that wrote them. */
  offer(deliveries: LeasedDelivery[]): void;
  /** Endpoints with so much queued here that `publish` should leave new deliveries to any process. */
  busyEndpoints(): string[];
  /** Claims due deliveries and queues them; returns how many. The worker calls it. */
  claimDue(): Promise<number>;
  /** Releases the leases of what is queued for an endpoint that was paused, changed or deleted. */
  drop(endpointId: string): void;
  /** Sets the function to call when an endpoint's queue has run dry while more is in the database. */
  onCapacity(listener: () => void): void;
  /** One attempt outside the queue, such as a test event's; undefined if the endpoint was deleted or the process stops. Records nothing. */
  attemptOnce(delivery: DeliveryToAttempt): Promise<AttemptResult | undefined>;
  /** Accepts nothing more, releases what is queued, and resolves when running deliveries have been recorded. */
  stop(): Promise<void>;
}

/** A process detects within this time that another one changed an endpoint with deliveries queued here. */
const changesDetectedWithinMs = 1_000;

/**
 * How long an ordering group may continue without a commit between its stages. Recording each stage separately took a quarter of the database's
 * time; only the stages of slower receivers are recorded separately.
 */
const groupMs = 1_000;

/** The time between the end of the longest call and the end of its lease. */
const leaseMarginMs = 5_000;

/** Opens the deliveries of this process, with the default settings unless `changed`. */
export function openDeliveries(deps: DeliverDeps, changed: Partial<DeliverySettings> = {}): Deliveries {
  return new LocalDeliveries(deps, { ...deliveryDefaults, ...changed });
}

class LocalDeliveries implements Deliveries {
  readonly processId: number;
  readonly #deps: DeliverDeps;
  readonly #settings: DeliverySettings;
  readonly #queue: DeliveryQueue;
  readonly #recorder: Recorder;
  readonly #targets: Targets;
  readonly #claim: ReturnType<typeof openClaims>;
  /** Failed here, not yet recorded: the commit of an earlier stage may offer them again. */
  readonly #pendingFailures = new Set<string>();
  /** Writes in progress, awaited only by `stop`. */
  readonly #writes = new Set<Promise<void>>();
  #unrecorded = 0;
  readonly #stop = new AbortController();
  #changesTimer: NodeJS.Timeout | undefined;
  #capacityListener = () => {};

  constructor(deps: DeliverDeps, settings: DeliverySettings) {
    this.processId = deps.processId;
    this.#deps = deps;
    this.#settings = settings;
    this.#queue = new DeliveryQueue(settings);
    this.#recorder = new Recorder(deps, settings);
    this.#targets = openTargets({ ...deps, db: deps.hot });
    this.#claim = openClaims(deps.hot, deps.processId);
  }

  get #stopping(): boolean {
    return this.#stop.signal.aborted;
  }

  offer(deliveries: readonly LeasedDelivery[], leasedAtMs = this.#deps.clock.steady()): void {
    const startBeforeMs = leasedAtMs + leaseMs - leaseMarginMs - this.#deps.webhookTimeoutMs;
    const offered = new Set<EndpointQueue>();
    for (const delivery of deliveries) {
      if (this.#pendingFailures.size > 0 && this.#pendingFailures.has(delivery.id)) continue;
      const queue = this.#stopping ? undefined : this.#queue.add(delivery, startBeforeMs);
      if (queue) offered.add(queue);
      else this.#releaseLease(delivery);
    }
    for (const queue of offered) this.#startNext(queue);
    this.#watchChanges();
  }

  get queued(): number {
    return this.#queue.size;
  }

  busyEndpoints(): string[] {
    return this.#queue.busyEndpoints();
  }

  async claimDue(): Promise<number> {
    if (this.#stopping) return 0;
    // before the claim: the machine may be suspended before the response arrives
    const leasedAtMs = this.#deps.clock.steady();
    const claimed = await this.#claim(this.#queue.claimable());
    this.offer(claimed, leasedAtMs);
    return claimed.length;
  }

  drop(endpointId: string): void {
    const queue = this.#queue.find(endpointId);
    if (!queue) return;
    for (const delivery of this.#queue.drain(queue)) this.#releaseLease(delivery);
    this.#startNext(queue);
  }

  onCapacity(listener: () => void): void {
    this.#capacityListener = listener;
  }

  async attemptOnce(
    { id, endpointId, version, body }: DeliveryToAttempt,
    traceparent?: string,
  ): Promise<AttemptResult | undefined> {
    const target = await this.#targets.get(endpointId, version);
    if (!target) return undefined;
    const result = await attempt(this.#deps, target, id, body, traceparent);
    if (result) this.#settings.onAttempt?.(result, endpointId);
    return result;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    clearTimeout(this.#changesTimer);
    for (const { key } of this.#queue.endpoints()) this.drop(key);
    await this.#queue.whenEmpty();
    await Promise.all(this.#writes);
  }

  #startNext(queue: EndpointQueue): void {
    const nowMs = this.#deps.clock.steady();
    for (let next = this.#queue.start(queue, nowMs); next; next = this.#queue.start(queue, nowMs))
      void this.#deliver(queue, next);
    if (this.#queue.needsMore(queue)) this.#capacityListener();
    this.#queue.removeIfIdle(queue);
  }

  /** Attempts a delivery and, while its receiver is fast, the later stages that wait for it. Its lease covers them all. */
  async #deliver(queue: EndpointQueue, { item, startBeforeMs }: Leased<LeasedDelivery>): Promise<void> {
    const { drains } = queue;
    const { clock } = this.#deps;
    const untilMs = Math.min(startBeforeMs, clock.steady() + groupMs);
    try {
      const result = await attemptGroup(
        item,
        (delivery) => this.#attempt(item, delivery),
        () => queue.drains === drains && clock.steady() < untilMs,
      );
      await this.#record(result, startBeforeMs + this.#deps.webhookTimeoutMs);
    } catch (error) {
      this.#logNotRecorded(item, error);
    }
    queue.running -= 1;
    this.#startNext(queue);
  }

  /** Attempts a delivery of the group that begins with `first`. */
  async #attempt(
    { endpointId, version }: LeasedDelivery,
    delivery: LeasedDelivery,
  ): Promise<AttemptResult | undefined> {
    const { id, body, causedAtMs } = delivery;
    const call = this.#settings.onCall?.(delivery);
    const result = await this.attemptOnce({ id, endpointId, version, body }, call?.traceparent);
    call?.ended(result);
    if (result?.delivered && causedAtMs !== undefined)
      this.#settings.onDelivered?.(Math.max(0, machineMs() - causedAtMs));
    return result;
  }

  /** The next call does not wait for the commit of successes. A failure is recorded after them, to keep the order of writes. */
  async #record({ done, failure, untried }: GroupResult, untilMs: number): Promise<void> {
    if (untried) this.#releaseLease(untried);
    if (failure) this.#pendingFailures.add(failure.id);
    if (done.length > 0) {
      const recorded = this.#recordSuccesses(done, untilMs);
      if (failure || this.#unrecorded >= this.#settings.unrecordedMax) await recorded;
      else this.#inBackground(recorded);
    }
    if (failure) await this.#recordFailure(failure);
  }

  async #recordSuccesses(done: SucceededDelivery[], untilMs: number): Promise<void> {
    this.#unrecorded += done.length;
    try {
      const released = await this.#recorder.succeeded(done, untilMs, this.#stop.signal);
      // their callbacks arrived just before they were written
      for (const next of released)
        next.causedAtMs = machineMs() - this.#deps.clock.now() + uuidTime(next.id).getTime();
      if (released.length > 0) this.offer(released);
    } catch (error) {
      this.#logNotRecorded(done[0] as LeasedDelivery, error);
    } finally {
      this.#unrecorded -= done.length;
    }
  }

  async #recordFailure(failure: FailedDelivery): Promise<void> {
    try {
      const { released, suspendedEndpointIds } = await this.#recorder.failed(failure);
      for (const endpointId of suspendedEndpointIds) this.drop(endpointId);
      if (released.length > 0) this.offer(released);
    } catch (error) {
      this.#logNotRecorded(failure, error);
    }
    this.#pendingFailures.delete(failure.id);
  }

  /** If the release fails, the lease expires. */
  #releaseLease(delivery: LeasedDelivery): void {
    const { log } = this.#deps;
    this.#inBackground(
      this.#recorder
        .released(delivery)
        .catch((error) => log.error({ err: error }, 'webhooks.lease_not_released')),
    );
  }

  #inBackground(write: Promise<void>): void {
    this.#writes.add(write);
    void write.then(() => this.#writes.delete(write));
  }

  /** The delivery is attempted again when its lease expires. */
  #logNotRecorded({ id, endpointId }: LeasedDelivery, error: unknown): void {
    this.#deps.log.error({ err: error, deliveryId: id, endpointId }, 'webhooks.not_recorded');
  }

  #watchChanges(): void {
    if (this.#changesTimer || this.#stopping || this.#queue.size === 0) return;
    this.#changesTimer = setTimeout(async () => {
      await this.#detectChanges().catch((error) =>
        this.#deps.log.error({ err: error }, 'webhooks.changes_not_read'),
      );
      this.#changesTimer = undefined;
      this.#watchChanges();
    }, changesDetectedWithinMs);
    this.#changesTimer.unref();
  }

  /** Drops what is queued for endpoints that another process paused; for changed ones, the new row applies. */
  async #detectChanges(): Promise<void> {
    const endpointIds = this.#queue
      .endpoints()
      .filter((queue) => queue.queued() > 0)
      .map(({ key }) => key);
    if (endpointIds.length === 0) return;
    for (const { id, version, active } of await findVersions(this.#deps.hot, endpointIds)) {
      if (!active) this.drop(id);
      for (const delivery of this.#queue.find(id)?.items() ?? [])
        delivery.version = Math.max(delivery.version, version);
    }
  }
}
