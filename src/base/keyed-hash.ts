// Hashes by which a secret is found or compared again without being kept: HMAC-SHA-256 under the ring's keys.
import { createHmac, type KeyObject } from 'node:crypto';
import type { KeyRing } from './cipher.ts';

export interface KeyedHash {
  /**
   * The hash of `text` under the newest key. `purpose` keeps hashes of one text for different uses apart. The form is:
   * version (1 byte), length of the key's id (1 byte), the id, HMAC-SHA-256 (32 bytes).
   */
  of(purpose: string, text: string): Buffer;
  /** The same under every key of the ring, newest first: what `hash` may be equal to, whenever it was written. */
  allOf(purpose: string, text: string): Buffer[];
  /** True if `hash` is under the newest key; otherwise it is due to be made again. */
  isNewest(hash: Uint8Array): boolean;
}

const formVersion = 1;

/** Keyed hashes over `ring`. Whoever reads the database alone can neither guess a text from its hash nor test a guess. */
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

/** JSON keeps apart what plain joining would not. */
function hashOf({ key, header }: Key, purpose: string, text: string): Buffer {
  const mac = createHmac('sha256', key)
    .update(JSON.stringify([purpose, '']))
    .update(text)
    .digest();
  return Buffer.concat([header, mac]);
}
