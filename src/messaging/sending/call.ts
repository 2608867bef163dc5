// One marked message: the call to the platform, and its outcome on disk. The only doer that must never run twice for one message.
import type { Clock } from '../../base/clock.ts';
import { AppError, VendorError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import type { MessagingPlatform, OutgoingMessage, RefusalClass, SenderAccess } from '../../ports/platform.ts';
import { haltSender } from '../senders/store.ts';
import type { LaneAdvice } from './lane.ts';
import { type MessageError, ownErrors, retriesMax, retryDelaySeconds } from './message.ts';
import { type DueMessage, type MessageKey, slowPace } from './store.ts';

export interface CallDeps {
  db: Db;
  clock: Clock;
  log: Log;
  platform: Pick<MessagingPlatform, 'sendTemplate' | 'classify'>;
  /** The sender's address and token, remembered for seconds; undefined if it was removed. */
  accessOf: (senderId: string) => Promise<SenderAccess | undefined>;
  /** The same as it is now, for when what was remembered may be out of date. */
  freshAccessOf: (senderId: string) => Promise<SenderAccess | undefined>;
  /** The platform's id of a stored file for a number; registers it again where it lapsed. */
  registeredMedia: (of: { accountId: string; mediaId: string; senderId: string }) => Promise<string>;
  /** The platform refused the file that a number has under that id: true if it is forgotten, so that it is registered anew. */
  forgetMedia: (of: { mediaId: string; senderId: string; platformMediaId: string }) => Promise<boolean>;
  /** The platform knows no such approved template: what we know of it is read again. */
  templateOutdated: (message: DueMessage) => Promise<void>;
  /** The template is refused: it takes no further sends until the platform approves it again. */
  templateRefused: (message: DueMessage, error: MessageError) => Promise<void>;
  accepted: (message: MessageKey & { wamid: string }) => Promise<void>;
  retry: (
    message: MessageKey & { delaySeconds: number; error: MessageError | null; countsAttempt: boolean },
  ) => Promise<void>;
  failed: (message: MessageKey & { error: MessageError }) => Promise<void>;
  /** Told of every call's outcome, for metrics: `accepted`, `not_sent`, `unknown`, or the class of the refusal. */
  onOutcome: (outcome: string) => void;
}

/** A process that slept between mark and call (a suspended machine) must not call: others may have given the message up. */
const markTrustMs = 30_000;

/** More than any message lives; the queue caps it at the message's own expiry. */
const untilExpirySeconds = 365 * 86_400;

/** Longest that a number's next call is put off at once; a limit that lasts longer puts it off again. */
const slowedSecondsMax = 60;

const goOn: LaneAdvice = { kind: 'go_on' };
const halt: LaneAdvice = { kind: 'halt' };

function errorOf(error: VendorError): MessageError {
  const code = Number(error.code);
  return { code: Number.isFinite(code) ? code : 0, title: error.title ?? 'Refused', message: error.message };
}

/**
 * Calls the platform for a message marked at `markedAtMs` (of `performance.now()`) and records what came of it:
 * taken; refused (tried again, or failed for good, by the platform's code); surely not sent (tried again); or unknown,
 * and then it stays marked until its callback settles it. Never rejects.
 */
export async function callPlatform(
  deps: CallDeps,
  message: DueMessage,
  markedAtMs: number,
): Promise<LaneAdvice> {
  try {
    const prepared = await prepare(deps, message).catch((error: unknown) => ({ error }));
    if ('error' in prepared) return await settleUnprepared(deps, message, prepared.error);
    if (performance.now() - markedAtMs > markTrustMs) {
      await deps.retry({ ...keyOf(message), delaySeconds: 0, error: null, countsAttempt: false });
      return goOn;
    }
    return await callPrepared(deps, message, prepared);
  } catch (error) {
    // its outcome could not be written: it stays marked, and its callback or the ten minutes settle it
    deps.log.error({ err: error, messageId: message.id }, 'message.record_failed');
    return goOn;
  }
}

const keyOf = (message: DueMessage): MessageKey => ({ accountId: message.account_id, id: message.id });

async function callPrepared(
  deps: CallDeps,
  message: DueMessage,
  { access, outgoing }: { access: SenderAccess; outgoing: OutgoingMessage },
): Promise<LaneAdvice> {
  let taken: Awaited<ReturnType<MessagingPlatform['sendTemplate']>>;
  try {
    taken = await deps.platform.sendTemplate(access, outgoing);
  } catch (error) {
    if (await hasLostMedia(deps, message, error, outgoing.platformMediaId)) return retryUnsent(deps, message);
    return settleFailure(deps, message, error, access);
  }
  deps.onOutcome('accepted');
  await deps.accepted({ ...keyOf(message), wamid: taken.wamid });
  deps.log.debug({ messageId: message.id, ...taken }, 'message.accepted');
  return goOn;
}

/** True if the call was refused for a file that the platform forgot before its time, and is to be made again with it. */
async function hasLostMedia(
  deps: CallDeps,
  message: DueMessage,
  error: unknown,
  platformMediaId: string | undefined,
): Promise<boolean> {
  if (!(error instanceof VendorError) || error.outcome !== 'refused') return false;
  if (message.media_id === null || platformMediaId === undefined) return false;
  if (deps.platform.classify(error.code) !== 'media_refused') return false;
  return deps.forgetMedia({ mediaId: message.media_id, senderId: message.sender_id, platformMediaId });
}

async function prepare(
  deps: CallDeps,
  message: DueMessage,
): Promise<{ access: SenderAccess; outgoing: OutgoingMessage }> {
  const access = await deps.accessOf(message.sender_id);
  if (!access) throw new AppError('sender_not_found', 'The sender of this message was removed.');
  const outgoing: OutgoingMessage = {
    phone: message.phone,
    templateName: message.template_name,
    language: message.language,
    filled: message.content,
    opaqueId: message.id,
  };
  if (message.media_id !== null) {
    outgoing.platformMediaId = await deps.registeredMedia({
      accountId: message.account_id,
      mediaId: message.media_id,
      senderId: message.sender_id,
    });
  }
  return { access, outgoing };
}

/** Nothing was sent: what the message needs is gone (it fails), or cannot be had now (it is tried again). */
async function settleUnprepared(deps: CallDeps, message: DueMessage, error: unknown): Promise<LaneAdvice> {
  if (error instanceof AppError && (error.code.endsWith('_not_found') || error.code === 'media_damaged')) {
    await deps.failed({ ...keyOf(message), error: { ...ownErrors.unsendable, message: error.message } });
    return goOn;
  }
  if (error instanceof VendorError && error.outcome === 'refused') return settleFailure(deps, message, error);
  deps.log.warn({ err: error, messageId: message.id }, 'message.not_prepared');
  return retryUnsent(deps, message);
}

async function retryUnsent(deps: CallDeps, message: DueMessage): Promise<LaneAdvice> {
  const delaySeconds = retryDelaySeconds(message.attempts + 1, 'retry');
  await deps.retry({ ...keyOf(message), delaySeconds, error: null, countsAttempt: true });
  return goOn;
}

async function settleFailure(
  deps: CallDeps,
  message: DueMessage,
  error: unknown,
  used?: SenderAccess,
): Promise<LaneAdvice> {
  if (!(error instanceof VendorError) || error.outcome === 'unknown') {
    deps.onOutcome('unknown');
    deps.log.warn({ err: error, messageId: message.id }, 'message.outcome_unknown');
    return goOn;
  }
  deps.onOutcome(error.outcome === 'refused' ? deps.platform.classify(error.code) : error.outcome);
  if (error.outcome === 'not_sent') return retryUnsent(deps, message);
  const kind = deps.platform.classify(error.code);
  if (kind === 'halt_sender' && used && (await hasNewToken(deps, used))) {
    await deps.retry({ ...keyOf(message), delaySeconds: 0, error: null, countsAttempt: false });
    return goOn;
  }
  return settleRefusal(deps, message, errorOf(error), kind, error.retryAfterSeconds);
}

/** True if the call used a token that was replaced meanwhile: the number is not to be halted for the old one. */
async function hasNewToken(deps: CallDeps, used: SenderAccess): Promise<boolean> {
  const current = await deps.freshAccessOf(used.senderId);
  return current !== undefined && current.accessToken !== used.accessToken;
}

async function settleRefusal(
  deps: CallDeps,
  message: DueMessage,
  error: MessageError,
  kind: RefusalClass,
  retryAfterSeconds: number | undefined,
): Promise<LaneAdvice> {
  const key = keyOf(message);
  const attempts = message.attempts + 1;
  deps.log.info({ messageId: message.id, kind, error }, 'message.refused');
  switch (kind) {
    case 'throttled': {
      const delaySeconds = retryAfterSeconds ?? retryDelaySeconds(attempts, kind);
      await slowPace(deps.db, message.sender_id, Math.min(delaySeconds, slowedSecondsMax));
      await deps.retry({ ...key, delaySeconds, error, countsAttempt: true });
      return goOn;
    }
    case 'retry':
    case 'pair_rate': {
      if (kind === 'retry' && attempts >= retriesMax) break;
      const delaySeconds = retryAfterSeconds ?? retryDelaySeconds(attempts, kind);
      await deps.retry({ ...key, delaySeconds, error, countsAttempt: true });
      return goOn;
    }
    case 'halt_sender': {
      const reason = `The platform refused this number (${error.code} ${error.title}): ${error.message}`;
      await haltSender(deps.db, message.sender_id, reason, error);
      await deps.retry({ ...key, delaySeconds: 0, error, countsAttempt: false });
      deps.log.error({ senderId: message.sender_id, error }, 'sender.halted');
      return halt;
    }
    case 'halt_template':
      // back in the queue until it expires, before the template's messages are held and may be released
      await deps.retry({ ...key, delaySeconds: untilExpirySeconds, error, countsAttempt: false });
      await deps.templateRefused(message, error);
      return goOn;
    case 'template_outdated':
      await deps.templateOutdated(message);
      break;
    case 'media_refused':
    case 'final':
      break;
  }
  await deps.failed({ ...key, error });
  return goOn;
}
