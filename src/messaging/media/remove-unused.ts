// Removal of files that nothing refers to.
import type { Db } from '../../db/db.ts';
import { isMediaInUse, markRemoving } from './removal-store.ts';
import { keptSeconds } from './remove.ts';
import { findNamed, listUnused, lockUnused } from './unused-store.ts';

export interface UnusedStep {
  accountId: string;
  /** Files that no message has used since are removed, unless one still names them. */
  before: Date;
  /** The last id of the previous step. */
  after: string;
  limit: number;
}

/** Returns the files of a step, and which of them nothing names. Changes nothing. */
export async function findUnused(db: Db, step: UnusedStep): Promise<{ id: string; isUnnamed: boolean }[]> {
  const rows = await listUnused(db, step);
  if (rows.length === 0) return [];
  const named = await findNamed(db, step.accountId, step.before);
  return rows.map(({ id, isSample }) => ({ id, isUnnamed: !isSample && !named.has(id) }));
}

/**
 * Hides the unnamed files of a step from callers; the worker removes their objects a day later. The platform has forgotten them:
 * it keeps a file for 30 days. Returns the last id of the step, undefined after the last one, and how many it removed.
 */
export async function removeUnused(
  db: Db,
  step: UnusedStep,
): Promise<{ last: string | undefined; removed: number }> {
  const files = await findUnused(db, step);
  let removed = 0;
  for (const { id } of files.filter(({ isUnnamed }) => isUnnamed)) {
    await db.transaction().execute(async (tx) => {
      const row = await lockUnused(tx, id, step.before);
      if (!row || (await isMediaInUse(tx, row.account_id, id))) return;
      await markRemoving(tx, id, keptSeconds);
      removed += 1;
    });
  }
  return { last: files.at(-1)?.id, removed };
}
