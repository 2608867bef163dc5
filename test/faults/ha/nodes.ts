// The nodes of a cluster: PostgreSQL under Patroni each, with proxies on the ways between them that can be blocked.
import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../harness/free-port.ts';
import { openTcpProxy, type TcpProxy } from '../tcp-proxy.ts';
import type { NodeFiles } from './cluster-files.ts';
import { familyOf, signalAll } from './process-signals.ts';

export interface ClusterNode extends NodeFiles {
  /** Others replicate from the node, and rewind from it, through this. */
  replication: TcpProxy;
  /** Patroni reaches etcd through this. */
  etcd: TcpProxy;
  /** The other nodes ask its Patroni through this; HAProxy asks directly. */
  peerRest: TcpProxy;
  configPath: string;
  patroni: ChildProcess | undefined;
  frozen: number[];
}

/** Opens the proxies of a node; starts nothing. */
export async function openNode(
  name: string,
  { folder, postgresFolder, etcdPort }: { folder: string; postgresFolder: string; etcdPort: number },
): Promise<ClusterNode> {
  const postgresPort = await freePort();
  const restPort = await freePort();
  const host = '127.0.0.1';
  const replication = await openTcpProxy({ host, port: postgresPort });
  const etcd = await openTcpProxy({ host, port: etcdPort });
  const peerRest = await openTcpProxy({ host, port: restPort });
  const ports = { replicationPort: replication.port, peerRestPort: peerRest.port, etcdPort: etcd.port };
  return {
    ...{ name, folder: join(folder, name), postgresFolder, postgresPort, restPort, ...ports },
    ...{ replication, etcd, peerRest },
    configPath: join(folder, `${name}.yml`),
    patroni: undefined,
    frozen: [],
  };
}

/** The pid of the node's postmaster; throws if it does not run. */
export const postmasterOf = (node: ClusterNode): number =>
  Number(readFileSync(join(node.folder, 'data/postmaster.pid'), 'utf8').split('\n')[0]);

function processesOf(node: ClusterNode): number[] {
  const patroni = node.patroni?.pid === undefined ? [] : [node.patroni.pid];
  try {
    return [...patroni, ...familyOf(postmasterOf(node))];
  } catch {
    return patroni;
  }
}

/** As if the machine lost its power. */
export const killNode = (node: ClusterNode): void => signalAll(processesOf(node), 'SIGKILL');

/** As a suspended virtual machine: nothing of the node runs until `thawNode`. */
export function freezeNode(node: ClusterNode): void {
  node.frozen = processesOf(node);
  signalAll(node.frozen, 'SIGSTOP');
}

export function thawNode(node: ClusterNode): void {
  signalAll(node.frozen, 'SIGCONT');
  node.frozen = [];
}

/** Closes the proxies of a node. */
export const closeNode = async ({ replication, etcd, peerRest }: ClusterNode): Promise<void> =>
  void (await Promise.all([replication, etcd, peerRest].map((proxy) => proxy.close())));
