// Emptying the queue of a template before it is deleted or edited.
import { AppError } from '../../base/errors.ts';
import { findQueuedOfTemplate, isTemplateBeingCalled, type TemplateKey } from '../dispatch/holds-store.ts';
import { type FailDeps, failAndPublish } from '../messages/fail.ts';
import { ownErrors, state } from '../messages/message.ts';

/** Queued messages are found in large steps and failed in smaller ones, so that other work runs in between. */
const foundPerStep = 5_000;
const failedPerStep = 1_000;
/** The time limit for cancelling messages and for calls in flight; well below the time of a deletion or edit. */
const emptyQueueWithinMs = 45_000;
const checkEveryMs = 200;

/** The 409 of a template whose messages are queued or in flight. */
export function inUse(message: string, retryAfterSeconds?: number): AppError {
  return new AppError('template_in_use', message, retryAfterSeconds ? { retryAfterSeconds } : {});
}

/**
 * Fails all queued messages of a template that is marked, and waits for calls in flight, whose messages may return. `why`
 * is in their errors. Returns how many failed.
 */
export async function emptyQueue(deps: FailDeps, of: TemplateKey, why: string): Promise<number> {
  const until = performance.now() + emptyQueueWithinMs;
  const error = { ...ownErrors.cancelled, message: why };
  let count = 0;
  for (;;) {
    const queued = await findQueuedOfTemplate(deps.hot, of, foundPerStep);
    for (let at = 0; at < queued.length; at += failedPerStep) {
      const failures = queued.slice(at, at + failedPerStep).map((key) => ({ ...key, error }));
      count += await failAndPublish(deps, failures, [state.queued]);
    }
    if (queued.length === 0 && !(await isTemplateBeingCalled(deps.hot, of))) return count;
    if (performance.now() > until)
      throw inUse(
        `Messages of this template are still being sent or cancelled (${count} were cancelled so far). Repeat the request.`,
        10,
      );
    if (queued.length === 0) await deps.clock.sleep(checkEveryMs);
  }
}
