// Read-only servers: one that becomes read-only during open sessions and back, and a standby at start.
import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { openLog } from '../../src/base/log.ts';
import { findCluster, prepareFolders } from '../../src/db/embedded/folders.ts';
import { findProgram } from '../../src/db/embedded/program.ts';
import { type Embedded, startEmbeddedPostgres } from '../../src/db/embedded/start.ts';
import { openDatabase } from '../../src/open-database.ts';
import { administer } from '../harness/administer.ts';
import { freePort } from '../harness/free-port.ts';
import { type Gateway, startGateway } from '../harness/gateway.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const log = openLog('silent');
let folder: string;
let dataDir: string;
let server: Embedded;
let gateway: Gateway;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'read-only-test-'));
  // started by root, the server runs as another user, who must be able to enter
  await chmod(folder, 0o711);
  dataDir = join(folder, 'data');
  server = await startEmbeddedPostgres({ dataDir, log });
  await (await openDatabase({ connection: server.connection, dataDir }, log, 'migrate')).close();
  gateway = await startGateway({ through: async () => server.connection });
});
afterAll(async () => {
  await gateway?.close();
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function setReadOnly(on: boolean): Promise<void> {
  const { administrator } = server;
  await administer(administrator, `alter system set default_transaction_read_only = ${on ? 'on' : 'off'}`);
  await administer(administrator, 'select pg_reload_conf()');
}

test('drops open sessions when the server becomes read-only: all requests are 503 until it accepts writes again', async () => {
  const seen: Record<string, number> = {};
  let stopped = false;
  const caller = async () => {
    while (!stopped) {
      const body = { name: randomUUID() };
      const { status } = await gateway.call('POST', '/v1/appointments/departments', { body });
      seen[status] = (seen[status] ?? 0) + 1;
      await sleep(10);
    }
  };
  const callers = Promise.all(Array.from({ length: 8 }, caller));
  await sleep(1_000);
  await setReadOnly(true);
  await vi.waitFor(async () => {
    expect((await gateway.call('GET', '/health/ready', { key: null })).status).toBe(503);
  });
  await sleep(2_000);
  await setReadOnly(false);
  await vi.waitFor(async () => {
    expect((await gateway.call('GET', '/health/ready', { key: null })).status).toBe(200);
  });
  const during = { ...seen };
  await sleep(1_000);
  stopped = true;
  await callers;
  expect(Object.keys(seen).sort()).toEqual(['200', '503']);
  expect(seen[503]).toBe(during[503]);
  expect(seen[200]).toBeGreaterThan(during[200] ?? 0);
});

test('rejects a standby at start with an error that says what to do', async () => {
  await gateway.stop();
  const { user, password, database } = server.connection;
  await server.stop();
  const cluster = (await findCluster(dataDir)) as string;
  const copy = `${cluster}.standby`;
  execFileSync('cp', ['-a', cluster, copy]);
  const { uid, gid } = await stat(cluster);
  const signal = join(copy, 'standby.signal');
  await writeFile(signal, '');
  execFileSync('chown', [`${uid}:${gid}`, signal]);
  const home = await prepareFolders(dataDir);
  const { folder: program } = await findProgram(home.copyTargets, home.owner !== undefined);
  const port = await freePort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
  const standby = spawn(
    join(program, 'bin/postgres'),
    ['-D', copy, ...settings.flatMap((setting) => ['-c', setting])],
    { stdio: 'ignore', cwd: '/', env: {}, ...(home.owner ?? {}) },
  );
  try {
    const connection = { host: '127.0.0.1', port, user, ...(password ? { password } : {}), database };
    const start = () =>
      openDatabase({ connection, dataDir }, log, 'migrate').then(
        () => 'it started',
        (error: unknown) => String(error),
      );
    await vi.waitFor(async () => expect(await start()).toMatch(/standby.*Set DATABASE_URL to the primary/), {
      timeout: 20_000,
      interval: 200,
    });
  } finally {
    standby.kill('SIGQUIT');
    await rm(copy, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
});
