// What becomes of messages that were queued in a restored backup.
import type { Db } from '../../db/db.ts';
import { type FailDeps, failAndPublish } from '../messages/fail.ts';
import { ownErrors, state } from '../messages/message.ts';
import { findQueuedBefore, pauseRestored } from './restored-store.ts';

export interface RestoredDeps extends FailDeps {
  db: Db;
}

/** What was done. */
export interface ReleasedMessages {
  failed: number;
  /** Sends that wait for somebody to resume or cancel them. */
  paused: number;
}

const failedAtOnce = 1_000;

/**
 * `fail`: ends every message that was queued at `heldSince` with 900006 `restored`, since it may have been sent after the
 * backup. Then pauses marketing, scheduled and unfinished sends. Call it while the gateway is held; safe to repeat.
 */
export async function releaseRestored(
  deps: RestoredDeps,
  { heldSince, queued }: { heldSince: Date; queued: 'fail' | 'send' },
): Promise<ReleasedMessages> {
  let failed = 0;
  while (queued === 'fail') {
    const keys = await findQueuedBefore(deps.db, heldSince, failedAtOnce);
    const failures = keys.map((key) => ({ ...key, error: ownErrors.restored }));
    const done = await failAndPublish(deps, failures, [state.queued]);
    failed += done;
    if (done === 0) break;
  }
  return { failed, paused: await pauseRestored(deps.db) };
}
