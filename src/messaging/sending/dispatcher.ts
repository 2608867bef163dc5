// The worker of messages: one queue a number, fed by requests and by the worker, its writes gathered into batches.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import { isTransient } from '../../db/failure.ts';
import type { MessagingPlatform } from '../../ports/platform.ts';
import type { PublishDeps } from '../../webhooks/publish.ts';
import { batch } from '../../work/batch.ts';
import { rounds } from '../../work/rounds.ts';
import { haltNumbers } from '../senders/halt.ts';
import { type CallDeps, callPlatform, prepareMessage, recordUncalled } from './call-platform.ts';
import type { CompletionWaiters } from './completion-waiters.ts';
import { openConnections } from './connections.ts';
import { openDurableWrites } from './durable-writes.ts';
import { failAndPublish } from './fail.ts';
import { expiredError, ownErrors, state } from './message.ts';
import { claimDue, findExpired, findOverdue, releaseLeases } from './messages-claims-store.ts';
import { findStillCallable, suspendMessages } from './messages-holds-store.ts';
import {
  beginDispatch,
  type DueMessage,
  type MessageKey,
  type Retry,
  recordAccepted,
  recordRetry,
  revertDispatch,
} from './messages-moves-store.ts';
import { openSenderQueue, type SenderQueue } from './sender-queue.ts';

export interface DispatchDeps extends PublishDeps {
  db: Db;
  hot: Db;
  clock: Clock;
  log: Log;
  platform: Pick<MessagingPlatform, 'sendTemplate' | 'classify'>;
  accessOf: CallDeps['accessOf'];
  freshAccessOf: CallDeps['freshAccessOf'];
  registeredMedia: CallDeps['registeredMedia'];
  forgetMedia: CallDeps['forgetMedia'];
  templateOutdated: CallDeps['templateOutdated'];
  templateRefused: CallDeps['templateRefused'];
  onOutcome: CallDeps['onOutcome'];
  completions: CompletionWaiters;
  /** The process that leases; see `db/process-session.ts`. */
  processId: number;
}

export interface Dispatcher {
  /** Takes messages that are leased to this process. */
  offer(messages: DueMessage[]): void;
  /**
   * Calls that may be made at once for `wanted` messages of a number, which are then to be written as marked: that spares
   * them a commit. None for more than a few, since all that is marked is unknown after a crash.
   */
  reserveCalls(senderId: string, wanted: number): Promise<number>;
  /** Gives calls back that were held for messages which then were not written as marked. */
  releaseCalls(senderId: string, count: number): void;
  /** Calls messages that were written as marked for calls held before. */
  callReserved(messages: DueMessage[], markedAtMs: number): void;
  /** Those were not written, or nobody knows: gives the calls back, and puts what is there into the queue. */
  abandonReserved(messages: DueMessage[]): void;
  /** How many more messages of a number and urgency this process could call within about a second. */
  capacity(senderId: string, messagesPerSecond: number, priority: number): number;
  /** The worker's round: claims what is due and offers it; fails what expired or stayed unknown. Answers how much it found. */
  round(): Promise<number>;
  stop(): Promise<void>;
}

const callsAtOnceMax = 64;
/** Of all numbers at the operator's address: fewer than it has connections, which other calls use as well. */
const callsOfAllMax = 128;
/** Messages that one request may have written as marked. */
const heldMax = 10;
const claimPerSender = 200;
const leastUrgent = 2;
/** A number with this much waiting here claims no more, but what is most urgent. */
const laneFull = 400;
const sweepMax = 500;
/** A sweep rests this many times as long as it took. */
const sweepShare = 20;

/** Opens the dispatcher of this process. */
export function openDispatcher(deps: DispatchDeps): Dispatcher {
  const lanes = new Map<string, SenderQueue>();
  let sweepFrom = 0;
  const stopping = new AbortController();
  const persist = openDurableWrites(deps, stopping.signal);
  const connections = openConnections(callsOfAllMax);
  const halting = rounds<unknown>();
  const refusing = rounds<void>();
  const byId = (key: MessageKey) => key.id;
  const keyOf = (message: DueMessage): MessageKey => ({ accountId: message.account_id, id: message.id });

  const markGroups = batch<MessageKey[], boolean[] | { lost: unknown }>(
    async (groups) => {
      const all = groups
        .flatMap((group, of) => group.map((key, at) => ({ ...key, of, at })))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
      const marked = await beginDispatch(deps.hot, all).catch((error: unknown) => {
        // what a deadlock undid is done again; after any other failure nobody knows, and a second try would be refused
        if (isTransient(error)) throw error;
        return { lost: error };
      });
      if ('lost' in marked) return groups.map(() => marked);
      const results = groups.map((group): boolean[] => new Array(group.length).fill(false));
      all.forEach(({ of, at }, index) => {
        (results[of] as boolean[])[at] = marked[index] as boolean;
      });
      return results;
    },
    { gapMs: 1, max: 16, key: (group) => group[0]?.id ?? '' },
  );
  async function mark(keys: MessageKey[]): Promise<boolean[]> {
    const marked = await markGroups(keys);
    if ('lost' in marked) throw marked.lost;
    return marked;
  }
  const accepted = batch<MessageKey & { wamid: string }, void>(
    async (items) => {
      await recordAccepted(deps.hot, items);
      for (const { id, wamid } of items)
        deps.completions.completed({ id, state: state.accepted, wamid, error: null });
      return items.map(() => undefined);
    },
    { gapMs: 2, max: 500, key: byId },
  );
  const retry = batch<Retry, void>(
    async (items) => {
      await recordRetry(deps.hot, items);
      return items.map(() => undefined);
    },
    { gapMs: 2, max: 500, key: byId },
  );
  const failed = batch<Parameters<CallDeps['failed']>[0], void>(
    async (items) => {
      await failAndPublish(deps, items, [state.queued, state.dispatching]);
      return items.map(() => undefined);
    },
    { gapMs: 2, max: 500, key: byId },
  );

  const parkRefused = batch<MessageKey, void>(
    async (keys) => {
      await suspendMessages(deps.hot, keys);
      return keys.map(() => undefined);
    },
    { gapMs: 2, max: 500, key: byId },
  );

  const doubt = (ids: string[]) => deps.completions.recheckSoon(ids);
  const call: CallDeps = {
    ...deps,
    // what came of a call is known here alone: it waits for a database that is away
    accepted: (item) => persist(() => accepted(item)),
    failed: (item) => persist(() => failed(item)),
    retry: (item) => (item.lease === null ? retry(item) : persist(() => retry(item))),
    halt: (of) =>
      halting(`${of.senderId} ${of.kind} ${of.used?.credential ?? ''}`, () => haltNumbers(deps, of)),
    templateRefused: async (message, error) => {
      const { sender_id, template_name, language } = message;
      await refusing(`${sender_id} ${template_name} ${language}`, () => deps.templateRefused(message, error));
      await parkRefused(keyOf(message));
    },
    doubt,
  };

  function lane(senderId: string): SenderQueue {
    const known = lanes.get(senderId);
    if (known) return known;
    // numbers that have nothing here keep no lane
    for (const [id, one] of lanes) if (one.size(leastUrgent) === 0) lanes.delete(id);
    const opened = openSenderQueue(
      {
        db: deps.hot,
        clock: deps.clock,
        log: deps.log,
        accessOf: deps.accessOf,
        prepare: (message) => prepareMessage(call, message),
        settleUncalled: (message, error) => recordUncalled(call, message, error),
        mark: (messages) => mark(messages.map(keyOf)),
        putBack,
        callable: (messages) => findStillCallable(deps.hot, messages.map(keyOf)),
        call: (message, access, markedAtMs) => callPlatform(call, message, access, markedAtMs),
        release: async (messages) => {
          await releaseLeases(
            deps.hot,
            messages.map(keyOf).sort((a, b) => (a.id < b.id ? -1 : 1)),
          );
          doubt(messages.map(({ id }) => id));
        },
        connections,
        callsAtOnceMax,
      },
      senderId,
    );
    lanes.set(senderId, opened);
    return opened;
  }

  function offer(messages: DueMessage[]): void {
    for (const [senderId, own] of bySender(messages)) lane(senderId).offer(own);
  }

  const bySender = (messages: DueMessage[]) => Map.groupBy(messages, (message) => message.sender_id);

  /** Else they would end as unknown, though it is known that nobody called them. */
  function putBack(messages: DueMessage[]): void {
    const marks = messages.map((message) => ({ ...keyOf(message), lease: message.lease }));
    marks.sort((a, b) => (a.id < b.id ? -1 : 1));
    void persist.twice(() => revertDispatch(deps.hot, marks));
  }

  /** Fails what no claim brings: what stayed unknown, what expired behind a halted or busy number. */
  async function sweep(): Promise<number> {
    const startedAt = performance.now();
    if (startedAt < sweepFrom) return 0;
    const overdue = await findOverdue(deps.hot, sweepMax);
    const unknown = overdue.map((key) => ({ ...key, error: ownErrors.outcomeUnknown }));
    await failAndPublish(deps, unknown, [state.dispatching]);
    const expired = (await findExpired(deps.hot, sweepMax)).map(({ lastError, ...key }) => ({
      ...key,
      error: expiredError(lastError),
    }));
    await failAndPublish(deps, expired, [state.queued]);
    // it reads all that waits for its turn: with a million of them, a part of the time and not all of it
    const now = performance.now();
    sweepFrom = now + sweepShare * (now - startedAt);
    return unknown.length + expired.length;
  }

  /** Claims what is due; parks what is held, fails what was cancelled or expired meanwhile, and offers the rest. */
  async function claim(): Promise<number> {
    const busy = [...lanes]
      .filter(([, one]) => one.size(leastUrgent) >= laneFull)
      .map(([senderId]) => senderId);
    const { claimed: due, held } = await claimDue(deps.hot, claimPerSender, busy, deps.processId);
    if (held.length > 0) await suspendMessages(deps.hot, held);
    const ended = due.filter(({ cancelled, expired }) => cancelled || expired);
    const failures = ended.map((message) => ({
      ...keyOf(message),
      error: message.cancelled ? ownErrors.cancelled : expiredError(message.error),
    }));
    await failAndPublish(deps, failures, [state.queued]);
    offer(due.filter(({ cancelled, expired }) => !cancelled && !expired));
    return due.length + held.length;
  }

  return {
    offer,
    reserveCalls: async (senderId, wanted) =>
      stopping.signal.aborted || wanted > heldMax ? 0 : lane(senderId).hold(wanted),
    releaseCalls(senderId, count) {
      if (count > 0) lane(senderId).letGo(count);
    },
    callReserved(messages, markedAtMs) {
      for (const [senderId, own] of bySender(messages)) lane(senderId).callMarked(own, markedAtMs);
    },
    abandonReserved(messages) {
      for (const [senderId, own] of bySender(messages)) lane(senderId).letGo(own.length);
      if (messages.length > 0) putBack(messages);
    },
    capacity(senderId, messagesPerSecond, priority) {
      return Math.max(0, messagesPerSecond - (lanes.get(senderId)?.size(priority) ?? 0));
    },
    async round() {
      const swept = await sweep();
      return swept + (await claim());
    },
    async stop() {
      stopping.abort();
      await Promise.all([...lanes.values()].map((one) => one.stop()));
      await persist.quiet();
    },
  };
}
