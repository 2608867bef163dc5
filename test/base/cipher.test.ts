// Encryption of stored secrets: bound to one location, readable nowhere else, and readable after key rotations.
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CipherError, makeKey, openCipher, parseKeyRing } from '../../src/base/cipher.ts';
import { addKeyToFile, readOrMakeKeyFile } from '../../src/base/key-file.ts';
import { rememberSecrets } from '../../src/base/remember-secrets.ts';
import { fc } from '../harness/property.ts';

const location = { table: 'senders', column: 'access_token', row: '0199a000-0000-7000-8000-000000000001' };
const secret = 'EAAG-token-ünïcode';

function reasonOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof CipherError) return error.reason;
    throw error;
  }
  return 'none';
}

describe('encryption', () => {
  const cipher = openCipher(parseKeyRing(makeKey()));

  test('decrypts any text at its own location', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(cipher.decrypt(cipher.encrypt(text, location), location)).toBe(text);
      }),
    );
  });

  test('produces a different result each time, without any of the text', () => {
    const first = cipher.encrypt(secret, location);
    expect(first.includes(Buffer.from(secret).subarray(0, 8))).toBe(false);
    expect(first.equals(cipher.encrypt(secret, location))).toBe(false);
  });

  test('throws for a value copied to another row, column or table', () => {
    const encrypted = cipher.encrypt(secret, location);
    for (const other of [{ row: '2' }, { column: 'app_secret' }, { table: 'connections' }]) {
      expect(reasonOf(() => cipher.decrypt(encrypted, { ...location, ...other }))).toBe('damaged');
    }
  });

  test('distinguishes locations that are equal when concatenated', () => {
    const encrypted = cipher.encrypt(secret, { table: 'ab', column: 'c', row: '1' });
    expect(reasonOf(() => cipher.decrypt(encrypted, { table: 'a', column: 'bc', row: '1' }))).toBe('damaged');
  });

  test('throws for every altered byte and every truncation', () => {
    const encrypted = cipher.encrypt(secret, location);
    for (let at = 0; at < encrypted.length; at += 1) {
      const altered = Buffer.from(encrypted);
      altered[at] = (altered[at] ?? 0) ^ 1;
      expect(
        reasonOf(() => cipher.decrypt(altered, location)),
        `byte ${at}`,
      ).not.toBe('none');
      expect(
        reasonOf(() => cipher.decrypt(encrypted.subarray(0, at), location)),
        `cut at ${at}`,
      ).toBe('damaged');
    }
  });
});

describe('the ring', () => {
  const [older, newer] = [makeKey(), makeKey()];

  test('after a rotation, old values can still be decrypted and new ones use the newest key', () => {
    const before = openCipher(parseKeyRing(older));
    const after = openCipher(parseKeyRing(`${newer},${older}`));
    const sealedBefore = before.encrypt(secret, location);
    expect(after.decrypt(sealedBefore, location)).toBe(secret);
    expect(after.isNewest(sealedBefore)).toBe(false);
    const sealedAfter = after.encrypt(secret, location);
    expect(after.isNewest(sealedAfter)).toBe(true);
    expect(openCipher(parseKeyRing(newer)).decrypt(sealedAfter, location)).toBe(secret);
  });

  test('reports the missing key of a value', () => {
    const encrypted = openCipher(parseKeyRing(older)).encrypt(secret, location);
    const act = () => openCipher(parseKeyRing(newer)).decrypt(encrypted, location);
    expect(reasonOf(act)).toBe('unknown_key');
    expect(act).toThrow(older.split(':')[0]);
  });

  test('another key with the same id does not decrypt', () => {
    const key = () => `main:${randomBytes(32).toString('base64')}`;
    const encrypted = openCipher(parseKeyRing(key())).encrypt(secret, location);
    expect(reasonOf(() => openCipher(parseKeyRing(key())).decrypt(encrypted, location))).toBe('damaged');
  });

  test('an invalid key ring is rejected with the reason and without key material', () => {
    const good = randomBytes(32).toString('base64');
    const cases: [string, RegExp][] = [
      ['', /No encryption key/],
      [' , ', /No encryption key/],
      [good, /key 1 of 1 has no id/],
      [`a:${good},${good}:b`, /key 2 of 2 has an unusable id/],
      [`a:${good.slice(0, 42)}`, /not base64|bytes instead of 32/],
      [`a:${randomBytes(16).toString('base64')}`, /has 16 bytes instead of 32/],
      [`a:${good}!`, /not base64/],
      [`a:${good},a:${randomBytes(32).toString('base64')}`, /keys 1 and 2 have the same id/],
    ];
    for (const [text, reason] of cases) {
      let message = '';
      try {
        parseKeyRing(text);
      } catch (error) {
        message = inspect(error);
      }
      expect(message, text).toMatch(reason);
      expect(message).not.toContain(good.slice(0, 12));
    }
  });

  test('a logged ring contains no key', () => {
    const ring = parseKeyRing(older);
    const material = older.slice(older.indexOf(':') + 1);
    const hex = Buffer.from(material, 'base64').toString('hex');
    for (const shown of [JSON.stringify(ring), inspect(ring, { depth: 9, showHidden: true })]) {
      expect(shown).not.toContain(material);
      expect(shown.replace(/[ ,]/g, '')).not.toContain(hex);
    }
  });
});

describe('the key file', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'key-file-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  test('is created once with concurrent starts, readable only by its owner', async () => {
    const path = join(folder, 'data', 'encryption.keys');
    const rings = await Promise.all(Array.from({ length: 8 }, () => readOrMakeKeyFile(path)));
    expect(new Set(rings.map((ring) => ring.keys[0].id)).size).toBe(1);
    if (process.platform !== 'win32') expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(await readdir(join(folder, 'data'))).toEqual(['encryption.keys']);
    expect((await readOrMakeKeyFile(path)).keys[0].id).toBe(rings[0]?.keys[0].id);
  });

  test('gets a new first key, and the older one still decrypts', async () => {
    const path = join(folder, 'encryption.keys');
    const first = await readOrMakeKeyFile(path);
    const encrypted = openCipher(first).encrypt(secret, location);
    const second = await addKeyToFile(path);
    expect(second.keys.map((key) => key.id).slice(1)).toEqual(first.keys.map((key) => key.id));
    expect(openCipher(await readOrMakeKeyFile(path)).decrypt(encrypted, location)).toBe(secret);
  });

  test.skipIf(process.platform === 'win32')('is rejected if others may read it', async () => {
    const path = join(folder, 'encryption.keys');
    await readOrMakeKeyFile(path);
    await chmod(path, 0o644);
    await expect(readOrMakeKeyFile(path)).rejects.toThrow(/chmod 600/);
  });

  test('is rejected and not replaced if it is damaged', async () => {
    const path = join(folder, 'encryption.keys');
    await writeFile(path, 'k1:abc', { mode: 0o600 });
    await expect(readOrMakeKeyFile(path)).rejects.toThrow(/not usable: Encryption key 1 of 1/);
    expect(await readFile(path, 'utf8')).toBe('k1:abc');
  });
});

describe('a cipher that remembers', () => {
  function opened() {
    const cipher = openCipher(parseKeyRing(makeKey()));
    const clock = { ms: 0, steady: () => clock.ms };
    const decrypt = vi.spyOn(cipher, 'decrypt');
    return { cipher, clock, decrypt, remembering: rememberSecrets(cipher, clock) };
  }

  test('decrypts the same bytes of a location once a minute', () => {
    const { cipher, clock, decrypt, remembering } = opened();
    const encrypted = cipher.encrypt(secret, location);
    for (let n = 0; n < 3; n += 1) expect(remembering.decrypt(Buffer.from(encrypted), location)).toBe(secret);
    expect(decrypt).toHaveBeenCalledTimes(1);
    clock.ms = 60_001;
    expect(remembering.decrypt(encrypted, location)).toBe(secret);
    expect(decrypt).toHaveBeenCalledTimes(2);
  });

  test('returns the new text of a location when its bytes have changed', () => {
    const { cipher, remembering } = opened();
    for (const text of [secret, 'another secret', secret])
      expect(remembering.decrypt(cipher.encrypt(text, location), location)).toBe(text);
  });

  test('rejects bytes that were copied to another row or altered, also after decrypting them', () => {
    const { cipher, remembering } = opened();
    const encrypted = cipher.encrypt(secret, location);
    expect(remembering.decrypt(encrypted, location)).toBe(secret);
    const elsewhere = { ...location, row: '0190f3b2-0000-7000-8000-000000000000' };
    expect(reasonOf(() => remembering.decrypt(encrypted, elsewhere))).toBe('damaged');
    // changed in place: the remembered bytes are a copy
    encrypted[encrypted.length - 1] = (encrypted.at(-1) ?? 0) ^ 1;
    expect(reasonOf(() => remembering.decrypt(encrypted, location))).toBe('damaged');
  });
});
