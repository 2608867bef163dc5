// The queue of one sender in this process: waits for pace and connections, then dispatches the most urgent messages.
import type { Db } from '../../db/db.ts';
import type { SenderAccess } from '../../ports/platform.ts';
import type { Subqueue } from '../../work/keyed-queue.ts';
import { storedFilesOf } from '../messages/media.ts';
import { keyOf, type LeasedMessage } from '../messages/message.ts';
import {
  type CallDeps,
  callPlatform,
  prepareMessage,
  recordUncalled,
  senderRemoved,
} from './call-platform.ts';
import type { Connections } from './connections.ts';
import type { DispatchWrites } from './dispatch-writes.ts';
import { findStillCallable } from './holds-store.ts';
import { openMediaPreparation } from './media-preparation.ts';
import { openPacer, type ReserveSlots, untilSlot } from './pacer.ts';
import { type PreparedMessage, prepareWith, type StoredCalls } from './prepared-message.ts';

export interface SenderQueueDeps extends CallDeps {
  hot: Db;
  writes: DispatchWrites;
  reserveSlots: ReserveSlots;
  /** The connections to the operator's address. An account's own address is limited by the concurrent calls alone. */
  connections: Connections;
}

/** Concurrent calls of one sender. */
const concurrentCallsMax = 64;
/** A message that is not dispatching this long after its lease began is released: the lease of 60 s must outlive the call. */
const leaseTrustMs = 25_000;
/** Dispatches begun together, and called before the next ones. After a crash, their outcome is unknown even if they were not called. */
const dispatchedPerStepMax = 16;

/** The state of a sender in this process, in addition to its queued messages. */
export interface SenderState {
  queue?: SenderQueue;
}

/** The queue of one sender. Counts its calls, reserved ones too, as running. */
export class SenderQueue {
  readonly #deps: SenderQueueDeps;
  readonly senderId: string;
  readonly #waiting: Subqueue<PreparedMessage, SenderState>;
  readonly #pacer: ReturnType<typeof openPacer>;
  readonly #preparation: ReturnType<typeof openMediaPreparation>;
  #isStopped = false;
  /** Known while calls are reserved, also if the sender is removed in the meantime. */
  #access: SenderAccess | undefined;
  /** How many of the reserved calls have a connection: a sender may get another address in the meantime. */
  #connected = 0;
  #running: Promise<void> | undefined;
  #onCallEnded: (() => void) | undefined;

  constructor(deps: SenderQueueDeps, waiting: Subqueue<PreparedMessage, SenderState>) {
    this.#deps = deps;
    this.senderId = waiting.key;
    this.#waiting = waiting;
    this.#pacer = openPacer(deps, waiting.key);
    this.#preparation = openMediaPreparation(
      (message) => prepareMessage(deps, message),
      (prepared, offeredAtMs) =>
        this.#isStopped ? this.#release([prepared]) : this.#add(prepared, offeredAtMs),
    );
  }

  /** Takes messages that are leased to this process. */
  offer(messages: readonly LeasedMessage[]): void {
    const offeredAtMs = this.#deps.clock.steady();
    if (this.#isStopped) {
      this.#release(messages.map((message) => ({ message })));
      return;
    }
    for (const message of messages) {
      const needsFiles = storedFilesOf(message.media_id, message.content).length > 0;
      if (!needsFiles) this.#add({ message }, offeredAtMs);
      else this.#preparation.add(message, offeredAtMs);
    }
  }

  /**
   * Reserves up to `wanted` calls for messages about to be stored as dispatching, if their pace allows: as many as are free; 0 while
   * messages wait. Each ends with `callReserved` or `releaseCalls`.
   */
  async reserveCalls(wanted: number): Promise<number> {
    const free = Math.min(wanted, concurrentCallsMax - this.#waiting.running);
    if (this.#isStopped || free <= 0 || this.#waiting.queued() > 0) return 0;
    this.#waiting.running += free;
    let reserved = 0;
    try {
      const access = await this.#deps.accessOf(this.senderId);
      if (!access || this.#isStopped) return 0;
      this.#access = access;
      const acquired = access.isOwnAddress ? 0 : this.#deps.connections.tryAcquire(free);
      this.#connected += acquired;
      reserved = access.isOwnAddress ? free : acquired;
      return reserved;
    } finally {
      this.#waiting.running -= free - reserved;
      this.#onCallEnded?.();
    }
  }

  /** Calls messages that were stored as dispatching, for reserved calls. */
  callReserved(messages: readonly LeasedMessage[], { begunAtMs, firstInMs, files }: StoredCalls): void {
    const access = this.#access as SenderAccess;
    let connected = this.#takeConnected(messages.length);
    const callAll = () => {
      for (const message of messages)
        void this.#call(prepareWith(message, files), access, { begunAtMs, isConnected: connected-- > 0 });
    };
    if (firstInMs <= 0) callAll();
    else void untilSlot(this.#deps.clock, firstInMs).then(callAll);
  }

  /** Releases reserved calls that will not be made, and the slots that some of their messages got. */
  releaseCalls(count: number, slots: number): void {
    this.#waiting.running -= count;
    this.#releaseConnections(this.#takeConnected(count), false);
    this.#pacer.release(slots);
    this.#onCallEnded?.();
  }

  /** The messages here that are no less urgent than `priority`: waiting, being prepared, or in flight. */
  size(priority: number): number {
    return this.#waiting.queued(priority) + this.#waiting.running + this.#preparation.size();
  }

  /** Starts no other call, releases the waiting messages, and resolves when the calls in flight have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    const left = [...this.#waiting.drain().map(({ message }) => message), ...this.#preparation.stop()];
    if (left.length > 0) await this.#deps.writes.release(left).catch(() => undefined);
    await this.#running;
    await this.#preparation.idle();
    while (this.#waiting.running > 0) await this.#callEnded();
  }

  #add(prepared: PreparedMessage, offeredAtMs: number): void {
    this.#waiting.push(prepared, offeredAtMs + leaseTrustMs, prepared.message.priority);
    this.#start();
  }

  #start(): void {
    this.#running ??= this.#runSafely();
  }

  async #runSafely(): Promise<void> {
    try {
      await this.#run();
    } catch (error) {
      this.#deps.log.error({ err: error, senderId: this.senderId }, 'messages.queue_failed');
      this.#release(this.#waiting.drain());
    }
    this.#running = undefined;
    if (!this.#isStopped && this.#waiting.queued() > 0) this.#start();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped && this.#waiting.queued() > 0) {
      const free = concurrentCallsMax - this.#waiting.running;
      if (free <= 0) {
        await this.#callEnded();
        continue;
      }
      let granted = await this.#pacer.reserve(Math.min(free, this.#waiting.queued()));
      while (granted > 0 && !this.#isStopped) {
        const dispatched = await this.#dispatch(Math.min(granted, dispatchedPerStepMax));
        if (dispatched === 0) break;
        granted -= dispatched;
      }
      this.#pacer.release(granted);
    }
  }

  /** Dispatches up to `count` messages when connections are free. Returns their number when all requests have been written. */
  async #dispatch(count: number): Promise<number> {
    const { accessOf, connections } = this.#deps;
    const access = await accessOf(this.senderId).catch((error: unknown) => ({ error }));
    if (access === undefined || 'error' in access) {
      const error = access?.error ?? senderRemoved();
      const taken = this.#take(count);
      await Promise.all(taken.map(({ message }) => recordUncalled(this.#deps, message, error)));
      return 0;
    }
    const free = access.isOwnAddress ? count : await connections.acquire(count);
    const taken = this.#isStopped ? [] : this.#take(free);
    if (!access.isOwnAddress) this.#releaseConnections(free - taken.length, false);
    if (taken.length > 0) await this.#beginAndCall(taken, access);
    return taken.length;
  }

  /** Takes up to `count` messages whose lease is still long enough; releases the others. */
  #take(count: number): PreparedMessage[] {
    const nowMs = this.#deps.clock.steady();
    const taken: PreparedMessage[] = [];
    const expired: PreparedMessage[] = [];
    while (taken.length < count) {
      const next = this.#waiting.take(nowMs, expired);
      if (!next) break;
      taken.push(next.item);
    }
    this.#release(expired);
    return taken;
  }

  async #beginAndCall(taken: readonly PreparedMessage[], access: SenderAccess): Promise<void> {
    const { clock, log, writes } = this.#deps;
    const messages = taken.map(({ message }) => message);
    // read before the write: the machine may be suspended before the process reads the response
    const begunAtMs = clock.steady();
    this.#waiting.running += messages.length;
    const begun = await writes.begin(messages).catch((error) => {
      log.error({ err: error, senderId: this.senderId, count: messages.length }, 'messages.dispatch_failed');
      writes.revert(messages);
      return undefined;
    });
    const notBegun = taken.filter((_message, index) => !begun?.[index]);
    this.#waiting.running -= notBegun.length;
    const isConnected = !access.isOwnAddress;
    if (isConnected) this.#releaseConnections(notBegun.length, false);
    taken.forEach((prepared, index) => {
      if (begun?.[index]) void this.#call(prepared, access, { begunAtMs, isConnected });
    });
    this.#onCallEnded?.();
    if (notBegun.length === 0) return;
    this.#pacer.release(notBegun.length);
    if (!begun) return;
    // cancelled, held, expired or opted out in the meantime
    await this.#endUncallable(notBegun);
    await this.#releaseUncallable();
  }

  /** Fails messages to people who opted out, and releases the others, whose claim decides what becomes of them. */
  async #endUncallable(prepared: readonly PreparedMessage[]): Promise<void> {
    const { log, writes } = this.#deps;
    const failed = await writes
      .failOptedOut(prepared.map(({ message }) => message))
      .catch((error: unknown) => {
        log.warn({ err: error, senderId: this.senderId }, 'messages.opt_outs_not_failed');
        return new Set<string>();
      });
    this.#release(prepared.filter(({ message }) => !failed.has(message.id)));
  }

  /** Releases the waiting messages that may no longer be called, so that no other message waits behind them. */
  async #releaseUncallable(): Promise<void> {
    const waiting = this.#waiting.items();
    if (waiting.length === 0) return;
    const keys = waiting.map(({ message }) => keyOf(message));
    const callable = await findStillCallable(this.#deps.hot, keys);
    const uncallable = new Set(waiting.filter((_message, index) => !callable[index]));
    await this.#endUncallable(this.#waiting.extract((message) => uncallable.has(message)));
  }

  async #call(
    prepared: PreparedMessage,
    access: SenderAccess,
    { begunAtMs, isConnected }: { begunAtMs: number; isConnected: boolean },
  ): Promise<void> {
    const advice = await callPlatform(this.#deps, prepared, access, begunAtMs);
    if (advice === 'halt') this.#release(this.#waiting.drain());
    this.#waiting.running -= 1;
    if (isConnected) this.#releaseConnections(1, true);
    this.#onCallEnded?.();
  }

  /** The connections of `count` reserved calls that end or begin. */
  #takeConnected(count: number): number {
    const taken = Math.min(count, this.#connected);
    this.#connected -= taken;
    return taken;
  }

  #releaseConnections(count: number, used: boolean): void {
    if (count > 0) this.#deps.connections.release(count, used);
  }

  #release(prepared: readonly PreparedMessage[]): void {
    if (prepared.length === 0) return;
    const { log, writes } = this.#deps;
    writes
      .release(prepared.map(({ message }) => message))
      .catch((error) => log.warn({ err: error, senderId: this.senderId }, 'messages.release_failed'));
  }

  /** Resolves when a call has ended. */
  #callEnded(): Promise<void> {
    return new Promise((resolve) => {
      this.#onCallEnded = () => {
        this.#onCallEnded = undefined;
        resolve();
      };
    });
  }
}
