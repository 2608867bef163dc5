// The folder: a worker that adds recorded changes up to counts every few seconds.
import type { Db } from '../db/db.ts';
import { deleteOldCounts, foldChanges, lockFolding, recordFolded } from './fold-store.ts';

/** Changes of one transaction. */
const foldedPerRound = 20_000;
/** Between two foldings, of whatever process. */
const pauseMs = 1_000;

/** The worker's round: folds what was committed so far. Returns how many changes there were if more are left, else 0. */
export async function foldStatistics(deps: { db: Db }): Promise<number> {
  return deps.db.transaction().execute(async (tx) => {
    const until = await lockFolding(tx, pauseMs);
    if (until === undefined) return 0;
    const folded = await foldChanges(tx, foldedPerRound);
    if (folded === foldedPerRound) return folded;
    await recordFolded(tx, until);
    return 0;
  });
}

/** How long counts are kept, whatever the retention of messages. */
const keptDays = 800;
const deletedPerRound = 5_000;

/** Deletes counts older than 800 days, in steps. */
export async function deleteOldStatistics(deps: { db: Db }): Promise<void> {
  while ((await deleteOldCounts(deps.db, keptDays, deletedPerRound)) > 0);
}
