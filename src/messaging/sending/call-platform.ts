// One marked message: the call to the platform, and its outcome on disk. The only worker that must never run twice for one message.
import type { Clock } from '../../base/clock.ts';
import { AppError, VendorError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import type { MessagingPlatform, OutgoingMessage, SenderAccess } from '../../ports/platform.ts';
import { isHalt } from '../senders/halt.ts';
import { type MessageError, ownErrors, retryDelaySeconds } from './message.ts';
import type { DueMessage, MessageKey } from './messages-moves-store.ts';
import { withoutCode } from './one-time-codes.ts';
import { createdAt } from './presenter.ts';
import { type CallAdvice, goOn, type RejectionDeps, recordRejection } from './record-rejection.ts';

export interface CallDeps extends RejectionDeps {
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
  /**
   * The platform refused the file that a number has under that id: true if it is forgotten, so that it is registered
   * again. `registeredBefore`: one registered later was refused too.
   */
  forgetMedia: (of: {
    mediaId: string;
    senderId: string;
    platformMediaId: string;
    registeredBefore?: Date;
  }) => Promise<boolean>;
  accepted: (message: MessageKey & { wamid: string }) => Promise<void>;
  /** Told of every call's outcome, for metrics: `accepted`, `not_sent`, `unknown`, or the class of the refusal. */
  onOutcome: (outcome: string) => void;
}

/** A process that slept between mark and call (a suspended machine) must not call: others may have given the message up. */
const markTrustMs = 30_000;

function errorOf(error: VendorError): MessageError {
  const code = Number(error.code);
  return {
    code: Number.isFinite(code) ? code : (error.status ?? 0),
    title: error.title ?? 'Refused',
    message: error.message,
  };
}

/** Why a message of a number that is gone is not called. */
export function senderRemoved(): AppError {
  return new AppError('sender_not_found', 'The sender of this message was removed.');
}

/** A message that lacks nothing for its call but the number's address and token. */
export interface PreparedMessage {
  message: DueMessage;
  /** The platform's id of its file for the number. */
  platformMediaId?: string;
}

/**
 * Gets what a queued message's call needs beside the number's token, which may take as long as an upload. Undefined: it
 * cannot be called now, and that is recorded. Never rejects.
 */
export async function prepareMessage(
  deps: CallDeps,
  message: DueMessage,
): Promise<PreparedMessage | undefined> {
  if (message.media_id === null) return { message };
  const { account_id: accountId, sender_id: senderId, media_id: mediaId } = message;
  try {
    return { message, platformMediaId: await deps.registeredMedia({ accountId, mediaId, senderId }) };
  } catch (error) {
    await recordUncalled(deps, message, error);
    return undefined;
  }
}

/** Records of a message that is not called why that is so: what it needs is gone, or cannot be had now. Never rejects. */
export async function recordUncalled(
  deps: CallDeps,
  message: DueMessage,
  error: unknown,
): Promise<CallAdvice> {
  return recorded(deps, message, () => settleUnprepared(deps, message, error));
}

/**
 * Calls the platform for a message marked at `markedAtMs` (of `clock.steady()`) and records what came of it:
 * taken; refused (tried again, or failed for good, by the platform's code); surely not sent (tried again); or unknown,
 * and then it stays marked until its callback settles it. The request is handed to the connection before this first
 * waits for anything. Never rejects.
 */
export async function callPlatform(
  deps: CallDeps,
  { message, platformMediaId }: PreparedMessage,
  access: SenderAccess,
  markedAtMs: number,
): Promise<CallAdvice> {
  return recorded(deps, message, async () => {
    if (deps.clock.steady() - markedAtMs > markTrustMs) {
      await deps.retry({ ...retryOf(message), delaySeconds: 0, error: null, countsAttempt: false });
      return goOn;
    }
    const outgoing: OutgoingMessage = {
      phone: message.phone,
      templateName: message.template_name,
      language: message.language,
      filled: message.content,
      correlationId: message.id,
      ...(platformMediaId === undefined ? {} : { platformMediaId }),
    };
    return callPrepared(deps, message, { access, outgoing });
  });
}

async function recorded(
  deps: CallDeps,
  message: DueMessage,
  act: () => Promise<CallAdvice>,
): Promise<CallAdvice> {
  try {
    return await act();
  } catch (error) {
    // its outcome could not be written: it stays as it is, and its lease, its callback or the ten minutes settle it
    deps.log.error({ err: error, messageId: message.id }, 'message.record_failed');
    return goOn;
  }
}

const keyOf = (message: DueMessage): MessageKey => ({ accountId: message.account_id, id: message.id });
const retryOf = (message: DueMessage) => ({ ...keyOf(message), lease: message.lease });

async function callPrepared(
  deps: CallDeps,
  message: DueMessage,
  { access, outgoing }: { access: SenderAccess; outgoing: OutgoingMessage },
): Promise<CallAdvice> {
  let taken: Awaited<ReturnType<MessagingPlatform['sendTemplate']>>;
  try {
    taken = await deps.platform.sendTemplate(access, outgoing);
  } catch (caught) {
    const error = withoutCode(message, caught);
    if (await hasLostMedia(deps, message, error, outgoing.platformMediaId)) return retryUnsent(deps, message);
    return settleFailure(deps, message, error, access);
  }
  deps.onOutcome('accepted');
  await deps.accepted({ ...keyOf(message), wamid: taken.messageRef });
  deps.log.debug({ messageId: message.id, ...taken }, 'message.accepted');
  return goOn;
}

/**
 * True if the call was refused for a file that the platform lost before its time, and is to be made again with a new
 * registration. An id that the platform does not know is registered again once a message, however young it is; a file
 * that is refused under a known id only if it was registered long ago, since else the file itself is wrong.
 */
async function hasLostMedia(
  deps: CallDeps,
  message: DueMessage,
  error: unknown,
  platformMediaId: string | undefined,
): Promise<boolean> {
  if (!(error instanceof VendorError) || error.outcome !== 'refused') return false;
  if (message.media_id === null || platformMediaId === undefined) return false;
  const kind = deps.platform.classify(error);
  // "Object with ID '<media id>' does not exist" is about the file, not about the number
  const isUnknown =
    kind === 'media_unknown' || (kind === 'halt_sender' && error.message.includes(`'${platformMediaId}'`));
  if (!isUnknown && kind !== 'media_refused') return false;
  return deps.forgetMedia({
    ...{ mediaId: message.media_id, senderId: message.sender_id, platformMediaId },
    ...(isUnknown ? { registeredBefore: createdAt(message.id) } : {}),
  });
}

/** Nothing was sent: what the message needs is gone (it fails), or cannot be had now (it is tried again). */
async function settleUnprepared(deps: CallDeps, message: DueMessage, error: unknown): Promise<CallAdvice> {
  if (error instanceof AppError && (error.code.endsWith('_not_found') || error.code === 'media_damaged')) {
    await deps.failed({ ...keyOf(message), error: { ...ownErrors.unsendable, message: error.message } });
    return goOn;
  }
  if (error instanceof VendorError && error.outcome === 'refused') return settleFailure(deps, message, error);
  deps.log.warn({ err: error, messageId: message.id }, 'message.not_prepared');
  return retryUnsent(deps, message);
}

async function retryUnsent(deps: CallDeps, message: DueMessage): Promise<CallAdvice> {
  const delaySeconds = retryDelaySeconds(message.attempts + 1, 'retry');
  await deps.retry({ ...retryOf(message), delaySeconds, error: null, countsAttempt: true });
  deps.doubt([message.id]);
  return goOn;
}

async function settleFailure(
  deps: CallDeps,
  message: DueMessage,
  error: unknown,
  used?: SenderAccess,
): Promise<CallAdvice> {
  if (!(error instanceof VendorError) || error.outcome === 'unknown')
    return leaveUnknown(deps, message, error, used);
  deps.onOutcome(error.outcome === 'refused' ? deps.platform.classify(error) : error.outcome);
  if (error.outcome === 'not_sent') return retryUnsent(deps, message);
  const kind = deps.platform.classify(error);
  if (isHalt(kind) && used && (await hasNewToken(deps, used))) {
    await deps.retry({ ...retryOf(message), delaySeconds: 0, error: null, countsAttempt: false });
    return goOn;
  }
  const { retryAfterSeconds } = error;
  return recordRejection(deps, message, { kind, error: errorOf(error), retryAfterSeconds, used });
}

/**
 * Leaves a message marked that may have been sent. An answer that every call would get (a page of a captive portal)
 * halts the number, so that only the calls under way are lost to it.
 */
async function leaveUnknown(
  deps: CallDeps,
  message: DueMessage,
  error: unknown,
  used: SenderAccess | undefined,
): Promise<CallAdvice> {
  deps.onOutcome('unknown');
  deps.log.warn({ err: error, messageId: message.id }, 'message.outcome_unknown');
  const kind = error instanceof VendorError && error.code !== undefined && deps.platform.classify(error);
  if (!kind || !isHalt(kind)) return goOn;
  const told = errorOf(error as VendorError);
  await deps.halt({ senderId: message.sender_id, kind, error: told, used });
  return { kind: 'halt' };
}

/** True if the call used a token that was replaced meanwhile: the number is not to be halted for the old one. */
async function hasNewToken(deps: CallDeps, used: SenderAccess): Promise<boolean> {
  const current = await deps.freshAccessOf(used.senderId);
  return current !== undefined && current.credential !== used.credential;
}
