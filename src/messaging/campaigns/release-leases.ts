// Release of what ended processes had leased of sends: their feeds, and the recipients of drafts.
import type { Tx } from '../../db/db.ts';
import { releaseFeedsOfProcesses } from './feeds-store.ts';
import { releaseRecipientsOfProcesses } from './recipients-store.ts';

/** Releases the leases of ended processes; returns how many. Skips locked rows. */
export async function releaseSendsOf(tx: Tx, processIds: readonly number[]): Promise<number> {
  return (
    (await releaseFeedsOfProcesses(tx, processIds)) + (await releaseRecipientsOfProcesses(tx, processIds))
  );
}
