// Cancellation of a send: no message is called after the first commit; queued messages fail in steps, dispatched ones stay.
import type { Db } from '../../db/db.ts';
import { type FailDeps, failAndPublish } from '../messages/fail.ts';
import { ownErrors, state } from '../messages/message.ts';
import type { SendKey } from '../messages/sends-store.ts';
import { findQueuedOfSend } from '../messages/store.ts';
import { beginCancel, claimCancellation, delayCancellation, endCancellation } from './cancel-store.ts';

export interface CancelDeps extends FailDeps {
  db: Db;
}

const stepSize = 1_000;
/** The time limit of one request or round; the worker continues later. */
const turnMs = 1_000;
/** Longer than a turn and one slow step. */
const leaseSeconds = 60;
/** A dispatching message returns to the queue if the platform rejects it for now; the send is checked again after this. */
const recheckSeconds = 30;

/** Cancels a send: fails its queued messages for about a second; the worker continues with the rest. Returns how many failed. */
export async function cancelSend(deps: CancelDeps, send: SendKey): Promise<number> {
  await beginCancel(deps.db, send, leaseSeconds);
  return cancelQueued(deps, send);
}

/** The worker's round: continues one unfinished cancellation. Returns how much it found. */
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
  if (!(await endCancellation(deps.db, send))) await delayCancellation(deps.db, send, recheckSeconds);
  return cancelled;
}
