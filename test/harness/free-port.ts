// Ports for servers that a test starts, chosen so that nothing else takes them in between.
import { createServer } from 'node:net';

// Below every system's ephemeral range: no outgoing connection and no `listen(0)` gets one of them.
const lowest = 10_000;
const perWorker = 1_000;
const workers = 20;

const offset = lowest + (Number(process.env.VITEST_POOL_ID ?? 0) % workers) * perWorker;
let next = Math.floor(Math.random() * perWorker);

const isFree = (port: number) =>
  new Promise<boolean>((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

/** A free port on loopback. Test files that run at the same time have ranges of their own. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < perWorker; tries += 1) {
    const port = offset + next;
    next = (next + 1) % perWorker;
    if (await isFree(port)) return port;
  }
  throw new Error(`No port from ${offset} on is free`);
}
