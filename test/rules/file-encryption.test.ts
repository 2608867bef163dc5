// Stored files: encrypted as a stream for one record, decrypted completely or not at all.
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
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
const encrypt = (bytes: Buffer, by = key) => buffer(encryption.encrypt(pieces(bytes), owner, by));
const open = (encrypted: Buffer, by = key, whose = owner) =>
  buffer(encryption.open(pieces(encrypted), whose, by));
const digestOf = (bytes: Buffer) => ({
  size: bytes.length,
  sha256: createHash('sha256').update(bytes).digest(),
});

const plain = randomBytes(200_000);
const encryptedPlain = await encrypt(plain);

test.each([0, 1, 65_535, 65_536, 65_537, 131_072, 1_000_003])(
  '%i bytes are unchanged after encryption and decryption',
  async (size) => {
    const bytes = randomBytes(size);
    const encrypted = await encrypt(bytes);
    expect(encrypted.length).toBeGreaterThan(size);
    expect((await open(encrypted)).equals(bytes)).toBe(true);
    await encryption.verify(pieces(encrypted), owner, key, digestOf(bytes));
  },
);

test('an encrypted file contains no plain text and uses AES-256 with key commitment', async () => {
  const text = Buffer.from('a line that is easy to find\n'.repeat(5000));
  const encrypted = await encrypt(text);
  expect(encrypted.includes('easy to find')).toBe(false);
  // message format 2, suite 0x0478 (AWS Encryption SDK message format reference)
  expect(encrypted.subarray(0, 3).toString('hex')).toBe('020478');
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
    const at = headBytes + frame * 65_568;
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
  for (const cut of [1, 17, 100, 66_000, 140_000, encryptedPlain.length - 50, encryptedPlain.length]) {
    await expect(open(encryptedPlain.subarray(0, encryptedPlain.length - cut)), `cut ${cut}`).rejects.toThrow(
      StoredFileError,
    );
  }
});

test('no bytes of a frame are returned before it is authenticated', async () => {
  const altered = Buffer.from(encryptedPlain);
  const secondFrame = altered.length - plain.length + 65_536;
  altered[secondFrame + 1000] = (altered[secondFrame + 1000] ?? 0) ^ 1;
  const got: Buffer[] = [];
  const reading = (async () => {
    for await (const chunk of encryption.open(pieces(altered), owner, key)) got.push(chunk);
  })();
  await expect(reading).rejects.toThrow(StoredFileError);
  const bytes = Buffer.concat(got);
  expect(bytes.length).toBeLessThanOrEqual(131_072);
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
    encryptedPlain.subarray(headBytes + number * 65_568, headBytes + (number + 1) * 65_568);
  const head = encryptedPlain.subarray(0, headBytes);
  const tail = encryptedPlain.subarray(headBytes + 3 * 65_568);
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
    await expect(buffer(encryption.encrypt(failing(failure), owner, key))).rejects.toBe(failure);
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
    const untouched = pieces(plain);
    const closedToo = new Promise<void>((resolve) => untouched.once('close', resolve));
    encryption.encrypt(untouched, owner, key).destroy();
    await closedToo;
  });
});

test('streams dropped at any moment, on either side, affect no others', async () => {
  const drops = Array.from({ length: 300 }, async (_, index) => {
    const result =
      index % 2 === 0
        ? encryption.encrypt(pieces(plain, 7_000), owner, key)
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
  for await (const chunk of encryption.open(encryption.encrypt(source(), owner, key), owner, key)) {
    length += chunk.length;
    if (length % (8 * 1024 * 1024) < 65_536) peak = Math.max(peak, process.memoryUsage().rss);
  }
  expect(length).toBe(size);
  expect(peak - before).toBeLessThan(size / 2);
});
