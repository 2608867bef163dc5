// Deliveries queued in this process, per endpoint, within the limits of its memory. Pure.
import { KeyedQueue, type Leased, type Subqueue } from '../../work/keyed-queue.ts';
import { failuresToBackOff, type LeasedDelivery } from './delivery.ts';
import type { DeliverySettings } from './settings.ts';

interface EndpointState {
  /** More of its due deliveries are in the database. */
  hasMore: boolean;
  /** It backs off: what runs is a probe, and nothing else is claimed until it ends. */
  isProbing: boolean;
}

export type EndpointQueue = Subqueue<LeasedDelivery, EndpointState>;

type Limits = Pick<
  DeliverySettings,
  'inFlightPerEndpoint' | 'queuedPerEndpoint' | 'queuedInAll' | 'assuredPerEndpoint' | 'claimedPerRound'
>;

/** What a claim may take. */
export interface Claim {
  /** Deliveries of one endpoint, and of all. */
  perEndpoint: number;
  total: number;
  /** Endpoints to leave out. */
  except: readonly string[];
}

export class DeliveryQueue {
  readonly #limits: Limits;
  readonly #endpoints = new KeyedQueue<LeasedDelivery, EndpointState>({
    newState: () => ({ hasMore: false, isProbing: false }),
  });

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#endpoints.queued;
  }

  find(endpointId: string): EndpointQueue | undefined {
    return this.#endpoints.find(endpointId);
  }

  /** Every endpoint with deliveries queued or running. The list is a copy, so `removeIfIdle` may be called during iteration. */
  endpoints(): EndpointQueue[] {
    return [...this.#endpoints.all()];
  }

  /** Queues a delivery; undefined if its endpoint's queue is full. */
  add(delivery: LeasedDelivery, startBeforeMs: number): EndpointQueue | undefined {
    const queue = this.#endpoints.open(delivery.endpointId);
    if (queue.queued() >= this.#queuedMax()) {
      queue.state.hasMore = true;
      return undefined;
    }
    queue.state.isProbing = delivery.failures >= failuresToBackOff;
    queue.push(delivery, startBeforeMs);
    return queue;
  }

  /** Removes the next delivery and counts it as running; undefined if there is none, or no call is free. Skips expired leases. */
  start(queue: EndpointQueue, nowMs: number): Leased<LeasedDelivery> | undefined {
    if (queue.running >= this.#limits.inFlightPerEndpoint) return undefined;
    const next = queue.take(nowMs);
    if (next) queue.running += 1;
    return next;
  }

  /** True if the queue has become empty while the database has more; true only once. */
  needsMore(queue: EndpointQueue): boolean {
    if (queue.queued() > 0 || !queue.state.hasMore) return false;
    queue.state.hasMore = false;
    return true;
  }

  removeIfIdle(queue: EndpointQueue): void {
    this.#endpoints.remove(queue);
  }

  /** Empties an endpoint's queue; returns what was in it. */
  drain(queue: EndpointQueue): LeasedDelivery[] {
    queue.state.hasMore = false;
    return queue.drain();
  }

  /** The limits of the next claim: twice the concurrent calls, so that the next deliveries are here when a call ends. */
  claimable(): Claim {
    const { assuredPerEndpoint, inFlightPerEndpoint, claimedPerRound } = this.#limits;
    const enough = this.#isFull() ? assuredPerEndpoint : inFlightPerEndpoint;
    return {
      perEndpoint: this.#isFull() ? enough : enough * 2,
      total: claimedPerRound,
      except: this.#withMore((queue) => queue.state.isProbing || queue.queued() >= enough),
    };
  }

  /** Endpoints with so much queued that new deliveries stay in the database. */
  busyEndpoints(): string[] {
    return this.#withMore((queue) => queue.queued() >= this.#limits.queuedPerEndpoint / 2);
  }

  whenEmpty(): Promise<void> {
    return this.#endpoints.whenEmpty();
  }

  #withMore(isBusy: (queue: EndpointQueue) => boolean): string[] {
    const endpointIds: string[] = [];
    for (const queue of this.#endpoints.all()) {
      if (!isBusy(queue)) continue;
      queue.state.hasMore = true;
      endpointIds.push(queue.key);
    }
    return endpointIds;
  }

  #isFull(): boolean {
    return this.size >= this.#limits.queuedInAll;
  }

  /** A claim may add the assured number to a queue that already has almost as many. */
  #queuedMax(): number {
    return this.#isFull() ? this.#limits.assuredPerEndpoint * 2 : this.#limits.queuedPerEndpoint;
  }
}
