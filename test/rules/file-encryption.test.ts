// Stored files: encrypted as a stream for one record, decrypted completely or not at all.
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { buildDecrypt } from '@aws-crypto/decrypt-node';
import { buildEncrypt } from '@aws-crypto/encrypt-node';
import { AlgorithmSuiteIdentifier, CommitmentPolicy } from '@aws-crypto/material-management-node';
import { RawAesKeyringNode, RawAesWrappingSuiteIdentifier } from '@aws-crypto/raw-aes-keyring-node';
import { describe, expect, test } from 'vitest';
import {
  fileKeyOf,
  fileKeyText,
  newFileKey,
  openFileEncryption,
  StoredFileError,
} from '../../src/messaging/media/file-encryption.ts';

const owner = {
  accountId: '0199a000-0000-7000-8000-00000000000a',
  mediaId: '0199a000-0000-7000-8000-00000000000b',
};
const [key, otherKey] = [newFileKey(), newFileKey()];
const encryption = openFileEncryption();

const pieces = (bytes: Buffer, size = 16_384): Readable =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    })(),
    { objectMode: false },
  );
/** A stream of the encrypted bytes, which copies each chunk: it is valid only until the next. */
const encrypted = (plainBytes: Readable, by = key): Readable =>
  Readable.from(
    (async function* () {
      for await (const chunk of encryption.encrypt(plainBytes, owner, by)) yield Buffer.from(chunk);
    })(),
    { objectMode: false },
  );
const encrypt = (bytes: Buffer, by = key) => buffer(encrypted(pieces(bytes), by));
const open = (bytes: Buffer, by = key, whose = owner) => buffer(encryption.open(pieces(bytes), whose, by));
const digestOf = (bytes: Buffer) => ({
  size: bytes.length,
  sha256: createHash('sha256').update(bytes).digest(),
});

const frameBytes = 262_144;
const plain = randomBytes(3 * frameBytes + 3_392);
const encryptedPlain = await encrypt(plain);

test.each([0, 1, 262_143, 262_144, 262_145, 524_288, 1_000_003])(
  '%i bytes are unchanged after encryption and decryption',
  async (size) => {
    const bytes = randomBytes(size);
    const stored = await encrypt(bytes);
    expect(stored.length).toBeGreaterThan(size);
    expect((await open(stored)).equals(bytes)).toBe(true);
    await encryption.verify(pieces(stored), owner, key, digestOf(bytes));
  },
);

test('an encrypted file contains no plain text and uses AES-256 with key commitment', async () => {
  const text = Buffer.from('a line that is easy to find\n'.repeat(5000));
  const stored = await encrypt(text);
  expect(stored.includes('easy to find')).toBe(false);
  // message format 2, suite 0x0478 (AWS Encryption SDK message format reference)
  expect(stored.subarray(0, 3).toString('hex')).toBe('020478');
});

describe('the message format of the AWS Encryption SDK', () => {
  const policy = {
    commitmentPolicy: CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT,
    maxEncryptedDataKeys: 1,
  };
  const keyring = new RawAesKeyringNode({
    keyNamespace: 'chatbot-gateway',
    keyName: 'file',
    unencryptedMasterKey: new Uint8Array(key.export()),
    wrappingSuite: RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
  });
  const encryptionContext = { account: owner.accountId, media: owner.mediaId };
  const suiteId = AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY;
  const bytes = randomBytes(600_000);
  const bySdk = async (options: { frameLength?: number; suiteId?: AlgorithmSuiteIdentifier }) =>
    (await buildEncrypt(policy).encrypt(keyring, bytes, { suiteId, encryptionContext, ...options })).result;

  test('a stored file can be decrypted by the SDK', async () => {
    for (const size of [0, 1, 262_144, 600_000]) {
      const stored = await encrypt(bytes.subarray(0, size));
      const { plaintext, messageHeader } = await buildDecrypt(policy).decrypt(keyring, stored);
      expect(plaintext.equals(bytes.subarray(0, size)), `${size} bytes`).toBe(true);
      expect({ ...messageHeader.encryptionContext }).toEqual(encryptionContext);
    }
  });

  // 64 KiB: what earlier versions wrote
  test('a file that the SDK encrypted with other frames can be decrypted', async () => {
    for (const frameLength of [65_536, 4096, 1_048_576])
      expect((await open(await bySdk({ frameLength }))).equals(bytes), `${frameLength}`).toBe(true);
  });

  test('a file with frames of more than 1 MiB, or with a signature, is rejected', async () => {
    const signed = AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY_ECDSA_P384;
    for (const options of [{ frameLength: 1_048_577 }, { suiteId: signed }])
      await expect(open(await bySdk(options)), JSON.stringify(options)).rejects.toThrow(StoredFileError);
  });

  test('bytes after the last frame are detected', async () => {
    await expect(open(Buffer.concat([encryptedPlain, Buffer.from('x')]))).rejects.toThrow(StoredFileError);
  });
});

test('a file moved to another record or account cannot be decrypted', async () => {
  for (const other of [{ mediaId: owner.accountId }, { accountId: owner.mediaId }]) {
    await expect(open(encryptedPlain, key, { ...owner, ...other })).rejects.toThrow(
      /belongs to another record/,
    );
  }
});

test('one altered byte anywhere is detected, and the process survives', async () => {
  const headBytes = encryptedPlain.length - plain.length - 3 * 32 - 40;
  const offsets = [0, 1, 3, 40, headBytes - 5, headBytes, headBytes + 8, headBytes + 30];
  for (let frame = 1; frame <= 3; frame += 1) {
    const at = headBytes + frame * (frameBytes + 32);
    offsets.push(at - 20, at - 1, at, at + 1, at + 5, at + 21, at + 100);
  }
  offsets.push(encryptedPlain.length - 20, encryptedPlain.length - 1);
  for (const offset of offsets) {
    const altered = Buffer.from(encryptedPlain);
    altered[offset] = (altered[offset] ?? 0) ^ 0x41;
    await expect(open(altered), `byte ${offset}`).rejects.toThrow(StoredFileError);
  }
});

test('a truncated file is detected, wherever it was truncated', async () => {
  for (const cut of [
    1,
    17,
    100,
    3_500,
    270_000,
    540_000,
    encryptedPlain.length - 50,
    encryptedPlain.length,
  ]) {
    await expect(open(encryptedPlain.subarray(0, encryptedPlain.length - cut)), `cut ${cut}`).rejects.toThrow(
      StoredFileError,
    );
  }
});

test('no bytes of a frame are returned before it is authenticated', async () => {
  const altered = Buffer.from(encryptedPlain);
  const secondFrame = altered.length - plain.length + frameBytes;
  altered[secondFrame + 1000] = (altered[secondFrame + 1000] ?? 0) ^ 1;
  const got: Buffer[] = [];
  const reading = (async () => {
    for await (const chunk of encryption.open(pieces(altered), owner, key)) got.push(chunk);
  })();
  await expect(reading).rejects.toThrow(StoredFileError);
  const bytes = Buffer.concat(got);
  expect(bytes.length).toBeLessThanOrEqual(2 * frameBytes);
  expect(bytes.equals(plain.subarray(0, bytes.length))).toBe(true);
});

test('an encrypted file with other content than the upload is not verified', async () => {
  const other = await encrypt(Buffer.from('other'));
  await expect(encryption.verify(pieces(other), owner, key, digestOf(plain))).rejects.toThrow(
    /length or digest/,
  );
});

test('reordered, repeated or missing frames are detected', async () => {
  const headBytes = encryptedPlain.length - plain.length - 3 * 32 - 40;
  const frame = (number: number) =>
    encryptedPlain.subarray(
      headBytes + number * (frameBytes + 32),
      headBytes + (number + 1) * (frameBytes + 32),
    );
  const head = encryptedPlain.subarray(0, headBytes);
  const tail = encryptedPlain.subarray(headBytes + 3 * (frameBytes + 32));
  expect(Buffer.concat([head, frame(0), frame(1), frame(2), tail]).equals(encryptedPlain)).toBe(true);
  for (const order of [[1, 0, 2], [0, 2, 1], [0, 0, 1, 2], [0, 2], [1, 2], []]) {
    const altered = Buffer.concat([head, ...order.map(frame), tail]);
    await expect(open(altered), `frames ${order}`).rejects.toThrow(StoredFileError);
  }
});

describe('the key of a file', () => {
  test('no other key decrypts the file', async () => {
    await expect(open(encryptedPlain, otherKey)).rejects.toThrow(StoredFileError);
  });

  test('is restored from its text, and appears in no log', async () => {
    expect((await open(encryptedPlain, fileKeyOf(fileKeyText(key)))).equals(plain)).toBe(true);
    expect(JSON.stringify({ key })).toBe('{"key":{}}');
  });
});

describe('streams that end early', () => {
  const failing = (error: Error) =>
    Readable.from(
      (async function* () {
        yield randomBytes(100_000);
        throw error;
      })(),
      { objectMode: false },
    );

  test('a source that fails during encryption fails the result with its own error', async () => {
    const failure = new Error('cut off');
    await expect(buffer(encrypted(failing(failure)))).rejects.toBe(failure);
  });

  test('a source that fails during decryption is reported as its own error, not as an altered file', async () => {
    const failure = new Error('disk gone');
    const source = Readable.from(
      (async function* () {
        yield encryptedPlain.subarray(0, 100_000);
        throw failure;
      })(),
      { objectMode: false },
    );
    await expect(buffer(encryption.open(source, owner, key))).rejects.toBe(failure);
  });

  test('a reader that stops ends the source too', async () => {
    const source = pieces(encryptedPlain);
    const closed = new Promise<void>((resolve) => source.once('close', resolve));
    for await (const _chunk of encryption.open(source, owner, key)) break;
    await closed;
    const clear = pieces(plain);
    const closedToo = new Promise<void>((resolve) => clear.once('close', resolve));
    // the second chunk: the first is the header
    let chunks = 0;
    for await (const _chunk of encryption.encrypt(clear, owner, key)) if (++chunks === 2) break;
    await closedToo;
  });
});

test('streams dropped at any moment, on either side, affect no others', async () => {
  const drops = Array.from({ length: 300 }, async (_, index) => {
    const result =
      index % 2 === 0
        ? encrypted(pieces(plain, 7_000))
        : encryption.open(pieces(encryptedPlain, 7_000), owner, key);
    const closed = new Promise<void>((resolve) => result.once('close', resolve));
    let chunks = index % 20;
    result.on('error', () => {});
    result.on('data', () => {
      chunks -= 1;
      if (chunks <= 0) result.destroy(index % 3 === 0 ? new Error('dropped') : undefined);
    });
    if (index % 20 === 0) result.destroy();
    await closed;
  });
  await Promise.all(drops);
  expect((await open(await encrypt(plain))).equals(plain)).toBe(true);
});

test('memory does not grow with the size of a file', async () => {
  const size = 256 * 1024 * 1024;
  const block = randomBytes(65_536);
  const source = () =>
    Readable.from(
      (function* () {
        for (let at = 0; at < size; at += block.length) yield block;
      })(),
      { objectMode: false },
    );
  const before = process.memoryUsage().rss;
  let [peak, length] = [before, 0];
  for await (const chunk of encryption.open(encrypted(source()), owner, key)) {
    length += chunk.length;
    if (length % (8 * 1024 * 1024) < 65_536) peak = Math.max(peak, process.memoryUsage().rss);
  }
  expect(length).toBe(size);
  expect(peak - before).toBeLessThan(size / 2);
});
