// The embedded database: start and stop, login, concurrent starts, and recovery after a kill.
import { chownSync, cpSync, existsSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeDataDir } from '../../src/db/embedded/folders.ts';
import { type Embedded, startEmbeddedPostgres } from '../../src/db/embedded/start.ts';
import { type Child, startChild } from '../harness/child.ts';
import { templateCluster } from '../harness/template-cluster.ts';
import { until } from '../harness/until.ts';

const childFile = fileURLToPath(new URL('../harness/embedded-process.ts', import.meta.url));
const log = { info() {}, warn() {}, error() {} };

let folder: string;
let dataDir: string;
const servers: Embedded[] = [];
const children: Child[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'embedded-test-'));
  await chmod(folder, 0o711);
  dataDir = join(folder, 'data');
});

afterEach(async () => {
  for (const child of children.splice(0)) {
    child.process.kill('SIGKILL');
    await child.ended;
  }
  for (const server of servers.splice(0)) await server.stop();
  // a failed test may have left a server running
  for (const pid of serverPids()) process.kill(pid, 'SIGKILL');
  await rm(folder, { recursive: true, maxRetries: 5, retryDelay: 100 });
});

/** Every process whose working directory is inside the test's folder. */
function serverPids(): number[] {
  if (!existsSync('/proc/self/cwd')) return [];
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      try {
        return pid > 0 && readlinkSync(`/proc/${pid}/cwd`).startsWith(`${folder}/`);
      } catch {
        return false;
      }
    });
}

async function start(options: Partial<Parameters<typeof startEmbeddedPostgres>[0]> = {}): Promise<Embedded> {
  const server = await startEmbeddedPostgres({ dataDir, log, ...options });
  servers.push(server);
  return server;
}

/** Puts a database into DATA_DIR, as an earlier start left it: without the second that initdb takes. */
async function restoreDatabase(): Promise<void> {
  await makeDataDir(dataDir);
  await templateCluster()?.restore(dataDir);
}

function startApart(): Child {
  const child = startChild(childFile, [dataDir]);
  children.push(child);
  return child;
}

async function query(connection: object, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ ...connection });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const serverPid = () =>
  Number(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);

function chownLike(model: string, path: string): void {
  const { uid, gid } = statSync(model);
  chownSync(path, uid, gid);
  for (const entry of readdirSync(path, { recursive: true })) chownSync(join(path, String(entry)), uid, gid);
}

describe('a start', () => {
  test('creates the database, keeps its data for the next start, and leaves no process after the stop', async () => {
    const first = await start();
    expect(first.adopted).toBe(false);
    await query(first.connection, "create table kept as select 'it is here' as what");
    await first.stop();
    expect(serverPids()).toEqual([]);
    const second = await start();
    expect(await query(second.connection, 'select * from kept')).toEqual([{ what: 'it is here' }]);
    await second.stop();
    expect(serverPids()).toEqual([]);
    expect(readdirSync(dataDir).sort()).toEqual(['postgres', 'postgres.log']);
  });

  test('is durable, uses UTF-8, and listens only on a socket in a private folder', async () => {
    const { connection } = await start();
    const names = ['fsync', 'synchronous_commit', 'listen_addresses', 'server_encoding', 'data_checksums'];
    const rows = await query(
      connection,
      `select name, setting from pg_settings where name in ('${names.join("','")}')`,
    );
    expect(Object.fromEntries(rows.map((row) => [row.name, row.setting]))).toEqual({
      fsync: 'on',
      synchronous_commit: 'on',
      listen_addresses: '',
      server_encoding: 'UTF8',
      data_checksums: 'on',
    });
    expect(statSync(connection.host).mode & 0o777).toBe(0o700);
    const [role] = await query(connection, 'select * from pg_roles where rolname = current_user');
    expect(role).toMatchObject({
      rolsuper: false,
      rolcreaterole: false,
      rolcreatedb: false,
      rolbypassrls: false,
    });
    expect(await query(connection, "select upper('äöüß') as text")).toEqual([{ text: 'ÄÖÜß' }]);
    await query(connection, 'create extension btree_gist');
  });

  test('succeeds when the path of DATA_DIR is too long for a socket', async () => {
    dataDir = join(folder, 'long'.repeat(40));
    const { connection } = await start();
    expect(Buffer.byteLength(connection.host)).toBeLessThan(90);
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('rejects a missing or wrong password, also for the administrator', async () => {
    const { connection, administrator } = await start();
    expect(await query(administrator, 'select 1 as one')).toEqual([{ one: 1 }]);
    for (const login of [connection, administrator]) {
      await expect(query({ ...login, password: '' }, 'select 1')).rejects.toThrow(/password/);
      await expect(query({ ...login, password: 'guess' }, 'select 1')).rejects.toThrow(/password/);
    }
    await expect(query({ ...connection, password: administrator.password }, 'select 1')).rejects.toThrow(
      /password/,
    );
    const secret = statSync(join(dataDir, 'postgres', 'gateway.password'));
    expect(secret.mode & 0o777).toBe(0o600);
  });

  test('over loopback rejects a wrong password', async () => {
    await restoreDatabase();
    const { connection } = await start({ overLoopback: true });
    expect(connection.host).toBe('127.0.0.1');
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
    await expect(query({ ...connection, password: 'guess' }, 'select 1')).rejects.toThrow(/password/);
  });

  test("rejects another major version's data with an error that says what to do", async () => {
    await restoreDatabase();
    await (await start()).stop();
    const version = (text: string) => writeFile(join(dataDir, 'postgres', 'PG_VERSION'), text);
    await version('17\n');
    await expect(start()).rejects.toThrow(
      /created by PostgreSQL 17.*includes 18.*"start" and "migrate" move it/,
    );
    await version('19\n');
    await expect(start()).rejects.toThrow(/created by PostgreSQL 19.*Start the newer version/);
  });

  test('that fails reports the end of the log', async () => {
    await restoreDatabase();
    await expect(start({ settings: { shared_buffers: 'much' } })).rejects.toThrow(
      /did not start.*shared_buffers/s,
    );
  });
});

describe('one gateway per DATA_DIR', () => {
  test('a second start fails while the first gateway runs, and does not disturb it', async () => {
    await restoreDatabase();
    const { connection, administrator } = await start();
    // also if the server does not know the program's role, like one of an earlier version
    await query(administrator, `alter role ${connection.user} nologin`);
    const second = startApart();
    const reply = await second.next();
    expect(reply.event).toBe('refused');
    await expect(query(connection, 'select 1 as one')).rejects.toThrow(/not permitted to log in/);
    await query(administrator, `alter role ${connection.user} login`);
    expect(reply.message).toMatch(new RegExp(`Another gateway already runs on .*process ${process.pid}`));
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('exactly one of two concurrent first starts succeeds', async () => {
    const both = [startApart(), startApart()];
    const reply = await Promise.all(both.map((child) => child.next()));
    expect(reply.map((word) => word.event).sort()).toEqual(['refused', 'started']);
    const winner = both[reply.findIndex((word) => word.event === 'started')];
    winner?.send('stop');
    expect(await winner?.next()).toEqual({ event: 'stopped' });
    expect(serverPids()).toEqual([]);
  });

  test('a start on a copy of a DATA_DIR in use does not touch the original', async () => {
    await restoreDatabase();
    const original = await start({ settings: { wal_level: 'replica' } });
    await query(original.administrator, 'checkpoint');
    const copied = join(folder, 'copy');
    cpSync(dataDir, copied, {
      recursive: true,
      preserveTimestamps: true,
      filter: (path) => !path.includes('socket-'),
    });
    if (process.getuid?.() === 0) chownLike(join(dataDir, 'postgres'), join(copied, 'postgres'));
    const copy = await start({ dataDir: copied });
    expect(copy.adopted).toBe(false);
    expect(copy.connection.host).not.toBe(original.connection.host);
    expect(await query(original.connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('after a kill', () => {
  beforeEach(restoreDatabase);

  test('of the gateway, the next start takes over the running database server', async () => {
    const child = startApart();
    const reply = await child.next();
    await query(reply.connection as object, 'create table kept as select 1 as one');
    const pid = serverPid();
    child.process.kill('SIGKILL');
    await child.ended;
    // as earlier versions configured it
    await writeFile(join(dataDir, 'postgres', 'pg_hba.conf'), 'local all all trust\n');
    process.kill(pid, 'SIGHUP');
    const bare = { ...(reply.connection as object), password: '' };
    await until(() => query(bare, 'select 1'));
    const next = await start();
    expect(next.adopted).toBe(true);
    expect(serverPid()).toBe(pid);
    expect(await query(next.connection, 'select * from kept')).toEqual([{ one: 1 }]);
    await until(() => expect(query(bare, 'select 1')).rejects.toThrow(/password/));
    await next.stop();
    expect(serverPids()).toEqual([]);
  });

  test('of gateway and database, the next start recovers committed data', async () => {
    const child = startApart();
    const reply = await child.next();
    await query(reply.connection as object, 'create table kept as select 1 as one');
    process.kill(serverPid(), 'SIGKILL');
    child.process.kill('SIGKILL');
    await child.ended;
    const next = await start();
    expect(next.adopted).toBe(false);
    expect(await query(next.connection, 'select * from kept')).toEqual([{ one: 1 }]);
  });

  test('of the database server, it is restarted at the same address', async () => {
    const { connection } = await start();
    await query(connection, 'create table kept as select 1 as one');
    const pid = serverPid();
    process.kill(pid, 'SIGKILL');
    const rows = await until(() => query(connection, 'select * from kept'));
    expect(rows).toEqual([{ one: 1 }]);
    expect(serverPid()).not.toBe(pid);
  });

  test('another process with the dead server’s pid does not prevent the start', async () => {
    await (await start()).stop();
    const otherProcess = startChild('-e', ['setInterval(() => {}, 1000)']);
    children.push(otherProcess);
    const lines = [
      otherProcess.process.pid,
      join(dataDir, 'postgres'),
      1,
      5432,
      join(dataDir, 'socket-gone'),
      '',
      '1 1',
      'ready',
    ];
    await writeFile(join(dataDir, 'postgres', 'postmaster.pid'), `${lines.join('\n')}\n`);
    const { connection } = await start();
    expect(await query(connection, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

test('Ctrl-C stops the gateway but not its database server', async () => {
  await restoreDatabase();
  const child = startApart();
  const reply = await child.next();
  // like a terminal: the signal goes to every process of the group
  process.kill(-(child.process.pid ?? 0), 'SIGINT');
  expect(await child.next()).toEqual({ event: 'interrupted' });
  expect(await query(reply.connection as object, 'select 1 as one')).toEqual([{ one: 1 }]);
  child.send('stop');
  expect(await child.next()).toEqual({ event: 'stopped' });
  expect(serverPids()).toEqual([]);
});
