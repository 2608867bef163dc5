// The queue of one number in this process: takes pace slots, marks as many as have a free call, and has them called.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import { type DueMessage, reservePace } from './store.ts';

export interface LaneDeps {
  db: Db;
  clock: Clock;
  log: Log;
  /** Marks messages in one batch with those of other lanes; answers for each whether it may be called. */
  mark: (messages: DueMessage[]) => Promise<boolean[]>;
  /** Calls the platform for one marked message and records the outcome; never rejects. */
  call: (message: DueMessage, markedAtMs: number) => Promise<LaneAdvice>;
  /** Gives messages back that this lane will not call. */
  release: (messages: DueMessage[]) => Promise<void>;
  callsAtOnceMax: number;
}

/** What the outcome of a call means for the rest of the queue. */
export type LaneAdvice = { kind: 'go_on' } | { kind: 'halt' };

export interface Lane {
  /** Takes messages that are leased to this process. */
  offer(messages: DueMessage[]): void;
  /**
   * Holds calls for up to `wanted` messages that are about to be written as marked: those that are free and within the
   * pace at once, none where messages wait here. Each must end by `callMarked` or `letGo`.
   */
  hold(wanted: number): Promise<number>;
  /** Calls messages that were written as marked, for calls held before. */
  callMarked(messages: DueMessage[]): void;
  /** Gives held calls back that will not be made. */
  letGo(count: number): void;
  /** Messages waiting or under way here that are no less urgent than `priority`. */
  size(priority: number): number;
  /** Calls no further message, gives back what waits, and resolves when the calls under way have ended. */
  stop(): Promise<void>;
}

/** How far ahead pace slots are taken: short, so that a more urgent message never waits behind slots already taken. */
const paceWindowMs = 100;
/** The same for messages written as marked, which a crash before their call leaves as unknown. */
const heldWindowMs = 10;
/** A message not marked this long after it was leased is given back: its lease of 60 s must outlive what follows. */
const leaseTrustMs = 25_000;

interface Waiting {
  message: DueMessage;
  offeredAtMs: number;
}

/** Opens the lane of one number. */
export function openLane(deps: LaneDeps, senderId: string): Lane {
  const queues: Waiting[][] = [[], [], []];
  let underWay = 0;
  let stopped = false;
  let running: Promise<void> | undefined;
  let wake: (() => void) | undefined;

  const waitingCount = () => queues.reduce((sum, queue) => sum + queue.length, 0);

  function take(count: number): DueMessage[] {
    const taken: DueMessage[] = [];
    const late: DueMessage[] = [];
    for (const queue of queues) {
      while (taken.length < count && queue.length > 0) {
        const next = queue.shift() as Waiting;
        if (performance.now() - next.offeredAtMs > leaseTrustMs) late.push(next.message);
        else taken.push(next.message);
      }
    }
    if (late.length > 0) giveBack(late);
    return taken;
  }

  function giveBack(messages: DueMessage[]): void {
    deps
      .release(messages)
      .catch((error) => deps.log.warn({ err: error, senderId }, 'messages.release_failed'));
  }

  /** Marks messages together, and calls each. */
  async function perform(messages: DueMessage[]): Promise<void> {
    underWay += messages.length;
    const marked = await deps.mark(messages).catch((error) => {
      // not marked: their leases lapse and they are claimed again
      deps.log.error({ err: error, senderId, count: messages.length }, 'messages.mark_failed');
      return undefined;
    });
    const markedAtMs = performance.now();
    const unmarked = messages.filter((_message, index) => !marked?.[index]);
    underWay -= unmarked.length;
    // cancelled meanwhile, or expired: given back to be failed at once
    if (marked && unmarked.length > 0) giveBack(unmarked);
    messages.forEach((message, index) => {
      if (marked?.[index]) void call(message, markedAtMs);
    });
    wake?.();
  }

  async function call(message: DueMessage, markedAtMs: number): Promise<void> {
    const advice = await deps.call(message, markedAtMs);
    if (advice.kind === 'halt')
      giveBack(queues.flatMap((queue) => queue.splice(0)).map((entry) => entry.message));
    underWay -= 1;
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
      const wanted = Math.min(free, waitingCount());
      const { granted, firstInMs } = await reservePace(deps.db, senderId, wanted, paceWindowMs);
      if (granted === 0) {
        await deps.clock.sleep(paceWindowMs / 2);
        continue;
      }
      if (firstInMs > 1) await deps.clock.sleep(firstInMs);
      const taken = take(granted);
      if (taken.length > 0) void perform(taken);
    }
  }

  async function runSafely(): Promise<void> {
    try {
      await run();
    } catch (error) {
      deps.log.error({ err: error, senderId }, 'lane.failed');
      giveBack(queues.flatMap((queue) => queue.splice(0)).map((entry) => entry.message));
    }
    running = undefined;
    if (!stopped && waitingCount() > 0) start();
  }

  function start(): void {
    running ??= runSafely();
  }

  return {
    offer(messages) {
      if (stopped) return giveBack(messages);
      const offeredAtMs = performance.now();
      for (const message of messages) (queues[message.priority] ?? queues[2])?.push({ message, offeredAtMs });
      start();
    },
    async hold(wanted) {
      const free = Math.min(wanted, deps.callsAtOnceMax - underWay);
      if (stopped || free <= 0 || waitingCount() > 0) return 0;
      underWay += free;
      let held = 0;
      try {
        const { granted, firstInMs } = await reservePace(deps.db, senderId, free, heldWindowMs);
        if (granted > 0 && firstInMs > 1) await deps.clock.sleep(firstInMs);
        if (!stopped) held = granted;
        return held;
      } finally {
        underWay -= free - held;
        wake?.();
      }
    },
    callMarked(messages) {
      const markedAtMs = performance.now();
      for (const message of messages) void call(message, markedAtMs);
    },
    letGo(count) {
      underWay -= count;
      wake?.();
    },
    size: (priority) => queues.slice(0, priority + 1).reduce((sum, queue) => sum + queue.length, underWay),
    async stop() {
      stopped = true;
      const left = queues.flatMap((queue) => queue.splice(0)).map((entry) => entry.message);
      if (left.length > 0) await deps.release(left).catch(() => undefined);
      await running;
      while (underWay > 0) await callEnded();
    },
  };
}
