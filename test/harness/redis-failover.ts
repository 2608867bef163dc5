// Redis servers that fail over, as real processes on loopback: a primary with a replica and a sentinel, or a cluster of three.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

const ask = (port: number, ...command: string[]) =>
  execFileSync('redis-cli', ['-p', String(port), ...command], { encoding: 'utf8' }).trim();

interface Servers {
  start(port: number, settings: string[], isSentinel?: boolean): Promise<void>;
  kill(port: number): Promise<void>;
  close(): Promise<void>;
}

async function openServers(): Promise<Servers> {
  const folder = await mkdtemp(join(tmpdir(), 'redis-'));
  const running = new Map<number, ChildProcess>();
  async function kill(port: number): Promise<void> {
    const child = running.get(port);
    running.delete(port);
    const ended = new Promise((resolve) => child?.once('close', resolve));
    child?.kill('SIGKILL');
    await ended;
  }
  return {
    async start(port, settings, isSentinel = false) {
      const file = join(folder, `${port}.conf`);
      const common = [`port ${port}`, 'bind 127.0.0.1', `dir ${folder}`, ...(isSentinel ? [] : ['save ""'])];
      await writeFile(file, [...common, ...settings].join('\n'));
      const child = spawn('redis-server', [file, ...(isSentinel ? ['--sentinel'] : [])], { stdio: 'ignore' });
      running.set(port, child);
      await until(() => {
        if (ask(port, 'ping') !== 'PONG') throw new Error(`no answer on port ${port}`);
      });
    },
    kill,
    async close() {
      await Promise.all([...running.keys()].map(kill));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A primary, a replica, and one sentinel that alone may replace the primary. */
export async function openSentinel() {
  const servers = await openServers();
  const [primary, replica, sentinel] = [await freePort(), await freePort(), await freePort()];
  await servers.start(primary, []);
  await servers.start(replica, [`replicaof 127.0.0.1 ${primary}`]);
  await until(() => {
    if (!ask(primary, 'info', 'replication').includes('state=online')) throw new Error('no replica');
  });
  const settings = [`monitor main 127.0.0.1 ${primary} 1`, 'down-after-milliseconds main 500'];
  await servers.start(
    sentinel,
    settings.map((line) => `sentinel ${line}`),
    true,
  );
  await until(() => {
    if (!ask(sentinel, 'sentinel', 'replicas', 'main').includes(String(replica)))
      throw new Error('not seen yet');
  });
  return {
    url: `redis+sentinel://127.0.0.1:${sentinel}/main`,
    killPrimary: () => servers.kill(primary),
    /** True once the sentinel names the other server. */
    hasFailedOver: () =>
      ask(sentinel, 'sentinel', 'get-master-addr-by-name', 'main').includes(String(replica)) &&
      ask(replica, 'role').startsWith('master'),
    close: servers.close,
  };
}

/** Three nodes that share the keys. */
export async function openCluster() {
  const servers = await openServers();
  // the nodes also use the ports 10,000 above
  const ports = [await freePort(), await freePort(), await freePort()];
  for (const port of ports)
    await servers.start(port, ['cluster-enabled yes', `cluster-config-file nodes-${port}.conf`]);
  const nodes = ports.map((port) => `127.0.0.1:${port}`);
  execFileSync('redis-cli', ['--cluster', 'create', ...nodes, '--cluster-yes'], { stdio: 'ignore' });
  await until(() => {
    for (const port of ports)
      if (!ask(port, 'cluster', 'info').includes('cluster_state:ok')) throw new Error('not formed yet');
  });
  return { url: `redis+cluster://${nodes[0]},${nodes[1]}`, close: servers.close };
}
