// Requests that ordinary clients do not send, byte by byte.
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../harness/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

/** The response to these bytes, on a connection of its own. */
const say = async (bytes: string) => {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  return text(socket);
};

test('bytes that are not HTTP get the failure form too', async () => {
  for (const bytes of [
    'nonsense\r\n\r\n',
    'GET /v1/templates HTTP/1.1\r\nConnection: close\r\n\r\n',
    `GET / HTTP/1.1\r\nHost: a\r\nX-Big: ${'x'.repeat(20_000)}\r\n\r\n`,
  ]) {
    const answer = await say(bytes);
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d /);
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
      success: false,
      message: expect.any(String),
    });
  }
});

test('an expectation that HTTP does not define is ignored', async () => {
  const head = `Host: a\r\nX-API-Key: ${gateway.apiKey}\r\nExpect: wonders\r\nConnection: close`;
  expect(await say(`GET /v1/templates HTTP/1.1\r\n${head}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 200 /);
});

test('a request with several Host headers is a 400, whichever operation and name', async () => {
  const key = `X-API-Key: ${gateway.apiKey}\r\nConnection: close`;
  for (const path of ['/v1/templates', '/health/live', '/'])
    for (const hosts of ['Host: a\r\nHost: b', 'Host: a\r\nhOST: a', 'Host: a\r\nX-Other: c\r\nHOST: b']) {
      const answer = await say(`GET ${path} HTTP/1.1\r\n${hosts}\r\n${key}\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 400 /);
      expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))).toMatchObject({
        code: 'invalid_request',
        message: 'The request has more than one Host header. Send exactly one.',
      });
    }
});
