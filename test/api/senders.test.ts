// Senders: verified at the platform when added, one of them the default, their secrets never returned.
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { addSender, type Gateway, startGateway, waba } from '../harness/gateway.ts';
import { templateKinds } from '../harness/sends.ts';

interface Sender {
  _id: string;
  isDefault: boolean;
  displayPhone: string;
  callbackUrl: string;
  messagesPerSecond: number;
  templatesSyncedAt: string | null;
}

let gateway: Gateway;
let senderId: string;
const secrets = {
  accessToken: 'test-token',
  appSecret: '315490ac490cfc7c3c5e4bf869b69dab',
  verifyToken: 'very-secret-verify',
};

beforeAll(async () => {
  gateway = await startGateway();
  ({ senderId } = await addSender(gateway, templateKinds));
  await gateway.platform.addNumber({ id: '31', wabaId: waba, displayPhoneNumber: '+1 555 010 0031' });
});
afterAll(() => gateway?.close());

const add = (more: object = {}, key = gateway.apiKey) =>
  gateway.call<Sender>('POST', '/v1/senders', {
    key,
    body: { name: 'Second', phoneNumberId: '31', businessAccountId: waba, ...secrets, ...more },
  });
const list = async (key = gateway.apiKey) =>
  (await gateway.call<{ items: Sender[] }>('GET', '/v1/senders', { key })).body.data.items;

describe('adding a sender', () => {
  it('returns 502 with the platform’s explanation for a wrong token, number or business account', async () => {
    for (const wrong of [{ accessToken: 'wrong' }, { phoneNumberId: '404' }, { businessAccountId: '404' }]) {
      const response = await add(wrong);
      expect([response.status, response.body.code]).toEqual([502, 'provider_rejected']);
      const named = (response.body as { message?: string }).message?.match(/`(\w+)`/)?.[1];
      if (wrong.businessAccountId === undefined) expect(named).toBe(Object.keys(wrong)[0]);
      expect(response.body).toMatchObject({
        provider: { code: expect.any(Number), message: expect.any(String) },
      });
      expect(response.text).not.toMatch(/test-token|very-secret/);
    }
    expect(await list()).toHaveLength(1);
  });

  it('returns 503 with Retry-After when the platform is unreachable', async () => {
    const response = await add({ apiUrl: 'http://127.0.0.1:9' });
    expect([response.status, response.body.code]).toEqual([503, 'provider_unavailable']);
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await add({ apiUrl: 'ftp://127.0.0.1' })).status).toBe(400);
  });

  it('stores it once, keeps the first one as default, and returns no secret', async () => {
    const added = await add();
    expect(added.body.data).toMatchObject({
      isDefault: false,
      displayPhone: '+1 555 010 0031',
      messagesPerSecond: null,
      effectiveMessagesPerSecond: 80,
      callbackUrl: `${gateway.url}/callbacks/messaging/${added.body.data._id}`,
    });
    const twice = await add();
    expect([twice.status, twice.body.code]).toEqual([409, 'sender_exists']);
    const shown = await gateway.call('GET', '/v1/senders');
    for (const { text } of [added, shown])
      expect(text).not.toMatch(/test-token|315490ac490cfc7c3c5e4bf869b69dab/);
    expect((await list()).map(({ isDefault }) => isDefault)).toEqual([true, false]);
    await expect.poll(async () => (await list()).every((one) => one.templatesSyncedAt !== null)).toBe(true);
  });
});

test('only one sender is the default', async () => {
  const [, other] = await list();
  const changed = await gateway.call<Sender>('PATCH', `/v1/senders/${other?._id}`, {
    body: { isDefault: true },
  });
  expect(changed.body.data.isDefault).toBe(true);
  expect((await list()).map(({ isDefault }) => isDefault)).toEqual([false, true]);
  expect((await gateway.call('PATCH', `/v1/senders/${senderId}`, { body: {} })).status).toBe(400);
  expect(
    (await gateway.call('PATCH', `/v1/senders/${senderId}`, { body: { isDefault: false } })).status,
  ).toBe(400);
});

test('a change keeps the fields that it does not contain', async () => {
  const change = (body: object) => gateway.call<Sender>('PATCH', `/v1/senders/${senderId}`, { body });
  expect((await change({ messagesPerSecond: 7 })).body.data.messagesPerSecond).toBe(7);
  expect((await change({ name: 'Renamed' })).body.data).toMatchObject({
    name: 'Renamed',
    messagesPerSecond: 7,
  });
});

test('another account cannot list, change or remove it', async () => {
  const key = await gateway.otherAccount();
  expect(await list(key)).toEqual([]);
  for (const [method, body] of [
    ['PATCH', { name: 'x' }],
    ['DELETE', undefined],
  ] as const)
    expect((await gateway.call(method, `/v1/senders/${senderId}`, { key, body })).body.code).toBe(
      'sender_not_found',
    );
});

test('a sender without queued messages can be removed', async () => {
  const [, other] = await list();
  expect((await gateway.call('DELETE', `/v1/senders/${other?._id}`)).status).toBe(200);
  expect((await list()).map(({ _id }) => _id)).toEqual([senderId]);
});
