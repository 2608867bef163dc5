// A PostgreSQL server whose clock a test sets while it runs: the embedded one, started with libfaketime.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLog } from '../../src/base/log.ts';
import type { Connection } from '../../src/db/db.ts';
import { findCluster, makeDataDir, prepareFolders } from '../../src/db/embedded/folders.ts';
import { findProgram } from '../../src/db/embedded/program.ts';
import { startEmbeddedPostgres } from '../../src/db/embedded/start.ts';
import { openDatabase } from '../../src/open-database.ts';
import { freePort } from './free-port.ts';
import { templateCluster } from './template-cluster.ts';

/** Paths of the library in Debian and Fedora (package `faketime`). */
export const libfaketime = [
  '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1',
  '/usr/lib64/faketime/libfaketime.so.1',
].find(existsSync);

export interface FakedClock {
  connection: Connection;
  /** Sets the offset of the server's clock from this machine's. */
  set(seconds: number): Promise<void>;
  close(): Promise<void>;
}

/** Creates a migrated database and restarts its server with a separate clock. */
export async function startFakedClock(): Promise<FakedClock> {
  const folder = await mkdtemp(join(tmpdir(), 'faked-clock-'));
  // started by root, the server runs as another user, who must be able to enter
  await chmod(folder, 0o711);
  const dataDir = join(folder, 'data');
  const log = openLog('silent');
  await makeDataDir(dataDir);
  await templateCluster()?.restore(dataDir);
  const server = await startEmbeddedPostgres({ dataDir, log });
  const { user, password, database } = server.connection;
  await (await openDatabase({ connection: server.connection, dataDir }, log, 'migrate')).close();
  await server.stop();
  const offset = join(folder, 'offset');
  const set = async (seconds: number) => {
    await writeFile(offset, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}s\n`);
    await chmod(offset, 0o644);
  };
  await set(0);
  const home = await prepareFolders(dataDir);
  const cluster = (await findCluster(dataDir)) as string;
  const { folder: program } = await findProgram(home.copyTargets, home.owner !== undefined);
  const port = await freePort();
  const settings = [`port=${port}`, 'listen_addresses=127.0.0.1', 'unix_socket_directories='];
  const child = spawn(
    join(program, 'bin/postgres'),
    ['-D', cluster, ...settings.flatMap((setting) => ['-c', setting])],
    {
      stdio: 'ignore',
      cwd: '/',
      env: {
        LD_PRELOAD: libfaketime ?? '',
        FAKETIME_TIMESTAMP_FILE: offset,
        FAKETIME_NO_CACHE: '1',
        // do not fake the server's own monotonic waits
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
        DONT_FAKE_MONOTONIC: '1',
      },
      ...(home.owner ?? {}),
    },
  );
  return {
    connection: { host: '127.0.0.1', port, user, ...(password ? { password } : {}), database },
    set,
    async close() {
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      await ended;
      await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
    },
  };
}
