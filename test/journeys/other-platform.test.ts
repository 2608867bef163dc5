// The gateway on a second messaging platform: from a send, over signed callbacks, to webhooks in order.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addEndpoint, type Gateway, readTemplates, startGateway } from '../harness/gateway.ts';
import { handshakeAnswer, openOtherPlatform } from '../ports/other-platform.ts';
import {
  otherEvent,
  otherKey,
  otherNumber,
  otherOwner,
  otherSecret,
  signOther,
  startOtherPlatform,
} from '../ports/other-platform-server.ts';

interface SendData {
  messages: { id: string; messageId: string | null; status: string; error: { code: number } | null }[];
}

const verifyToken = 'other-verify-token';
let other: Awaited<ReturnType<typeof startOtherPlatform>>;
let gateway: Gateway;
let callbackUrl: string;
let templateId: string;

const sender = () => ({
  ...{ name: 'Other', phoneNumberId: otherNumber, businessAccountId: otherOwner, messagesPerSecond: 1000 },
  ...{ accessToken: otherKey, appSecret: otherSecret, verifyToken },
  // this platform starts no handshake by itself, which a subscription would wait for
  webhook: 'manual',
});

const send = (phone: string) =>
  gateway.call<SendData>('POST', '/v1/templates/send', {
    body: { templateId, recipients: [{ phone, variables: { '1': 'Ada' } }] },
  });

beforeAll(async () => {
  other = await startOtherPlatform(['table_ready', 'order_ready', 'reminder']);
  gateway = await startGateway({
    openPlatform: openOtherPlatform,
    settings: { MESSAGING_API_URL: other.url },
  });
  const added = await gateway.call<{ callbackUrl: string; displayPhone: string }>('POST', '/v1/senders', {
    body: sender(),
  });
  expect(added.status, added.text).toBe(200);
  expect(added.body.data.displayPhone).toBe('+1 555 010 0041');
  ({ callbackUrl } = added.body.data);
  other.sendEventsTo(callbackUrl);
  await gateway.call('POST', '/v1/templates/sync');
  const list = await gateway.call<{ items: { _id: string; providerTemplateName: string }[] }>(
    'GET',
    '/v1/templates',
  );
  templateId = list.body.data.items.find((one) => one.providerTemplateName === 'table_ready')?._id as string;
  await addEndpoint(gateway);
});
afterAll(async () => {
  await gateway?.close();
  await other?.close();
});

test('a send is accepted, and its callbacks become webhooks in order, under the message reference', async () => {
  const { body } = await send('15550100001');
  const [message] = body.data.messages;
  const [accepted] = other.messages;
  expect(accepted).toMatchObject({ to: '15550100001', template: 'table_ready', values: ['Ada'] });
  expect(message).toMatchObject({ messageId: accepted?.uuid, error: null });
  for (const kind of ['left', 'arrived', 'seen'])
    expect(await other.post(kind, accepted as NonNullable<typeof accepted>)).toBe(200);
  await expect
    .poll(async () => {
      const events = await gateway.receiver.events({ messageId: accepted?.uuid as string, waitSeconds: 1 });
      return events.map(({ json, verified }) => [
        verified,
        (json as { data: { status: string } }).data.status,
      ]);
    })
    .toEqual(['sent', 'delivered', 'read'].map((status) => [true, status]));
});

test('a callback without our id finds its message by the reference', async () => {
  await send('15550100002');
  const message = other.messages.find(({ to }) => to === '15550100002');
  const { headers, body } = otherEvent(callbackUrl, { kind: 'lost', uuid: message?.uuid as string });
  expect((await fetch(callbackUrl, { method: 'POST', headers, body })).status).toBe(200);
  const events = await gateway.receiver.events({ messageId: message?.uuid as string, waitSeconds: 30 });
  expect(events.at(-1)?.json).toMatchObject({ data: { status: 'failed', error: { code: 7_900 } } });
});

test('only callbacks that the platform signed for this address are accepted', async () => {
  const post = async (url: string, { headers, body }: ReturnType<typeof otherEvent>) =>
    (await fetch(url, { method: 'POST', headers, body })).status;
  const event = { kind: 'left', uuid: 'unknown' };
  const genuine = otherEvent(callbackUrl, event);
  expect(await post(callbackUrl, genuine)).toBe(200);
  expect(await post(callbackUrl, { ...genuine, body: genuine.body.replace('left', 'seen') })).toBe(401);
  expect(await post(callbackUrl, otherEvent(callbackUrl, event, 'another-secret'))).toBe(401);
  expect(await post(`${callbackUrl}?more=1`, genuine)).toBe(401);
  const foreign = signOther('https://elsewhere.example/', genuine.body, otherSecret, 1);
  expect(await post(callbackUrl, { ...genuine, headers: { 'x-other-signature': foreign } })).toBe(401);
});

test('responds to the handshake as this platform requires', async () => {
  const shake = (token: string) => fetch(`${callbackUrl}?nonce=n7&proof=${handshakeAnswer('caller', token)}`);
  const right = await shake(verifyToken);
  expect([right.status, await right.text()]).toEqual([200, handshakeAnswer('n7', verifyToken)]);
  expect((await shake('another-token')).status).toBe(403);
});

test('a template that the platform rejects is held with the status that the rejection reveals', async () => {
  other.rejectNext(7_503, 'Template suspended');
  const { body } = await send('15550100003');
  expect(body.data.messages[0]).toMatchObject({ status: 'queued' });
  const shown = async () => (await gateway.call(`GET`, `/v1/templates/${templateId}`)).body.data;
  await expect.poll(shown).toMatchObject({ status: 'submitted', rejectedReason: '7503 Template suspended' });
  expect(['SUSPENDED', 'LIVE']).toContain((await shown()).providerStatus);
  await readTemplates(gateway);
  await expect.poll(shown).toMatchObject({ status: 'approved', providerStatus: 'LIVE' });
  await expect.poll(() => other.messages.some(({ to }) => to === '15550100003')).toBe(true);
});

test('a rejected credential halts the number', async () => {
  other.rejectNext(7_401, 'bad key');
  await send('15550100004');
  const senders = () =>
    gateway.call<{ items: { status: string; haltedReason: string }[] }>('GET', '/v1/senders');
  await expect
    .poll(async () => (await senders()).body.data.items[0])
    .toMatchObject({ status: 'halted', haltedReason: expect.stringContaining('7401 bad key') });
});
