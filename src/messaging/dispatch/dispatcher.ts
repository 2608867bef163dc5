// The dispatcher of this process: one queue per sender, fed by requests and by the worker.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { type Metrics, timed } from '../../base/metrics.ts';
import type { Db } from '../../db/db.ts';
import { batch } from '../../work/batch.ts';
import { KeyedQueue } from '../../work/keyed-queue.ts';
import type { CompletionWaiters } from '../messages/completion-waiters.ts';
import { failAndPublish } from '../messages/fail.ts';
import {
  expiredError,
  keyOf,
  type LeasedMessage,
  type LeasedTemplate,
  type MessageError,
  ownErrors,
  state,
} from '../messages/message.ts';
import type { SenderEventDeps } from '../senders/status-events.ts';
import type { CallDeps } from './call-platform.ts';
import { claimDue, findExpired, findOverdue } from './claims-store.ts';
import { openConnections } from './connections.ts';
import { type DispatchWrites, openDispatchWrites } from './dispatch-writes.ts';
import { paceWindowsMs, type ReserveSlots } from './pacer.ts';
import { reservePaces, type SlotsWanted } from './paces-store.ts';
import type { PreparedMessage, StoredCalls } from './prepared-message.ts';
import { openRejectionEffects } from './record-rejection.ts';
import { SenderQueue, type SenderQueueDeps, type SenderState } from './sender-queue.ts';

export interface DispatchDeps extends SenderEventDeps, Omit<CallDeps, 'writes' | 'effects' | 'completions'> {
  db: Db;
  hot: Db;
  clock: Clock;
  log: Log;
  /** Holds a template that the platform rejected until it approves it again. */
  templateRejected: (message: LeasedTemplate, error: MessageError) => Promise<void>;
  /** Holds the templates of the message's category and business account for a time. */
  categoryLimited: (message: LeasedTemplate, seconds: number) => Promise<void>;
  completions: CompletionWaiters;
  metrics: Pick<Metrics, 'claims' | 'batchItems'>;
  /** The process that leases; see `db/process-session.ts`. */
  processId: number;
}

/** Concurrent calls to the operator's address: fewer than its connections, because other requests use them too. */
const concurrentCallsMax = 128;
/** Messages that one request may store as dispatching. After a crash, the outcome of all of them is unknown. */
const reservedMax = 10;
const claimPerSender = 200;
const leastUrgent = 2;
/** A sender with this many messages here claims only one-time codes. */
const fullQueueSize = 400;
const sweepMax = 500;
/** A sweep pauses this many times as long as it took. */
const sweepPauseFactor = 20;

/** Opens the dispatcher of this process. */
export function openDispatcher(deps: DispatchDeps): Dispatcher {
  return new Dispatcher(deps);
}

export class Dispatcher {
  readonly #deps: DispatchDeps;
  readonly #stopping = new AbortController();
  readonly #writes: DispatchWrites;
  readonly #queueDeps: SenderQueueDeps;
  readonly #queues = new KeyedQueue<PreparedMessage, SenderState>({ priorities: 3, newState: () => ({}) });
  #nextSweepAtMs = 0;

  constructor(deps: DispatchDeps) {
    this.#deps = deps;
    this.#writes = openDispatchWrites(deps, this.#stopping.signal);
    this.#queueDeps = {
      ...deps,
      writes: this.#writes,
      effects: openRejectionEffects(deps),
      connections: openConnections(concurrentCallsMax),
      reserveSlots: batchedReserve(deps),
    };
  }

  /** Takes messages that are leased to this process. */
  offer(messages: readonly LeasedMessage[]): void {
    for (const [senderId, own] of bySender(messages)) this.#queueOf(senderId).offer(own);
  }

  /**
   * Reserves calls for up to `wanted` messages of a sender that are about to be stored as dispatching if its pace allows, which saves
   * them a commit. 0 for more than a few, and for anything that cannot be called right now.
   */
  async reserveCalls(senderId: string, wanted: number): Promise<number> {
    if (this.#stopping.signal.aborted || wanted > reservedMax) return 0;
    return this.#queueOf(senderId).reserveCalls(wanted);
  }

  /** Releases reserved calls that will not be made, and slots that some of their messages got. */
  releaseCalls(senderId: string, count: number, slots = 0): void {
    if (count > 0) this.#queueOf(senderId).releaseCalls(count, slots);
  }

  /** Calls messages that were stored as dispatching, for calls reserved before. */
  callReserved(messages: readonly LeasedMessage[], stored: StoredCalls): void {
    for (const [senderId, own] of bySender(messages)) this.#queueOf(senderId).callReserved(own, stored);
  }

  /** Releases the reserved calls of messages that may not have been stored, and returns any stored one to the queue. */
  abandonReserved(messages: readonly LeasedMessage[]): void {
    for (const [senderId, own] of bySender(messages)) this.releaseCalls(senderId, own.length);
    if (messages.length > 0) this.#writes.revert(messages);
  }

  /** Messages that wait in memory. */
  get queued(): number {
    return this.#queues.queued;
  }

  /** How many more messages of a sender and priority this process could call within about a second. */
  capacity(senderId: string, messagesPerSecond: number, priority: number): number {
    return Math.max(0, messagesPerSecond - (this.#queues.find(senderId)?.state.queue?.size(priority) ?? 0));
  }

  /** The worker's round: fails expired and unknown messages, then claims due ones. Returns how many it found. */
  async round(): Promise<number> {
    const swept = await this.#sweep();
    return swept + (await this.#claim());
  }

  /** Starts no other call, releases the waiting messages, and resolves when all calls and writes have ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#all().map((queue) => queue.stop()));
    await this.#writes.idle();
  }

  #queueOf(senderId: string): SenderQueue {
    const known = this.#queues.find(senderId)?.state.queue;
    if (known) return known;
    // forgets senders without messages
    for (const one of this.#queues.all())
      if (one.state.queue?.size(leastUrgent) === 0) this.#queues.remove(one);
    const waiting = this.#queues.open(senderId);
    const queue = new SenderQueue(this.#queueDeps, waiting);
    waiting.state.queue = queue;
    // a request or the worker may still offer messages: they are released
    if (this.#stopping.signal.aborted) void queue.stop();
    return queue;
  }

  #all(): SenderQueue[] {
    return [...this.#queues.all()].flatMap(({ state: { queue } }) => queue ?? []);
  }

  /** Fails the messages that no claim finds: those that stayed unknown, or expired behind a halted or busy sender. */
  async #sweep(): Promise<number> {
    const { hot } = this.#deps;
    const startedAtMs = performance.now();
    if (startedAtMs < this.#nextSweepAtMs) return 0;
    const overdue = await findOverdue(hot, sweepMax);
    const unknown = overdue.map((key) => ({ ...key, error: ownErrors.outcomeUnknown }));
    await failAndPublish(this.#deps, unknown, [state.dispatching]);
    const expired = (await findExpired(hot, sweepMax)).map(({ lastRejection, ...key }) => ({
      ...key,
      error: expiredError(lastRejection),
    }));
    await failAndPublish(this.#deps, expired, [state.queued]);
    // the sweep reads every due message, up to a million
    const endedAtMs = performance.now();
    this.#nextSweepAtMs = endedAtMs + sweepPauseFactor * (endedAtMs - startedAtMs);
    return unknown.length + expired.length;
  }

  /** Claims due messages: suspends those of held templates, fails cancelled and expired ones, leaves paused ones, offers the others. */
  async #claim(): Promise<number> {
    const { hot, processId, metrics } = this.#deps;
    const busy = this.#all()
      .filter((queue) => queue.size(leastUrgent) >= fullQueueSize)
      .map(({ senderId }) => senderId);
    const { claimed, suspended } = await timed(metrics.claims, { queue: 'messages' }, () =>
      claimDue(hot, claimPerSender, busy, processId),
    );
    const ended = claimed.filter(({ cancelled, expired }) => cancelled || expired);
    const failures = ended.map((message) => ({
      ...keyOf(message),
      error: message.cancelled ? ownErrors.cancelled : expiredError(message.error),
    }));
    await failAndPublish(this.#deps, failures, [state.queued]);
    const callable = claimed.filter(({ cancelled, expired, paused }) => !cancelled && !expired && !paused);
    if (this.#stopping.signal.aborted) await this.#writes.release(callable);
    else this.offer(callable);
    return claimed.length + suspended;
  }
}

/** Reserves the slots of many senders in one statement; wishes that arrive during one are in the next. */
function batchedReserve({ hot }: DispatchDeps): ReserveSlots {
  const reserve = (wanted: SlotsWanted[]) => reservePaces(hot, wanted, paceWindowsMs.usual);
  return batch(reserve, { gapMs: 0, max: 200 });
}

const bySender = (messages: readonly LeasedMessage[]) =>
  Map.groupBy(messages, (message) => message.sender_id);
