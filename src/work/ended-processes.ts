// Release of the leases of ended processes as soon as their sessions end, before the leases expire.
import type { Log } from '../base/log.ts';
import type { Db, Tx } from '../db/db.ts';
import { findEndedProcesses } from '../db/process-session.ts';

/** Makes rows due again that these processes had leased; returns how many. All but the first must skip rows that others have locked. */
export type ReleaseLeases = (tx: Tx, processIds: readonly number[]) => Promise<number>;

/**
 * Releases the leases of processes whose sessions have ended, in one transaction; returns how many. A process that only lost its
 * session continues; others may then claim its rows, as after an expired lease.
 */
export async function releaseLeasesOfEnded(
  deps: { hot: Db; log: Log },
  releases: readonly ReleaseLeases[],
): Promise<number> {
  return deps.hot.transaction().execute(async (tx) => {
    const processIds = await findEndedProcesses(tx);
    if (processIds.length === 0) return 0;
    let count = 0;
    for (const release of releases) count += await release(tx, processIds);
    if (count > 0) deps.log.warn({ processIds, count }, 'process.leases_released');
    return count;
  });
}
