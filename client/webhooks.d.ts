// Types of webhooks.js.

/** Headers as Node, Express, Fastify or fetch give them; letter case does not matter. */
export type WebhookHeaders =
  | Record<string, string | string[] | undefined>
  | { get(name: string): string | null };

/** What a `messages.status` webhook says. */
export interface MessageStatusEvent {
  event: 'messages.status';
  /** RFC 3339, in UTC: when the event was made. */
  timestamp: string;
  data: {
    messageId: string;
    status: 'sent' | 'delivered' | 'read' | 'failed';
    recipientPhone: string;
    /** The platform's time, in epoch seconds. */
    timestamp: number;
    error: { code: number; title: string; message: string } | null;
    id: string;
    sendId: string;
    metadata: Record<string, string>;
  };
}

/** Any other kind. */
export interface OtherEvent {
  event:
    | 'templates.status'
    | 'appointments.booked'
    | 'appointments.cancelled'
    | 'appointments.rescheduled'
    | 'calendars.status'
    | 'test';
  timestamp: string;
  data: Record<string, unknown>;
}

export type WebhookEvent = MessageStatusEvent | OtherEvent;

/** Thrown when a webhook is not genuine, too old, or malformed. */
export class WebhookVerificationError extends Error {}

/**
 * Checks webhook-id, webhook-timestamp and webhook-signature against the exact bytes received. Several secrets: one of
 * them must fit, as during a rotation. `toleranceSeconds`: how old a webhook may be (default 300).
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options?: { toleranceSeconds?: number; nowMs?: number },
): { id: string; event: WebhookEvent };

/** Checks x-webhook-signature alone, which holds no time and so no protection against replays. */
export function verifySignature(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): WebhookEvent;
