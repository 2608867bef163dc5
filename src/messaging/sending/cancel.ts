// Cancelling a send: from its commit on nothing of it is called; what is queued is failed in steps, what was called is not touched.
import type { Db } from '../../db/db.ts';
import {
  beginCancel,
  claimCancellation,
  delayCancellation,
  endCancellation,
  findQueuedOfSend,
  type SendKey,
} from './cancel-store.ts';
import { type FailDeps, failAndPublish } from './fail.ts';
import { ownErrors, state } from './message.ts';

export interface CancelDeps extends FailDeps {
  db: Db;
}

const stepSize = 1_000;
/** How long a request or a round of the worker goes on; what is left is the worker's next. */
const turnMs = 1_000;
/** Longer than a turn and one step that is slow. */
const leaseSeconds = 60;
/** A message that was being called comes back into the queue if the platform refuses it for now: looked at again so late. */
const calledAgainSeconds = 30;

/**
 * Cancels a send: fails its queued messages with `cancelled`, for about a second; the worker goes on with the rest,
 * whatever becomes of this process. Answers how many were failed.
 */
export async function cancelSend(deps: CancelDeps, send: SendKey): Promise<number> {
  await beginCancel(deps.db, send, leaseSeconds);
  return cancelQueued(deps, send);
}

/** The worker's round: goes on with one send that is being cancelled. Answers how much it found. */
export async function continueCancellation(deps: CancelDeps): Promise<number> {
  const send = await claimCancellation(deps.db, leaseSeconds);
  return send ? 1 + (await cancelQueued(deps, send)) : 0;
}

async function cancelQueued(deps: CancelDeps, send: SendKey): Promise<number> {
  const until = performance.now() + turnMs;
  let cancelled = 0;
  for (;;) {
    const queued = await findQueuedOfSend(deps.db, send, stepSize);
    const failures = queued.map((key) => ({ ...key, error: ownErrors.cancelled }));
    cancelled += await failAndPublish(deps, failures, [state.queued]);
    if (queued.length < stepSize) break;
    if (performance.now() > until) {
      await delayCancellation(deps.db, send, 0);
      return cancelled;
    }
  }
  if (!(await endCancellation(deps.db, send))) await delayCancellation(deps.db, send, calledAgainSeconds);
  return cancelled;
}
