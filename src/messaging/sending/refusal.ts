// What a refusal of the platform does to its message, and to the number, business account or template that it concerns.
import type { RefusalClass, SenderAccess } from '../../ports/platform.ts';
import { type HaltDeps, haltNumbers, isHalt } from '../senders/halt.ts';
import { listBusinessNumbers } from '../senders/store.ts';
import type { LaneAdvice } from './lane.ts';
import { type MessageError, retryDelaySeconds, triesMax } from './message.ts';
import { type DueMessage, type MessageKey, slowPace } from './store.ts';

export interface RefusalDeps extends HaltDeps {
  /** The platform knows no such template, or it changed: what we know of it is read again. */
  templateOutdated: (message: DueMessage) => Promise<void>;
  /** The template is refused: it takes no further sends until the platform approves it again. */
  templateRefused: (message: DueMessage, error: MessageError) => Promise<void>;
  retry: (
    message: MessageKey & { delaySeconds: number; error: MessageError | null; countsAttempt: boolean },
  ) => Promise<void>;
  failed: (message: MessageKey & { error: MessageError }) => Promise<void>;
}

export interface Refused {
  kind: RefusalClass;
  error: MessageError;
  /** As the platform asked. */
  retryAfterSeconds: number | undefined;
  /** What the call was made with; undefined if it was none of the message's own. */
  used: SenderAccess | undefined;
}

/** More than any message lives; the queue caps it at the message's own expiry. */
const untilExpirySeconds = 365 * 86_400;

/** Longest that a number's next call is put off at once; a limit that lasts longer puts it off again. */
const slowedSecondsMax = 60;

/** How long a message waits for a limit of its template's category to end, where the platform names no time. */
const categoryWaitSeconds = 3_600;

export const goOn: LaneAdvice = { kind: 'go_on' };
const halt: LaneAdvice = { kind: 'halt' };

/** Records a refused message as its class asks: queued again, or failed; slows or halts what it concerns. */
export async function settleRefusal(
  deps: RefusalDeps,
  message: DueMessage,
  refused: Refused,
): Promise<LaneAdvice> {
  const { kind, error, retryAfterSeconds } = refused;
  const key = { accountId: message.account_id, id: message.id };
  const attempts = message.attempts + 1;
  deps.log.info({ messageId: message.id, kind, error }, 'message.refused');
  if (isHalt(kind)) {
    await haltNumbers(deps, { senderId: message.sender_id, kind, error, used: refused.used });
    await deps.retry({ ...key, delaySeconds: 0, error, countsAttempt: false });
    return halt;
  }
  const retryIn = async (delaySeconds: number, countsAttempt = true): Promise<LaneAdvice> => {
    await deps.retry({ ...key, delaySeconds, error, countsAttempt });
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
      if (attempts >= triesMax(kind)) break;
      return retryIn(retryAfterSeconds ?? retryDelaySeconds(attempts, kind));
    case 'category_limit':
      return retryIn(retryAfterSeconds ?? categoryWaitSeconds, false);
    case 'template_missing':
    case 'halt_template':
      if (attempts >= triesMax(kind)) {
        await deps.templateOutdated(message);
        break;
      }
      // back in the queue until it expires, before the template's messages are held and may be released
      await retryIn(untilExpirySeconds, kind === 'template_missing');
      await deps.templateRefused(message, error);
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
