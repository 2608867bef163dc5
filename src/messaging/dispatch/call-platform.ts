// The platform call of one dispatching message, and the record of its result. Never runs twice for one message.
import type { Clock } from '../../base/clock.ts';
import { AppError, VendorError } from '../../base/errors.ts';
import { uuidTime } from '../../base/uuid-time.ts';
import type { MessagingPlatform, SenderAccess, SentMessage } from '../../ports/platform.ts';
import { type PlatformMediaIds, storedFilesOf } from '../messages/media.ts';
import {
  keyOf,
  type LeasedMessage,
  leaseKeyOf,
  type MessageError,
  ownErrors,
  retryDelaySeconds,
} from '../messages/message.ts';
import type { RecipientLink } from '../opt-outs/link-recipients.ts';
import { isHalt } from '../senders/halt.ts';
import type { DispatchWrites } from './dispatch-writes.ts';
import { withoutCode } from './one-time-codes.ts';
import { type PreparedMessage, prepareWith } from './prepared-message.ts';
import { type CallAdvice, type RejectionDeps, recordRejection } from './record-rejection.ts';

export interface CallDeps extends RejectionDeps {
  clock: Clock;
  platform: Pick<MessagingPlatform, 'sendTemplate' | 'sendReply' | 'classify' | 'isTemporary'>;
  writes: Pick<DispatchWrites, 'duringCall' | 'accepted' | 'retry' | 'failed' | 'suspend'>;
  /** The sender's address and credential, cached for seconds; undefined if it was removed. */
  accessOf: (senderId: string) => Promise<SenderAccess | undefined>;
  /** The same, not from the cache. */
  freshAccessOf: (senderId: string) => Promise<SenderAccess | undefined>;
  /** The platform's id of a stored file for a sender; registers it again if it expired. */
  registeredMedia: (of: { accountId: string; mediaId: string; senderId: string }) => Promise<string>;
  /**
   * Deletes a registration that the platform rejected, so that the file is registered again. Returns false and keeps it if
   * it is recent and was not made before `registeredBefore`, because then the platform rejects the file itself.
   */
  forgetMedia: (of: {
    mediaId: string;
    senderId: string;
    platformMediaId: string;
    registeredBefore?: Date;
  }) => Promise<boolean>;
  /** Records that the platform writes a recipient's number differently. Never rejects. */
  linkRecipient: (link: RecipientLink) => Promise<void>;
  /** Receives every call's outcome, for metrics: `accepted`, `not_sent`, `unknown`, or the class of the rejection. `ms`: of an accepted call. */
  onOutcome: (outcome: string, ms?: number) => void;
}

/** A process that was suspended for longer must not make the call: another one may have failed the message. */
const dispatchTrustMs = 30_000;

/** The error for a message whose sender is gone. */
export function senderRemoved(): AppError {
  return new AppError('sender_not_found', 'The sender of this message was removed.');
}

/**
 * Gets the media files that a queued message's call needs, which can take as long as an upload. Resolves with undefined if
 * the message cannot be called, and records that. Never rejects.
 */
export async function prepareMessage(
  deps: CallDeps,
  message: LeasedMessage,
): Promise<PreparedMessage | undefined> {
  const { account_id: accountId, sender_id: senderId } = message;
  const files = storedFilesOf(message.media_id, message.content);
  if (files.length === 0) return { message };
  try {
    const ids = await Promise.all(
      files.map((mediaId) => deps.registeredMedia({ accountId, mediaId, senderId })),
    );
    return prepareWith(message, new Map(files.map((id, index) => [id, ids[index] as string])));
  } catch (error) {
    await recordUncalled(deps, message, error);
    return undefined;
  }
}

/** Records why a message is not called: it fails if what it needs was removed, else it is retried. Never rejects. */
export async function recordUncalled(
  deps: CallDeps,
  message: LeasedMessage,
  error: unknown,
): Promise<CallAdvice> {
  return recording(deps, message, async () => {
    if (error instanceof AppError && (error.code.endsWith('_not_found') || error.code === 'media_damaged')) {
      await deps.writes.failed({
        ...keyOf(message),
        error: { ...ownErrors.unsendable, message: error.message },
      });
      return 'continue';
    }
    if (error instanceof VendorError && error.outcome === 'rejected')
      return recordFailure(deps, message, error);
    deps.log.warn({ err: error, messageId: message.id }, 'message.preparation_failed');
    return retryUnsent(deps, message);
  });
}

/**
 * Calls the platform for a message whose dispatch began at `begunAtMs` (of `clock.steady()`), and records the result:
 * accepted; rejected (retried or failed, by its code); not sent (retried); or unknown, and then the message stays
 * dispatching until a report arrives. Writes the request to its connection before it first awaits. Never rejects.
 */
export async function callPlatform(
  deps: CallDeps,
  { message, platformMediaIds }: PreparedMessage,
  access: SenderAccess,
  begunAtMs: number,
): Promise<CallAdvice> {
  return recording(deps, message, async () => {
    if (deps.clock.steady() - begunAtMs > dispatchTrustMs) return retryImmediately(deps, message);
    return deps.writes.duringCall(() => callOnce(deps, message, { access, platformMediaIds }));
  });
}

/** Sends a message, template or reply. */
function sendTo(
  { platform }: CallDeps,
  message: LeasedMessage,
  { access, platformMediaIds }: CallContext,
): Promise<SentMessage> {
  const platformMediaId = platformMediaIds?.get(message.media_id ?? '');
  const common = {
    correlationId: message.id,
    ...(platformMediaId === undefined ? {} : { platformMediaId }),
  };
  if (message.template_name === null) {
    const { reply, replyTo } = message.content;
    return platform.sendReply(access, {
      ...{ phone: message.phone, userId: message.user_id, content: reply, ...common },
      ...(replyTo === undefined ? {} : { replyTo }),
    });
  }
  return platform.sendTemplate(access, {
    phone: message.phone,
    templateName: message.template_name,
    language: message.language,
    filled: message.content,
    ...common,
    ...(platformMediaIds ? { cardMediaIds: platformMediaIds } : {}),
  });
}

async function recording(
  deps: CallDeps,
  message: LeasedMessage,
  act: () => Promise<CallAdvice>,
): Promise<CallAdvice> {
  try {
    return await act();
  } catch (error) {
    // the message keeps its state: the end of its lease, a report or the ten-minute limit resolves it
    deps.log.error({ err: error, messageId: message.id }, 'message.record_failed');
    return 'continue';
  }
}

interface CallContext {
  access: SenderAccess;
  platformMediaIds: PlatformMediaIds | undefined;
}

async function callOnce(deps: CallDeps, message: LeasedMessage, context: CallContext): Promise<CallAdvice> {
  let accepted: SentMessage;
  const beganMs = performance.now();
  try {
    accepted = await sendTo(deps, message, context);
  } catch (caught) {
    const error = withoutCode(message, caught);
    if (await hasLostMedia(deps, message, error, context.platformMediaIds)) return retryUnsent(deps, message);
    return recordFailure(deps, message, error, context.access);
  }
  const callMs = performance.now() - beganMs;
  deps.onOutcome('accepted', callMs);
  deps.completions.called(message.id, callMs);
  await deps.writes.accepted({ ...keyOf(message), messageRef: accepted.messageRef });
  deps.log.debug({ messageId: message.id, ...accepted }, 'message.accepted');
  const { recipientPhone: platformPhone } = accepted;
  // the next message does not wait for it
  if (platformPhone !== undefined && message.phone !== null)
    void deps.linkRecipient({ accountId: message.account_id, phone: message.phone, platformPhone });
  return 'continue';
}

/**
 * True if the platform lost a file of the message, so that it must be registered again. A file with an unknown id is registered
 * again once per message. A file rejected under a known id is registered again only if its registration is old.
 */
async function hasLostMedia(
  deps: CallDeps,
  message: LeasedMessage,
  error: unknown,
  files: PlatformMediaIds = new Map(),
): Promise<boolean> {
  if (!(error instanceof VendorError) || error.outcome !== 'rejected') return false;
  const kind = deps.platform.classify(error);
  // "Object with ID '<media id>' does not exist" is about the file, not about the sender
  const named = [...files].filter(([, id]) => error.message.includes(id));
  const isUnknown =
    kind === 'media_unknown' ||
    (kind === 'halt_sender' && named.some(([, id]) => error.message.includes(`'${id}'`)));
  if (!isUnknown && kind !== 'media_refused') return false;
  let isForgotten = false;
  // a rejection that names no file may be about any
  for (const [mediaId, platformMediaId] of named.length > 0 ? named : files) {
    const forgotten = await deps.forgetMedia({
      ...{ mediaId, senderId: message.sender_id, platformMediaId },
      ...(isUnknown ? { registeredBefore: uuidTime(message.id) } : {}),
    });
    isForgotten ||= forgotten;
  }
  return isForgotten;
}

const retryOf = (message: LeasedMessage) => ({ ...leaseKeyOf(message), error: null });

/** Retries a message that was certainly not sent, with a delay. */
async function retryUnsent(deps: CallDeps, message: LeasedMessage): Promise<CallAdvice> {
  const delaySeconds = retryDelaySeconds(message.attempts + 1, 'retry');
  await deps.writes.retry({ ...retryOf(message), delaySeconds, countsAttempt: true });
  deps.completions.recheckSoon([message.id]);
  return 'continue';
}

/** Retries a message without a delay and without counting the attempt: nothing was wrong with it. */
async function retryImmediately(deps: CallDeps, message: LeasedMessage): Promise<CallAdvice> {
  await deps.writes.retry({ ...retryOf(message), delaySeconds: 0, countsAttempt: false });
  return 'continue';
}

/** Records a failed call by its outcome. `used`: the credentials of the message's own call. */
async function recordFailure(
  deps: CallDeps,
  message: LeasedMessage,
  error: unknown,
  used?: SenderAccess,
): Promise<CallAdvice> {
  if (!(error instanceof VendorError) || error.outcome === 'unknown')
    return leaveUnknown(deps, message, error, used);
  deps.onOutcome(error.outcome === 'rejected' ? deps.platform.classify(error) : error.outcome);
  if (error.outcome === 'not_sent') return retryUnsent(deps, message);
  const kind = deps.platform.classify(error);
  if (isHalt(kind) && used && (await hasNewCredential(deps, used))) return retryImmediately(deps, message);
  const { retryAfterSeconds } = error;
  return recordRejection(deps, message, { kind, error: errorOf(error), retryAfterSeconds, used });
}

/**
 * Leaves a message dispatching that may have been sent. A response that every call would get, as from a captive portal, also
 * halts the sender.
 */
async function leaveUnknown(
  deps: CallDeps,
  message: LeasedMessage,
  error: unknown,
  used: SenderAccess | undefined,
): Promise<CallAdvice> {
  deps.onOutcome('unknown');
  deps.log.warn({ err: error, messageId: message.id }, 'message.outcome_unknown');
  const kind = error instanceof VendorError && error.code !== undefined && deps.platform.classify(error);
  if (!kind || !isHalt(kind)) return 'continue';
  const reported = errorOf(error as VendorError);
  await deps.effects.halt({ senderId: message.sender_id, kind, error: reported, used });
  return 'halt';
}

/** True if the credential of the call was replaced in the meantime: its rejection must not halt the sender. */
async function hasNewCredential(deps: CallDeps, used: SenderAccess): Promise<boolean> {
  const current = await deps.freshAccessOf(used.senderId);
  return current !== undefined && current.credential !== used.credential;
}

function errorOf(error: VendorError): MessageError {
  const code = Number(error.code);
  return {
    code: Number.isFinite(code) ? code : (error.status ?? 0),
    title: error.title ?? 'Refused',
    message: error.message,
  };
}
