// A directory as the object store: the conformance suite, permissions, leftovers, and full disks.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFilesystemStore } from '../../src/adapters/filesystem/object-store.ts';
import { systemClock } from '../../src/base/clock.ts';
import { VendorError } from '../../src/base/errors.ts';
import { mountSmallDisk } from '../harness/small-disk.ts';
import { objectStoreSuite } from './object-store.suite.ts';

const newFolder = () => mkdtemp(join(tmpdir(), 'objects-'));

objectStoreSuite('a directory', async () => {
  const directory = await newFolder();
  return {
    store: await openFilesystemStore({ directory, clock: systemClock }),
    close: () => rm(directory, { recursive: true, force: true }),
  };
});

describe('a directory', () => {
  let directory = '';
  beforeEach(async () => {
    directory = await newFolder();
  });
  afterEach(() => rm(directory, { recursive: true, force: true }));

  test('files and directories are accessible to their owner only', async () => {
    const store = await openFilesystemStore({ directory: join(directory, 'new'), clock: systemClock });
    await store.put('media/a/1', Readable.from([Buffer.from('x')]));
    if (process.platform === 'win32') return;
    for (const path of ['new', 'new/objects', 'new/objects/media/a']) {
      expect((await stat(join(directory, path))).mode & 0o777, path).toBe(0o700);
    }
    expect((await stat(join(directory, 'new/objects/media/a/1'))).mode & 0o777).toBe(0o600);
  });

  test('a failed put leaves no temporary file', async () => {
    const store = await openFilesystemStore({ directory, clock: systemClock });
    const content = Readable.from(
      (async function* () {
        yield randomBytes(200_000);
        throw new Error('cut off');
      })(),
    );
    await expect(store.put('media/a/1', content)).rejects.toThrow('cut off');
    expect(await readdir(join(directory, 'incoming'))).toEqual([]);
  });

  test('a leftover of a killed process is removed when it is old, not before', async () => {
    const store = await openFilesystemStore({ directory, clock: systemClock });
    const leftover = join(directory, 'incoming', 'left');
    await writeFile(leftover, 'part');
    expect(await store.sweep()).toBe(0);
    const twoHoursAgo = Date.now() / 1000 - 7200;
    await utimes(leftover, twoHoursAgo, twoHoursAgo);
    expect(await store.sweep()).toBe(1);
    expect(await readdir(join(directory, 'incoming'))).toEqual([]);
  });

  test('an abandoned put fails and leaves nothing; a put of another key succeeds', async () => {
    const store = await openFilesystemStore({ directory, clock: systemClock });
    const [abandoned, other] = [new Readable({ read() {} }), new Readable({ read() {} })];
    const puts = [store.put('media/a/1', abandoned), store.put('media/a/12', other)];
    const outcomes = Promise.allSettled(puts);
    for (const content of [abandoned, other]) content.push(Buffer.from('part'));
    await expect.poll(() => readdir(join(directory, 'incoming'))).toHaveLength(2);
    await store.abandon('media/a/1');
    for (const content of [abandoned, other]) content.push(null);
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(await store.head('media/a/1')).toBeNull();
    expect(await readdir(join(directory, 'incoming'))).toEqual([]);
  });

  const disk = mountSmallDisk(2);
  if (!disk)
    test('on a full disk NOT TESTED: this user may not mount one', () => expect(disk).toBeUndefined());
  else
    test('on a full disk throws storage_full, keeps nothing of the file, and stores it when there is space', async () => {
      const store = await openFilesystemStore({ directory: disk.folder, clock: systemClock });
      const file = () => Readable.from(Array.from({ length: 15 }, () => randomBytes(100_000)));
      await store.put('media/a/1', file());
      const full = { outcome: 'rejected', code: 'storage_full' };
      await expect(store.put('media/a/2', file())).rejects.toMatchObject(full);
      // one chunk of which a part still fits
      const chunk = Readable.from([randomBytes(1_500_000)]);
      await expect(store.put('media/a/2', chunk)).rejects.toMatchObject(full);
      expect(await readdir(join(disk.folder, 'incoming'))).toEqual([]);
      expect(await store.head('media/a/2')).toBeNull();
      await store.delete('media/a/1');
      expect(await store.put('media/a/2', file())).toEqual({ size: 1_500_000 });
    });
  afterAll(() => disk?.close());

  test('a missing directory throws VendorError and is not a missing object', async () => {
    const store = await openFilesystemStore({ directory, clock: systemClock });
    await rm(directory, { recursive: true });
    const failure = await store.check().then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(VendorError);
    await expect(store.put('media/a/1', Readable.from([Buffer.from('x')]))).rejects.toThrow(VendorError);
  });
});
