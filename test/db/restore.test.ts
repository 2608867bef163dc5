// Restoring a backup: into an empty database only, whole or marked as incomplete, and held.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openBackupFolder } from '../../src/adapters/filesystem/backup-store.ts';
import { openFilesystemStore } from '../../src/adapters/filesystem/object-store.ts';
import { backUp } from '../../src/backup/back-up.ts';
import type { Manifest } from '../../src/backup/format.ts';
import { readArchive } from '../../src/backup/read-archive.ts';
import { missingKeys, missingKeysText, type RestoreDeps, restore } from '../../src/backup/restore.ts';
import { replaceAddressesAndTokens } from '../../src/backup/staging.ts';
import { makeKey, openCipher, parseKeyRing } from '../../src/base/cipher.ts';
import { systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { openLog } from '../../src/base/log.ts';
import { gatewayConnections } from '../../src/db/connections.ts';
import { type Connection, type Db, openDb } from '../../src/db/db.ts';
import { findHeldSince } from '../../src/db/gateway-state.ts';
import { partitionOptions } from '../../src/db/partitions.ts';
import { type OpenDatabase, openDatabase, type Purpose } from '../../src/open-database.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { contentOf } from '../harness/database-content.ts';

const keys = makeKey();
const keyRing = parseKeyRing(keys);
let folder: string;
let source: TestDatabase;
let store: ReturnType<typeof openBackupFolder>;
let name: string;
let manifest: Manifest;
let empty: TestDatabase;
const accountId = uuidv7();

/** A month whose partition no migration makes, so that it has to come from the backup. */
const old = '01800000-0000-7000-8000-000000000000';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'restore-'));
  [source, store] = [await createTestDatabase(), openBackupFolder(folder)];
  const { db } = source;
  await sql`insert into accounts (id, name) values (${accountId}, ${'tab\t, line\n, \\ and é'})`.execute(db);
  await sql`
    create table messages_y2022m04 partition of messages for values from ('017fe000-0000-7000-8000-000000000000')
      to ('01808000-0000-7000-8000-000000000000') ${sql.raw(partitionOptions('messages'))}`.execute(db);
  await sql`
    insert into messages (account_id, id, send_id, template_id, sender_id, phone, content, expires_at)
    select ${accountId}, id::uuid, ${accountId}, ${accountId}, ${accountId}, '15550100', '{"a": [1, "x\\ty"]}', 'infinity' from unnest(${[old, uuidv7()]}::text[]) id`.execute(
    db,
  );
  await sql`
    insert into media (id, account_id, state, kind, mime_type, file_name, object_key, file_key, public_id, size, sha256)
    values (${uuidv7()}, ${accountId}, 'ready', 'image', 'image/png', 'a', 'media/one', '\\x00ff', '1', 1, '\\x00')`.execute(
    db,
  );
  await sql`insert into processes default values`.execute(db);
  await sql`insert into sessions (id, account_id, name, scopes, hash, address, ends_at)
    values (${uuidv7()}, ${accountId}, 's', '{}', '\\x01', '::1', now())`.execute(db);
  const objects = await objectsIn('source');
  await objects.put('media/one', Readable.from([Buffer.from('one')]));
  const done = await backUp(
    {
      db,
      connection: source.connection,
      objects,
      clock: systemClock,
      version: '1.0.0',
      keyRing,
      backupKeys: null,
    },
    {
      store,
      place: folder,
      name: null,
      withKeys: false,
      keep: null,
      snapshotMaxMs: 60_000,
      bytesPerSecond: null,
    },
  );
  name = done?.name as string;
  manifest = await readArchive(store.get(name), { keys: null });
});
afterEach(() => empty?.drop().catch(() => undefined));
afterAll(async () => {
  await source.drop();
  await rm(folder, { recursive: true, force: true });
});

const objectsIn = (directory: string) =>
  openFilesystemStore({ directory: join(folder, directory), clock: systemClock });

async function emptyTarget(): Promise<RestoreDeps & { db: Db }> {
  empty = await createTestDatabase('empty');
  const { db, connection } = empty;
  return { db, connection, objects: await objectsIn(uuidv7()), backupKeys: null, clock: systemClock };
}

const restored = (
  deps: RestoreDeps,
  more: { open?: () => AsyncIterable<Buffer>; manifest?: Manifest } = {},
) => restore(deps, { open: () => store.get(name), manifest, ...more });

/** Opens the database as a command would, and closes it. */
async function open(connection: Connection, purpose: Purpose): Promise<string> {
  const log = openLog('silent');
  const opened: OpenDatabase | Error = await openDatabase(
    { connection, dataDir: folder },
    log,
    purpose,
  ).catch((error: Error) => error);
  if (opened instanceof Error) return opened.message;
  await opened.close();
  return 'opened';
}

test('restores every table, partition, sequence and file; only sessions and links are gone', async () => {
  const deps = await emptyTarget();
  expect(await restored(deps)).toEqual([]);
  const [before, after] = [await contentOf(source.db), await contentOf(deps.db)];
  expect(before.tables.sessions).toHaveLength(1);
  expect(after.tables.sessions).toEqual([]);
  const { sessions: _one, backups: _these, gateway_state: _state, ...tables } = before.tables;
  expect(after.tables).toMatchObject(tables);
  expect([after.partitions, after.sequences]).toEqual([before.partitions, before.sequences]);
  const { rows } = await sql<{ partition: string }>`
    select tableoid::regclass::text as partition from messages where id = ${old}`.execute(deps.db);
  expect(rows).toEqual([{ partition: 'messages_y2022m04' }]);
  const files = deps.objects as Awaited<ReturnType<typeof objectsIn>>;
  expect(await text((await files.get('media/one')) ?? Readable.from([]))).toBe('one');
  expect(await findHeldSince(deps.db)).toBeInstanceOf(Date);
  expect(await open(deps.connection, 'use')).toBe('opened');
});

test('rejects a database that is not empty, and changes nothing', async () => {
  const deps = await emptyTarget();
  await sql`create table mine as select 1 as a`.execute(deps.db);
  await expect(restored(deps)).rejects.toThrow('not empty: it has 1 tables, such as mine');
  const { rows } = await sql`select a from mine`.execute(deps.db);
  expect(rows).toEqual([{ a: 1 }]);
  await expect(restored({ ...deps, db: source.db, connection: source.connection })).rejects.toThrow(
    'not empty',
  );
  expect(await open(source.connection, 'use')).toBe('opened');
});

test('rejects a backup of a newer program, or of other migrations, and changes nothing', async () => {
  const deps = await emptyTarget();
  const newer = [...manifest.migrations, { name: '9999_future', digest: null }];
  await expect(restored(deps, { manifest: { ...manifest, migrations: newer } })).rejects.toThrow(
    'newer than this program: it needs the migrations 9999_future. Install version 1.0.0',
  );
  const other = manifest.migrations.map((one) => ({ ...one, digest: 'x' }));
  await expect(restored(deps, { manifest: { ...manifest, migrations: other } })).rejects.toThrow(
    'other files',
  );
  expect(Object.keys((await contentOf(deps.db)).tables)).toEqual([]);
});

test('rejects a database to which a gateway is connected', async () => {
  const deps = await emptyTarget();
  const gateway = openDb(deps.connection, { maxConnections: 1, applicationName: gatewayConnections });
  await sql`select 1`.execute(gateway);
  await expect(restored(deps)).rejects.toThrow('A gateway is connected');
  await gateway.destroy();
});

test('a restore that fails is incomplete: nothing starts, and the next one begins again', async () => {
  const deps = await emptyTarget();
  async function* cut() {
    let left = Math.floor(manifestBytes() * 0.3);
    for await (const chunk of store.get(name)) {
      yield chunk.subarray(0, left);
      left -= chunk.length;
      if (left <= 0) throw new Error('The disk is gone.');
    }
  }
  await expect(restored(deps, { open: cut })).rejects.toThrow('The disk is gone.');
  const incomplete = `The database is incomplete: the restore of the backup ${manifest.id}`;
  for (const purpose of ['use', 'migrate'] as const)
    expect(await open(deps.connection, purpose)).toContain(incomplete);
  // the backup has changed since it was verified
  const fewer = manifest.tables.map((table) => (table.name === 'messages' ? { ...table, rows: 1 } : table));
  await expect(restored(deps, { manifest: { ...manifest, tables: fewer } })).rejects.toThrow(
    'The table messages has 2 rows after the restore instead of 1',
  );
  // all tables are committed by then
  await expect(
    restored(deps, { manifest: { ...manifest, files: { ...manifest.files, count: 2 } } }),
  ).rejects.toThrow('1 files were restored instead of 2');
  for (const purpose of ['use', 'migrate'] as const)
    expect(await open(deps.connection, purpose)).toContain(incomplete);
  await expect(restored(deps, { manifest: { ...manifest, id: uuidv7() } })).rejects.toThrow('was replaced');
  expect(await open(deps.connection, 'use')).toContain('incomplete');
  await restored(deps);
  expect(await open(deps.connection, 'use')).toBe('opened');
  expect((await contentOf(deps.db)).tables.messages).toEqual((await contentOf(source.db)).tables.messages);
});

const manifestBytes = () =>
  manifest.sections
    .flatMap(({ parts }) => parts)
    .reduce((sum, { bytes }) => sum + 512 + Math.ceil(bytes / 512) * 512, 0);

test('a copy for staging has no address, token or key of the original, and only one restore runs at a time', async () => {
  const deps = await emptyTarget();
  const cipher = openCipher(keyRing);
  let second: Promise<unknown> | undefined;
  await restore(deps, {
    async *open() {
      second ??= restored(deps);
      await expect(second).rejects.toThrow('Another restore');
      yield* store.get(name);
    },
    manifest,
    beforeEnd: async (tx) => {
      const id = uuidv7();
      const secret = Buffer.from('original secret');
      await sql`
        insert into endpoints (id, account_id, url, events, secret, next_secret, overlap_until)
        values (${id}, ${accountId}, 'https://customer.example/hook', '{}', ${secret}, ${secret}, now())`.execute(
        tx,
      );
      await sql`
        insert into senders (id, account_id, name, phone_number_id, business_account_id, access_token, app_secret, app_secret_hash, verify_token)
        values (${id}, ${accountId}, 's', '1', '2', ${secret}, ${secret}, ${secret}, ${secret})`.execute(tx);
      await sql`
        insert into api_keys (id, account_id, name, scopes, hash, hint)
        values (${id}, ${accountId}, 'k', '{}', '\\x01', 'abcd')`.execute(tx);
      await sql`
        insert into staff (id, account_id, name) values (${id}, ${accountId}, 'Ada')`.execute(tx);
      await sql`
        insert into calendar_connections (id, account_id, staff_id, provider, calendar_id, credential, busy_calendar_ids)
        values (${id}, ${accountId}, ${id}, 'google', 'c', ${secret}, '{}')`.execute(tx);
      expect(await replaceAddressesAndTokens(tx, cipher)).toEqual({ endpoints: 1, senders: 1, calendars: 1 });
    },
  });
  expect(second).toBeDefined();
  const { tables } = await contentOf(deps.db);
  const left = JSON.stringify([tables.endpoints, tables.senders, tables.calendar_connections]);
  expect(left).not.toContain('customer.example');
  expect(left).not.toContain(Buffer.from('original secret').toString('hex'));
  const { rows } = await sql<{
    id: string;
    secret: Buffer;
    url: string;
    access_token: Buffer;
    api_url: string;
  }>`
    select e.id, e.secret, e.url, s.access_token, s.api_url from endpoints e join senders s on s.id = e.id
      join calendar_connections c on c.id = e.id and c.dead_at is not null
      join api_keys k on k.id = e.id and k.revoked_at is not null`.execute(deps.db);
  const [row] = rows;
  expect(new URL(row?.url ?? '').hostname).toBe('copy.invalid');
  expect(row?.api_url).toBe('https://copy.invalid');
  const place = (table: string, column: string) => ({ table, column, row: row?.id ?? '' });
  expect(cipher.decrypt(row?.secret as Buffer, place('endpoints', 'secret'))).toMatch(/^whsec_/);
  expect(cipher.decrypt(row?.access_token as Buffer, place('senders', 'access_token'))).toMatch(/^copy-/);
});

test('names the encryption keys that are missing, also if another key has the same id', () => {
  const [{ id }] = keyRing.keys;
  expect(missingKeys(manifest, keyRing)).toEqual([]);
  expect(missingKeys(manifest, parseKeyRing(`${makeKey()},${keys}`))).toEqual([]);
  expect(missingKeys(manifest, null)).toEqual([id]);
  expect(missingKeys(manifest, parseKeyRing(`${id}:${makeKey().split(':')[1]}`))).toEqual([id]);
});

test('says where to get missing keys, also if only the backup has them', () => {
  const text = (hasKeys: boolean) =>
    missingKeysText(['k-1', 'k-2'], 'ENCRYPTION_KEYS', { ...manifest, hasKeys });
  expect(text(false)).toMatch(/needs the encryption keys k-1, k-2, which are .* into ENCRYPTION_KEYS\.$/);
  expect(text(true)).toMatch(
    /the backup has them\. "restore" without DATABASE_URL and ENCRYPTION_KEYS, .* there\.$/,
  );
});
