// Rejections by the platform: retry or failure of the message, and a throttle, halt or hold of what it concerns.
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import type { RejectionClass, SenderAccess } from '../../ports/platform.ts';
import { coalesced } from '../../work/coalesce.ts';
import type { CompletionWaiters } from '../messages/completion-waiters.ts';
import {
  attemptsMax,
  keyOf,
  type LeasedMessage,
  type LeasedTemplate,
  type MessageError,
  retryDelaySeconds,
} from '../messages/message.ts';
import { type HaltClass, haltOf, haltSenders, isHalt } from '../senders/halt.ts';
import { throttle } from '../senders/throttle.ts';
import { categoryWaitSeconds } from '../templates/limits-store.ts';
import type { DispatchWrites } from './dispatch-writes.ts';

export interface RejectionDeps {
  db: Db;
  log: Log;
  completions: Pick<CompletionWaiters, 'recheckSoon' | 'called'>;
  writes: Pick<DispatchWrites, 'retry' | 'failed' | 'suspend'>;
  effects: RejectionEffects;
  /** Requests a reading of the sender's templates: what the gateway knows of this one is out of date. */
  templateOutdated: (message: LeasedMessage) => Promise<void>;
  /** Records that the recipient stopped marketing messages at the platform. */
  recipientOptedOut: (message: LeasedMessage, error: MessageError) => Promise<void>;
}

export interface Rejection {
  kind: RejectionClass;
  error: MessageError;
  /** The wait that the platform requested. */
  retryAfterSeconds: number | undefined;
  /** The credentials of the call; undefined if the rejected call was not the message's own. */
  used: SenderAccess | undefined;
}

/** An error that halts a sender. */
export interface Halt {
  senderId: string;
  kind: HaltClass;
  error: MessageError;
  used: SenderAccess | undefined;
}

/** Effects of rejections on senders and templates. Calls that are rejected together share one write. */
export interface RejectionEffects {
  /** Halts the senders that an error concerns. */
  halt(halt: Halt): Promise<void>;
  /** Holds the message's template until the platform approves it again. */
  holdTemplate(message: LeasedTemplate, error: MessageError): Promise<void>;
  /** Lets the messages of templates of the same category and business account wait. */
  limitCategory(message: LeasedTemplate, seconds: number): Promise<void>;
}

/** A message rejected together with its sender is due again this soon; the halt is stored by then. */
const dueAfterHaltSeconds = 1;

interface Retry {
  error: MessageError;
  delaySeconds: number;
  /** True if left out. */
  countsAttempt?: boolean;
}

/** What the result of a call means for the sender's other messages: call them, or release them. */
export type CallAdvice = 'continue' | 'halt';

/** Opens the shared effects of rejections. */
export function openRejectionEffects(
  deps: Parameters<typeof haltSenders>[0] & {
    templateRejected: (message: LeasedTemplate, error: MessageError) => Promise<void>;
    categoryLimited: (message: LeasedTemplate, seconds: number) => Promise<void>;
  },
): RejectionEffects {
  const halting = coalesced<unknown>();
  const holding = coalesced<void>();
  const limiting = coalesced<void>();
  return {
    async halt(halt) {
      const { senderId, kind, used } = halt;
      await halting(`${senderId} ${kind} ${used?.credential ?? ''}`, () => haltSenders(deps, halt));
    },
    async holdTemplate(message, error) {
      await holding(templateOf(message), () => deps.templateRejected(message, error));
    },
    async limitCategory(message, seconds) {
      await limiting(templateOf(message), () => deps.categoryLimited(message, seconds));
    },
  };
}

const templateOf = ({ sender_id, template_name, language }: LeasedTemplate) =>
  `${sender_id} ${template_name} ${language}`;

/** Records a rejected message by its class: queues it again or fails it, and throttles or halts what it concerns. */
export async function recordRejection(
  deps: RejectionDeps,
  message: LeasedMessage,
  rejection: Rejection,
): Promise<CallAdvice> {
  const { kind, error, retryAfterSeconds, used } = rejection;
  deps.log.info({ messageId: message.id, kind, error }, 'message.rejected');
  if (isHalt(kind)) {
    // first, so that the message is queued even if the halt fails
    await retryIn(deps, message, { error, delaySeconds: dueAfterHaltSeconds, countsAttempt: false });
    const haltClass = haltOf(kind, message.template_name === null);
    await deps.effects.halt({ senderId: message.sender_id, kind: haltClass, error, used });
    deps.completions.recheckSoon([message.id]);
    return 'halt';
  }
  const attempts = message.attempts + 1;
  const delaySeconds = retryAfterSeconds ?? retryDelaySeconds(attempts, kind);
  switch (kind) {
    case 'throttled':
    case 'throttled_account':
      await throttle(deps.db, { senderId: message.sender_id, kind, code: error.code, delaySeconds });
      return retryIn(deps, message, { error, delaySeconds });
    case 'retry':
    case 'retry_few':
    case 'retry_once':
    case 'pair_rate':
      if (attempts >= attemptsMax(kind)) break;
      return retryIn(deps, message, { error, delaySeconds });
    case 'category_limit': {
      // counts no attempt: the platform lifts the limit by itself
      const retry = { error, delaySeconds: retryAfterSeconds ?? categoryWaitSeconds, countsAttempt: false };
      if (message.template_name === null) return retryIn(deps, message, retry);
      const template = message;
      return retryHeld(deps, message, retry, () => deps.effects.limitCategory(template, retry.delaySeconds));
    }
    case 'template_missing':
    case 'halt_template':
      if (message.template_name !== null && attempts < attemptsMax(kind)) {
        const template = message;
        const retry = { error, delaySeconds: retryDelaySeconds(attempts, kind) };
        return retryHeld(deps, message, retry, () => deps.effects.holdTemplate(template, error));
      }
      await deps.templateOutdated(message);
      break;
    case 'template_outdated':
      await deps.templateOutdated(message);
      break;
    case 'opted_out':
      await deps.recipientOptedOut(message, error).catch((cause: unknown) => {
        deps.log.warn({ err: cause, messageId: message.id }, 'message.opt_out_not_recorded');
      });
      break;
    case 'media_refused':
    case 'media_unknown':
    case 'final':
      break;
  }
  await deps.writes.failed({ ...keyOf(message), error });
  return 'continue';
}

async function retryIn(
  { writes, completions }: RejectionDeps,
  message: LeasedMessage,
  retry: Retry,
): Promise<CallAdvice> {
  await writes.retry({ ...keyOf(message), lease: message.lease, countsAttempt: true, ...retry });
  completions.recheckSoon([message.id]);
  return 'continue';
}

/**
 * Holds what the rejection concerns, so that messages like this one do not take calls of the number from others. Also delays the
 * message: a template that was removed and created again has no hold.
 */
async function retryHeld(
  deps: RejectionDeps,
  message: LeasedMessage,
  retry: Retry,
  hold: () => Promise<void>,
): Promise<CallAdvice> {
  await retryIn(deps, message, retry);
  await hold();
  await deps.writes.suspend(keyOf(message));
  deps.completions.recheckSoon([message.id]);
  return 'continue';
}
