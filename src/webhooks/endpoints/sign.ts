// Signatures of a delivery: `x-webhook-signature` over the body, and the Standard Webhooks header. Pure.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** One secret as the keys of both signatures. */
export interface SigningKey {
  /** For `x-webhook-signature`: the UTF-8 bytes of the secret as shown. */
  body: KeyObject;
  /** For `webhook-signature`: the decoded part after `whsec_`, or the bytes of a secret without the prefix. */
  standard: KeyObject;
}

const prefix = 'whsec_';
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The keys of a secret, generated or chosen by the owner. */
export function signingKey(secret: string): SigningKey {
  const standard = secret.startsWith(prefix)
    ? Buffer.from(secret.slice(prefix.length), 'base64')
    : Buffer.from(secret);
  return { body: createSecretKey(Buffer.from(secret)), standard: createSecretKey(standard) };
}

/**
 * The problem with a secret chosen by the owner, or undefined. A secret has 16 to 256 printable ASCII characters, and base64 of at least 16 bytes after
 * `whsec_`, which receivers' libraries decode.
 */
export function secretProblem(secret: string): string | undefined {
  if (!/^[\x20-\x7e]{16,256}$/.test(secret)) return 'must be 16 to 256 printable ASCII characters';
  if (!secret.startsWith(prefix)) return undefined;
  const encoded = secret.slice(prefix.length);
  const isValid = base64.test(encoded) && Buffer.from(encoded, 'base64').length >= 16;
  return isValid
    ? undefined
    : 'must contain base64 of at least 16 bytes after whsec_, or start with another prefix';
}

/** `x-webhook-signature`: `sha256=` and the HMAC-SHA-256 of the exact body in hexadecimal. `body` is ASCII. */
export function bodySignature(key: SigningKey, body: string): string {
  return `sha256=${createHmac('sha256', key.body).update(body, 'latin1').digest('hex')}`;
}

/** `webhook-signature` (Standard Webhooks 1.0.0): `v1,` and the base64 HMAC-SHA-256 of `id.timestamp.body`, one per key, separated by spaces. */
export function standardSignature(
  keys: readonly SigningKey[],
  id: string,
  timestampSeconds: number,
  body: string,
): string {
  const content = `${id}.${timestampSeconds}.${body}`;
  return keys
    .map((key) => `v1,${createHmac('sha256', key.standard).update(content, 'latin1').digest('base64')}`)
    .join(' ');
}
