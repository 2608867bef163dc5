// What the worker does to the queue in steps: cancelling sends, and letting messages of templates go on that are held no more.
import { type CancelDeps, continueCancellation } from './cancel.ts';
import { resumeMessages } from './messages-holds-store.ts';

export interface QueueMaintenanceDeps extends CancelDeps {
  /** Tells the worker that messages are due now. */
  nudgeDispatch: () => void;
}

/** Each in a commit of its own, so that neither locks much for long. */
const unparkedAtOnce = 2_000;

/** The worker's loop body: one step of each; answers how much it found. */
export async function maintainQueue(deps: QueueMaintenanceDeps): Promise<number> {
  const cancelled = await continueCancellation(deps);
  const unparked = await resumeMessages(deps.hot, unparkedAtOnce);
  if (unparked > 0) deps.nudgeDispatch();
  return cancelled + unparked;
}
