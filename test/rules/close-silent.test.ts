// Silent connections: closed when their client reads nothing, kept while something moves.
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import fastify from 'fastify';
import { afterEach, expect, test, vi } from 'vitest';
import { closeSilent } from '../../src/http/close-silent.ts';
import { connectionRules } from '../../src/http/connections.ts';
import type { Server } from '../../src/http/request.ts';

let server: Server | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server?.close();
});

/** A server that closes silent connections, and a connection to it that requests `path`. */
async function request(path: string, silenceMs: number, source: () => AsyncIterable<Buffer>) {
  const own = fastify({ forceCloseConnections: true }) as unknown as Server;
  server = own;
  closeSilent(own, silenceMs);
  own.get('/long', (_request, reply) => reply.send(Readable.from(source())));
  await own.listen({ port: 0, host: '127.0.0.1' });
  const socket = connect((own.server.address() as { port: number }).port, '127.0.0.1');
  sockets.push(socket);
  socket.on('error', () => {});
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
  const connections = () =>
    new Promise<number>((resolve) => own.server.getConnections((_error, count) => resolve(count)));
  return { socket, connections };
}

test('closes the connection of a client that reads nothing of a long response', async () => {
  let isEnded = false;
  const { socket, connections } = await request('/long', 200, async function* endless() {
    try {
      for (;;) yield Buffer.alloc(64 * 1024);
    } finally {
      isEnded = true;
    }
  });
  socket.pause();
  await vi.waitUntil(async () => (await connections()) === 1);
  await vi.waitUntil(async () => (await connections()) === 0, { timeout: 5_000 });
  await vi.waitUntil(() => isEnded);
});

test('keeps the connection of a client that gets something now and then', async () => {
  const { socket } = await request('/long', 1_000, async function* slow() {
    // all of them together take longer than the silence; a busy machine may be late for one
    for (let n = 0; n < 6; n++) {
      await sleep(200);
      yield Buffer.from(`part ${n};`);
    }
  });
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes;
  });
  await vi.waitUntil(() => received.includes('part 5;'), { timeout: 5_000 });
});

test('the server waits longer than any operation', async () => {
  server = fastify() as unknown as Server;
  connectionRules(server, () => false);
  expect(server.server.timeout).toBe(600_000);
});
