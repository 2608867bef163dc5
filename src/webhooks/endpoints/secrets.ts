// An endpoint's secrets: their encryption, and which are valid.
import type { Cipher } from '../../base/cipher.ts';
import type { SigningKeys } from './headers.ts';
import { type SigningKey, signingKey } from './sign.ts';
import type { EndpointRow } from './store.ts';

/** The columns of `endpoints` with encrypted secrets. */
export type SecretColumn = 'secret' | 'next_secret';

const place = (column: SecretColumn, id: string) => ({ table: 'endpoints', column, row: id });

/** Encrypts a secret for that column of that endpoint: it can be decrypted nowhere else. */
export function encryptSecret(cipher: Cipher, plain: string, id: string, column: SecretColumn): Buffer {
  return cipher.encrypt(plain, place(column, id));
}

export interface ValidSecrets {
  /** Signs `x-webhook-signature`, which has a single digest. */
  forBody: string;
  /** Sign the Standard Webhooks header, newest first. */
  forStandard: string[];
}

/** What decides which secrets are valid. */
export type SecretsRow = Pick<
  EndpointRow,
  'id' | 'secret' | 'next_secret' | 'overlap_until' | 'next_activated'
>;

/** The secrets that sign at `nowMs`: both during a rotation's overlap, then the new one alone. */
export function validSecrets(cipher: Cipher, row: SecretsRow, nowMs: number): ValidSecrets {
  const next = row.next_secret && cipher.decrypt(row.next_secret, place('next_secret', row.id));
  if (next && row.overlap_until && row.overlap_until.getTime() <= nowMs)
    return { forBody: next, forStandard: [next] };
  const current = cipher.decrypt(row.secret, place('secret', row.id));
  if (!next) return { forBody: current, forStandard: [current] };
  return { forBody: row.next_activated ? next : current, forStandard: [next, current] };
}

/** Their keys: one for each secret. */
export function signingKeysOf({ forBody, forStandard }: ValidSecrets): SigningKeys {
  const keys = new Map(forStandard.map((secret) => [secret, signingKey(secret)]));
  return { bodyKey: keys.get(forBody) as SigningKey, standardKeys: [...keys.values()] };
}
