// The database writes of a dispatch, gathered into batches: many messages, one commit.

import type { Metrics } from '../../base/metrics.ts';
import { isTransient } from '../../db/failure.ts';
import { type BatchOptions, batch } from '../../work/batch.ts';
import { openInFlight } from '../../work/in-flight.ts';
import { type FailDeps, failAndPublish } from '../messages/fail.ts';
import {
  keyOf,
  type LeasedMessage,
  type LeaseKey,
  leaseKeyOf,
  type MessageError,
  type MessageKey,
  ownErrors,
  sortById,
  state,
} from '../messages/message.ts';
import {
  type AcceptedMessage,
  beginDispatch,
  type Retry,
  recordAccepted,
  recordRetry,
  revertDispatch,
} from '../messages/moves-store.ts';
import { releaseLeases } from './claims-store.ts';
import { openDurableWrites } from './durable-writes.ts';
import { findOptedOut, suspendMessages } from './holds-store.ts';

export type DispatchWritesDeps = FailDeps &
  Parameters<typeof openDurableWrites>[0] & { metrics: Pick<Metrics, 'batchItems'> };

export interface DispatchWrites {
  /** Begins the dispatch of messages; returns for each whether it may be called. Rejects if that is unknown. */
  begin(messages: readonly LeasedMessage[]): Promise<boolean[]>;
  /** Returns messages to the queue whose dispatch may have begun and that were not called. Never rejects. */
  revert(messages: readonly LeasedMessage[]): void;
  /** Counts a platform call that will be accepted or not, and the record of its result. */
  duringCall<T>(call: () => Promise<T>): Promise<T>;
  /** Records that the platform accepted a message. */
  accepted(message: AcceptedMessage): Promise<void>;
  /** Fails a message and publishes its event. */
  failed(message: MessageKey & { error: MessageError }): Promise<void>;
  /** Fails those of these queued messages whose recipient opted out; returns their ids. */
  failOptedOut(messages: readonly LeasedMessage[]): Promise<Set<string>>;
  /** Returns a message to the queue that the platform did not accept. */
  retry(message: Retry): Promise<void>;
  /** Suspends a message if its template is held. */
  suspend(message: MessageKey): Promise<void>;
  /** Releases messages that this process will not call. */
  release(messages: readonly LeasedMessage[]): Promise<void>;
  /** Resolves when no write is in progress. */
  idle(): Promise<void>;
}

/** Opens the writes of a process that stops with `stopping`. */
export function openDispatchWrites(deps: DispatchWritesDeps, stopping: AbortSignal): DispatchWrites {
  const { hot, completions } = deps;
  const durably = openDurableWrites(deps, stopping);
  const begin = batchedBegin(deps);
  const calls = openInFlight();
  const accepted = batched<AcceptedMessage>(
    async (messages) => {
      await recordAccepted(hot, messages);
      for (const { accountId, id, messageRef: wamid } of messages) {
        completions.completed({ id, state: state.accepted, wamid, error: null });
        deps.changes?.note(accountId, 'messages', id);
      }
    },
    {
      // the last of the calls in progress waits for nobody
      callers: calls,
      onRun: (items) => deps.metrics.batchItems.observe({ batch: 'accepted' }, items),
    },
  );
  const failed = batched<MessageKey & { error: MessageError }>((failures) =>
    failAndPublish(deps, failures, [state.queued, state.dispatching]),
  );
  const retry = batched<Retry>((retries) => recordRetry(hot, retries));
  const suspend = batched<MessageKey>((keys) => suspendMessages(hot, keys));
  return {
    async begin(messages) {
      const result = await begin(messages.map(leaseKeyOf));
      if ('lost' in result) throw result.lost;
      return result;
    },
    revert(messages) {
      // otherwise their outcome would be unknown, although they were certainly not called
      const dispatches = sortById(messages.map(leaseKeyOf));
      void durably.twice(() => revertDispatch(hot, dispatches));
    },
    duringCall: calls.during,
    // only this process knows the result of its call
    accepted: (message) => durably(() => accepted(message)),
    failed: (message) => durably(() => failed(message)),
    async failOptedOut(messages) {
      const found = await findOptedOut(hot, messages.map(keyOf));
      await failAndPublish(
        deps,
        found.map((key) => ({ ...key, error: ownErrors.optedOut })),
        [state.queued],
      );
      return new Set(found.map(({ id }) => id));
    },
    retry: (message) => (message.lease === null ? retry(message) : durably(() => retry(message))),
    suspend,
    async release(messages) {
      await releaseLeases(hot, sortById(messages.map(leaseKeyOf)));
      completions.recheckSoon(messages.map(({ id }) => id));
    },
    idle: durably.idle,
  };
}

/** Gathers items into one statement of up to 500, sorted by message id. */
function batched<T extends { id: string }>(
  write: (items: T[]) => Promise<unknown>,
  options: Pick<BatchOptions<T>, 'callers' | 'onRun'> = {},
): (item: T) => Promise<void> {
  return batch<T, void>(
    async (items) => {
      await write(items);
      return items.map(() => undefined);
    },
    { gapMs: 2, max: 500, key: ({ id }) => id, ...options },
  );
}

/** Begins dispatches of several senders in one statement. `lost`: the error of a statement whose result is unknown. */
function batchedBegin({ hot }: DispatchWritesDeps) {
  return batch<LeaseKey[], boolean[] | { lost: unknown }>(
    async (groups) => {
      const all = sortById(groups.flatMap((group, of) => group.map((key, at) => ({ ...key, of, at }))));
      const begun = await beginDispatch(hot, all).catch((error: unknown) => {
        // a deadlock rolled back; after any other error the dispatch may have begun, and a second one would be rejected
        if (isTransient(error)) throw error;
        return { lost: error };
      });
      if ('lost' in begun) return groups.map(() => begun);
      const results = groups.map((group): boolean[] => new Array(group.length).fill(false));
      all.forEach(({ of, at }, index) => {
        (results[of] as boolean[])[at] = begun[index] as boolean;
      });
      return results;
    },
    { gapMs: 1, max: 16, key: (group) => group[0]?.id ?? '' },
  );
}
