// Takes over published deliveries whose lease expired or whose process ended: they become due, for any process.
import type { Db, Tx } from '../../db/db.ts';
import { releasePublished, removeLeases } from './leases-store.ts';

const leasesPerRound = 100;

/** Releases what ended processes had published and not delivered; returns how many deliveries that was. */
export async function takeOverFrom(tx: Tx, processIds: readonly number[]): Promise<number> {
  const leases = await removeLeases(tx, processIds, leasesPerRound * 100);
  return leases.length === 0 ? 0 : releasePublished(tx, leases);
}

/** Releases what is left of expired leases, in one transaction; returns how many leases there were. */
export async function takeOverExpired({ db }: { db: Db }): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const leases = await removeLeases(tx, [], leasesPerRound);
    if (leases.length > 0) await releasePublished(tx, leases);
    return leases.length;
  });
}
