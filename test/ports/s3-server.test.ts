// A third-party S3 server as the object store: the conformance suite, signatures, and interrupted uploads.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import S3rver from '@20minutes/s3rver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseS3Address } from '../../src/adapters/s3/location.ts';
import { openS3Store } from '../../src/adapters/s3/object-store.ts';
import { systemClock } from '../../src/base/clock.ts';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import { objectStoreSuite } from './object-store.suite.ts';

// the only credentials that this server accepts
const credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };
const outgoing = openOutgoing({ connectionsPerOrigin: 16, keepAliveMs: 1000 });
const names = Array.from({ length: 20 }, (_, index) => `files-${index}`);
let directory: string;
let strict: Server;
let lenient: Server;
let opened = 0;

interface Server {
  endpoint: string;
  close(): Promise<unknown>;
}

async function start(allowMismatchedSignatures: boolean): Promise<Server> {
  const server = new S3rver({
    ...{ port: 0, address: '127.0.0.1', silent: true, vhostBuckets: false, directory },
    allowMismatchedSignatures,
    configureBuckets: names.map((name) => ({ name, configs: [] })),
  });
  const { port } = await server.run();
  return { endpoint: `http://127.0.0.1:${port}`, close: () => server.close() };
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 's3-'));
  // The server verifies signatures over a bucket's URL without its trailing slash, so that every list would fail.
  // Lists therefore use a server that does not verify signatures, and objects one that does.
  [strict, lenient] = [await start(false), await start(true)];
});
afterAll(async () => {
  await outgoing.close();
  await Promise.all([strict.close(), lenient.close()]);
  await rm(directory, { recursive: true, force: true });
});

const storeAt = (endpoint: string, bucket: string, keys = credentials) =>
  openS3Store({
    location: parseS3Address(`s3://${bucket}/some/prefix?endpoint=${endpoint}`),
    ...{ outgoing, clock: systemClock, credentials: keys },
  });

/** Opens a store in a new bucket. */
async function openBucket() {
  const bucket = names[opened++] ?? '';
  return { bucket, store: storeAt(lenient.endpoint, bucket), close: async () => undefined };
}

// the server mixes concurrent puts of one key, which gateways never make
objectStoreSuite('a bucket of a third-party server', () => openBucket(), { mixesPuts: true });

describe('a third-party server', () => {
  const MiB = 1024 * 1024;
  const content = (blocks: number, failure?: Error) =>
    Readable.from(
      (async function* () {
        for (let sent = 0; sent < blocks; sent += 1) yield Buffer.alloc(MiB, sent);
        if (failure) throw failure;
      })(),
      { objectMode: false },
    );

  test('stores a file of many parts, and nothing of an interrupted one', async () => {
    const { store, bucket } = await openBucket();
    expect(await store.put('media/whole', content(30))).toEqual({ size: 30 * MiB });
    let [size, isEqual] = [0, true];
    for await (const chunk of (await store.get('media/whole')) ?? []) {
      for (let at = 0; at < chunk.length; at += 4096) isEqual &&= chunk[at] === Math.floor((size + at) / MiB);
      size += chunk.length;
    }
    expect([size, isEqual]).toEqual([30 * MiB, true]);
    await expect(store.put('media/cut', content(20, new Error('cut off')))).rejects.toThrow('cut off');
    const keys: string[] = [];
    for await (const { key } of store.list('')) keys.push(key);
    expect(keys).toEqual(['media/whole']);
    const left = await readdir(join(directory, bucket), { recursive: true });
    expect(left.filter((name) => name.includes('cut'))).toEqual([]);
  });

  test('accepts requests signed with its key, in one piece and in parts, and rejects others', async () => {
    const bucket = names.at(-1) ?? '';
    const store = storeAt(strict.endpoint, bucket);
    for (const blocks of [1, 18]) {
      const key = `media/a b’s (${blocks})`.replace(/[^A-Za-z0-9/]/g, '_');
      expect(await store.put(key, content(blocks))).toEqual({ size: blocks * MiB });
      expect(await store.head(key)).toEqual({ key, size: blocks * MiB });
      expect((await store.get(key))?.destroy()).toBeTruthy();
      await store.delete(key);
      expect(await store.get(key)).toBeNull();
    }
    const wrongKeyStore = storeAt(strict.endpoint, bucket, { ...credentials, secretAccessKey: 'another' });
    await expect(wrongKeyStore.put('media/a', content(1))).rejects.toMatchObject({
      outcome: 'rejected',
      code: 'SignatureDoesNotMatch',
    });
    await expect(wrongKeyStore.get('media/a')).rejects.toMatchObject({ outcome: 'rejected' });
    expect(await store.get('media/a')).toBeNull();
  });

  test('fails the check if the bucket does not exist', async () => {
    await expect(storeAt(lenient.endpoint, 'none').check()).rejects.toThrow(
      /bucket "none" .* does not exist/,
    );
  });
});
