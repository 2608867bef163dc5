// A stopping gateway: it ends in time even if external systems hang, and loses no acknowledged request.
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

test('during the announced shutdown it is not ready and serves requests with Connection: close', async () => {
  const { port } = new URL(gateway.url);
  // opened before, as by a proxy
  const kept = connect(Number(port), '127.0.0.1');
  const ask = async () => {
    kept.write(`GET /v1/templates HTTP/1.1\r\nHost: gateway\r\nX-API-Key: ${gateway.apiKey}\r\n\r\n`);
    const [bytes] = (await once(kept, 'data')) as [Buffer];
    return /^HTTP\/1.1 (\d+)|^connection: (\S+)/gim[Symbol.match](String(bytes))?.join(' ');
  };
  expect(await ask()).toMatch(/200 connection: keep-alive/i);
  const drained = gateway.drain(300);
  const ready = await gateway.call('GET', '/health/ready', { key: null });
  expect([ready.status, ready.headers.get('connection')]).toEqual([503, 'close']);
  expect(ready.text).toMatch(/stopping/);
  expect(await ask()).toMatch(/200 connection: close/i);
  await once(kept, 'end');
  kept.destroy();
  const late = await gateway.call('GET', '/v1/templates');
  expect([late.status, late.headers.get('connection')]).toEqual([200, 'close']);
  await drained;
});

test('a send that waits for a hanging platform gets the response queued when the gateway stops', async () => {
  const { templateIds } = await addSender(gateway, [
    {
      name: 'plain',
      language: 'en_US',
      status: 'APPROVED',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Hello there.' }],
    },
  ]);
  const { platform } = gateway;
  await platform.settings({ holdCallbacks: true });
  const sent = gateway.call<{ queued: number }>('POST', '/v1/templates/send', {
    body: {
      templateId: templateIds.plain,
      recipients: [{ phone: '10000000401' }, { phone: '1550000000401' }],
    },
  });
  await expect.poll(async () => (await platform.counts()).accepted).toBeGreaterThan(0);
  // accepted, and in the middle of its request when shutdown starts
  const { port } = new URL(gateway.url);
  const slow = connect(Number(port), '127.0.0.1');
  slow.write(
    `POST /v1/webhooks/endpoints HTTP/1.1\r\nHost: gateway\r\nX-API-Key: ${gateway.apiKey}\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{`,
  );
  const ended = once(slow, 'close');
  let response = '';
  slow.on('data', (bytes) => {
    response += bytes;
  });
  // a connection without a request
  const silent = connect(Number(port), '127.0.0.1');
  await once(silent, 'connect');
  // it has been accepted by then
  await gateway.call('GET', '/health/live');
  const began = performance.now();
  const stopped = gateway.stop();
  await once(silent, 'close');
  slow.write('"url": "http://x/" }');
  await Promise.all([stopped, ended]);
  // the platform's call hangs for much longer
  expect(performance.now() - began).toBeLessThan(30_000);
  expect(response).toMatch(/^HTTP\/1.1 400 /);
  const answer = await sent;
  expect(answer.status).toBe(200);
  expect(answer.body.data.queued).toBeGreaterThan(0);
});
