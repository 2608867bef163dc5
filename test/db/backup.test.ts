// Backups of a real database and real files: what is in them, what is not, and how they end.
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import S3rver from '@20minutes/s3rver';
import { sql } from 'kysely';
import { extract } from 'tar-stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBackupFolder } from '../../src/adapters/filesystem/backup-store.ts';
import { openFilesystemStore } from '../../src/adapters/filesystem/object-store.ts';
import { openBackupBucket } from '../../src/adapters/s3/backup-store.ts';
import { parseS3Address } from '../../src/adapters/s3/location.ts';
import { type BackUpOptions, backUp } from '../../src/backup/back-up.ts';
import { findBackupState } from '../../src/backup/backups-store.ts';
import type { Manifest } from '../../src/backup/format.ts';
import { readArchive } from '../../src/backup/read-archive.ts';
import { makeKey, parseKeyRing } from '../../src/base/cipher.ts';
import { systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import { makePartitions } from '../../src/db/partitions.ts';
import { backupLock, openSnapshot } from '../../src/db/snapshot.ts';
import type { BackupStore } from '../../src/ports/backup-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { insertAccount } from '../harness/rows.ts';
import { until } from '../harness/until.ts';

const keyRing = parseKeyRing(makeKey());
const backupKeys = parseKeyRing(makeKey());
let database: TestDatabase;
let folder: string;
let objects: Awaited<ReturnType<typeof openFilesystemStore>>;
let store: BackupStore;
const accountId = uuidv7();

beforeAll(async () => {
  database = await createTestDatabase();
  await makePartitions(database.db);
  folder = await mkdtemp(join(tmpdir(), 'backup-'));
  objects = await openFilesystemStore({ directory: join(folder, 'objects'), clock: systemClock });
  store = openBackupFolder(join(folder, 'backups'));
  await sql`insert into accounts (id, name) values (${accountId}, ${'a\tb\nc \\ é'})`.execute(database.db);
  for (const key of ['one', 'two', 'lost']) await insertFile(key, 'ready');
  await insertFile('unfinished', 'receiving');
  for (const key of ['one', 'two', 'unfinished', 'orphan'])
    await objects.put(`media/${key}`, Readable.from([Buffer.from(`content of ${key}`)]));
});
afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

async function insertFile(key: string, state: string): Promise<void> {
  await sql`
    insert into media (id, account_id, state, kind, mime_type, file_name, object_key, file_key, public_id, size, sha256)
    values (${uuidv7()}, ${accountId}, ${state}, 'image', 'image/png', 'a.png', ${`media/${key}`}, '\\x00',
      ${state === 'ready' ? key : null}, 1, '\\x00')`.execute(database.db);
}

const options = (more: Partial<BackUpOptions> = {}): BackUpOptions => ({
  ...{ store, place: 'here', name: null, withKeys: false, keep: null },
  ...{ snapshotMaxMs: 60_000, bytesPerSecond: null },
  ...more,
});

const deps = () => ({
  ...{ db: database.db, connection: database.connection, objects, clock: systemClock },
  ...{ version: '1.2.3', keyRing, backupKeys },
});

async function write(more: Partial<BackUpOptions> = {}) {
  const done = await backUp(deps(), options(more));
  if (!done) throw new Error('Another backup is running.');
  return done;
}

/** The clear bytes of each section of a backup. */
async function readSections(from: BackupStore, name: string) {
  const sections: Record<string, Buffer> = {};
  const manifest: Manifest = await readArchive(from.get(name), {
    keys: backupKeys,
    async onPart(section, bytes) {
      sections[section] = Buffer.concat([sections[section] ?? Buffer.alloc(0), bytes]);
    },
  });
  return { manifest, sections };
}

async function filesOf(archive: Buffer): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const entries = extract();
  entries.end(archive);
  for await (const entry of entries) files[entry.header.name] = await text(entry as never);
  return files;
}

test('a backup has every table, the files that the snapshot names, and no keys', async () => {
  const { name, manifest } = await write();
  const { manifest: read, sections } = await readSections(store, name);
  expect(read).toMatchObject(manifest);
  const { rows } = await sql<{ name: string }>`
    select c.relname::text as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`.execute(
    database.db,
  );
  const ofMigrations = [
    'kysely_migration',
    'kysely_migration_lock',
    'migration_digests',
    'breaking_migrations',
  ];
  const expected = rows
    .map((row) => row.name)
    .filter((one) => ![...ofMigrations, 'backups', 'gateway_state'].includes(one));
  expect(read.tables.map((table) => table.name).sort()).toEqual(expected.sort());
  expect(`${sections['tables/accounts']}`).toContain(`${accountId}\ta\\tb\\nc \\\\ é\t`);
  expect(await filesOf(sections.files as Buffer)).toEqual({
    'media/one': 'content of one',
    'media/two': 'content of two',
  });
  expect(read.files).toEqual({ count: 2, bytes: 28, missingCount: 1, missing: ['media/lost'] });
  expect(read.partitions.length).toBeGreaterThanOrEqual(12);
  expect(read.migrations.at(-1)?.digest).toMatch(/^[0-9a-f]{64}$/);
  expect(read.hasKeys).toBe(false);
  const secret = keyRing.keys[0].key.export().toString('base64');
  expect(JSON.stringify(read)).not.toContain(secret);
  expect(sections.keys).toBeUndefined();
});

test('a snapshot has one moment: rows that are committed later are not in it', async () => {
  const snapshot = await openSnapshot(database.connection, { maxMs: 60_000 });
  const later = await insertAccount(database.db);
  const table = snapshot?.tables.find(({ name }) => name === 'accounts');
  const chunks: Buffer[] = [];
  for await (const chunk of (table && snapshot?.copy(table)) ?? []) chunks.push(chunk);
  expect(`${Buffer.concat(chunks)}`).toContain(accountId);
  expect(`${Buffer.concat(chunks)}`).not.toContain(later);
  await snapshot?.close();
  await sql`delete from accounts where id = ${later}`.execute(database.db);
});

test('keys are written only if they are asked for, and only to an encrypted backup', async () => {
  await expect(backUp({ ...deps(), backupKeys: null }, options({ withKeys: true }))).rejects.toThrow(
    'only written to an encrypted backup',
  );
  const { sections } = await readSections(store, (await write({ withKeys: true })).name);
  expect(parseKeyRing(`${sections.keys}`).keys[0].id).toBe(keyRing.keys[0].id);
});

test('only one backup of a database runs at a time', async () => {
  await database.db.connection().execute(async (one) => {
    await sql`select pg_advisory_lock(${backupLock[0]}, ${backupLock[1]})`.execute(one);
    expect(await backUp(deps(), options())).toBeUndefined();
    await sql`select pg_advisory_unlock(${backupLock[0]}, ${backupLock[1]})`.execute(one);
  });
});

/** Fails a backup whose snapshot lasts too long as soon as `late` resolves. */
async function failLate(late: Promise<unknown>, more: Partial<BackUpOptions> = {}) {
  const before = await readdir(join(folder, 'backups'));
  const { failures } = await findBackupState(database.db);
  const snapshotMaxMs = 7 * 60_000;
  const sleep: typeof systemClock.sleep = async (ms, signal) => {
    const slept = systemClock.sleep(ms, signal);
    await (ms === snapshotMaxMs ? Promise.race([late, slept]) : slept);
  };
  const run = backUp({ ...deps(), clock: { ...systemClock, sleep } }, options({ snapshotMaxMs, ...more }));
  const failure = 'lasted longer than 7 minutes (BACKUP_SNAPSHOT_MINUTES)';
  await expect(run).rejects.toThrow(failure);
  expect(await readdir(join(folder, 'backups'))).toEqual(before);
  const state = await findBackupState(database.db);
  expect([state.failures, state.snapshotSeconds]).toEqual([failures + 1, null]);
  expect(state.lastFailure).toContain(failure);
  expect(state.goodSeconds).toBeGreaterThan(0);
}

test('a snapshot that lasts too long fails the backup, which leaves no file and is recorded', async () => {
  const { promise: late, resolve: onProgress } = Promise.withResolvers<unknown>();
  await failLate(late, { onProgress });
});

test('a backup that fails before its snapshot can be read is recorded', async () => {
  await database.db.transaction().execute(async (tx) => {
    await sql`lock table kysely_migration in access exclusive mode`.execute(tx);
    const isWaiting = async () => {
      const { rows } = await sql`
        select from pg_locks where relation = 'kysely_migration'::regclass and not granted`.execute(tx);
      expect(rows).toHaveLength(1);
    };
    await failLate(until(isWaiting));
  });
});

test('a stopped backup leaves no file', async () => {
  const before = await readdir(join(folder, 'backups'));
  const stopping = new AbortController();
  const onProgress = () => stopping.abort(new Error('Stopped.'));
  await expect(backUp(deps(), options({ signal: stopping.signal, onProgress }))).rejects.toThrow('Stopped.');
  expect(await readdir(join(folder, 'backups'))).toEqual(before);
});

test('the backup of a process that died is recorded as failed by the next one', async () => {
  await sql`insert into backups (id, place, name, began_at) values (${uuidv7()}, 'here', 'dead', now())`.execute(
    database.db,
  );
  await write();
  const { rows } = await sql<{ failure: string }>`
    select failure from backups where name = 'dead'`.execute(database.db);
  expect(rows[0]?.failure).toContain('process ended');
  // and the failures before it count no more
  expect((await findBackupState(database.db)).failures).toBe(0);
});

test('keeps the newest backups, and never replaces a file', async () => {
  const { deleted } = await write({ keep: 1 });
  expect(deleted.length).toBeGreaterThan(2);
  expect(await store.list()).toHaveLength(1);
  const { name } = await write({ name: 'mine.tar' });
  await expect(write({ name })).rejects.toThrow('exists already');
  expect((await readSections(store, name)).manifest.id).toBeTruthy();
});

test('a backup is good if older ones cannot be deleted, and says why', async () => {
  const { deleted } = await write({ keep: 1 });
  expect(deleted).toHaveLength(1);
  const remove = () => Promise.reject(new Error('no right to delete'));
  const done = await write({ keep: 1, store: { ...store, remove } });
  expect(done).toMatchObject({ deleted: [], deleteFailure: 'no right to delete' });
  const { failures, lastFailure, goodSeconds } = await findBackupState(database.db);
  expect({ failures, lastFailure }).toEqual({ failures: 0, lastFailure: null });
  expect(goodSeconds).toBeLessThan(3600);
  expect((await readSections(store, done.name)).manifest.id).toBeTruthy();
});

test('a bucket of an S3 server takes backups, lists and returns them', async () => {
  const server = new S3rver({
    ...{ port: 0, address: '127.0.0.1', silent: true, vhostBuckets: false, directory: join(folder, 's3') },
    allowMismatchedSignatures: true,
    configureBuckets: [{ name: 'backups', configs: [] }],
  });
  const { port } = await server.run();
  const outgoing = openOutgoing({ connectionsPerOrigin: 4, keepAliveMs: 1_000 });
  try {
    const bucket = openBackupBucket({
      location: parseS3Address(`s3://backups/of/gateway?endpoint=http://127.0.0.1:${port}`),
      outgoing,
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    });
    const older = 'gateway-backup-20200101T000000Z-00000000.tar';
    await bucket.put(older, Readable.from([Buffer.from('older')]));
    await expect(bucket.put(older, Readable.from([Buffer.from('other')]))).rejects.toThrow('exists already');
    const { name, deleted } = await write({ store: bucket, keep: 1 });
    expect(deleted).toEqual([older]);
    expect((await bucket.list()).map((one) => one.name)).toEqual([name]);
    expect((await readSections(bucket, name)).manifest.files.count).toBe(2);
    await expect(readSections(bucket, older)).rejects.toMatchObject({
      ...{ code: 'not_found', message: `There is no backup of/gateway/${older} in the bucket backups.` },
    });
  } finally {
    await outgoing.close();
    await server.close();
  }
});
