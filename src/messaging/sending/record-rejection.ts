// What a refusal of the platform does to its message, and to the number, business account or template that it concerns.
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import type { RejectionClass, SenderAccess } from '../../ports/platform.ts';
import { type HaltClass, isHalt } from '../senders/halt.ts';
import { listBusinessNumbers } from '../senders/store.ts';
import { attemptsMax, type MessageError, retryDelaySeconds } from './message.ts';
import { type DueMessage, type MessageKey, type Retry, slowPace } from './messages-moves-store.ts';

export interface RejectionDeps {
  db: Db;
  log: Log;
  /** Halts the numbers that an error concerns. Refusals that come at the same moment share one halting. */
  halt: (of: {
    senderId: string;
    kind: HaltClass;
    error: MessageError;
    used: SenderAccess | undefined;
  }) => Promise<unknown>;
  /** The platform knows no such template, or it changed: what we know of it is read again. */
  templateOutdated: (message: DueMessage) => Promise<void>;
  /** The template is refused: it takes no further sends until the platform approves it again. */
  templateRefused: (message: DueMessage, error: MessageError) => Promise<void>;
  retry: (message: Retry) => Promise<void>;
  failed: (message: MessageKey & { error: MessageError }) => Promise<void>;
  /** These may wait for long: whoever waits for an outcome of theirs looks whether one can still come. */
  doubt: (ids: string[]) => void;
}

export interface Rejection {
  kind: RejectionClass;
  error: MessageError;
  /** As the platform asked. */
  retryAfterSeconds: number | undefined;
  /** What the call was made with; undefined if it was none of the message's own. */
  used: SenderAccess | undefined;
}

/** A message refused together with its number is due again so soon; the halt is written by then. */
const heldAgainSeconds = 1;

/** Longest that a number's next call is put off at once; a limit that lasts longer puts it off again. */
const slowedSecondsMax = 60;

/** How long a message waits for a limit of its template's category to end, where the platform names no time. */
const categoryWaitSeconds = 3_600;

/** What the outcome of a call means for the rest of the number's queue. */
export type CallAdvice = { kind: 'go_on' } | { kind: 'halt' };

export const goOn: CallAdvice = { kind: 'go_on' };
const halt: CallAdvice = { kind: 'halt' };

/** Records a refused message as its class asks: queued again, or failed; slows or halts what it concerns. */
export async function recordRejection(
  deps: RejectionDeps,
  message: DueMessage,
  refused: Rejection,
): Promise<CallAdvice> {
  const { kind, error, retryAfterSeconds } = refused;
  const key = { accountId: message.account_id, id: message.id };
  const { lease } = message;
  const attempts = message.attempts + 1;
  deps.log.info({ messageId: message.id, kind, error }, 'message.refused');
  if (isHalt(kind)) {
    // first back into the queue: it surely was not sent, whatever becomes of the halt
    await deps.retry({ ...key, lease, delaySeconds: heldAgainSeconds, error, countsAttempt: false });
    await deps.halt({ senderId: message.sender_id, kind, error, used: refused.used });
    deps.doubt([message.id]);
    return halt;
  }
  const retryIn = async (delaySeconds: number, countsAttempt = true): Promise<CallAdvice> => {
    await deps.retry({ ...key, lease, delaySeconds, error, countsAttempt });
    deps.doubt([message.id]);
    return goOn;
  };
  switch (kind) {
    case 'throttled':
    case 'throttled_account': {
      const delaySeconds = retryAfterSeconds ?? retryDelaySeconds(attempts, kind);
      const isShared = kind === 'throttled_account';
      const numbers = isShared ? await listBusinessNumbers(deps.db, message.sender_id) : [message.sender_id];
      for (const id of numbers) await slowPace(deps.db, id, Math.min(delaySeconds, slowedSecondsMax));
      return retryIn(delaySeconds);
    }
    case 'retry':
    case 'retry_few':
    case 'retry_once':
    case 'pair_rate':
      if (attempts >= attemptsMax(kind)) break;
      return retryIn(retryAfterSeconds ?? retryDelaySeconds(attempts, kind));
    case 'category_limit':
      return retryIn(retryAfterSeconds ?? categoryWaitSeconds, false);
    case 'template_missing':
    case 'halt_template':
      if (attempts >= attemptsMax(kind)) {
        await deps.templateOutdated(message);
        break;
      }
      // due again ever later: no hold finds a message whose template was removed and made anew
      await retryIn(retryDelaySeconds(attempts, kind));
      await deps.templateRefused(message, error);
      deps.doubt([message.id]);
      return goOn;
    case 'template_outdated':
      await deps.templateOutdated(message);
      break;
    case 'media_refused':
    case 'media_unknown':
    case 'final':
      break;
  }
  await deps.failed({ ...key, error });
  return goOn;
}
