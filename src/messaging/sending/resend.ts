// Resending a failed message as a new message, once.
import { AppError, type Problem } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import { uuidTime } from '../../base/uuid-time.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { RequestKey } from '../../db/idempotency-keys.ts';
import type { FilledTemplate } from '../../ports/platform.ts';
import { mediaNotFound } from '../media/stored-file.ts';
import { isErased } from '../messages/erased-content.ts';
import { messageNotFound } from '../messages/find.ts';
import { storedFilesOf } from '../messages/media.ts';
import { messageKind, ownErrors, state } from '../messages/message.ts';
import { authenticationPriority } from '../messages/priority.ts';
import { findResends, insertResend } from '../messages/resends-store.ts';
import { findSend } from '../messages/sends-store.ts';
import { findKeptMessage, findMessage, type MessageRow } from '../messages/store.ts';
import { findFileById } from '../template-content/media-files.ts';
import type { TemplatePlan } from '../template-content/placeholders.ts';
import { refill } from '../template-content/refill.ts';
import type { TemplateRow } from '../templates/store.ts';
import type { SendRequest } from './recipients.ts';
import { resolveTemplate, sendablePlan } from './resolve-template.ts';
import { type SendDeps, startSend } from './send.ts';

export interface ResendRequest {
  accountId: string;
  messageId: string;
  /** Also resend a message that may have been sent. */
  evenIfUnknown: boolean;
}

export interface ResendDeps extends SendDeps {
  /** Resends a reply: queues its content again, with a key if there is one. `also` runs in its transaction, with the new id. */
  resendReply: (
    old: MessageRow,
    key: RequestKey | undefined,
    also: (tx: Tx, id: string) => Promise<void>,
  ) => Promise<{ id: string; awaited: string[] }>;
}

export interface ResentMessage {
  /** The new message. */
  id: string;
  /** The send or reply that this request created; undefined if the message had been resent before. */
  startedId: string | undefined;
  /** The messages that may complete soon. */
  awaited: string[];
}

/**
 * Resends a failed message to the same recipient by the same sender, as a send or reply of one message with all its checks. A message
 * is resent once: a repeat returns the first new message. Throws 404 `message_not_found`; 409 `message_not_failed` (also for
 * an unknown outcome, unless `evenIfUnknown`), `content_removed` for authentication messages, `template_changed` if the
 * content no longer fits the template; and whatever `startSend` throws.
 */
export async function resendMessage(
  deps: ResendDeps,
  input: ResendRequest,
  key: RequestKey | undefined,
): Promise<ResentMessage> {
  const failed = await requireMessage(deps.db, input);
  const before = await resentBefore(deps.db, input);
  if (before) return before;
  if (isErased(failed))
    throw new AppError('content_removed', 'The person was erased, so this message cannot be sent again.');
  requireFailed(failed, input);
  const claimFor = (tx: Tx, newId: string) => claim(tx, { ...input, newId });
  try {
    if (failed.kind === messageKind.reply) {
      const { id, awaited } = await deps.resendReply(failed, key, claimFor);
      return { id, startedId: id, awaited };
    }
    return await resendTemplate(deps, failed, key, claimFor);
  } catch (error) {
    if (!(error instanceof NotClaimed)) throw error;
    const earlier = await resentBefore(deps.db, input);
    if (earlier) return earlier;
    throw notFailed('The message is no longer failed: the platform reported it in the meantime.');
  }
}

async function resendTemplate(
  deps: ResendDeps,
  failed: MessageRow,
  key: RequestKey | undefined,
  claimFor: (tx: Tx, newId: string) => Promise<void>,
): Promise<ResentMessage> {
  const request = await requestOf(deps, failed);
  const send = await startSend(deps, request, key, async (tx, [message]) => {
    if (message) await claimFor(tx, message.id);
  });
  const [message] = send.messages;
  if (!message) throw new Error('A send of one recipient has one message.');
  return { id: message.id, startedId: send.id, awaited: send.awaited };
}

/** The message was resent, or is no longer failed, since it was read. */
class NotClaimed extends Error {}

async function claim(tx: Tx, resend: Parameters<typeof insertResend>[1]): Promise<void> {
  if (!(await insertResend(tx, resend))) throw new NotClaimed();
}

async function requireMessage(db: Db, { accountId, messageId }: ResendRequest): Promise<MessageRow> {
  const row = isUuid(messageId) ? await findMessage(db, accountId, messageId) : undefined;
  if (row) return row;
  // what is kept apart from the queue is not failed either
  throw isUuid(messageId) && (await findKeptMessage(db, accountId, messageId))
    ? notFailed(stillGoing)
    : messageNotFound();
}

async function resentBefore(
  db: Db,
  { accountId, messageId }: ResendRequest,
): Promise<ResentMessage | undefined> {
  const links = await findResends(db, accountId, [messageId.toLowerCase()]);
  const link = links.find((one) => one.message_id === messageId.toLowerCase());
  return link && { id: link.new_id, startedId: undefined, awaited: [] };
}

const stillGoing = 'Only a failed message can be resent; this one is not failed.';

function notFailed(message: string): AppError {
  return new AppError('message_not_failed', message);
}

function requireFailed(row: MessageRow, { evenIfUnknown }: ResendRequest): void {
  if (row.state !== state.failed) throw notFailed(stillGoing);
  if (row.error?.code === ownErrors.outcomeUnknown.code && !evenIfUnknown) {
    throw notFailed(
      'This message may have been sent (outcome_unknown), so the recipient may get it twice. To resend it anyway, repeat the request with {"evenIfUnknown": true}.',
    );
  }
}

function contentRemoved(): AppError {
  return new AppError(
    'content_removed',
    'The content of authentication messages is not stored for resending. Send a new code with POST /v1/templates/send.',
  );
}

/** The request for the same content, with the variable names of the template as it is now. */
async function requestOf(deps: SendDeps, old: MessageRow): Promise<SendRequest> {
  const { account_id: accountId, sender_id: senderId } = old;
  // the database has both for every message of a send
  const [templateId, phone] = [old.template_id as string, old.phone as string];
  const content = old.content as unknown as FilledTemplate & { removed?: unknown };
  if (old.priority === authenticationPriority || content.removed !== undefined) throw contentRemoved();
  const { template } = await resolveTemplate(deps.hot, accountId, { templateId });
  if (template.category.toUpperCase() === 'AUTHENTICATION') throw contentRemoved();
  const mediaId = old.media_id === null ? undefined : await publicIdOf(deps.db, accountId, old.media_id);
  const ofCards = new Map<string, string>();
  for (const id of storedFilesOf(null, content)) ofCards.set(id, await publicIdOf(deps.db, accountId, id));
  return {
    accountId,
    templateId,
    senderId,
    recipients: [
      {
        phone,
        name: old.name,
        metadata: old.metadata ?? undefined,
        mediaId,
        ...refill(planOf(template), content, (id) => ofCards.get(id)),
      },
    ],
    expiresInSeconds: await timeToLiveOf(deps, old),
    problemsOf: ([first]) => noLongerFits(template, first),
  };
}

/**
 * The original time to live in seconds: that of the send. The message may have waited for days before that began, so its own
 * times only stand in for a send that was removed, or is of a release that did not record it.
 */
async function timeToLiveOf({ db }: SendDeps, old: MessageRow): Promise<number> {
  const send = old.send_id === null ? undefined : await findSend(db, old.account_id, old.send_id);
  const ownMs = old.expires_at.getTime() - uuidTime(old.id).getTime();
  return send?.expires_in ?? Math.max(1, Math.round(ownMs / 1000));
}

/** The template's plan; 409 if it now has parts that this gateway cannot fill. */
function planOf(template: TemplateRow): TemplatePlan {
  try {
    return sendablePlan(template);
  } catch {
    throw templateChanged(template);
  }
}

/** The 409 for content that no longer fits its template, with the first problem: a variable, or an offer that has ended. */
function noLongerFits({ name }: TemplateRow, first: Problem | undefined): AppError {
  const why = first ? ` (${first.path.replace(/^recipients\[0\]\./, '')}: ${first.message})` : '';
  return new AppError(
    'template_changed',
    `The content of this message no longer fits the template ${name}${why}. Send it again with POST /v1/templates/send.`,
  );
}

function templateChanged({ name }: TemplateRow): AppError {
  return new AppError(
    'template_changed',
    `The template ${name} has changed, and the content of this message no longer fits it. Send it again with POST /v1/templates/send.`,
  );
}

async function publicIdOf(db: Db, accountId: string, id: string): Promise<string> {
  const found = await findFileById(db, accountId, id);
  if (!found) throw mediaNotFound();
  return found.publicId;
}
