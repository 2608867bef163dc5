// Verification of webhooks with Web Crypto, for edge runtimes too: Node 20 or later, Bun, Deno, workers.
import type { WebhookEvent } from './generated.ts';
import {
  type Claim,
  eventOf,
  plainClaim,
  standardClaim,
  type VerifiedWebhook,
  type VerifyOptions,
  type WebhookHeaders,
} from './webhook-parts.ts';

type Bytes = Uint8Array<ArrayBuffer>;

async function isGenuine({ content, signatures, keys }: Claim): Promise<boolean> {
  const subtle = globalThis.crypto?.subtle;
  if (!subtle)
    throw new Error(
      'Web Crypto is missing. Use verifyWebhook of chatbot-gateway-client/webhooks, for example in Node 18.',
    );
  for (const key of keys) {
    const algorithm = { name: 'HMAC', hash: 'SHA-256' };
    const imported = await subtle.importKey('raw', key as Bytes, algorithm, false, ['verify']);
    for (const one of signatures)
      if (await subtle.verify('HMAC', imported, one as Bytes, content as Bytes)) return true;
  }
  return false;
}

/** Like `verifyWebhook` of `chatbot-gateway-client/webhooks`: rejects with `WebhookVerificationError`. */
export async function verifyWebhookAsync(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  options?: VerifyOptions,
): Promise<VerifiedWebhook> {
  const claim = standardClaim(rawBody, headers, secrets, options);
  return { id: claim.id, event: eventOf(claim, await isGenuine(claim)) };
}

/** Like `verifySignature` of `chatbot-gateway-client/webhooks`: rejects with `WebhookVerificationError`. */
export async function verifySignatureAsync(
  rawBody: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
): Promise<WebhookEvent> {
  const claim = plainClaim(rawBody, headers, secrets);
  return eventOf(claim, await isGenuine(claim));
}
