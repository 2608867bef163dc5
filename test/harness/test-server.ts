// The database server of a test run: started for the run and removed afterwards, or the one of TEST_DATABASE_URL.
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from '../../src/db/db.ts';
import type { EmbeddedLog } from '../../src/db/embedded/acquire.ts';
import { type Embedded, startEmbeddedPostgres } from '../../src/db/embedded/start.ts';
import { clusterIn, copyCluster, templateCluster } from './template-cluster.ts';

export interface TestServer {
  connection: Connection;
  /** True if the server has a migrated database `gateway_template` from an earlier run. */
  hasTemplate?: boolean;
  /** Creates and drops databases. A superuser, because dropping one must also end autovacuum in it. */
  administrator: Connection;
  stop(): Promise<void>;
  /** Stops the server immediately and removes its folder, for a process that is about to exit. */
  stopNow(): void;
}

const folderPrefix = 'chatbot-gateway-test-';
const nameOfOwner = 'test-run.pid';
// test data need not be durable; this halves the time of a clone
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '200' };

const warnings = {
  info() {},
  warn: (fields: object, text: string) => console.warn(text, fields),
  error: (fields: object, text: string) => console.error(text, fields),
};

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Stops the server of a folder and removes the folder, synchronously, for a process that is about to exit. SIGQUIT is
 * PostgreSQL's immediate shutdown.
 */
function discard(folder: string): void {
  try {
    const pid = Number(readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
    if (pid > 1) process.kill(pid, 'SIGQUIT');
    const oneBlock = new Int32Array(new SharedArrayBuffer(4));
    for (let tries = 0; isAlive(pid) && tries < 300; tries += 1) Atomics.wait(oneBlock, 0, 0, 10);
  } catch {
    // no server runs there
  }
  rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

/** Removes the folders of killed runs. */
function discardOrphans(): void {
  for (const name of readdirSync(tmpdir())) {
    if (!name.startsWith(folderPrefix)) continue;
    const folder = join(tmpdir(), name);
    try {
      if (!isAlive(Number(readFileSync(join(folder, nameOfOwner), 'utf8')))) discard(folder);
    } catch {
      // the folder of another run, or not complete yet
    }
  }
}

/**
 * Starts the server of this run, with the migrated template of an earlier run if one matches. Otherwise `prepare` creates the
 * template, which is kept for the next run.
 */
export async function startTestServer(prepare: (server: TestServer) => Promise<void>): Promise<TestServer> {
  const url = process.env.TEST_DATABASE_URL;
  const connection = { connectionString: url ?? '' };
  if (url) return { connection, administrator: connection, stop: async () => {}, stopNow() {} };
  const template = templateCluster();
  if (!template) return startOwnServer(settings);
  if (template.exists()) {
    const server = await startOwnServer(settings, warnings, { fill: template.restore });
    return { ...server, hasTemplate: true };
  }
  const first = await startOwnServer(settings, warnings, { keepFolder: true });
  await prepare(first);
  await first.stop();
  const fill = (folder: string) => copyCluster(clusterIn(first.folder), clusterIn(folder));
  const server = await startOwnServer(settings, warnings, { fill });
  // while the tests run: it takes longer than a start
  const kept = template
    .keep(first.folder)
    .catch((error) => console.warn('The cluster could not be kept for the next run:', error))
    .finally(() => rm(first.folder, { recursive: true, force: true }));
  const stop = async () => void (await Promise.all([kept, server.stop()]));
  return { ...server, stop, hasTemplate: true };
}

/** Starts a separate server, regardless of TEST_DATABASE_URL. If it dies, it is restarted at the same address. */
export async function startOwnServer(
  settings: Record<string, string>,
  log: EmbeddedLog = warnings,
  { fill, keepFolder = false }: { fill?: (folder: string) => Promise<unknown>; keepFolder?: boolean } = {},
): Promise<TestServer & { connection: Embedded['connection']; folder: string }> {
  discardOrphans();
  const folder = await mkdtemp(join(tmpdir(), folderPrefix));
  await writeFile(join(folder, nameOfOwner), String(process.pid));
  // started by root, the server runs as another user, who must be able to enter
  await chmod(folder, 0o711);
  await fill?.(folder);
  const server = await startEmbeddedPostgres({ dataDir: folder, log, settings }).catch((error) => {
    discard(folder);
    throw error;
  });
  return {
    connection: server.connection,
    administrator: server.administrator,
    folder,
    async stop() {
      await server.stop();
      if (!keepFolder) await rm(folder, { recursive: true, force: true });
    },
    stopNow: () => discard(folder),
  };
}
