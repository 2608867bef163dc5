// The folder: a worker that adds recorded changes up to counts every few seconds.
import type { Db } from '../db/db.ts';
import { deleteOldCounts, foldChanges, lockFolding } from './fold-store.ts';

/** Changes of one transaction. */
const foldedPerRound = 20_000;
/** Between two foldings, of whatever process. */
const pauseMs = 1_000;

/**
 * The worker's round: folds what was committed so far. Returns how many changes there were if more are left, else 0. Uses the
 * pool of prepared statements: planning takes longer than folding.
 */
export async function foldStatistics(deps: { hot: Db }): Promise<number> {
  return deps.hot.transaction().execute(async (tx) => {
    const until = await lockFolding(tx, pauseMs);
    if (until === undefined) return 0;
    const folded = await foldChanges(tx, foldedPerRound, until);
    return folded === foldedPerRound ? folded : 0;
  });
}

/** How long counts are kept, whatever the retention of messages. */
const keptDays = 800;
const deletedPerRound = 5_000;

/** Deletes counts older than 800 days, in steps. */
export async function deleteOldStatistics(deps: { db: Db }): Promise<void> {
  while ((await deleteOldCounts(deps.db, keptDays, deletedPerRound)) > 0);
}
