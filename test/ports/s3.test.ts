// A simulated bucket as the object store: the conformance suite, multipart uploads, and failures.
import { Readable } from 'node:stream';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { parseS3Address } from '../../src/adapters/s3/location.ts';
import { openS3Store } from '../../src/adapters/s3/object-store.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import { objectStoreSuite } from './object-store.suite.ts';
import { startSimulatedS3 } from './simulated-s3.ts';

const credentials = { accessKeyId: 'simulated', secretAccessKey: 'simulated' };
const outgoing = openOutgoing({ connectionsPerOrigin: 16, keepAliveMs: 1000 });
afterAll(() => outgoing.close());

async function openBucket(clock: Clock = systemClock) {
  const simulated = await startSimulatedS3();
  const location = parseS3Address(`s3://${simulated.bucket}/some/prefix?endpoint=${simulated.url}`);
  const store = openS3Store({ location, outgoing, clock, credentials });
  return { store, simulated, close: () => simulated.close() };
}

objectStoreSuite('a bucket', () => openBucket());

describe('a bucket', () => {
  const MiB = 1024 * 1024;
  const block = Buffer.alloc(MiB, 7);
  const content = (blocks: number, failure?: Error) =>
    Readable.from(
      (async function* () {
        for (let sent = 0; sent < blocks; sent += 1) yield block;
        if (failure) throw failure;
      })(),
      { objectMode: false },
    );

  test('without a region says how to set one', async () => {
    for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION']) vi.stubEnv(name, undefined);
    for (const name of ['AWS_CONFIG_FILE', 'AWS_SHARED_CREDENTIALS_FILE']) vi.stubEnv(name, '/dev/null');
    const location = parseS3Address('s3://bucket');
    const store = openS3Store({ location, outgoing, clock: systemClock, credentials });
    await expect(store.get('media/none')).rejects.toThrow(
      /no region: add region=… to its address, .* AWS_REGION/,
    );
    vi.unstubAllEnvs();
  });

  test('stores a file of many parts, and nothing of an interrupted one', async () => {
    const { store, simulated, close } = await openBucket();
    try {
      expect(await store.put('media/whole', content(30))).toEqual({ size: 30 * MiB });
      let size = 0;
      for await (const chunk of (await store.get('media/whole')) ?? []) size += chunk.length;
      expect(size).toBe(30 * MiB);
      await expect(store.put('media/cut', content(20, new Error('cut off')))).rejects.toThrow('cut off');
      const keys: string[] = [];
      for await (const { key } of store.list('')) keys.push(key);
      expect(keys).toEqual(['media/whole']);
      expect(simulated.begun.size).toBe(0);
    } finally {
      await close();
    }
  });

  test('is swept of its unfinished parts after an hour', async () => {
    const clock = { ...systemClock, now: () => Date.now() + aheadMs };
    let aheadMs = 0;
    const { store, simulated, close } = await openBucket(clock);
    try {
      const initiated = new Date();
      simulated.begun.set('died', { key: 'some/prefix/media/died', initiated, parts: new Map() });
      simulated.begun.set('other', { key: 'elsewhere/died', initiated, parts: new Map() });
      expect(await store.sweep()).toBe(0);
      aheadMs = 3_700_000;
      expect(await store.sweep()).toBe(1);
      expect([...simulated.begun.keys()]).toEqual(['other']);
    } finally {
      await close();
    }
  });

  test('aborts the unfinished parts of an abandoned key immediately, and of no other', async () => {
    const { store, simulated, close } = await openBucket();
    try {
      const initiated = new Date();
      for (const key of ['media/died', 'media/died-not'])
        simulated.begun.set(key, { key: `some/prefix/${key}`, initiated, parts: new Map() });
      await store.abandon('media/died');
      expect([...simulated.begun.keys()]).toEqual(['media/died-not']);
    } finally {
      await close();
    }
  });

  test.each([
    [507, 'XMinioStorageFull'],
    [400, 'XMinioAdminBucketQuotaExceeded'],
    [403, 'QuotaExceeded'],
  ])(
    'without space (%i %s) throws storage_full, keeps no part, and stores the file when there is space',
    async (status, code) => {
      const { store, simulated, close } = await openBucket();
      try {
        simulated.rejectWith({ status, code });
        const full = { outcome: 'rejected', code: 'storage_full' };
        await expect(store.put('media/small', content(1))).rejects.toMatchObject(full);
        await expect(store.put('media/large', content(12))).rejects.toMatchObject(full);
        expect(simulated.begun.size).toBe(0);
        simulated.rejectWith(undefined);
        expect(await store.put('media/large', content(12))).toEqual({ size: 12 * MiB });
      } finally {
        await close();
      }
    },
  );

  test('that does not exist fails the check', async () => {
    const { simulated, close } = await openBucket();
    const location = parseS3Address(`s3://none?endpoint=${simulated.url}`);
    await expect(
      openS3Store({ location, outgoing, clock: systemClock, credentials }).check(),
    ).rejects.toThrow(/bucket "none" .* does not exist/);
    await close();
  });

  test('that is unreachable throws not_sent', async () => {
    const location = parseS3Address('s3://files?endpoint=http://127.0.0.1:9');
    const store = openS3Store({ location, outgoing, clock: systemClock, credentials });
    await expect(store.check()).rejects.toMatchObject({ outcome: 'not_sent' });
    await expect(store.put('a', content(1))).rejects.toMatchObject({ outcome: 'not_sent' });
  });

  test('has an address whose problems are reported', () => {
    expect(parseS3Address('s3://b/x/y/?region=eu-central-1')).toEqual({
      ...{ bucket: 'b', prefix: 'x/y/', region: 'eu-central-1' },
    });
    expect(() => parseS3Address('s3://')).toThrow(/s3:\/\/bucket/);
    expect(() => parseS3Address('s3://b?regoin=x')).toThrow(/no setting "regoin"/);
    expect(() => parseS3Address('s3://b?endpoint=minio:9000')).toThrow(/https:\/\/ or http:\/\//);
  });
});
