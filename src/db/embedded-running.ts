// The embedded database of a gateway that runs already: how a command beside it reaches the same data.
import { existsSync } from 'node:fs';
import type { Connection } from './db.ts';
import { databaseUser, readPassword } from './embedded-cluster.ts';
import { findHome } from './embedded-home.ts';
import { isAlive, isServerOf, readPostmaster } from './embedded-postmaster.ts';

/** Where the living server of this DATA_DIR is reached; undefined if none runs. It stays its gateway's to stop. */
export async function findRunningEmbedded(dataDir: string): Promise<Connection | undefined> {
  if (!existsSync(dataDir)) return undefined;
  const home = await findHome(dataDir);
  const running = await readPostmaster(home.cluster);
  if (!running || !(await isAlive(running.pid)) || !(await isServerOf(running.pid, home.cluster)))
    return undefined;
  return 'socketFolder' in running.reach
    ? { host: running.reach.socketFolder, port: 5432, user: databaseUser, database: 'gateway' }
    : {
        host: '127.0.0.1',
        port: running.reach.port,
        user: databaseUser,
        password: await readPassword(home),
        database: 'gateway',
      };
}

/** Whether an embedded database was made in this DATA_DIR; makes nothing. */
export async function hasEmbedded(dataDir: string): Promise<boolean> {
  return existsSync(dataDir) && existsSync((await findHome(dataDir)).cluster);
}
