// Resending a failed reply as a new one.

import type { StoredReply } from '../messages/message.ts';
import type { MessageRow } from '../messages/store.ts';
import type { ResendDeps } from '../sending/resend.ts';
import { type QueuedReply, queueReply, type ReplyDeps } from './queue-reply.ts';

/** Queues the content of a failed reply again, from the same number to the same person. Throws what `queueReply` throws. */
export function resendReply(
  deps: ReplyDeps,
  old: MessageRow,
  key: Parameters<ResendDeps['resendReply']>[1],
  also: Parameters<ResendDeps['resendReply']>[2],
): Promise<QueuedReply> {
  const { reply: content, replyTo } = old.content as unknown as StoredReply;
  const to = old.phone === null ? { userId: old.user_id ?? '' } : { phone: old.phone };
  const { account_id: accountId, sender_id: senderId } = old;
  const request = { accountId, to, senderId, content, replyTo, metadata: old.metadata ?? undefined };
  return queueReply(deps, request, key, also);
}
