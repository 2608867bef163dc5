// Bodies of events: their fields and exact bytes. Pure.
import type { EventKind } from '../../contract/webhooks.ts';
import type { StageName } from './delivery.ts';

/** The content of a `messages.status` event. */
export interface MessageStatus {
  /** The platform's identifier, or our `id` if the platform never assigned one. */
  messageId: string;
  id: string;
  sendId: string;
  status: StageName;
  /** As given by the caller. */
  recipientPhone: string;
  /** The platform's time, in epoch seconds. */
  timestamp: number;
  error: { code: number; title: string; message: string } | null;
  metadata: Record<string, string> | null;
}

/** The content of a `replies.status` event: either `recipientPhone` or `recipientUserId` is set. */
export interface ReplyStatus extends Omit<MessageStatus, 'sendId' | 'recipientPhone'> {
  recipientPhone: string | null;
  recipientUserId: string | null;
}

const beyondAscii = /[\u0080-\uffff]/g;

/** The same JSON with every character beyond ASCII escaped: receivers that hash decoded text get the same digest. */
const inAscii = (json: string): string =>
  json.replace(beyondAscii, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** JSON in ASCII alone. */
export function asciiJson(value: unknown): string {
  return inAscii(JSON.stringify(value));
}

/** The body of an event whose data is already JSON: it is kept as it is, numbers with every digit. */
export function eventBodyOf(kind: EventKind, createdAtMs: number, data: string): string {
  const line = unusual.test(data) ? inAscii(withoutLineBreaks(data)) : data;
  return `{"event":"${kind}","timestamp":"${new Date(createdAtMs).toISOString()}","data":${line}}`;
}

/** What is written differently in a body. */
const unusual = /[\r\n\u0080-\uffff]/;

/** A line break in valid JSON is white space; bodies are stored in lines. */
const withoutLineBreaks = (json: string): string => json.replace(/[\r\n]/g, ' ');

/** The body of an event of any kind: `{event, timestamp, data}`. */
export function eventBody(kind: EventKind, createdAtMs: number, data: unknown): string {
  return asciiJson({ event: kind, timestamp: new Date(createdAtMs).toISOString(), data });
}

/** The body of a `messages.status` event; `error` is null for every stage except `failed`. */
export function messageStatusBody(status: MessageStatus, createdAtMs: number): string {
  return eventBody('messages.status', createdAtMs, {
    messageId: status.messageId,
    status: status.status,
    recipientPhone: status.recipientPhone,
    timestamp: status.timestamp,
    error: status.status === 'failed' ? status.error : null,
    id: status.id,
    sendId: status.sendId,
    metadata: status.metadata ?? {},
  });
}

/** The body of a `replies.status` event, in the form of `messages.status`. */
export function replyStatusBody(status: ReplyStatus, createdAtMs: number): string {
  return eventBody('replies.status', createdAtMs, {
    messageId: status.messageId,
    status: status.status,
    recipientPhone: status.recipientPhone,
    recipientUserId: status.recipientUserId,
    timestamp: status.timestamp,
    error: status.status === 'failed' ? status.error : null,
    id: status.id,
    sendId: null,
    metadata: status.metadata ?? {},
  });
}
