// What a process had leased is free as soon as its session has ended, instead of when the lease lapses.
import type { Log } from '../base/log.ts';
import type { Db, Tx } from '../db/db.ts';
import { findEndedProcesses } from '../db/process-session.ts';

/** Makes rows due again that these processes had leased; answers how many. It locks what it finds, and passes over what others hold. */
export type ReleaseLeases = (tx: Tx, processIds: readonly number[]) => Promise<number>;

/**
 * Releases the leases of processes whose sessions have ended, in one transaction, so that a crash in between leaves the
 * next round to do it. Answers how many leases.
 *
 * A process that only lost its session goes on meanwhile: what it holds may be claimed by another, too, as after a
 * lapsed lease.
 */
export async function releaseLeasesOfEnded(
  deps: { db: Db; log: Log },
  releases: readonly ReleaseLeases[],
): Promise<number> {
  return deps.db.transaction().execute(async (tx) => {
    const processIds = await findEndedProcesses(tx);
    if (processIds.length === 0) return 0;
    let count = 0;
    for (const release of releases) count += await release(tx, processIds);
    if (count > 0) deps.log.warn({ processIds, count }, 'process.leases_released');
    return count;
  });
}
