// Presenter: results of sends and messages as the API returns them. Pure.
import { counted } from '../../base/counted.ts';
import { uuidTime } from '../../base/uuid-time.ts';
import { messageKinds } from '../../contract/messages.ts';
import type { MessageContents } from './contents.ts';
import { messageKind, state, stateName } from './message.ts';
import type { Resend } from './resends-store.ts';
import type { SendName } from './sends-store.ts';
import type { ResultRow, ShownMessage } from './store.ts';
import { timelineOf } from './timeline.ts';

/** A recipient's result in the response to a send or reply: `accepted` covers every later state. */
export function resultName(row: Pick<ResultRow, 'state'>): 'accepted' | 'failed' | 'queued' {
  if (row.state === state.failed) return 'failed';
  return row.state >= state.accepted ? 'accepted' : 'queued';
}

/** The `data` of the response to a send, with the result for each recipient. */
export function presentSend(send: { id: string; templateId: string }, rows: ResultRow[]) {
  const messages = rows.map((row) => {
    const status = resultName(row);
    return {
      id: row.id,
      messageId: status === 'queued' ? null : row.wamid,
      recipientPhone: row.phone,
      name: row.name,
      status,
      error: status === 'failed' ? row.error : null,
    };
  });
  const count = (status: string) => messages.filter((message) => message.status === status).length;
  return {
    sendId: send.id,
    templateId: send.templateId,
    total: messages.length,
    accepted: count('accepted'),
    failed: count('failed'),
    queued: count('queued'),
    messages,
  };
}

/** The results of a send in one sentence; of one that waits for `sendAt`, that it does. */
export function describeSend(
  send: { total: number; accepted: number; failed: number; queued: number },
  sendAt: Date | null,
): string {
  const { total, accepted, failed, queued } = send;
  const parts = [
    accepted > 0 ? `${accepted} accepted` : '',
    failed > 0 ? `${failed} failed` : '',
    queued > 0 ? `${queued} queued` : '',
  ].filter((part) => part !== '');
  const recipients = counted(total, 'recipient');
  if (sendAt) return `Template scheduled for ${sendAt.toISOString()}: ${recipients}.`;
  return `Template sent to ${recipients}: ${parts.join(', ')}.`;
}

/** The category by the priority of its messages. */
const categories = ['AUTHENTICATION', 'UTILITY', 'MARKETING'] as const;

/** The category of a message's template when it was sent. */
export const categoryOf = (priority: number) => categories[priority] ?? 'MARKETING';

/**
 * A message with its timeline. `resends` includes those that the message is part of; `contents` is undefined for a caller
 * who may not read them.
 */
export function presentMessage(
  row: ShownMessage,
  {
    resends,
    send,
    contents,
  }: {
    resends: readonly Resend[];
    send: SendName | undefined;
    contents: Pick<MessageContents, 'variables' | 'text' | 'textSource' | 'reply'> | undefined;
  },
) {
  const isReply = row.kind === messageKind.reply;
  return {
    id: row.id,
    messageId: row.wamid,
    kind: messageKinds[row.kind] ?? 'template',
    sendId: row.send_id,
    templateId: row.template_id,
    templateName: isReply ? null : (send?.template_name ?? ''),
    language: isReply ? null : (send?.language ?? ''),
    category: isReply ? null : categoryOf(row.priority),
    senderId: row.sender_id,
    recipientPhone: row.phone,
    recipientUserId: row.user_id,
    name: row.name,
    status: stateName(row.state),
    error: row.error,
    variables: contents?.variables ?? null,
    text: contents?.text ?? null,
    reply: contents?.reply ?? null,
    textSource: contents?.textSource ?? null,
    priceCategory: row.price_category,
    billable: row.billable,
    attempts: row.attempts,
    metadata: row.metadata,
    resentAs: resends.find((one) => one.message_id === row.id)?.new_id ?? null,
    resendOf: resends.find((one) => one.new_id === row.id)?.message_id ?? null,
    expiresAt: row.expires_at?.toISOString() ?? null,
    timeline: timelineOf({
      createdAt: uuidTime(row.id),
      acceptedAt: row.accepted_at,
      sentAt: row.sent_at,
      deliveredAt: row.delivered_at,
      readAt: row.read_at,
      failedAt: row.failed_at,
      // without a platform reference, the call was rejected, which has no platform time, or the gateway failed the message
      isFailureReported: row.wamid !== null,
      implied: row.implied,
    }),
    createdAt: uuidTime(row.id).toISOString(),
  };
}
