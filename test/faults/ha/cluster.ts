// A PostgreSQL cluster that fails over by itself: three nodes under Patroni, etcd and HAProxy, as processes on loopback.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../../harness/free-port.ts';
import { haproxyFile, type Mode, password, patroniFile, replicationSettings } from './cluster-files.ts';
import { openLauncher } from './launcher.ts';
import {
  type ClusterNode,
  closeNode,
  freezeNode,
  killNode,
  openNode,
  postmasterOf,
  thawNode,
} from './nodes.ts';
import { openPatroniClient } from './patroni-client.ts';
import { signalAll } from './process-signals.ts';
import { pathOf, patroniCommand, postgresFolder } from './programs.ts';

export type Cluster = Awaited<ReturnType<typeof openCluster>>;

const startWithinMs = 120_000;

/** Starts a cluster in a mode. Reject with the first node's log if it does not start. */
export async function openCluster(mode: Mode, nodeCount = 3) {
  const programs = postgresFolder() as string;
  const launcher = openLauncher(programs);
  const etcdPort = await freePort();
  const etcd = startEtcd(launcher, etcdPort, await freePort());
  const nodes: ClusterNode[] = [];
  for (let index = 1; index <= nodeCount; index += 1)
    nodes.push(await openNode(`n${index}`, { folder: launcher.folder, postgresFolder: programs, etcdPort }));
  const killNodes = () => {
    for (const node of nodes) killNode(node);
  };
  process.once('exit', killNodes);
  const nodeOf = (name: string) => {
    const found = nodes.find((node) => node.name === name);
    if (!found) throw new Error(`There is no node ${name}.`);
    return found;
  };
  for (const node of nodes) {
    launcher.makeFolder(node.name);
    launcher.writeFile(node.configPath, patroniFile(node, mode));
  }
  const startNode = (node: ClusterNode) => {
    const [program, args] = patroniCommand() as [string, string[]];
    node.patroni = launcher.launch(node.name, program, [...args, node.configPath]);
  };
  const port = await freePort();
  const proxyPath = join(launcher.folder, 'haproxy.cfg');
  launcher.writeFile(proxyPath, haproxyFile(port, nodes));
  const patroni = openPatroniClient(nodes);

  const cluster = {
    folder: launcher.folder,
    /** DATABASE_URL of the gateways: always leads to the primary. */
    url: `postgres://gateway:${password}@127.0.0.1:${port}/gateway`,
    /** Leads to one node, whatever its role. */
    urlOf: (name: string) => `postgres://gateway:${password}@127.0.0.1:${nodeOf(name).postgresPort}/gateway`,
    names: nodes.map(({ name }) => name),
    patroni,
    sqlAt: (name: string, statement: string, database = 'postgres') =>
      sqlAt(nodeOf(name).postgresPort, statement, database),
    node: nodeOf,
    changeMode: (to: Mode) => patroni.configure(replicationSettings(to)),
    killPostmaster: (name: string) => process.kill(postmasterOf(nodeOf(name)), 'SIGKILL'),
    /** Its PostgreSQL continues as what it was. */
    killPatroni: (name: string) => void nodeOf(name).patroni?.kill('SIGKILL'),
    kill: (name: string) => killNode(nodeOf(name)),
    freeze: (name: string) => freezeNode(nodeOf(name)),
    thaw: (name: string) => thawNode(nodeOf(name)),
    freezeEtcd: () => void etcd.kill('SIGSTOP'),
    thawEtcd: () => void etcd.kill('SIGCONT'),
    /** Starts a node whose Patroni has ended. */
    start(name: string) {
      const node = nodeOf(name);
      const isRunning = node.patroni && node.patroni.exitCode === null && node.patroni.signalCode === null;
      if (!isRunning) startNode(node);
    },
    async close() {
      process.off('exit', killNodes);
      for (const node of nodes) thawNode(node);
      killNodes();
      signalAll(etcd.pid === undefined ? [] : [etcd.pid], 'SIGCONT');
      await launcher.close();
      await Promise.all(nodes.map(closeNode));
    },
  };
  try {
    await etcdIsReady(etcdPort);
    const [first, ...others] = nodes as [ClusterNode, ...ClusterNode[]];
    startNode(first);
    await patroni.until(
      'the first node leads',
      async () => (await patroni.primaries()).length === 1,
      startWithinMs,
    );
    for (const node of others) startNode(node);
    launcher.launch('haproxy', pathOf('haproxy') as string, ['-f', proxyPath, '-db']);
    await patroni.untilWhole();
    const leader = await patroni.leader();
    await cluster.sqlAt(leader, `create role gateway login password '${password}'`);
    await cluster.sqlAt(leader, 'create database gateway owner gateway');
    await cluster.sqlAt(leader, 'create extension btree_gist', 'gateway');
    await cluster.sqlAt(leader, 'create table write_probes ()', 'gateway');
    await cluster.sqlAt(leader, 'grant insert on write_probes to gateway', 'gateway');
    if (mode !== 'async') await patroni.untilSynchronous();
    return cluster;
  } catch (error) {
    const log = readFileSync(join(launcher.folder, 'n1.log'), 'utf8').slice(-3_000);
    await cluster.close();
    throw new Error(`The cluster did not start: ${String(error)}\n${log}`, { cause: error });
  }
}

function startEtcd(launcher: ReturnType<typeof openLauncher>, port: number, peerPort: number) {
  const [client, peer] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const addresses = {
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    'initial-cluster': `etcd=${peer}`,
  };
  return launcher.launch('etcd', pathOf('etcd') as string, [
    ...['--name', 'etcd', '--data-dir', launcher.makeFolder('etcd'), '--log-level', 'warn'],
    ...Object.entries(addresses).flatMap(([name, value]) => [`--${name}`, value]),
  ]);
}

/** Patroni ends with an error if it meets etcd before etcd has decided its cluster's version. */
async function etcdIsReady(port: number): Promise<void> {
  const until = performance.now() + startWithinMs;
  for (;;) {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/version`, {
        signal: AbortSignal.timeout(2_000),
      });
      const { etcdcluster } = (await response.json()) as { etcdcluster: string };
      if (etcdcluster !== 'not_decided') return;
    } catch (error) {
      if (performance.now() > until) throw error;
    }
    await sleep(100);
  }
}

async function sqlAt(port: number, statement: string, database: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({
    ...{ host: '127.0.0.1', port, user: 'postgres', password, database, connectionTimeoutMillis: 3_000 },
    options: '-c default_transaction_read_only=off',
  });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end().catch(() => undefined);
  }
}
