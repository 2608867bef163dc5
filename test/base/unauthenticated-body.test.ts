// Bodies of unauthenticated callers on a real server: read completely or rejected, with a limit of bodies in memory.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { Readable } from 'node:stream';
import fastify, { type FastifyRequest } from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { AppError } from '../../src/base/errors.ts';
import { closeUnread, limitBodyTime } from '../../src/http/close-unread.ts';
import { sendFailure } from '../../src/http/reply.ts';
import type { Server } from '../../src/http/request.ts';
import {
  openUnauthenticatedBodies,
  type UnauthenticatedBodyLimits,
} from '../../src/http/unauthenticated-body.ts';

const limits: UnauthenticatedBodyLimits = {
  maxBytes: 1_000,
  timeoutMs: 60_000,
  smallMaxBytes: 100,
  smallSlots: 2,
  largeSlots: 1,
};
const closers: (() => Promise<unknown>)[] = [];
afterEach(() => Promise.all(closers.splice(0).map((close) => close())));

/** A server that echoes a body after `gate` resolves; "no" has an invalid signature. */
async function start(more: Partial<UnauthenticatedBodyLimits> = {}, lingerMs = 5_000) {
  const server = fastify() as unknown as Server;
  const verifying = { gate: Promise.resolve(), count: 0 };
  const read = openUnauthenticatedBodies({ ...limits, ...more });
  closeUnread(server, lingerMs);
  server.setErrorHandler((error, request, reply) => sendFailure(error, request, reply));
  server.addHook('onRequest', async (request) => {
    if (request.headers['x-early']) throw new AppError('not_found', 'There is nothing here.');
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (request: FastifyRequest, payload: Readable) =>
    read(request, payload, async (body) => {
      verifying.count += 1;
      await verifying.gate;
      if (body.toString() === 'no') throw new Error('not signed');
      return body.toString();
    }),
  );
  server.post('/', async (request) => request.body);
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as { port: number };
  const sockets: Socket[] = [];
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return server.close();
  });

  /** Sends headers and a body; `answer` resolves with the first bytes of the response. */
  async function say(head: string, body = '') {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    const answer = once(socket, 'data').then(([bytes]) => String(bytes));
    answer.catch(() => undefined);
    socket.write(`POST / HTTP/1.1\r\nHost: a\r\nContent-Type: a/b\r\n${head}\r\n\r\n${body}`);
    return { socket, answer };
  }
  const sized = (bytes: number, body = '') => say(`Content-Length: ${bytes}`, body);
  const chunked = (body = '') => say('Transfer-Encoding: chunked', body);
  /** The response to a small body of two bytes, or to one of `bytes` bytes. */
  const post = async (body = 'ok') => (await sized(body.length, body)).answer;
  return { verifying, say, sized, chunked, post };
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const statusOf = (answer: string) => Number(answer.split(' ')[1]);

test('reads a body with or without a declared length, in one piece or byte by byte', async () => {
  const { sized, chunked, post } = await start();
  expect(await post('hello')).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\n\r\nhello$/);
  const text = 'Zoë '.repeat(40);
  const bytes = Buffer.byteLength(text);
  expect(await (await sized(bytes, text)).answer).toContain(text);
  const pieces = [...'abcdefghij'.repeat(50)];
  expect(await (await chunked(`${pieces.map(chunk).join('')}0\r\n\r\n`)).answer).toContain(pieces.join(''));
});

test('returns 413 for a body that is too large, before it is read if its length is declared', async () => {
  const { sized, chunked, post } = await start();
  expect(statusOf(await (await sized(1_001)).answer)).toBe(413);
  expect(statusOf(await (await chunked(chunk('x'.repeat(1_001)))).answer)).toBe(413);
  expect(statusOf(await post())).toBe(200);
});

test('returns 408 for a body that is incomplete after the timeout, and closes the connection', async () => {
  const { sized, post } = await start({ timeoutMs: 30, smallSlots: 1 }, 30);
  const slow = await sized(10, 'abc');
  const answer = await slow.answer;
  expect([statusOf(answer), answer]).toEqual([408, expect.stringContaining('request_timeout')]);
  await once(slow.socket, 'close');
  expect(statusOf(await post())).toBe(200);
});

test('returns 503 with Retry-After when no slot is free, until a body is read, rejected or interrupted', async () => {
  const { sized, post, verifying } = await start();
  const held = [await sized(10, 'abc'), await sized(10, 'abc')];
  await expect.poll(() => post()).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 5\r\n/i);
  held[0]?.socket.write('defghij');
  expect(await held[0]?.answer).toContain('abcdefghij');
  expect(statusOf(await post('no'))).toBe(500);
  expect(statusOf(await post())).toBe(200);
  const another = await sized(10, 'abc');
  await expect.poll(() => post()).toMatch(/ 503 /);
  another.socket.destroy();
  await expect.poll(() => post()).toMatch(/ 200 /);
  expect(verifying.count).toBeGreaterThanOrEqual(4);
});

test('a body occupies its slot until its signature is verified', async () => {
  const { sized, post, verifying } = await start();
  const open = Promise.withResolvers<void>();
  verifying.gate = open.promise;
  const both = [await sized(2, 'ok'), await sized(2, 'ok')];
  await expect.poll(() => verifying.count).toBe(2);
  expect(statusOf(await post())).toBe(503);
  open.resolve();
  for (const { answer } of both) expect(statusOf(await answer)).toBe(200);
  expect(statusOf(await post())).toBe(200);
});

test('large bodies have separate slots, so slow ones do not block small ones', async () => {
  const { sized, chunked, post } = await start();
  const held = await sized(500, 'abc');
  const large = () => sized(101, 'x'.repeat(101)).then(({ answer }) => answer);
  await expect.poll(large).toMatch(/ 503 /);
  const grown = await chunked(chunk('x'.repeat(101)));
  expect(statusOf(await grown.answer)).toBe(503);
  expect(statusOf(await post())).toBe(200);
  held.socket.destroy();
  await expect.poll(large).toMatch(/ 200 /);
  const unsized = await chunked(`${chunk('x'.repeat(101))}0\r\n\r\n`);
  expect(statusOf(await unsized.answer)).toBe(200);
  // the small slot that it outgrew and its large slot are both free again
  for (let count = 0; count < 3; count++) {
    expect(statusOf(await large())).toBe(200);
    expect(statusOf(await post())).toBe(200);
  }
});

test('closes a connection that got a response before its body arrived, unless the body follows', async () => {
  const [hasty, patient] = [await start({}, 100), await start({}, 60_000)];
  const early = ({ say }: typeof hasty) => say('Content-Length: 5000\r\nX-Early: yes');
  const never = await early(hasty);
  expect(statusOf(await never.answer)).toBe(404);
  await once(never.socket, 'close');
  const late = await early(patient);
  expect(statusOf(await late.answer)).toBe(404);
  const again = once(late.socket, 'data');
  late.socket.write(`${'x'.repeat(5_000)}POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nok`);
  expect(statusOf(String((await again)[0]))).toBe(200);
});

test('a route with a time limit for its body returns 408 and closes the connection; complete bodies have none', async () => {
  const server = fastify() as unknown as Server;
  closers.push(() => server.close());
  closeUnread(server, 100);
  server.post('/', { onRequest: limitBodyTime(200) }, async (request) => request.body);
  await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as { port: number };
  const socket = connect(port, '127.0.0.1');
  const head = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n';
  socket.write(`${head}{}`);
  expect(statusOf(String((await once(socket, 'data'))[0]))).toBe(200);
  socket.write(`${head}{`);
  const closed = once(socket, 'close');
  const text = String((await once(socket, 'data'))[0]);
  expect([statusOf(text), text]).toEqual([408, expect.stringContaining('request_timeout')]);
  await closed;
});
