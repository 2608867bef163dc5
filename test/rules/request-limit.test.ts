// The time limit of requests while the database does not answer: which requests end, and how.
import { setTimeout as sleep } from 'node:timers/promises';
import fastify from 'fastify';
import { afterEach, expect, test } from 'vitest';
import { sendFailure } from '../../src/http/reply.ts';
import type { Server } from '../../src/http/request.ts';
import { limitRequests, type RequestLimit } from '../../src/http/request-limit.ts';

let server: Server | undefined;
afterEach(async () => {
  await server?.close();
});

/** A server whose requests may take 50 ms while the database is stalled; each is handled until `end` resolves. */
async function start(isStalled: () => boolean, admit?: (limit: RequestLimit, own: Server) => void) {
  const own = fastify({ forceCloseConnections: true }) as unknown as Server;
  server = own;
  own.setErrorHandler((error, request, reply) => sendFailure(error, request, reply));
  own.addContentTypeParser('text/plain', (_request, body, done) => done(null, body));
  // without one, and without a log, Fastify measures no time
  own.addHook('onResponse', async () => {});
  const limit = limitRequests(own, { isStalled, requestMaxMs: 50 });
  admit?.(limit, own);
  const { promise, resolve: end } = Promise.withResolvers<void>();
  own.get('/waits', async (_request, reply) => {
    await promise;
    // a handler may also send by itself
    return reply.send({ late: true });
  });
  own.post('/upload', async (request) => {
    let size = 0;
    for await (const chunk of request.body as AsyncIterable<Buffer>) size += chunk.length;
    return { size };
  });
  own.get('/streams', (_request, reply) => {
    reply.raw.writeHead(200).write('begun ');
    return promise.then(() => void reply.raw.end('ended'));
  });
  const url = await own.listen({ port: 0, host: '127.0.0.1' });
  return { url, end };
}

test('a request that waits while the database is stalled gets a 503 with Retry-After, and its late response goes nowhere', async () => {
  const { url, end } = await start(() => true);
  const response = await fetch(`${url}/waits`, { signal: AbortSignal.timeout(5_000) });
  expect(response.status).toBe(503);
  expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await response.json()).toMatchObject({ code: 'database_unavailable', success: false });
  end();
  await sleep(20);
});

test('a request that waits for something else than the database goes on', async () => {
  const { url, end } = await start(() => false);
  const response = fetch(`${url}/waits`);
  expect(await Promise.race([response, sleep(700)])).toBe(undefined);
  end();
  expect(await (await response).json()).toEqual({ late: true });
});

test('a request whose body still arrives, and a response that has begun, are not cut', async () => {
  const { url, end } = await start(() => true);
  const streamed = fetch(`${url}/streams`);
  const slow = async function* () {
    for (let part = 0; part < 4; part += 1) {
      yield Buffer.from('x');
      await sleep(200);
    }
  };
  const init = { method: 'POST', headers: { 'content-type': 'text/plain' }, duplex: 'half' as const };
  const uploaded = await fetch(`${url}/upload`, { ...init, body: ReadableStream.from(slow()) as never });
  expect(await uploaded.json()).toEqual({ size: 4 });
  end();
  expect(await (await streamed).text()).toBe('begun ended');
});

test('a request that waits for its key to be read gets the 503 too, although its body was not read', async () => {
  const never = new Promise<void>(() => {});
  const { url } = await start(
    () => true,
    (limit, own) =>
      own.addHook('onRequest', (_request, reply, done) => {
        limit.bound(reply, never).then(() => done(), done);
      }),
  );
  const init = { method: 'POST', headers: { 'content-type': 'text/plain' }, body: 'x'.repeat(2_000_000) };
  const response = await fetch(`${url}/upload`, { ...init, signal: AbortSignal.timeout(5_000) });
  expect(response.status).toBe(503);
});
