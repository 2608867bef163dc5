// Synchronous verification of webhooks with node:crypto: Node 18 or later, Bun, Deno.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { WebhookEvent } from './generated.ts';
import {
  type Claim,
  eventOf,
  plainClaim,
  standardClaim,
  type VerifiedWebhook,
  type VerifyOptions,
  type WebhookHeaders,
  WebhookVerificationError,
} from './webhook-parts.ts';

export type { VerifiedWebhook, VerifyOptions, WebhookEvent, WebhookHeaders };
export { WebhookVerificationError };

function isGenuine({ content, signatures, keys }: Claim): boolean {
  return keys.some((key) => {
    const digest = createHmac('sha256', key).update(content).digest();
    return signatures.some((one) => one.length === digest.length && timingSafeEqual(one, digest));
  });
}

/**
 * Verifies webhook-id, webhook-timestamp and webhook-signature against the exact bytes received. With several secrets
 * one of them must match, as during a rotation. Throws `WebhookVerificationError`.
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options?: VerifyOptions,
): VerifiedWebhook {
  const claim = standardClaim(rawBody, headers, secrets, options);
  return { id: claim.id, event: eventOf(claim, isGenuine(claim)) };
}

/**
 * Verifies the header x-webhook-signature alone. It has no timestamp, so it does not protect against replays: prefer
 * `verifyWebhook`. Throws `WebhookVerificationError`.
 */
export function verifySignature(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): WebhookEvent {
  const claim = plainClaim(rawBody, headers, secrets);
  return eventOf(claim, isGenuine(claim));
}
