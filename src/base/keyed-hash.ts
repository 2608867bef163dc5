// Keyed hashes (HMAC-SHA-256), by which a secret is found or compared without storing it.
import { createHmac, type KeyObject } from 'node:crypto';
import type { KeyRing } from './cipher.ts';

export interface KeyedHash {
  /**
   * The hash of `text` with the newest key. The same text has different hashes for different purposes. The form is: version
   * (1 byte), length of the key's id (1 byte), the id, HMAC-SHA-256 (32 bytes).
   */
  of(purpose: string, text: string): Buffer;
  /** The hashes with every key of the ring, newest first: a stored hash may use any of them. */
  allOf(purpose: string, text: string): Buffer[];
  /** True if `hash` uses the newest key; otherwise it must be computed again. */
  isNewest(hash: Uint8Array): boolean;
}

const formVersion = 1;

/** Opens keyed hashes with the keys of `ring`. Without a key, nobody can test guesses against a stored hash. */
export function openKeyedHash(ring: KeyRing): KeyedHash {
  const keys = ring.keys.map(({ id, key }) => ({ key, header: headerOf(id) }));
  const [newest] = keys as [Key, ...Key[]];
  return {
    of: (purpose, text) => hashOf(newest, purpose, text),
    allOf: (purpose, text) => keys.map((key) => hashOf(key, purpose, text)),
    isNewest: (hash) => Buffer.from(hash).subarray(0, newest.header.length).equals(newest.header),
  };
}

interface Key {
  key: KeyObject;
  header: Buffer;
}

function headerOf(keyId: string): Buffer {
  const id = Buffer.from(keyId, 'latin1');
  return Buffer.concat([Buffer.from([formVersion, id.length]), id]);
}

/** JSON delimits the purpose from the text. */
function hashOf({ key, header }: Key, purpose: string, text: string): Buffer {
  const mac = createHmac('sha256', key)
    .update(JSON.stringify([purpose, '']))
    .update(text)
    .digest();
  return Buffer.concat([header, mac]);
}
