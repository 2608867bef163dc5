// Failure of messages that were stored for people who opted out.
import type { Log } from '../../base/log.ts';
import type { Completion } from '../messages/completion-waiters.ts';
import { type FailDeps, failAndPublish } from '../messages/fail.ts';
import { ownErrors, state } from '../messages/message.ts';

export interface FailOptedOutDeps extends FailDeps {
  log: Log;
}

/** Fails messages to people who opted out; what cannot be written now fails when the worker tries to begin its dispatch. */
export async function failOptedOut(
  deps: FailOptedOutDeps,
  accountId: string,
  ids: ReadonlySet<string>,
): Promise<Map<string, Completion>> {
  const error = ownErrors.optedOut;
  try {
    await failAndPublish(
      deps,
      [...ids].map((id) => ({ accountId, id, error })),
      [state.queued],
    );
  } catch (cause) {
    deps.log.warn({ err: cause, accountId }, 'send.opt_outs_not_failed');
    return new Map();
  }
  return new Map([...ids].map((id) => [id, { id, state: state.failed, wamid: null, error }]));
}
