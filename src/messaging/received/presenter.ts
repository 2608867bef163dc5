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
  const first = {
    _id: row.id,
    messageId: row.message_ref,
    senderId: row.sender_id,
    phone: row.phone,
    userId: row.user_id,
    name: row.name,
    type: row.type,
  };
  const context = { messageId: row.context_ref, id: row.context_id, sendId: row.context_send_id };
  const last = {
    timestamp: row.sent_at === null ? null : Math.floor(row.sent_at.getTime() / 1000),
    receivedAt: row.received_at.toISOString(),
  };
  const members = [
    membersOf(JSON.stringify(first)),
    membersOf(content),
    row.context_ref === null ? '' : `"context":${JSON.stringify(context)}`,
    membersOf(JSON.stringify(last)),
    row.raw === null ? '"rawOmitted":true,"raw":null' : `"raw":${row.raw}`,
  ];
  return `{${members.filter((one) => one !== '').join()}}`;
}

/** The members of an object's JSON. */
const membersOf = (json: string): string => json.slice(1, -1);
