// The headers of a delivery's request. Pure.
import { bodySignature, type SigningKey, standardSignature } from './sign.ts';

/** The keys that sign at one time. */
export interface SigningKeys {
  /** Signs `x-webhook-signature`. */
  bodyKey: SigningKey;
  /** Sign `webhook-signature`. */
  standardKeys: readonly SigningKey[];
}

/** Headers that every delivery has alike. */
export const contentHeaders = {
  'content-type': 'application/json',
  'user-agent': 'chatbot-gateway-webhooks',
} as const;

/** The headers by which receivers verify and recognize a delivery. `timestampSeconds` is the attempt's. */
export function deliveryHeaders(
  { bodyKey, standardKeys }: SigningKeys,
  { id, timestampSeconds, body }: { id: string; timestampSeconds: number; body: string },
) {
  return {
    ...contentHeaders,
    'x-webhook-signature': bodySignature(bodyKey, body),
    'webhook-id': id,
    'webhook-timestamp': String(timestampSeconds),
    'webhook-signature': standardSignature(standardKeys, id, timestampSeconds, body),
  };
}
