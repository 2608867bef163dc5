// What the worker does to the queue in steps: cancelling sends, and letting messages of templates go on that are held no more.
import { type CancelDeps, goOnCancelling } from './cancel.ts';
import { unpark } from './holds-store.ts';

export interface QueueChoresDeps extends CancelDeps {
  /** Tells the worker that messages are due now. */
  nudgeDispatch: () => void;
}

/** Each in a commit of its own, so that neither locks much for long. */
const unparkedAtOnce = 2_000;

/** The worker's loop body: one step of each; answers how much it found. */
export async function doQueueChores(deps: QueueChoresDeps): Promise<number> {
  const cancelled = await goOnCancelling(deps);
  const unparked = await unpark(deps.hot, unparkedAtOnce);
  if (unparked > 0) deps.nudgeDispatch();
  return cancelled + unparked;
}
