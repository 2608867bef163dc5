// Webhook verification, step by step, as the owner of a receiver would write it.
import { createHmac, timingSafeEqual } from 'node:crypto';

/** The response's status: 200 if the body is genuine, else an error with its reason. */
export type Verdict = { status: 200 } | { status: 401 | 500; why: string };

/**
 * The steps: the header is present (else 401); a secret is configured (else 500); `sha256=` is removed; 64 hex digits
 * remain (else 401); HMAC-SHA-256 of the raw body; comparison in constant time (401 on a difference). With several
 * secrets, during a rotation, one of them must match.
 */
export function verify(header: string | undefined, secrets: readonly string[], body: Buffer): Verdict {
  if (header === undefined) return { status: 401, why: 'the signature header is missing' };
  if (secrets.length === 0) return { status: 500, why: 'no webhook secret is configured' };
  const hex = header.startsWith('sha256=') ? header.slice('sha256='.length) : header;
  if (!/^[0-9a-f]{64}$/i.test(hex)) return { status: 401, why: 'the signature is not 64 hex digits' };
  const given = Buffer.from(hex, 'hex');
  let isValid = false;
  for (const secret of secrets)
    isValid = timingSafeEqual(given, createHmac('sha256', secret).update(body).digest()) || isValid;
  return isValid ? { status: 200 } : { status: 401, why: 'the signature does not match the body' };
}
