// Encryption of stored secrets (tokens, webhook secrets): AES-256-GCM with a ring of keys, bound to table, column and row.
import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';

/** One key of the ring. `key` is a KeyObject, which `JSON.stringify` and logs never print. */
export interface RingKey {
  readonly id: string;
  readonly key: KeyObject;
}

/** Encryption keys, newest first: `keys[0]` encrypts, all of them decrypt. Never empty. */
export interface KeyRing {
  readonly keys: readonly [RingKey, ...RingKey[]];
}

/** The column and row (by id) of an encrypted value. It cannot be decrypted anywhere else. */
export interface SecretLocation {
  table: string;
  column: string;
  row: string;
}

export interface Cipher {
  /** Encrypts `plain` for `where` with the newest key. Two results for the same text differ. */
  encrypt(plain: string, where: SecretLocation): Buffer;
  /** The text that was encrypted for `where`. Throws CipherError: `unknown_key`, or `damaged` (altered, or copied from another location). */
  decrypt(encrypted: Uint8Array, where: SecretLocation): string;
  /** True if `encrypted` uses the newest key; otherwise it must be re-encrypted. */
  isNewest(encrypted: Uint8Array): boolean;
}

/** Why a value could not be decrypted. The message has no secret. */
export class CipherError extends Error {
  readonly reason: 'unknown_key' | 'damaged';

  constructor(reason: 'unknown_key' | 'damaged', message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'CipherError';
    this.reason = reason;
  }
}

const keyBytes = 32;
const nonceBytes = 12;
const tagBytes = 16;
const formVersion = 1;
const idPattern = /^[A-Za-z0-9._-]{1,32}$/;

/**
 * Parses `id:base64,id:base64,…`, newest first; entries are separated by commas or line breaks.
 * Throws an Error that gives the position of a wrong entry and how to fix it. The entry may be
 * key material in the wrong position, so the error repeats nothing of it.
 */
export function parseKeyRing(text: string): KeyRing {
  const entries = text.split(/[\s,]+/).filter((entry) => entry !== '');
  const keys: RingKey[] = [];
  for (const [index, entry] of entries.entries()) {
    const key = parseEntry(entry, `Encryption key ${index + 1} of ${entries.length}`);
    const duplicate = keys.findIndex((other) => other.id === key.id);
    if (duplicate >= 0) {
      throw new Error(
        `Encryption keys ${duplicate + 1} and ${index + 1} have the same id. Use a unique id for each key.`,
      );
    }
    keys.push(key);
  }
  const [newest, ...older] = keys;
  if (!newest) throw new Error(`No encryption key is set. Set at least one as ${formHint}.`);
  return { keys: [newest, ...older] };
}

const formHint =
  'id:base64, where the base64 holds 32 random bytes (such as `openssl rand -base64 32` prints)';

function parseEntry(entry: string, which: string): RingKey {
  const colon = entry.indexOf(':');
  if (colon < 0) throw new Error(`${which} has no id. Write it as ${formHint}.`);
  const id = entry.slice(0, colon);
  if (!idPattern.test(id)) {
    throw new Error(
      `${which} has an unusable id. An id is 1 to 32 letters, digits, dots, dashes or underscores.`,
    );
  }
  const base64 = entry.slice(colon + 1);
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.toString('base64') !== base64) {
    throw new Error(`${which} is not base64. Write it as ${formHint}.`);
  }
  if (bytes.length !== keyBytes) {
    throw new Error(`${which} has ${bytes.length} bytes instead of ${keyBytes}. Write it as ${formHint}.`);
  }
  return { id, key: createSecretKey(bytes) };
}

/** Returns a new random key with a random id, in the form that parseKeyRing reads (`id:base64`). */
export function makeKey(): string {
  return `k-${randomBytes(4).toString('hex')}:${randomBytes(keyBytes).toString('base64')}`;
}

/**
 * Opens a cipher with the keys of `ring`. The encrypted form is: version (1 byte), length of the key's id (1 byte), the id, nonce
 * (12 random bytes), ciphertext, tag (16 bytes). Everything before the nonce, and the location, is authenticated.
 */
export function openCipher(ring: KeyRing): Cipher {
  const newest = ring.keys[0];
  const byId = new Map(ring.keys.map((key) => [key.id, key]));
  const newestHeader = headerOf(newest.id);

  return {
    encrypt(plain, where) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', newest.key, nonce, { authTagLength: tagBytes });
      cipher.setAAD(additionalData(newestHeader, where));
      const body = [cipher.update(plain, 'utf8'), cipher.final()];
      return Buffer.concat([newestHeader, nonce, ...body, cipher.getAuthTag()]);
    },

    decrypt(encrypted, where) {
      const parts = split(encrypted);
      if (!parts) throw damaged(where);
      const key = byId.get(parts.keyId);
      if (!key) {
        throw new CipherError(
          'unknown_key',
          `${locationName(where)} was encrypted with the encryption key "${parts.keyId}", which is not configured. Add that key again, after the newest one.`,
        );
      }
      const decipher = createDecipheriv('aes-256-gcm', key.key, parts.nonce, { authTagLength: tagBytes });
      decipher.setAAD(additionalData(parts.header, where));
      decipher.setAuthTag(parts.tag);
      try {
        return decipher.update(parts.body, undefined, 'utf8') + decipher.final('utf8');
      } catch (cause) {
        throw damaged(where, cause);
      }
    },

    isNewest(encrypted) {
      return split(encrypted)?.keyId === newest.id;
    },
  };
}

/** The id of the key that encrypted a value; undefined if the value is not in our encrypted form. */
export function keyIdOf(encrypted: Uint8Array): string | undefined {
  return split(encrypted)?.keyId;
}

function headerOf(keyId: string): Buffer {
  const id = Buffer.from(keyId, 'latin1');
  return Buffer.concat([Buffer.from([formVersion, id.length]), id]);
}

/** The additional authenticated data. JSON distinguishes what plain concatenation would not (`a‖bc` and `ab‖c`). */
function additionalData(header: Buffer, where: SecretLocation): Buffer {
  return Buffer.concat([header, Buffer.from(JSON.stringify([where.table, where.column, where.row]), 'utf8')]);
}

interface EncryptedParts {
  keyId: string;
  header: Buffer;
  nonce: Buffer;
  body: Buffer;
  tag: Buffer;
}

function split(encrypted: Uint8Array): EncryptedParts | null {
  const bytes = Buffer.from(encrypted.buffer, encrypted.byteOffset, encrypted.byteLength);
  if (bytes.length < 2 || bytes[0] !== formVersion) return null;
  const nonceAt = 2 + (bytes[1] ?? 0);
  const bodyAt = nonceAt + nonceBytes;
  const tagAt = bytes.length - tagBytes;
  if (tagAt < bodyAt) return null;
  const keyId = bytes.toString('latin1', 2, nonceAt);
  if (!idPattern.test(keyId)) return null;
  return {
    keyId,
    header: bytes.subarray(0, nonceAt),
    nonce: bytes.subarray(nonceAt, bodyAt),
    body: bytes.subarray(bodyAt, tagAt),
    tag: bytes.subarray(tagAt),
  };
}

function locationName(where: SecretLocation): string {
  return `The secret in ${where.table}.${where.column} (row ${where.row})`;
}

function damaged(where: SecretLocation, cause?: unknown): CipherError {
  return new CipherError(
    'damaged',
    `${locationName(where)} cannot be decrypted: it was altered, copied from another row, or its key's id now belongs to another key. Set the secret again.`,
    cause,
  );
}
