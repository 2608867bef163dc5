// Pipelined requests: their order, and how many of a connection are handled and wait.
import { connect, type Socket } from 'node:net';
import fastify from 'fastify';
import { afterEach, expect, test, vi } from 'vitest';
import { handleInOrder } from '../../src/http/pipelined-requests.ts';
import type { Server } from '../../src/http/request.ts';

let server: Server | undefined;
let socket: Socket | undefined;
afterEach(async () => {
  socket?.destroy();
  await server?.close();
});

/** Sends requests in one packet to a server whose responses the test releases. */
async function pipeline(paths: string[]) {
  const own = fastify({ forceCloseConnections: true }) as unknown as Server;
  server = own;
  handleInOrder(own);
  const handled: { path: string; answer: () => void }[] = [];
  own.all('/*', async ({ url, method, body }) => {
    await new Promise<void>((answer) => handled.push({ path: url, answer }));
    return `${method} ${url} ${JSON.stringify(body)};`;
  });
  await own.listen({ port: 0, host: '127.0.0.1' });
  const state = { handled, received: '', isClosed: false };
  const opened = connect((own.server.address() as { port: number }).port, '127.0.0.1');
  socket = opened;
  opened.on('data', (bytes) => {
    state.received += bytes;
  });
  opened.on('error', () => {});
  opened.on('close', () => {
    state.isClosed = true;
  });
  const request = (path: string) =>
    path.startsWith('/post')
      ? `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n[]`
      : `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
  opened.write(paths.map(request).join(''));
  return state;
}

test('are handled one after another, in their order', async () => {
  const state = await pipeline(['/a', '/post', '/c']);
  for (const path of ['/a', '/post', '/c']) {
    await vi.waitUntil(() => state.handled.length > 0);
    expect(state.handled.map((one) => one.path)).toEqual([path]);
    state.handled.shift()?.answer();
    await vi.waitUntil(() => state.received.includes(`${path} `));
  }
  expect(state.received.match(/(?:GET|POST) .*?;/g)).toEqual([
    ...['GET /a undefined;', 'POST /post [];', 'GET /c undefined;'],
  ]);
  expect(state.isClosed).toBe(false);
});

test('close their connection if more than 100 wait', async () => {
  const many = (count: number) => Array.from({ length: count }, (_, n) => `/${n}`);
  const state = await pipeline(many(101));
  await vi.waitUntil(() => state.handled.length === 1);
  state.handled.shift()?.answer();
  await vi.waitUntil(() => state.handled.length === 1);
  expect(state.isClosed).toBe(false);
  socket?.write('GET /one HTTP/1.1\r\nHost: a\r\n\r\nGET /more HTTP/1.1\r\nHost: a\r\n\r\n');
  await vi.waitUntil(() => state.isClosed);
  expect(state.handled.map((one) => one.path)).toEqual(['/1']);
});
