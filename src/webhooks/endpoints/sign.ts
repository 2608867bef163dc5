// Signatures of a delivery: the given header over the body, and the Standard Webhooks headers. Pure.
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** One secret in the two forms that sign. */
export interface SigningKey {
  /** For `x-webhook-signature`: the UTF-8 bytes of the secret as it was shown. */
  given: KeyObject;
  /** For `webhook-signature`: the decoded part after `whsec_`, or the bytes of a secret without that prefix. */
  standard: KeyObject;
}

const prefix = 'whsec_';
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Reads a secret, our own or an owner's. */
export function signingKey(secret: string): SigningKey {
  const own = secret.startsWith(prefix)
    ? Buffer.from(secret.slice(prefix.length), 'base64')
    : Buffer.from(secret);
  return { given: createSecretKey(Buffer.from(secret)), standard: createSecretKey(own) };
}

/**
 * What is wrong with a secret of the owner's making, or undefined: 16 to 256 printable ASCII characters, and base64 of
 * at least 16 bytes after `whsec_`, since receivers' libraries decode what follows that prefix.
 */
export function secretProblem(secret: string): string | undefined {
  if (!/^[\x20-\x7e]{16,256}$/.test(secret)) return 'must be 16 to 256 printable ASCII characters';
  if (!secret.startsWith(prefix)) return undefined;
  const encoded = secret.slice(prefix.length);
  const sound = base64.test(encoded) && Buffer.from(encoded, 'base64').length >= 16;
  return sound
    ? undefined
    : 'must hold base64 of at least 16 bytes after whsec_, or begin with something else';
}

/** `sha256=` and 64 hex digits: HMAC-SHA-256 over the exact body bytes. `body` is ASCII. */
export function givenSignature(key: SigningKey, body: string): string {
  return `sha256=${createHmac('sha256', key.given).update(body, 'latin1').digest('hex')}`;
}

/** `v1,…` of each key, space-separated (Standard Webhooks 1.0.0): HMAC-SHA-256 over `id.timestamp.body` in base64. */
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
