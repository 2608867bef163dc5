// Cancelling a send: what is still queued is failed, what was called is not touched.
import type { Db } from '../../db/db.ts';
import { type FailDeps, failAndPublish } from './fail.ts';
import { ownErrors, state } from './message.ts';
import { findQueuedOfSend, markCancelled } from './queue-store.ts';

export interface CancelDeps extends FailDeps {
  db: Db;
}

const batchSize = 1000;

/** Fails every queued message of the send with `cancelled`; answers how many. */
export async function cancelSend(
  deps: CancelDeps,
  send: { accountId: string; sendId: string },
): Promise<number> {
  await markCancelled(deps.db, send.accountId, send.sendId);
  const queued = await findQueuedOfSend(deps.db, send.accountId, send.sendId);
  let cancelled = 0;
  for (let at = 0; at < queued.length; at += batchSize) {
    const failures = queued.slice(at, at + batchSize).map((key) => ({ ...key, error: ownErrors.cancelled }));
    cancelled += await failAndPublish(deps, failures, [state.queued]);
  }
  return cancelled;
}
