// Verification of real webhooks: by the simulated receiver's seven steps and by the client.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifySignature, verifyWebhook } from '../../client/src/webhooks.ts';
import { verifySignatureAsync, verifyWebhookAsync } from '../../client/src/webhooks-async.ts';
import { startReceiver } from '../../sandbox/receiver/server.ts';
import type { RunningServer } from '../../sandbox/server.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import type { Hit } from '../harness/hooks.ts';
import { until } from '../harness/until.ts';
import { openWebhooksFixture, type WebhooksFixture } from '../harness/webhooks-fixture.ts';

let fixture: WebhooksFixture;
let receiver: RunningServer;
beforeAll(async () => {
  fixture = await openWebhooksFixture();
  receiver = await startReceiver();
});
afterAll(async () => {
  await fixture.close();
  await receiver.close();
});

const control = async (method: string, path: string, body?: object) => {
  const response = await fetch(`${receiver.url}/sandbox/${path}`, {
    method,
    ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}),
  });
  return response.json() as Promise<{ events: { verified: boolean; json: Hit['json'] }[] }>;
};

describe('a receiver that verifies in the seven documented steps', () => {
  it('accepts every stage of a message, in order, during a rotation of the secret', async () => {
    const account = await fixture.account();
    const url = `${receiver.url}/hooks/crm`;
    const { body } = await fixture.call(account, 'POST', '/v1/webhooks/endpoints', { url });
    const endpoint = `/v1/webhooks/endpoints/${body.data._id}`;
    await control('PUT', 'hooks/crm/secrets', { secrets: [body.data.secret] });
    await fixture.stages(account, uuidv7(), ['sent', 'delivered']);
    expect((await control('GET', 'events?status=delivered&wait=10')).events).toHaveLength(1);
    const rotated = await fixture.call(account, 'POST', `${endpoint}/rotate-secret`);
    await fixture.stages(account, uuidv7(), ['read']);
    expect((await control('GET', 'events?status=read&wait=10')).events).toHaveLength(1);
    await control('PUT', 'hooks/crm/secrets', { secrets: [rotated.body.data.secret] });
    await fixture.call(account, 'POST', `${endpoint}/activate-secret`);
    await fixture.stages(account, uuidv7(), ['failed']);
    await control('GET', 'events?status=failed&wait=10');
    const { events } = await control('GET', 'events');
    expect(events.map(({ verified, json }) => [json.data.status, verified])).toEqual([
      ['sent', true],
      ['delivered', true],
      ['read', true],
      ['failed', true],
    ]);
  });
});

describe('the client', () => {
  it('verifies the gateway’s webhooks and rejects altered ones', async () => {
    const account = await fixture.account();
    const { secret } = await fixture.endpoint(account, 'client');
    await fixture.stages(account, uuidv7(), ['sent']);
    await until(() => expect(fixture.hooks.hits).toHaveLength(1));
    const { body, headers } = fixture.hooks.hits[0] as Hit;
    const { id, event } = verifyWebhook(body, headers, secret);
    expect([id, event]).toEqual([headers['webhook-id'], JSON.parse(body)]);
    expect(
      verifyWebhook(Buffer.from(body), new Headers(headers as Record<string, string>), ['an old one', secret])
        .id,
    ).toBe(id);
    expect(verifySignature(body, headers, secret)).toEqual(event);
    expect(await verifySignatureAsync(body, headers, secret)).toEqual(event);
    expect((await verifyWebhookAsync(body, headers, [`${secret}x`, secret])).event).toEqual(event);
    expect(() => verifyWebhook(body, headers, 'whsec_')).toThrow('no key');
    await expect(verifyWebhookAsync(`${body} `, headers, secret)).rejects.toThrow('No signature matches');

    const parsed = JSON.parse(body);
    expect(() => verifyWebhook(parsed, headers, secret)).toThrow('before any JSON parsing');
    expect(() => verifySignature(parsed, headers, secret)).toThrow('before any JSON parsing');
    await expect(verifyWebhookAsync(parsed, headers, secret)).rejects.toThrow('before any JSON parsing');

    const other = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const late = { nowMs: Date.now() + 301_000 };
    expect(() => verifyWebhook(`${body} `, headers, secret)).toThrow('No signature matches');
    expect(() => verifyWebhook(body, headers, other)).toThrow('No signature matches');
    expect(() => verifyWebhook(body, headers, secret, late)).toThrow('too old');
    expect(() => verifyWebhook(body, {}, secret)).toThrow('missing');
    expect(() => verifyWebhook(body, headers, [])).toThrow('No webhook secret');
    expect(() => verifySignature(body, headers, other)).toThrow('No signature matches');
    expect(() => verifySignature(body, { 'x-webhook-signature': 'sha256=00' }, secret)).toThrow('64 hex');
    expect(() => verifySignature(body, {}, secret)).toThrow('missing');
  });
});
