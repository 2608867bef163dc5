// The embedded database of a gateway that runs already: how a command beside it reaches the same data.
import type { Connection } from './db.ts';
import { programRole, readPasswords } from './embedded-cluster.ts';
import { findCluster } from './embedded-home.ts';
import { isAlive, isServerOf, readPostmaster } from './embedded-postmaster.ts';
import { gatewayDatabase } from './embedded-roles.ts';

/** The address of the running server of this DATA_DIR; undefined if none runs. Its gateway stops it. */
export async function findRunningEmbedded(dataDir: string): Promise<Connection | undefined> {
  const cluster = await findCluster(dataDir);
  if (cluster === undefined) return undefined;
  const running = await readPostmaster(cluster);
  if (!running || !(await isAlive(running.pid)) || !(await isServerOf(running.pid, cluster)))
    return undefined;
  const { reach } = running;
  return {
    ...('port' in reach ? { host: '127.0.0.1', port: reach.port } : { host: reach.socketFolder, port: 5432 }),
    user: programRole,
    password: (await readPasswords(cluster)).program,
    database: gatewayDatabase,
  };
}

/** Whether an embedded database was made in this DATA_DIR; makes nothing. */
export async function hasEmbedded(dataDir: string): Promise<boolean> {
  return (await findCluster(dataDir)) !== undefined;
}
