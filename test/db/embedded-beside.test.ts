// Commands beside an embedded server that lacks this program's role: it was killed during its creation, or is older.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { administrator, readPasswords } from '../../src/db/embedded/cluster.ts';
import { findCluster, makeDataDir } from '../../src/db/embedded/folders.ts';
import { isAlive, readPostmaster } from '../../src/db/embedded/postmaster.ts';
import { openDatabaseBeside } from '../../src/open-database.ts';
import { type Child, startChild } from '../harness/child.ts';
import { templateCluster } from '../harness/template-cluster.ts';

const childFile = fileURLToPath(new URL('../harness/embedded-process.ts', import.meta.url));
const log = { info() {}, warn() {}, error() {} };

let dataDir: string;
let folder: string;
let gateway: Child;

/** The running server of DATA_DIR. */
async function server() {
  const cluster = (await findCluster(dataDir)) as string;
  return { cluster, postmaster: await readPostmaster(cluster) };
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'beside-test-'));
  await chmod(folder, 0o711);
  dataDir = join(folder, 'data');
  await makeDataDir(dataDir);
  await templateCluster()?.restore(dataDir);
  gateway = startChild(childFile, [dataDir]);
  const { connection } = (await gateway.next()) as unknown as { connection: pg.ClientConfig };
  const { cluster } = await server();
  const { administrator: password } = await readPasswords(cluster);
  const client = new pg.Client({ ...connection, user: administrator, password });
  await client.connect();
  await client.query(`alter role ${connection.user} nologin`);
  await client.end();
});

afterEach(async () => {
  gateway.process.kill('SIGKILL');
  await gateway.ended;
  const { postmaster } = await server();
  if (postmaster && (await isAlive(postmaster.pid))) process.kill(postmaster.pid, 'SIGKILL');
  await rm(folder, { recursive: true, maxRetries: 5, retryDelay: 100 });
});

const open = (purpose: 'migrate' | 'inspect') =>
  openDatabaseBeside({ connection: null, dataDir }, log, purpose);

test('a command takes over the server of a gateway that was killed before it created the role, and stops it', async () => {
  gateway.process.kill('SIGKILL');
  await gateway.ended;
  const opened = await open('migrate');
  const { postmaster } = await server();
  await opened.close();
  expect(await isAlive(postmaster?.pid as number)).toBe(false);
});

test('a command beside a running gateway of an earlier version says to restart it, and changes nothing', async () => {
  for (const purpose of ['migrate', 'inspect'] as const)
    await expect(open(purpose)).rejects.toThrow(
      /The gateway running on .* is an earlier version\. Restart it with this version first/,
    );
  expect((await server()).postmaster).toBeDefined();
});
