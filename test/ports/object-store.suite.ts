// The conformance suite of the object store's port, run on each adapter.
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ObjectStore } from '../../src/ports/object-store.ts';

export interface StoreUnderTest {
  store: ObjectStore;
  close(): Promise<void>;
}

const bytesOf = async (store: ObjectStore, key: string): Promise<Buffer | null> => {
  const stream = await store.get(key);
  return stream ? buffer(stream) : null;
};

const chunksOf = (bytes: Buffer, size: number): Readable =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    })(),
  );

const failingAfter = (bytes: Buffer, error: Error): Readable =>
  Readable.from(
    (async function* () {
      yield bytes;
      throw error;
    })(),
  );

async function keysOf(store: ObjectStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys.sort();
}

/** Runs the suite; `open` creates an empty store for each test. `mixesPuts`: the server mixes two concurrent puts of one key. */
export function objectStoreSuite(
  name: string,
  open: () => Promise<StoreUnderTest>,
  { mixesPuts = false } = {},
): void {
  describe(`object store: ${name}`, () => {
    let opened: StoreUnderTest;
    let store: ObjectStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    test('returns the stored bytes and their size', async () => {
      for (const size of [0, 1, 65_536, 1_000_003]) {
        const bytes = randomBytes(size);
        expect(await store.put('media/a/1', chunksOf(bytes, 10_007))).toEqual({ size });
        expect((await bytesOf(store, 'media/a/1'))?.equals(bytes)).toBe(true);
        expect(await store.head('media/a/1')).toEqual({ key: 'media/a/1', size });
      }
    });

    test('returns null for a key without an object', async () => {
      expect(await store.get('media/a/none')).toBeNull();
      expect(await store.head('media/a/none')).toBeNull();
    });

    test('a second put replaces the whole object', async () => {
      await store.put('media/a/1', Readable.from([randomBytes(100_000)]));
      await store.put('media/a/1', Readable.from([Buffer.from('short')]));
      expect((await bytesOf(store, 'media/a/1'))?.toString()).toBe('short');
    });

    test('an error of the content is thrown unchanged, and nothing is stored', async () => {
      const failure = new Error('cut off');
      await expect(store.put('media/a/1', failingAfter(randomBytes(300_000), failure))).rejects.toBe(failure);
      expect(await store.get('media/a/1')).toBeNull();
      expect(await keysOf(store, '')).toEqual([]);
    });

    test('an error of the content keeps the previous object', async () => {
      await store.put('media/a/1', Readable.from([Buffer.from('before')]));
      const failure = new Error('cut off');
      await expect(store.put('media/a/1', failingAfter(randomBytes(9), failure))).rejects.toBe(failure);
      expect((await bytesOf(store, 'media/a/1'))?.toString()).toBe('before');
    });

    test('incomplete content is not stored', async () => {
      const content = new Readable({ read() {} });
      const put = store.put('media/a/1', content);
      content.push(randomBytes(1000));
      setImmediate(() => content.destroy());
      await expect(put).rejects.toThrow();
      expect(await store.head('media/a/1')).toBeNull();
    });

    test('an object can be deleted, and deleting it again is not an error', async () => {
      await store.put('media/a/1', Readable.from([Buffer.from('x')]));
      await store.delete('media/a/1');
      await store.delete('media/a/1');
      await store.delete('media/never/was');
      expect(await store.get('media/a/1')).toBeNull();
    });

    test('abandoning the puts of a key keeps all objects, and is not an error without puts', async () => {
      await store.put('media/a/1', Readable.from([Buffer.from('x')]));
      await store.abandon('media/a/1');
      await store.abandon('media/never/was');
      expect(await keysOf(store, '')).toEqual(['media/a/1']);
      await expect(store.abandon('../up')).rejects.toThrow(/not a valid key/);
    });

    test('a list has exactly the keys with the prefix, with their sizes', async () => {
      for (const key of ['media/a/1', 'media/a/2', 'media/ab/3', 'media/b/4', 'other']) {
        await store.put(key, Readable.from([Buffer.from(key)]));
      }
      expect(await keysOf(store, 'media/a/')).toEqual(['media/a/1', 'media/a/2']);
      expect(await keysOf(store, 'media/a')).toEqual(['media/a/1', 'media/a/2', 'media/ab/3']);
      expect(await keysOf(store, '')).toHaveLength(5);
      expect(await keysOf(store, 'none/')).toEqual([]);
      for await (const { key, size } of store.list('other')) expect(size).toBe(key.length);
    });

    test('keys that could leave the store’s directory are rejected', async () => {
      for (const key of ['', '/etc/passwd', '../up', 'a/../../up', 'a//b', 'a/.', 'a\\b', 'a/b\0', 'a b']) {
        await expect(store.put(key, Readable.from([Buffer.from('x')])), key).rejects.toThrow(
          /not a valid key/,
        );
        await expect(store.get(key), key).rejects.toThrow(/not a valid key/);
        await expect(store.delete(key), key).rejects.toThrow(/not a valid key/);
      }
    });

    const testTwoPuts = async () => {
      const [one, two] = [randomBytes(400_000), randomBytes(300_000)];
      await Promise.all([
        store.put('media/a/1', chunksOf(one, 5_000)),
        store.put('media/a/1', chunksOf(two, 5_000)),
      ]);
      const left = await bytesOf(store, 'media/a/1');
      expect(left?.equals(one) || left?.equals(two)).toBe(true);
    };
    if (!mixesPuts) test('two concurrent puts of one key leave one whole object', testTwoPuts);

    test('an object that is deleted while it is read is read completely or fails', async () => {
      const bytes = randomBytes(3_000_000);
      await store.put('media/a/1', Readable.from([bytes]));
      const stream = await store.get('media/a/1');
      if (!stream) throw new Error('The object does not exist.');
      const hash = createHash('sha256');
      let first = true;
      const read = (async () => {
        for await (const chunk of stream) {
          hash.update(chunk);
          if (first) await store.delete('media/a/1');
          first = false;
        }
        return hash.digest('hex');
      })();
      const outcome = await read.catch(() => 'failed');
      expect([createHash('sha256').update(bytes).digest('hex'), 'failed']).toContain(outcome);
    });

    test('the check succeeds and leaves nothing', async () => {
      await store.check();
      expect(await keysOf(store, '')).toEqual([]);
      expect(await store.sweep()).toBe(0);
    });
  });
}
