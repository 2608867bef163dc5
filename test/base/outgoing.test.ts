// Outgoing calls: timeouts, size limits, no redirects, and errors that say what happened and whether anything was sent.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer, text } from 'node:stream/consumers';
import { Worker } from 'node:worker_threads';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openOutgoing } from '../../src/base/outgoing/outgoing.ts';
import { failure } from '../harness/outgoing-failure.ts';

const coders: Record<string, (content: string) => Buffer> = {
  gzip: gzipSync,
  deflate: deflateSync,
  br: brotliCompressSync,
  zstd: zstdCompressSync,
};

let server: Server;
let port = 0;
let reached = 0;
const waiting: ServerResponse[] = [];

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  reached += 1;
  switch (request.url) {
    case '/echo':
      response.writeHead(201, { 'x-method': request.method }).end(await buffer(request));
      return;
    case '/redirect':
      response.writeHead(302, { location: '/echo' }).end();
      return;
    case '/big':
      response.end('x'.repeat(200_000));
      return;
    case '/coded': {
      const { coding = '', content } = JSON.parse(await text(request)) as { coding: string; content: string };
      const encoded = coders[coding]?.(content) ?? Buffer.from(content);
      response.writeHead(200, { 'content-encoding': coding }).end(encoded);
      return;
    }
    case '/never':
      waiting.push(response);
      return;
    case '/half':
      response.writeHead(200).write('half');
      waiting.push(response);
      return;
    case '/break':
      request.socket.destroy();
      return;
    default:
      response.writeHead(404).end('none');
  }
}

beforeAll(async () => {
  server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe('a call', () => {
  const outgoing = openOutgoing({ connectionsPerOrigin: 4, keepAliveMs: 1_000 });
  afterAll(() => outgoing.close());
  const call = (path: string, more: object = {}) =>
    outgoing.request({ method: 'GET', url: `http://127.0.0.1:${port}${path}`, timeoutMs: 5_000, ...more });

  it.each(['gzip', 'deflate', 'br', 'zstd'])(
    'decodes a response compressed with %s, but not beyond the size limit',
    async (coding) => {
      const coded = (content: string, headers = {}) =>
        call('/coded', {
          ...{ method: 'POST', body: JSON.stringify({ coding, content }), headers },
          maxResponseBytes: 100_000,
        });
      expect((await coded('hello')).body.toString()).toBe('hello');
      const secret = 'secret-of-many-letters';
      const echoed = await coded(`you sent ${secret}`, { authorization: `Bearer ${secret}` });
      expect(echoed.body.toString()).toBe('you sent [secret]');
      const bomb = await coded('x'.repeat(200_000));
      expect(bomb.body.length).toBeLessThan(100_000);
    },
  );

  it('returns a body unchanged that is not encoded as its header says', async () => {
    const body = JSON.stringify({ coding: 'GZIP', content: 'plain' });
    expect((await call('/coded', { method: 'POST', body })).body.toString()).toBe('plain');
  });

  it('sends text, bytes and streams, and returns status, headers and body', async () => {
    for (const body of ['hello', Buffer.from('hello'), Readable.from(['hel', 'lo'])]) {
      const response = await call('/echo', { method: 'POST', body });
      expect(response).toMatchObject({ status: 201, truncated: false });
      expect(response.body.toString()).toBe('hello');
      expect(response.headers['x-method']).toBe('POST');
    }
  });

  it('never follows a redirect', async () => {
    expect(await call('/redirect')).toMatchObject({ status: 302, headers: { location: '/echo' } });
    const response = await outgoing.fetch(`http://127.0.0.1:${port}/redirect`, { redirect: 'follow' });
    expect(response.status).toBe(302);
  });

  it('truncates a response over the limit and reports it', async () => {
    const response = await call('/big', { maxResponseBytes: 1_000 });
    expect(response).toMatchObject({ status: 200, truncated: true });
    expect(response.body.length).toBe(1_000);
  });

  it('times out the whole call, and reports whether a response had started', async () => {
    expect(await failure(call('/never', { timeoutMs: 500 }))).toMatchObject({
      kind: 'timeout',
      sent: true,
      status: undefined,
    });
    expect(await failure(call('/half', { timeoutMs: 1_000 }))).toMatchObject({
      kind: 'timeout',
      sent: true,
      status: 200,
    });
  });

  it('a response that arrived while this process stood still is no time-out', async () => {
    // the server needs a thread of its own: it answers while this one does nothing
    const program = `
      const { parentPort } = require('node:worker_threads');
      const server = require('node:http').createServer((request, response) => {
        parentPort.postMessage('asked');
        setTimeout(() => response.end('in time'), 20);
      });
      server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`;
    const thread = new Worker(program, { eval: true });
    const [port] = await once(thread, 'message');
    const asked = once(thread, 'message');
    const timeoutMs = 300;
    const response = outgoing.request({ method: 'GET', url: `http://127.0.0.1:${port}/`, timeoutMs });
    response.catch(() => {});
    await asked;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, timeoutMs * 2);
    expect(String((await response).body)).toBe('in time');
    await thread.terminate();
  });

  it('reports sent: false when the call only waited for a free connection', async () => {
    const narrow = openOutgoing({ connectionsPerOrigin: 1, keepAliveMs: 1_000 });
    const url = `http://127.0.0.1:${port}/never`;
    const before = reached;
    const first = failure(narrow.request({ method: 'POST', url, timeoutMs: 1_500 }));
    const second = failure(narrow.request({ method: 'POST', url, timeoutMs: 100 }));
    expect(await second).toMatchObject({ kind: 'timeout', sent: false });
    expect(await first).toMatchObject({ kind: 'timeout', sent: true });
    await narrow.close();
    expect(reached - before).toBe(1);
  });

  it('distinguishes refused, reset, unresolvable and aborted calls', async () => {
    const other = (url: string) => outgoing.request({ method: 'POST', url, timeoutMs: 5_000 });
    expect(await failure(other('http://127.0.0.1:1/'))).toMatchObject({ kind: 'refused', sent: false });
    expect(await failure(other('http://no-such-host.invalid/'))).toMatchObject({ kind: 'dns', sent: false });
    expect(await failure(other(`https://127.0.0.1:${port}/`))).toMatchObject({ kind: 'tls', sent: false });
    expect(await failure(call('/break', { method: 'POST', body: 'x' }))).toMatchObject({
      kind: 'reset',
      sent: true,
    });
    const controller = new AbortController();
    const given = failure(call('/never', { signal: controller.signal }));
    controller.abort();
    expect(await given).toMatchObject({ kind: 'aborted' });
  });

  it('streams a response, and fails the stream over its size limit or timeout', async () => {
    const url = `http://127.0.0.1:${port}`;
    const stream = (path: string, more: object) =>
      outgoing.stream({ method: 'GET', url: `${url}${path}`, timeoutMs: 5_000, ...more });
    expect((await text((await stream('/big', {})).body)).length).toBe(200_000);
    expect(await failure(text((await stream('/big', { maxResponseBytes: 1_000 })).body))).toMatchObject({
      kind: 'too_large',
    });
    expect(await failure(text((await stream('/half', { timeoutMs: 1_000 })).body))).toMatchObject({
      kind: 'timeout',
    });
    const early = await stream('/half', {});
    early.body.destroy();
    expect(early.body.destroyed).toBe(true);
  });

  it('offers a fetch with the same errors and a size limit', async () => {
    const small = openOutgoing({ connectionsPerOrigin: 2, keepAliveMs: 1_000, fetchMaxResponseBytes: 1_000 });
    const withTimeout = openOutgoing({ connectionsPerOrigin: 2, keepAliveMs: 1_000, fetchTimeoutMs: 100 });
    const echoed = await small.fetch(`http://127.0.0.1:${port}/echo`, { method: 'POST', body: 'hi' });
    expect(await echoed.text()).toBe('hi');
    expect(await failure(withTimeout.fetch(`http://127.0.0.1:${port}/never`))).toMatchObject({
      kind: 'timeout',
    });
    const big = await small.fetch(`http://127.0.0.1:${port}/big`);
    await expect(big.text()).rejects.toThrow();
    await small.close();
    await withTimeout.close();
  });
});
