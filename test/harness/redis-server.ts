// A real Redis server for tests, if one is installed, on its own port and without persistence.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.ts';
import { until } from './until.ts';

const answers = (port: number) =>
  new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });

/** Whether Redis is installed on this machine. */
export const hasRedis = (): boolean => spawnSync('redis-server', ['--version']).status === 0;

/** A Redis server that can be stopped and restarted at the same address. */
export async function openRedisServer() {
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), 'redis-'));
  let child: ChildProcess | undefined;
  const redis = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const where = ['--bind', '127.0.0.1', '--port', String(port), '--dir', directory];
      child = spawn('redis-server', [...where, '--save', '', '--appendonly', 'no'], { stdio: 'ignore' });
      await until(() => answers(port));
    },
    /** Freezes it with its connections open. */
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    async stop() {
      const ending = child;
      child = undefined;
      if (!ending) return;
      const ended = new Promise((resolve) => ending.once('close', resolve));
      ending.kill('SIGKILL');
      await ended;
    },
    async close() {
      await redis.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
  return redis;
}
