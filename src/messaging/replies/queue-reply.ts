// Writing a reply: the person's window, one transaction, and its dispatch.
import { AppError } from '../../base/errors.ts';
import { isUuid, uuidv7 } from '../../base/ids.ts';
import type { Tx } from '../../db/db.ts';
import { insertKey, type RequestKey } from '../../db/idempotency-keys.ts';
import { inProgress } from '../../http/idempotency.ts';
import type { ReplyContent } from '../../ports/platform.ts';
import { phoneIdentity, userIdentity } from '../contacts/identity.ts';
import type { StoredCalls } from '../dispatch/prepared-message.ts';
import { findMedia, lockMediaShared, recordUse } from '../media/store.ts';
import { mediaNotFound } from '../media/stored-file.ts';
import type { LeasedReply, StoredReply } from '../messages/message.ts';
import { replyPriority } from '../messages/priority.ts';
import { findSenderById } from '../senders/store.ts';
import { chooseDispatchModes } from '../sending/dispatch-modes.ts';
import { releaseIfUnavailable, type SendDeps } from '../sending/send.ts';
import { keyLeaseOf } from '../sending/store-send.ts';
import {
  type Conversation,
  findConversation,
  type InsertedReply,
  insertReply,
  type NewReply,
} from './store.ts';

export type ReplyDeps = SendDeps;

/** A reply, checked except for its window. */
export interface ReplyRequest {
  accountId: string;
  /** Digits with country code, or the platform's id of the person, present or earlier. */
  to: { phone: string } | { userId: string };
  /** Default: the number that the person wrote to last. */
  senderId?: string | undefined;
  content: ReplyContent;
  /** The platform's id of the message to quote, or to react to. */
  replyTo?: string | undefined;
  metadata?: Record<string, string> | undefined;
}

export interface QueuedReply {
  id: string;
  phone: string | null;
  userId: string | null;
  /** The ids of messages that may complete soon: none if the sender may not even reply. */
  awaited: string[];
}

const identityOf = (to: ReplyRequest['to']): string =>
  'phone' in to ? phoneIdentity(to.phone) : userIdentity(to.userId);

/** The 409 outside the window. `closedAt`: when it closed; null if the person never wrote to the number. */
function windowClosed(closedAt: Date | null): AppError {
  const when = closedAt
    ? `closed at ${closedAt.toISOString()}, 24 hours after their last message to this number`
    : 'is closed: this person never wrote to this number';
  return new AppError(
    'window_closed',
    `The reply window ${when}. Send a template with POST /v1/templates/send instead.`,
    { extra: { closedAt: closedAt?.toISOString() ?? null } },
  );
}

/**
 * Finds the conversation that a reply belongs to. Throws 404 `sender_not_found`, or 409 `window_closed` with `closedAt`.
 */
export async function requireConversation(
  { hot }: Pick<ReplyDeps, 'hot'>,
  { accountId, to, senderId }: Pick<ReplyRequest, 'accountId' | 'to' | 'senderId'>,
): Promise<Conversation> {
  if (senderId !== undefined) {
    const sender = isUuid(senderId) ? await findSenderById(hot, senderId) : undefined;
    if (sender?.account_id !== accountId)
      throw new AppError('sender_not_found', 'There is no such sender in this account.');
  }
  const conversation = await findConversation(hot, { accountId, identity: identityOf(to), senderId });
  if (!conversation?.is_open) throw windowClosed(conversation?.closes_at ?? null);
  return conversation;
}

/**
 * Stores a reply, with the caller's idempotency key if there is one, and dispatches it: durable, paced, never sent twice. Its
 * stages are `replies.status` events. It expires (900002) when the window closes. `also` runs first in its transaction, with the
 * reply's id. Throws 404 `sender_not_found` or `media_not_found`, 409 `window_closed`, 429 `queue_full`; then nothing is stored.
 */
export async function queueReply(
  deps: ReplyDeps,
  request: ReplyRequest,
  key?: RequestKey,
  also?: (tx: Tx, id: string) => Promise<void>,
): Promise<QueuedReply> {
  const conversation = await requireConversation(deps, request);
  const mediaId = await storedFileOf(deps, request);
  await deps.checkQueue(request.accountId, 1);
  const reply = { ...newReplyOf(deps, request, conversation), mediaId };
  const { sender_id: id, messages_per_second } = conversation;
  const files = conversation.is_halted
    ? new Map()
    : await chooseDispatchModes(deps, [reply], { id, messages_per_second }, replyPriority);
  const reserved = reply.dispatchMode === 'dispatching' ? [leased(reply, null)] : [];
  const begunAtMs = deps.clock.steady();
  let stored: InsertedReply;
  try {
    stored = await store(deps, reply, request, { key, also });
  } catch (error) {
    deps.dispatcher.abandonReserved(reserved);
    releaseIfUnavailable(deps, error, reply.id);
    throw error;
  }
  dispatch(deps, reply, stored, { begunAtMs, files });
  const { phone, userId } = reply;
  return { id: reply.id, phone, userId, awaited: stored.isOpen ? [reply.id] : [] };
}

/** The public id of the stored file in a reply. */
const publicIdOf = ({ content }: Pick<ReplyRequest, 'content'>): string | undefined =>
  content.kind === 'media' ? content.mediaId : undefined;

/** The row of the stored file in a reply; null if there is none. Throws 404 `media_not_found`. */
async function storedFileOf({ hot }: Pick<ReplyDeps, 'hot'>, request: ReplyRequest): Promise<string | null> {
  const publicId = publicIdOf(request);
  if (publicId === undefined) return null;
  const row = await findMedia(hot, request.accountId, publicId);
  if (!row) throw mediaNotFound();
  await recordUse(hot, [row.id]);
  return row.id;
}

function newReplyOf(deps: ReplyDeps, request: ReplyRequest, conversation: Conversation): NewReply {
  const { accountId, to, content, replyTo, metadata } = request;
  const stored: StoredReply = { reply: content, ...(replyTo === undefined ? {} : { replyTo }) };
  return {
    ...{ accountId, id: uuidv7(deps.clock.now()), senderId: conversation.sender_id },
    identity: identityOf(to),
    phone: 'phone' in to ? to.phone : null,
    // an earlier id of the person reaches nobody
    userId: 'userId' in to ? (conversation.user_id ?? to.userId) : null,
    ...{ content: stored, mediaId: null, metadata: metadata ?? null },
    ...{ priority: replyPriority, processId: deps.processId, dispatchMode: 'queued' },
  };
}

async function store(
  deps: ReplyDeps,
  reply: NewReply,
  request: ReplyRequest,
  { key, also }: { key: RequestKey | undefined; also: Parameters<typeof queueReply>[3] },
): Promise<InsertedReply> {
  // thrown inside the transaction, so that no key is stored without its reply
  const gone = async (): Promise<never> => {
    await requireConversation(deps, request);
    throw new AppError('conflict', 'The conversation changed in the meantime. Send the reply again.');
  };
  const publicId = publicIdOf(request);
  if (key === undefined && also === undefined && publicId === undefined)
    return (await insertReply(deps.hot, reply)) ?? gone();
  return deps.hot.transaction().execute(async (tx) => {
    await also?.(tx, reply.id);
    if (publicId !== undefined && (await lockMediaShared(tx, reply.accountId, [publicId])).length === 0)
      throw mediaNotFound();
    const of = { subjectId: reply.id, answeredBy: reply.id };
    if (key && !(await insertKey(tx, { ...key, ...keyLeaseOf(deps), ...of }))) throw inProgress();
    return (await insertReply(tx, reply)) ?? gone();
  });
}

function dispatch(
  deps: ReplyDeps,
  reply: NewReply,
  { isOpen, isDispatching, lease, firstInMs }: InsertedReply,
  known: Pick<StoredCalls, 'begunAtMs' | 'files'>,
): void {
  const { dispatcher } = deps;
  if (isDispatching) dispatcher.callReserved([leased(reply, lease)], { ...known, firstInMs });
  else {
    if (reply.dispatchMode === 'dispatching') dispatcher.releaseCalls(reply.senderId, 1);
    if (reply.dispatchMode !== 'queued' && isOpen) dispatcher.offer([leased(reply, lease)]);
  }
  if (!isOpen || reply.dispatchMode === 'queued') deps.nudgeDispatch();
}

const leased = (reply: NewReply, lease: string | null): LeasedReply => ({
  account_id: reply.accountId,
  id: reply.id,
  sender_id: reply.senderId,
  template_name: null,
  language: null,
  phone: reply.phone,
  user_id: reply.userId,
  content: reply.content,
  media_id: reply.mediaId,
  priority: reply.priority,
  attempts: 0,
  lease,
});
