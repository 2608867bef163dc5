// Inbound messages on the wire, with the platform's object as it was received. Pure.
import type { ReceivedContent } from '../../ports/platform-received.ts';

/** An inbound message as it is stored. */
export interface ReceivedRow {
  id: string;
  sender_id: string;
  message_ref: string | null;
  phone: string | null;
  user_id: string | null;
  name: string | null;
  type: string;
  content: ReceivedContent;
  media_ref: string | null;
  context_ref: string | null;
  context_id: string | null;
  context_send_id: string | null;
  sent_at: Date | null;
  received_at: Date;
  raw: string | null;
}

/**
 * The JSON of an inbound message. `raw` is the platform's own text, unchanged: parsing and writing it again would round
 * numbers beyond 2^53.
 */
export function receivedJson(row: ReceivedRow): string {
  const item = {
    _id: row.id,
    messageId: row.message_ref,
    senderId: row.sender_id,
    phone: row.phone,
    userId: row.user_id,
    name: row.name,
    type: row.type,
    ...row.content,
    ...(row.context_ref === null
      ? {}
      : { context: { messageId: row.context_ref, id: row.context_id, sendId: row.context_send_id } }),
    timestamp: row.sent_at === null ? null : Math.floor(row.sent_at.getTime() / 1000),
    receivedAt: row.received_at.toISOString(),
    ...(row.raw === null ? { rawOmitted: true } : {}),
  };
  return `${JSON.stringify(item).slice(0, -1)},"raw":${row.raw ?? 'null'}}`;
}
