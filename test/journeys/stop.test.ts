// A gateway that is told to stop ends soon, whatever the outside still owes it, and loses nothing by it.
import { afterAll, expect, test } from 'vitest';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';

let gateway: Gateway | undefined;
afterAll(() => gateway?.close());

test('a send that waits for a platform that never answers is answered as queued when the gateway stops', async () => {
  gateway = await startGateway();
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
  await expect.poll(async () => (await platform.counts()).accepted, { timeout: 10_000 }).toBeGreaterThan(0);
  const began = performance.now();
  await gateway.stop();
  expect(performance.now() - began).toBeLessThan(9_000);
  const answer = await sent;
  expect(answer.status).toBe(200);
  expect(answer.body.data.queued).toBeGreaterThan(0);
});
