// Commands that use the embedded database at the same time, without a gateway: the last one stops its server.
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { gatewayConnections } from '../../src/db/connections.ts';
import { openDb } from '../../src/db/db.ts';
import { findCluster, makeDataDir } from '../../src/db/embedded/folders.ts';
import { isAlive, readPostmaster } from '../../src/db/embedded/postmaster.ts';
import { type Embedded, startEmbeddedPostgres } from '../../src/db/embedded/start.ts';
import { type OpenDatabase, openDatabaseBeside } from '../../src/open-database.ts';
import { templateCluster } from '../harness/template-cluster.ts';

const log = { info() {}, warn() {}, error() {} };
let folder: string;
let dataDir: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'commands-test-'));
  await chmod(folder, 0o711);
  dataDir = join(folder, 'data');
  await makeDataDir(dataDir);
  await templateCluster()?.restore(dataDir);
});
afterEach(async () => {
  const pid = await serverPid();
  if (pid !== undefined) process.kill(pid, 'SIGKILL');
  await rm(folder, { recursive: true, maxRetries: 5, retryDelay: 100 });
});

/** The running server of DATA_DIR. */
async function serverPid(): Promise<number | undefined> {
  const found = await readPostmaster((await findCluster(dataDir)) as string);
  return found && (await isAlive(found.pid)) ? found.pid : undefined;
}

const open = (onServer?: (stop: () => Promise<void>) => void) =>
  openDatabaseBeside({ connection: null, dataDir, ...(onServer ? { onServer } : {}) }, log, 'inspect');
const works = async ({ db }: OpenDatabase) =>
  (await sql<{ one: number }>`select 1 as one`.execute(db)).rows[0]?.one === 1;

test('the command that started the server leaves it to another one, which stops it', async () => {
  const first = await open();
  const second = await open();
  await first.close();
  expect(await works(second)).toBe(true);
  const third = await open();
  await second.close();
  expect(await works(third)).toBe(true);
  await third.close();
  expect(await serverPid()).toBeUndefined();
});

test('a command that did not start the server leaves it to the one that did', async () => {
  const first = await open();
  const second = await open();
  await second.close();
  expect(await works(first)).toBe(true);
  await first.close();
  expect(await serverPid()).toBeUndefined();
});

test('an interrupted command leaves the server too, and one that is the last stops it', async () => {
  const stops: (() => Promise<void>)[] = [];
  const first = await open((stop) => stops.push(stop));
  const second = await open((stop) => stops.push(stop));
  await first.db.destroy();
  await stops[0]?.();
  expect(await works(second)).toBe(true);
  await second.db.destroy();
  await stops[1]?.();
  expect(await serverPid()).toBeUndefined();
});

test('commands that begin and end together all work, and leave no server', async () => {
  for (let round = 0; round < 2; round += 1) {
    const opened = await Promise.all([open(), open(), open()]);
    expect(await Promise.all(opened.map(works))).toEqual([true, true, true]);
    await Promise.all(opened.map(({ close }) => close()));
    expect(await serverPid()).toBeUndefined();
  }
});

test('a command that begins while the server stops waits, and starts it again', async () => {
  const first = await open();
  const [second] = await Promise.all([open(), first.close()]);
  expect(await works(second)).toBe(true);
  await second.close();
  expect(await serverPid()).toBeUndefined();
});

test('commands beside a gateway never stop its server', async () => {
  const gateway: Embedded = await startEmbeddedPostgres({ dataDir, log });
  const hot = openDb(gateway.connection, { maxConnections: 1, applicationName: gatewayConnections });
  await sql`select 1`.execute(hot);
  let interruptions = 0;
  const command = await open(() => {
    interruptions += 1;
  });
  expect(await works(command)).toBe(true);
  await command.close();
  // a signal ends it as usual
  expect(interruptions).toBe(0);
  await sql`select 1`.execute(hot);
  await hot.destroy();
  await gateway.stop();
  expect(await serverPid()).toBeUndefined();
});
