// The commands of backups as processes: killed at several points, into other versions of PostgreSQL, into a bucket, and on schedule.
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import S3rver from '@20minutes/s3rver';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openBackupBucket } from '../../src/adapters/s3/backup-store.ts';
import { parseS3Address } from '../../src/adapters/s3/location.ts';
import { makeKey } from '../../src/base/cipher.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import { type Db, openDb } from '../../src/db/db.ts';
import { makePartitions } from '../../src/db/partitions.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { contentOf } from '../harness/database-content.ts';
import { startOtherServer } from '../harness/other-server.ts';
import { openPostgresProxy } from '../harness/postgres-proxy.ts';
import { openProgramFolder, type ProgramFolder } from '../harness/program.ts';

// rounds of a minute
vi.setConfig({ testTimeout: 480_000, hookTimeout: 120_000 });

let source: TestDatabase;
let folder: ProgramFolder;
let env: Record<string, string>;
const closers: (() => Promise<unknown>)[] = [];
const rowCount = 60_000;

/** The address of a test database by TCP: DATABASE_URL names no socket. */
async function addressOf(database: TestDatabase): Promise<string> {
  const way = await openPostgresProxy(database.connection, () => false);
  closers.push(way.close);
  return way.url;
}

beforeAll(async () => {
  source = await createTestDatabase();
  folder = await openProgramFolder();
  await makePartitions(source.db);
  const accountId = uuidv7();
  await sql`insert into accounts (id, name) values (${accountId}, 'kept')`.execute(source.db);
  // random, so that compression leaves megabytes
  await sql`
    insert into messages (account_id, id, send_id, template_id, sender_id, phone, content, expires_at)
    select ${accountId}, gen_random_uuid(), ${accountId}, ${accountId}, ${accountId}, n,
      json_build_object('text', gen_random_uuid()::text || gen_random_uuid()::text || gen_random_uuid()::text), 'infinity'
    from generate_series(1, ${rowCount}::int) n`.execute(source.db);
  env = {
    DATABASE_URL: await addressOf(source),
    ENCRYPTION_KEYS: makeKey(),
    BACKUP_KEYS: makeKey(),
    BACKUP_MB_PER_SECOND: '0',
    AWS_ACCESS_KEY_ID: 'S3RVER',
    AWS_SECRET_ACCESS_KEY: 'S3RVER',
  };
});
afterAll(async () => {
  await folder?.close();
  for (const close of closers) await close();
  await source?.drop();
});

const run = (args: string[], more: Record<string, string> = {}) =>
  folder.run(args, { env: { ...env, ...more } });

/** Runs a command with --json; returns its document. */
async function document<T>(args: string[], more: Record<string, string> = {}): Promise<T> {
  const { code, out, err } = await run([...args, '--json'], more);
  expect([code, err]).toEqual([0, expect.any(String)]);
  return JSON.parse(out) as T;
}

const onDb = async <T>(connectionString: string, work: (db: Db) => Promise<T>): Promise<T> => {
  const db = openDb({ connectionString }, { maxConnections: 1, applicationName: 'test' });
  return work(db).finally(() => db.destroy());
};

/** The tables that a restore brings back. */
async function rowsOf(db: Db) {
  const { tables, partitions, sequences } = await contentOf(db);
  const { sessions: _one, backups: _these, gateway_state: _state, ...rest } = tables;
  return { tables: rest, partitions, sequences };
}

test('a backup that is killed leaves no file that counts, and the next one is good', async () => {
  const place = join(folder.folder, 'killed');
  // of about five seconds
  for (const afterMs of [0, 800, 2_000, 3_500]) {
    const program = folder.start(['backup', `${place}/`], { env: { ...env, BACKUP_MB_PER_SECOND: '3' } });
    const partial = async () =>
      (await readdir(place).catch(() => [])).find((name) => name.endsWith('.partial'));
    await expect.poll(partial, { interval: 5 }).toBeDefined();
    await sleep(afterMs);
    program.process.kill('SIGKILL');
    expect((await program.ended).signal).toBe('SIGKILL');
    expect((await readdir(place).catch(() => [])).filter((name) => name.endsWith('.tar'))).toEqual([]);
    const rest = (await partial()) as string;
    // somebody takes the rest for a backup
    const cut = join(folder.folder, 'cut.tar');
    await copyFile(join(place, rest), cut);
    expect(await run(['backup', '--verify', cut])).toMatchObject({
      code: 1,
      // of a backup that was killed before its first bytes, the rest is empty
      err: expect.stringMatching(/cut off|incomplete|end|is not a backup/i),
    });
    const target = await createTestDatabase('empty');
    const into = { DATABASE_URL: await addressOf(target) };
    expect(await run(['restore', cut], into)).toMatchObject({ code: 1 });
    expect((await sql`select from pg_tables where schemaname = 'public'`.execute(target.db)).rows).toEqual(
      [],
    );
    await target.drop();
    await rm(join(place, rest));
  }
  const { name } = await document<{ name: string }>(['backup', `${place}/`]);
  expect(await document(['backup', '--verify', join(place, name)])).toMatchObject({ verified: true });
});

test('a restore that is killed leaves a database that nothing uses, and can be run again', async () => {
  const file = join(folder.folder, 'r.tar');
  await document(['backup', file]);
  const expected = await rowsOf(source.db);
  const target = await createTestDatabase('empty');
  const into = {
    DATABASE_URL: await addressOf(target),
    OBJECT_STORE_URL: `file:${join(folder.folder, 'objects')}`,
  };
  const isIncomplete = async () =>
    (await sql`select to_regclass('incomplete_restore') is not null as there`.execute(target.db)).rows;
  /** True while a statement of the restore runs, such as a COPY. */
  const runs = async (pattern: string) =>
    (
      await sql`select from pg_stat_activity where datname = current_database() and application_name = 'gateway restore'
        and state = 'active' and query like ${pattern}`.execute(target.db)
    ).rows.length > 0;
  const moments: (() => Promise<boolean>)[] = [
    async () => JSON.stringify(await isIncomplete()).includes('true'),
    () => runs('copy "messages"%'),
    () => runs('copy%'),
    () => runs('select count(*)%'),
  ];
  for (const moment of moments) {
    const program = folder.start(['restore', file], { env: { ...env, ...into } });
    let isOver = false;
    void program.ended.then(() => {
      isOver = true;
    });
    while (!isOver && !(await moment())) await sleep(1);
    program.process.kill('SIGKILL');
    const { signal } = await program.ended;
    // it met the moment
    expect(signal).toBe('SIGKILL');
    for (const args of [
      ['start', '--no-sandbox'],
      ['migrate'],
      ['account', 'list'],
      ['release'],
      ['backup', '/tmp/never.tar'],
    ]) {
      const { code, err } = await run(args, into);
      expect([args[0], code === 0, err]).toEqual([
        args[0],
        false,
        expect.stringContaining('The database is incomplete: the restore of the backup'),
      ]);
    }
  }
  expect(await document(['restore', file], into)).toMatchObject({ held: true });
  expect(await rowsOf(target.db)).toEqual(expected);
  expect(await document(['release'], into)).toMatchObject({ failedMessages: 0, pausedSends: 0 });
  expect(await run(['release'], into)).toMatchObject({ err: expect.stringContaining('not held') });
  await target.drop();
});

test.each(['15', '17'])('a backup of PostgreSQL 18 is restored into PostgreSQL %s', async (major) => {
  const server = await startOtherServer(major);
  if (!server) {
    console.log(`NOT TESTED: PostgreSQL ${major} is not installed here`);
    return;
  }
  closers.push(server.close);
  const file = join(folder.folder, `for-${major}.tar`);
  await document(['backup', file]);
  const address = await server.createDatabase();
  const into = { DATABASE_URL: address, OBJECT_STORE_URL: `file:${join(folder.folder, `objects-${major}`)}` };
  expect(await document(['restore', file], into)).toMatchObject({ held: true });
  expect(await onDb(address, rowsOf)).toEqual(await rowsOf(source.db));
  // and back: what is whole there can be backed up and restored here
  const back = join(folder.folder, `from-${major}.tar`);
  await document(['backup', back], into);
  const target = await createTestDatabase('empty');
  await document(['restore', back], { ...into, DATABASE_URL: await addressOf(target) });
  expect((await rowsOf(target.db)).tables).toEqual((await onDb(address, rowsOf)).tables);
  await target.drop();
});

test('a bucket takes, lists, verifies and returns backups by the command line', async () => {
  const server = new S3rver({
    ...{
      port: 0,
      address: '127.0.0.1',
      silent: true,
      vhostBuckets: false,
      directory: join(folder.folder, 's3'),
    },
    allowMismatchedSignatures: true,
    configureBuckets: [{ name: 'backups', configs: [] }],
  });
  const { port } = await server.run();
  closers.push(() => server.close());
  const at = (name: string) =>
    `s3://backups/of/gateway${name}?region=us-east-1&endpoint=http://127.0.0.1:${port}`;
  const first = await document<{ name: string }>(['backup', at('')]);
  const second = await document<{ name: string; deleted: string[] }>(['backup', '--keep', '1', at('')]);
  expect(second.deleted).toEqual([first.name]);
  expect(await document(['backup', '--verify', at(`/${second.name}`)])).toMatchObject({ verified: true });
  expect(await run(['backup', '--verify', at(`/${first.name}`)])).toMatchObject({
    code: 5,
    err: expect.stringMatching(/There is no/),
  });
  const target = await createTestDatabase('empty');
  const into = {
    DATABASE_URL: await addressOf(target),
    OBJECT_STORE_URL: `file:${join(folder.folder, 'objects-s3')}`,
  };
  await document(['restore', at(`/${second.name}`)], into);
  // more than one range and one part
  const outgoing = openOutgoing({ connectionsPerOrigin: 4, keepAliveMs: 1_000 });
  const bucket = openBackupBucket({
    location: parseS3Address(at('')),
    outgoing,
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
  });
  const large = Buffer.alloc(33 * 1024 * 1024, 'x');
  await bucket.put('large', Readable.from([large]));
  let size = 0;
  for await (const chunk of bucket.get('large')) size += chunk.length;
  expect(size).toBe(large.length);
  await outgoing.close();
  expect((await rowsOf(target.db)).tables).toEqual((await rowsOf(source.db)).tables);
  await target.drop();
});

test('a worker backs up on schedule, keeps the newest, and reports failures in its log and metrics', async () => {
  const place = join(folder.folder, 'scheduled');
  await writeFile(place, 'in the way');
  // those of the tests above would be good for a day
  await sql`delete from backups`.execute(source.db);
  const program = folder.start(['start', '--no-sandbox'], {
    env: { ...env, ROLE: 'worker', BACKUP_TO: `${place}/`, BACKUP_KEEP: '1', BACKUP_EVERY_HOURS: '24' },
  });
  const [, url = ''] = await program.says(/The gateway answers at (\S+)\. /);
  const metric = async (name: string) => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return new RegExp(`^gateway_backup_${name} (\\S+)$`, 'm').exec(text)?.[1];
  };
  await program.says(/"msg":"backup\.failed"/);
  // reported once a minute
  await expect.poll(() => metric('failures'), { timeout: 90_000, interval: 1_000 }).toBe('1');
  // an hour later
  const isLater = (hours: number) =>
    sql`update backups set began_at = began_at - ${hours} * interval '1 hour', snapshot_at = snapshot_at - ${hours} * interval '1 hour',
      ended_at = ended_at - ${hours} * interval '1 hour'`.execute(source.db);
  await rm(place);
  await isLater(25);
  await program.says(/"msg":"backup\.done"/);
  const first = await readdir(place);
  expect(first).toHaveLength(1);
  await isLater(25);
  await expect.poll(() => metric('failures'), { timeout: 90_000, interval: 1_000 }).toBe('0');
  expect(Number(await metric('age_seconds'))).toBeGreaterThan(24 * 3_600);
  await expect.poll(() => readdir(place), { timeout: 120_000, interval: 1_000 }).not.toEqual(first);
  await expect.poll(async () => (await readdir(place)).length).toBe(1);
  const log = program.out();
  expect(log).toMatch(/"err":.*"msg":"backup\.failed"/);
  expect(await readFile(join(place, (await readdir(place))[0] as string))).toBeInstanceOf(Buffer);
});
