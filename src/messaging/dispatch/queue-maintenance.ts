// Queue maintenance, in steps: continues cancellations, checks messages of changed templates, and resumes messages of templates that are no longer held.
import { type CancelDeps, continueCancellation } from './cancel.ts';
import { resumeMessages } from './holds-store.ts';
import { recheckMessages } from './recheck.ts';

export interface QueueMaintenanceDeps extends CancelDeps {
  /** Wakes the worker: messages are due now. */
  nudgeDispatch: () => void;
}

/** The messages resumed in one step: few, because their rows are locked until its commit. */
const resumedPerStep = 2_000;

/** The worker's round: one step of each. Returns how much it found. */
export async function maintainQueue(deps: QueueMaintenanceDeps): Promise<number> {
  const cancelled = await continueCancellation(deps);
  const rechecked = await recheckMessages(deps);
  const resumed = await resumeMessages(deps.hot, resumedPerStep);
  if (resumed > 0) deps.nudgeDispatch();
  return cancelled + rechecked + resumed;
}
