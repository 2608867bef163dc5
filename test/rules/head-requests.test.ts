// HEAD requests: the headers of the GET; streams are closed unread.
import { Readable } from 'node:stream';
import fastify from 'fastify';
import { expect, test } from 'vitest';
import { closeStreamsOfHead } from '../../src/http/head-requests.ts';
import type { Server } from '../../src/http/request.ts';

test('a HEAD closes the stream of its GET unread, and keeps the headers', async () => {
  const server = fastify() as unknown as Server;
  closeStreamsOfHead(server);
  const streams: Readable[] = [];
  let reads = 0;
  server.get('/stream', (_request, reply) => {
    const stream = new Readable({
      read() {
        reads += 1;
        this.push(reads < 3 ? 'abc' : null);
      },
    });
    streams.push(stream);
    return reply.type('text/csv').header('Content-Length', 6).send(stream);
  });
  server.get('/text', async () => 'hello');
  const head = await server.inject({ method: 'HEAD', url: '/stream' });
  expect([head.statusCode, head.body, head.headers['content-length'], head.headers['content-type']]).toEqual([
    ...[200, '', '6', 'text/csv'],
  ]);
  expect([reads, streams[0]?.destroyed, streams[0]?.errored]).toEqual([0, true, null]);
  expect((await server.inject('/stream')).body).toBe('abcabc');
  const text = await server.inject({ method: 'HEAD', url: '/text' });
  expect([text.statusCode, text.body, text.headers['content-length']]).toEqual([200, '', '5']);
  await server.close();
});
