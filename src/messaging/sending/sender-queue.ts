// The queue of one number in this process: takes pace slots, marks as many as have a free call, and has them called.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import type { SenderAccess } from '../../ports/platform.ts';
import { type PreparedMessage, senderRemoved } from './call-platform.ts';
import type { Connections } from './connections.ts';
import { openMediaPreparation, type QueuedMessage } from './media-preparation.ts';
import type { DueMessage } from './messages-moves-store.ts';
import { openPacer } from './pacer.ts';
import type { CallAdvice } from './record-rejection.ts';

export interface SenderQueueDeps {
  db: Db;
  clock: Clock;
  log: Log;
  /** The number's address and token, remembered for seconds; undefined if it was removed. */
  accessOf: (senderId: string) => Promise<SenderAccess | undefined>;
  /** What a message's call needs beside them; undefined: it cannot be called, and that is recorded. Never rejects. */
  prepare: (message: DueMessage) => Promise<PreparedMessage | undefined>;
  /** Records why a message is not called. Never rejects. */
  settleUncalled: (message: DueMessage, error: unknown) => Promise<unknown>;
  /** Marks messages in one batch with those of other lanes; answers for each whether it may be called. */
  mark: (messages: DueMessage[]) => Promise<boolean[]>;
  /** Nobody knows whether these were marked, and they were not called: puts back what is. */
  putBack: (messages: DueMessage[]) => void;
  /** For each of these whether it may still be called. */
  callable: (messages: DueMessage[]) => Promise<boolean[]>;
  /** Calls the platform for one marked message and records the outcome; never rejects. */
  call: (message: PreparedMessage, access: SenderAccess, markedAtMs: number) => Promise<CallAdvice>;
  /** Gives messages back that this lane will not call. */
  release: (messages: DueMessage[]) => Promise<void>;
  /** The connections to the operator's address; an account's own address has no limit but the calls at once. */
  connections: Connections;
  callsAtOnceMax: number;
}

export interface SenderQueue {
  /** Takes messages that are leased to this process. */
  offer(messages: DueMessage[]): void;
  /**
   * Holds calls for up to `wanted` messages that are about to be written as marked: those that are free and within the
   * pace at once, none where messages wait here. Each must end by `callMarked` or `letGo`.
   */
  hold(wanted: number): Promise<number>;
  /** Calls messages that were written as marked, no earlier than `markedAtMs` of `clock.steady()`, for calls held before. */
  callMarked(messages: DueMessage[], markedAtMs: number): void;
  /** Gives held calls back that will not be made. */
  letGo(count: number): void;
  /** Messages waiting or under way here that are no less urgent than `priority`. */
  size(priority: number): number;
  /** Calls no further message, gives back what waits, and resolves when the calls under way have ended. */
  stop(): Promise<void>;
}

/** The pace window of messages written as marked, which a crash before their call leaves as unknown. */
const heldWindowMs = 10;
/** A message not marked this long after it was leased is given back: its lease of 60 s must outlive what follows. */
const leaseTrustMs = 25_000;
/** Marked together, and called before more are marked: after a crash these alone are unknown though nobody called them. */
const markedAtOnceMax = 16;

/** Opens the lane of one number. */
export function openSenderQueue(deps: SenderQueueDeps, senderId: string): SenderQueue {
  const queues: QueuedMessage[][] = [[], [], []];
  const slots = openPacer(deps, senderId);
  const preparing = openMediaPreparation(deps.prepare, (entry) =>
    stopped ? giveBack([entry]) : push(entry),
  );
  let underWay = 0;
  let stopped = false;
  let access: SenderAccess | undefined;
  let running: Promise<void> | undefined;
  let wake: (() => void) | undefined;

  const waitingCount = () => queues.reduce((sum, queue) => sum + queue.length, 0);

  function push(entry: QueuedMessage): void {
    (queues[entry.prepared.message.priority] ?? queues[2])?.push(entry);
    start();
  }

  function take(count: number): PreparedMessage[] {
    const taken: PreparedMessage[] = [];
    const late: QueuedMessage[] = [];
    for (const queue of queues) {
      while (taken.length < count && queue.length > 0) {
        const next = queue.shift() as QueuedMessage;
        if (deps.clock.steady() - next.offeredAtMs > leaseTrustMs) late.push(next);
        else taken.push(next.prepared);
      }
    }
    giveBack(late);
    return taken;
  }

  const takeAll = () => queues.flatMap((queue) => queue.splice(0));

  function giveBack(entries: readonly Pick<QueuedMessage, 'prepared'>[]): void {
    if (entries.length === 0) return;
    deps
      .release(entries.map(({ prepared }) => prepared.message))
      .catch((error) => deps.log.warn({ err: error, senderId }, 'messages.release_failed'));
  }

  /**
   * Takes up to `count` messages as soon as connections are free for them, marks them together, and calls each. Answers
   * how many there were, when all calls are handed to their connections.
   */
  async function perform(count: number): Promise<number> {
    const found = await deps.accessOf(senderId).catch((error: unknown) => ({ error }));
    if (found === undefined || 'error' in found) {
      const taken = take(count);
      const error = found?.error ?? senderRemoved();
      await Promise.all(taken.map(({ message }) => deps.settleUncalled(message, error)));
      return 0;
    }
    access = found;
    const free = found.isOwnAddress ? count : await deps.connections.acquire(count);
    const taken = stopped ? [] : take(free);
    disconnect(found, free - taken.length, false);
    if (taken.length > 0) await markAndCall(taken, found);
    return taken.length;
  }

  function disconnect(by: SenderAccess, count: number, used: boolean): void {
    if (count > 0 && !by.isOwnAddress) deps.connections.release(count, used);
  }

  async function markAndCall(taken: PreparedMessage[], by: SenderAccess): Promise<void> {
    const messages = taken.map(({ message }) => message);
    // before the mark: the machine may sleep before it reads that it succeeded
    const markedAtMs = deps.clock.steady();
    underWay += messages.length;
    const marked = await deps.mark(messages).catch((error) => {
      deps.log.error({ err: error, senderId, count: messages.length }, 'messages.mark_failed');
      deps.putBack(messages);
      return undefined;
    });
    const unmarked = taken.filter((_message, index) => !marked?.[index]);
    underWay -= unmarked.length;
    disconnect(by, unmarked.length, false);
    taken.forEach((prepared, index) => {
      if (marked?.[index]) void call(prepared, by, markedAtMs);
    });
    wake?.();
    if (unmarked.length === 0) return;
    slots.giveBack(unmarked.length);
    if (!marked) return;
    // cancelled meanwhile, held, or expired: given back, with whatever else of it waits here
    giveBack(unmarked.map((prepared) => ({ prepared })));
    await sift();
  }

  /** Gives back all that waits and may not be called any more, so that nothing else waits behind it. */
  async function sift(): Promise<void> {
    const entries = queues.flat();
    if (entries.length === 0) return;
    const callable = await deps.callable(entries.map(({ prepared }) => prepared.message));
    const held = new Set(entries.filter((_entry, index) => !callable[index]));
    giveBack(
      queues.flatMap((queue) => {
        const [kept, gone] = [queue.filter((one) => !held.has(one)), queue.filter((one) => held.has(one))];
        queue.splice(0, queue.length, ...kept);
        return gone;
      }),
    );
  }

  async function call(prepared: PreparedMessage, by: SenderAccess, markedAtMs: number): Promise<void> {
    const advice = await deps.call(prepared, by, markedAtMs);
    if (advice.kind === 'halt') giveBack(takeAll());
    underWay -= 1;
    disconnect(by, 1, true);
    wake?.();
  }

  /** Waits until a call has ended. */
  function callEnded(): Promise<void> {
    return new Promise((resolve) => {
      wake = () => {
        wake = undefined;
        resolve();
      };
    });
  }

  async function run(): Promise<void> {
    while (!stopped && waitingCount() > 0) {
      const free = deps.callsAtOnceMax - underWay;
      if (free <= 0) {
        await callEnded();
        continue;
      }
      let granted = await slots.take(Math.min(free, waitingCount()));
      while (granted > 0 && !stopped) {
        const performed = await perform(Math.min(granted, markedAtOnceMax));
        if (performed === 0) break;
        granted -= performed;
      }
      slots.giveBack(granted);
    }
  }

  async function runSafely(): Promise<void> {
    try {
      await run();
    } catch (error) {
      deps.log.error({ err: error, senderId }, 'lane.failed');
      giveBack(takeAll());
    }
    running = undefined;
    if (!stopped && waitingCount() > 0) start();
  }

  function start(): void {
    running ??= runSafely();
  }

  return {
    offer(messages) {
      const offeredAtMs = deps.clock.steady();
      if (stopped) return giveBack(messages.map((message) => ({ prepared: { message } })));
      for (const message of messages) {
        if (message.media_id === null) push({ prepared: { message }, offeredAtMs });
        else preparing.add(message, offeredAtMs);
      }
    },
    async hold(wanted) {
      const free = Math.min(wanted, deps.callsAtOnceMax - underWay);
      if (stopped || free <= 0 || waitingCount() > 0) return 0;
      underWay += free;
      let connected = 0;
      let held = 0;
      try {
        access = await deps.accessOf(senderId);
        if (!access) return 0;
        connected = access.isOwnAddress ? free : deps.connections.tryAcquire(free);
        const granted = connected > 0 ? await slots.take(connected, heldWindowMs) : 0;
        if (stopped) slots.giveBack(granted);
        else held = granted;
        return held;
      } finally {
        underWay -= free - held;
        if (access) disconnect(access, connected - held, false);
        wake?.();
      }
    },
    callMarked(messages, markedAtMs) {
      // known since the calls were held
      for (const message of messages) void call({ message }, access as SenderAccess, markedAtMs);
    },
    letGo(count) {
      underWay -= count;
      if (access) disconnect(access, count, false);
      slots.giveBack(count);
      wake?.();
    },
    size: (priority) =>
      queues.slice(0, priority + 1).reduce((sum, queue) => sum + queue.length, underWay + preparing.size()),
    async stop() {
      stopped = true;
      const left = [...takeAll().map(({ prepared }) => prepared.message), ...preparing.stop()];
      if (left.length > 0) await deps.release(left).catch(() => undefined);
      await running;
      await preparing.quiet();
      while (underWay > 0) await callEnded();
    },
  };
}
