// The lease of a draft's recipients: one upload, check or removal of them at a time.

import type { Clock } from '../../base/clock.ts';
import { uuidv7 } from '../../base/ids.ts';
import type { SendStateName } from '../../contract/campaigns.ts';
import type { Db } from '../../db/db.ts';
import { sendNotFound } from '../messages/find.ts';
import type { SendKey } from '../messages/sends-store.ts';
import { stateConflict, uploadInProgress } from './act.ts';
import { endLease, renewLease, takeLease } from './recipients-store.ts';
import { stateOf } from './state.ts';
import { type LockedSend, lockSend } from './transitions-store.ts';

/** A running upload renews its lease. After a crash, the end of the process's session releases it, within seconds, or else its time. */
export const leaseSeconds = 120;
const renewEveryMs = 30_000;

export interface LeaseDeps {
  db: Db;
  clock: Clock;
  /** The process that leases; see `db/process-session.ts`. */
  processId: number;
}

/**
 * Runs `work` while this process alone may change the recipients of the send. Throws 404 `send_not_found`, 409
 * `send_state_conflict` in any other state than `states`, and 409 `upload_in_progress`.
 */
export async function withRecipientsLease<T>(
  deps: LeaseDeps,
  of: SendKey,
  { states, participle }: { states: readonly SendStateName[]; participle: string },
  work: (send: LockedSend, leaseId: string) => Promise<T>,
): Promise<T> {
  const leaseId = uuidv7(deps.clock.now());
  const lease = { leaseId, processId: deps.processId, seconds: leaseSeconds };
  const send = await deps.db.transaction().execute(async (tx) => {
    const locked = await lockSend(tx, of);
    if (!locked) throw sendNotFound();
    const state = stateOf(locked, locked.is_pending);
    if (!states.includes(state)) throw stateConflict(state, participle);
    if (locked.is_uploading) throw uploadInProgress();
    await takeLease(tx, of, lease);
    return locked;
  });
  const timer = setInterval(() => {
    // a lost lease ends the work at its next write
    renewLease(deps.db, of, lease).catch(() => undefined);
  }, renewEveryMs);
  try {
    return await work(send, leaseId);
  } finally {
    clearInterval(timer);
    await endLease(deps.db, of, leaseId);
  }
}
