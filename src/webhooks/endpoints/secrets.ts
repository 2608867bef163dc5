// Which secrets of an endpoint are valid when, and the place that each is encrypted for.
import type { Cipher } from '../../base/cipher.ts';
import type { EndpointRow } from './store.ts';

type Column = 'secret' | 'next_secret';

const place = (column: Column, id: string) => ({ table: 'endpoints', column, row: id });

export function encryptSecret(cipher: Cipher, plain: string, id: string, column: Column): Buffer {
  return cipher.encrypt(plain, place(column, id));
}

export interface ValidSecrets {
  /** The one of the given header, which holds one digest only. */
  given: string;
  /** All that sign the Standard Webhooks header, newest first. */
  standard: string[];
}

/** The secrets that sign at `nowMs` (`api.md` part 7): during a rotation's overlap both, afterwards the new one alone. */
export function validSecrets(cipher: Cipher, row: EndpointRow, nowMs: number): ValidSecrets {
  const next = row.next_secret && cipher.open(row.next_secret, place('next_secret', row.id));
  if (next && row.overlap_until && row.overlap_until.getTime() <= nowMs)
    return { given: next, standard: [next] };
  const current = cipher.open(row.secret, place('secret', row.id));
  if (!next) return { given: current, standard: [current] };
  return { given: row.next_activated ? next : current, standard: [next, current] };
}
