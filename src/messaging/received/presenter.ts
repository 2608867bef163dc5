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
 * numbers beyond 2^53. `content` is the JSON of `row.content`, for callers that have it.
 */
export function receivedJson(row: ReceivedRow, content: string = JSON.stringify(row.content)): string {
  const inner = content === '{}' ? '' : `${content.slice(1, -1)},`;
  const context = { messageId: row.context_ref, id: row.context_id, sendId: row.context_send_id };
  const reference = row.context_ref === null ? '' : `"context":${JSON.stringify(context)},`;
  const seconds = row.sent_at === null ? null : Math.floor(row.sent_at.getTime() / 1000);
  const raw = row.raw === null ? '"rawOmitted":true,"raw":null' : `"raw":${row.raw}`;
  // one text, not objects: this runs for every message
  return (
    `{"_id":"${row.id}","messageId":${JSON.stringify(row.message_ref)},"senderId":"${row.sender_id}",` +
    `"phone":${JSON.stringify(row.phone)},"userId":${JSON.stringify(row.user_id)},"name":${JSON.stringify(row.name)},` +
    `"type":${JSON.stringify(row.type)},${inner}${reference}` +
    `"timestamp":${seconds},"receivedAt":"${row.received_at.toISOString()}",${raw}}`
  );
}
