// The connection to the embedded database of a gateway that is already running, for commands.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../db.ts';
import { programRole, readPasswords } from './cluster.ts';
import { findCluster } from './folders.ts';
import { isAlive, isServerOf, readPostmaster } from './postmaster.ts';
import { gatewayDatabase } from './roles.ts';
import { type ServerUse, useServer } from './users.ts';

async function findServer(dataDir: string) {
  const cluster = await findCluster(dataDir);
  if (cluster === undefined) return undefined;
  const server = await readPostmaster(cluster);
  if (!server || !(await isAlive(server.pid)) || !(await isServerOf(server.pid, cluster))) return undefined;
  const { listenAddress } = server;
  const address = {
    ...('port' in listenAddress
      ? { host: '127.0.0.1', port: listenAddress.port }
      : { host: listenAddress.socketFolder, port: 5432 }),
    user: programRole,
    password: (await readPasswords(cluster)).program,
  };
  return { cluster, server, address, connection: { ...address, database: gatewayDatabase } };
}

/** The connection to the running server of this DATA_DIR; undefined if none runs. */
export async function findRunningEmbedded(dataDir: string): Promise<Connection | undefined> {
  return (await findServer(dataDir))?.connection;
}

/** A server that is starting or stopping is awaited for this long. */
const readyWithinMs = 20_000;
const pollMs = 50;

/**
 * Begins to use the running server of this DATA_DIR; undefined if none runs. Without `use`, it does not admit this program. A gateway that
 * started it also stops it; else the last command that uses it does.
 */
export async function useRunningEmbedded(
  dataDir: string,
): Promise<{ connection: Connection; use?: ServerUse | undefined } | undefined> {
  const until = performance.now() + readyWithinMs;
  for (;;) {
    const running = await findServer(dataDir);
    if (!running) return undefined;
    const use = await useServer(running.cluster, running.server, running.address);
    if (use !== 'stopping') return { connection: running.connection, use };
    if (performance.now() > until) throw new Error(`The database server of ${dataDir} is not ready.`);
    await sleep(pollMs);
  }
}

/** Whether this DATA_DIR has an embedded database. Creates nothing. */
export async function hasEmbedded(dataDir: string): Promise<boolean> {
  return (await findCluster(dataDir)) !== undefined;
}
