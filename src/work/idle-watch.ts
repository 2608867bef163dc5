// The one loop of an idle process that asks the database: for all others, in one transaction.
import type { Db } from '../db/db.ts';
import { type DueWork, findDueWork } from '../db/due-work.ts';
import type { Activity } from './activity.ts';

export type IdleLoop = keyof DueWork;

export interface IdleWatchDeps {
  hot: Db;
  processId: number;
  activity: Activity;
  /** Runs the loop once. Does nothing for one that this process does not have. */
  nudge: (loop: IdleLoop) => void;
  /** What else an idle process does every one or two seconds, in the same transaction. */
  perform: (tx: Db) => Promise<void>;
}

/** Their work recurs for ever and wakes nobody else. */
const background: ReadonlySet<IdleLoop> = new Set([
  'calendarSync',
  'mediaCleanup',
  'templateSync',
  'senderChecks',
  'foldStatistics',
  'foldConversations',
  'releaseLeases',
  'clock',
]);

/**
 * Returns the function to call every second. Does nothing while the process is awake, and looks at every second call while
 * no other process is connected: then all work begins here, or at a time that the last look already saw.
 */
export function openIdleWatch(deps: IdleWatchDeps): () => Promise<number> {
  let hasOthers = true;
  let hasSkipped = false;
  return async () => {
    if (!deps.activity.isIdle()) {
      hasOthers = true;
      return 0;
    }
    hasSkipped = !hasOthers && !hasSkipped;
    if (hasSkipped) return 0;
    const { hasOthers: found, ...due } = await deps.hot.transaction().execute(async (tx) => {
      const seen = await findDueWork(tx, deps.processId);
      await deps.perform(tx);
      return seen;
    });
    hasOthers = found;
    for (const [loop, isDue] of Object.entries(due) as [IdleLoop, boolean][]) {
      if (!isDue) continue;
      if (background.has(loop)) deps.nudge(loop);
      else deps.activity.wake();
    }
    return 0;
  };
}
