// How the account owner's server checks a webhook, step by step (pure but for the HMAC).
import { createHmac, timingSafeEqual } from 'node:crypto';

/** What it answers: 200 if the body is genuine, else the status and why. */
export type Verdict = { status: 200 } | { status: 401 | 500; why: string };

/**
 * The seven steps: 1 the header is there (else 401); 2 a secret is configured (else 500); 3 `sha256=` is taken off;
 * 4 64 hex digits remain (else 401); 5 HMAC-SHA-256 of the raw body; 6 compared in constant time, 401 on a
 * difference; 7 genuine. With several secrets (a rotation) one of them must fit.
 */
export function verify(header: string | undefined, secrets: readonly string[], body: Buffer): Verdict {
  if (header === undefined) return { status: 401, why: 'the signature header is missing' };
  if (secrets.length === 0) return { status: 500, why: 'no webhook secret is configured' };
  const hex = header.startsWith('sha256=') ? header.slice('sha256='.length) : header;
  if (!/^[0-9a-f]{64}$/i.test(hex)) return { status: 401, why: 'the signature is not 64 hex digits' };
  const given = Buffer.from(hex, 'hex');
  let fits = false;
  for (const secret of secrets)
    fits = timingSafeEqual(given, createHmac('sha256', secret).update(body).digest()) || fits;
  return fits ? { status: 200 } : { status: 401, why: 'the signature does not fit the body' };
}
