// Takes over published deliveries whose lease expired or whose process ended: they become due, for any process.
import type { Db, Tx } from '../../db/db.ts';
import { findEndedLeases, lockPublished, releasePublished, removeLeases } from './leases-store.ts';
import { releaseDeliveriesOf } from './store.ts';

const leasesPerRound = 100;

/** Releases what ended processes had published and not delivered; returns how many deliveries that was. */
export async function takeOverFrom(tx: Tx, processIds: readonly number[]): Promise<number> {
  return (await takeOver(tx, processIds, leasesPerRound * 100)).deliveries;
}

/**
 * Releases all deliveries of ended processes; returns how many. What they published first: that waits for locks, and the rest then skips locked rows, so that
 * nobody who waits for this transaction keeps it waiting.
 */
export async function releaseDeliveriesOfProcesses(tx: Tx, processIds: readonly number[]): Promise<number> {
  const published = await takeOverFrom(tx, processIds);
  return published + (await releaseDeliveriesOf(tx, processIds));
}

/** Releases what is left of expired leases, in one transaction; returns how many leases there were. */
export async function takeOverExpired({ hot }: { hot: Db }): Promise<number> {
  return hot.transaction().execute(async (tx) => (await takeOver(tx, [], leasesPerRound)).leases);
}

/** Locks deliveries before their leases, as their record does. Two processes may find the same leases: the second one finds nothing to do. */
async function takeOver(tx: Tx, processIds: readonly number[], limit: number) {
  const found = await findEndedLeases(tx, processIds, limit);
  if (found.length === 0) return { deliveries: 0, leases: 0 };
  await lockPublished(tx, found);
  const deliveries = await releasePublished(tx, found);
  return { deliveries, leases: await removeLeases(tx, found) };
}
