// Rows of sends and messages as the wire shows them. Pure.

import { state, stateName } from './message.ts';
import type { MessageRow, ResultRow, SendRow } from './messages-store.ts';
import type { Resend } from './resends-store.ts';
import { timelineOf } from './timeline.ts';

/** What a caller learns of a recipient: taken (and maybe further), refused, or not known to be taken yet. */
function outcomeName(row: ResultRow): 'accepted' | 'failed' | 'queued' {
  if (row.state === state.failed) return 'failed';
  return row.state >= state.accepted ? 'accepted' : 'queued';
}

/** `data` of a send's answer, each recipient with its own outcome. */
export function presentSend(send: { id: string; templateId: string }, rows: ResultRow[]) {
  const messages = rows.map((row) => {
    const status = outcomeName(row);
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

/** What a send came to, in one sentence. */
export function describeSend(answer: {
  total: number;
  accepted: number;
  failed: number;
  queued: number;
}): string {
  const { total, accepted, failed, queued } = answer;
  const parts = [
    accepted > 0 ? `${accepted} accepted` : '',
    failed > 0 ? `${failed} failed` : '',
    queued > 0 ? `${queued} queued` : '',
  ].filter((part) => part !== '');
  return `Template sent to ${total} recipient${total === 1 ? '' : 's'}: ${parts.join(', ')}.`;
}

/** One message with its timeline; `resends` has those that it is part of, and maybe others. */
export function presentMessage(row: MessageRow, resends: readonly Resend[]) {
  return {
    id: row.id,
    messageId: row.wamid,
    sendId: row.send_id,
    templateId: row.template_id,
    senderId: row.sender_id,
    recipientPhone: row.phone,
    name: row.name,
    status: stateName(row.state),
    error: row.error,
    priceCategory: row.price_category,
    attempts: row.attempts,
    metadata: row.metadata,
    resentAs: resends.find((one) => one.message_id === row.id)?.new_id ?? null,
    resendOf: resends.find((one) => one.new_id === row.id)?.message_id ?? null,
    expiresAt: row.expires_at.toISOString(),
    timeline: timelineOf({
      createdAt: createdAt(row.id),
      acceptedAt: row.accepted_at,
      sentAt: row.sent_at,
      deliveredAt: row.delivered_at,
      readAt: row.read_at,
      failedAt: row.failed_at,
      // without an id of the platform's, its answer refused the message, which has no time, or the gateway gave it up
      isFailureReported: row.wamid !== null,
      implied: row.implied,
    }),
    createdAt: createdAt(row.id).toISOString(),
  };
}

/** The time in a UUIDv7 (RFC 9562: its first 48 bits are milliseconds). */
export function createdAt(id: string): Date {
  return new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
}

/** The least id that a message made at that instant could have. */
export function leastIdAt(instant: Date): string {
  const hex = Math.max(0, instant.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`;
}

/** A send with the count of its messages in each state. */
export function presentSendSummary(send: SendRow, counts: { state: number; n: number }[]) {
  return {
    sendId: send.id,
    templateId: send.template_id,
    senderId: send.sender_id,
    total: send.total,
    counts: Object.fromEntries(counts.map(({ state: number, n }) => [stateName(number), n])),
    cancelledAt: send.cancelled_at?.toISOString() ?? null,
    createdAt: send.created_at.toISOString(),
  };
}
