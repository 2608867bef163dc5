// The request of an attempt: what is stored, and what follows from it exactly. Pure, except for decrypting the secrets.
import type { Cipher } from '../../base/cipher.ts';
import type { AttemptRequest } from '../../contract/deliveries.ts';
import { contentHeaders, deliveryHeaders } from '../endpoints/headers.ts';
import { signingKeysOf, validSecrets } from '../endpoints/secrets.ts';
import { endpointStatus } from '../endpoints/status.ts';
import type { SignerRow } from './store.ts';

/**
 * Around a change of the endpoint, attempts may have used what was before: a leased delivery waits for up to 75 s, and the clocks of
 * processes and of the database differ.
 */
export const uncertainMs = 3 * 60_000;

/** What is stored of one attempt. */
export interface StoredAttempt {
  endedAtMs: number;
  durationMs: number | null;
  /** `webhook-timestamp`, stored with failed attempts. */
  timestampSeconds: number | null;
}

export interface StoredDelivery {
  id: string;
  body: string;
  /** The body was erased, so that it is no longer what was sent. */
  isErased: boolean;
}

/** The address and headers of the attempt. What is not known exactly is null: nothing is guessed. */
export function sentRequest(
  cipher: Cipher,
  endpoint: SignerRow,
  { id, body, isErased }: StoredDelivery,
  { endedAtMs, durationMs, timestampSeconds }: StoredAttempt,
): AttemptRequest {
  const startedAtMs = timestampSeconds === null ? endedAtMs - (durationMs ?? 0) : timestampSeconds * 1_000;
  const isSince = (change: Date | null) => change === null || startedAtMs >= change.getTime() + uncertainMs;
  const { overlap_until: overlapUntil } = endpoint;
  const areKeysKnown =
    endpoint.status !== endpointStatus.deleted &&
    isSince(endpoint.secrets_changed_at) &&
    (overlapUntil === null || Math.abs(startedAtMs - overlapUntil.getTime()) >= uncertainMs);
  const url = isSince(endpoint.url_changed_at) ? endpoint.url : null;
  const signed =
    areKeysKnown && !isErased
      ? deliveryHeaders(signingKeysOf(validSecrets(cipher, endpoint, startedAtMs)), {
          ...{ id, body, timestampSeconds: timestampSeconds ?? 0 },
        })
      : undefined;
  const values: [name: string, value: string | null][] = [
    ['host', url && new URL(url).host],
    ['content-type', contentHeaders['content-type']],
    ['user-agent', contentHeaders['user-agent']],
    ['x-webhook-signature', signed?.['x-webhook-signature'] ?? null],
    ['webhook-id', id],
    ['webhook-timestamp', timestampSeconds === null ? null : String(timestampSeconds)],
    ['webhook-signature', timestampSeconds === null ? null : (signed?.['webhook-signature'] ?? null)],
    ['content-length', isErased ? null : String(Buffer.byteLength(body))],
  ];
  return { method: 'POST', url, headers: values.map(([name, value]) => ({ name, value })) };
}
