// The connection to the embedded database of a gateway that is already running, for commands.
import type { Connection } from './db.ts';
import { programRole, readPasswords } from './embedded-cluster.ts';
import { findCluster } from './embedded-folders.ts';
import { isAlive, isServerOf, readPostmaster } from './embedded-postmaster.ts';
import { gatewayDatabase } from './embedded-roles.ts';

/** The connection to the running server of this DATA_DIR; undefined if none runs. The gateway that started it also stops it. */
export async function findRunningEmbedded(dataDir: string): Promise<Connection | undefined> {
  const cluster = await findCluster(dataDir);
  if (cluster === undefined) return undefined;
  const running = await readPostmaster(cluster);
  if (!running || !(await isAlive(running.pid)) || !(await isServerOf(running.pid, cluster)))
    return undefined;
  const { listenAddress } = running;
  return {
    ...('port' in listenAddress
      ? { host: '127.0.0.1', port: listenAddress.port }
      : { host: listenAddress.socketFolder, port: 5432 }),
    user: programRole,
    password: (await readPasswords(cluster)).program,
    database: gatewayDatabase,
  };
}

/** Whether this DATA_DIR has an embedded database. Creates nothing. */
export async function hasEmbedded(dataDir: string): Promise<boolean> {
  return (await findCluster(dataDir)) !== undefined;
}
