// The bodies of events: their shape and their exact bytes. Pure.
import type { EventKind } from '../contract/webhooks.ts';

/** A message's stages as deliveries number them, in the order in which receivers get them. */
export const stages = { sent: 3, delivered: 4, read: 5, failed: 6 } as const;
export type StageName = keyof typeof stages;

/** What a `messages.status` event says (`api.md` part 7). */
export interface MessageStatus {
  /** The platform's identifier; our `id` if it never gave one. */
  messageId: string;
  id: string;
  sendId: string;
  status: StageName;
  /** As the caller gave it. */
  recipientPhone: string;
  /** The platform's time, in epoch seconds. */
  timestamp: number;
  error: { code: number; title: string; message: string } | null;
  metadata: Record<string, string> | null;
}

const beyondAscii = /[\u0080-\uffff]/g;

/** JSON in pure ASCII, so that every receiver's way of hashing text agrees with ours. */
export function asciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    beyondAscii,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The body of an event of any kind: `{event, timestamp, data}`; `madeAtMs` is when the event was made. */
export function eventBody(kind: EventKind, createdAtMs: number, data: unknown): string {
  return asciiJson({ event: kind, timestamp: new Date(createdAtMs).toISOString(), data });
}

/** The body of a `messages.status` event; `error` stays null for every stage but `failed`. */
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
