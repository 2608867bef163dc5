// The platform's callbacks: only signed ones are applied, each report to its own message.
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { postCallback, statusCallback } from '../harness/callbacks.ts';
import { addEndpoint, addSender, type Gateway, number, startGateway, waba } from '../harness/gateway.ts';
import { inboundCallback } from '../harness/inbound.ts';
import { messageOf, send, stagesUntil, templateKinds } from '../harness/sends.ts';

let gateway: Gateway;
let senderId: string;
let templateId: string;
let secret: string;
const verifyToken = 'test-verify-token';

beforeAll(async () => {
  gateway = await startGateway();
  const added = await addSender(gateway, templateKinds);
  senderId = added.senderId;
  templateId = added.templateIds.plain ?? '';
  secret = (await gateway.platform.state()).apps[0]?.secret ?? '';
  await addEndpoint(gateway);
});
afterAll(() => gateway?.close());

let lastPhone = 15500;
/** Sends a message that the simulated platform accepts and never reports on. */
async function unreported(more: object = {}) {
  lastPhone += 1;
  const to = `${lastPhone}0000000204`;
  const { body } = await send(gateway, { templateId, recipients: [to], ...more });
  const [message] = body.data.messages;
  if (message?.status !== 'accepted') throw new Error(JSON.stringify(body));
  return message;
}
const stateOf = async (id: string) => (await messageOf(gateway, id)).status;
const post = (body: object | string, signedWith: string | null = secret, to = senderId) =>
  postCallback(gateway, to, body, signedWith);

describe('the handshake', () => {
  const handshake = (query: Record<string, string>, id = senderId) =>
    gateway.call('GET', `/callbacks/messaging/${id}?${new URLSearchParams(query)}`, { key: null });
  const valid = { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': verifyToken };

  it('returns the challenge as plain text for the correct token', async () => {
    const response = await handshake(valid);
    expect([response.status, response.text]).toEqual([200, '1158201444']);
    expect(response.headers.get('content-type')).toContain('text/plain');
  });

  it.each([
    [{ ...valid, 'hub.verify_token': 'wrong' }],
    [{ ...valid, 'hub.verify_token': '' }],
    [{ ...valid, 'hub.verify_token': 'ü'.repeat(verifyToken.length) }],
    [{ ...valid, 'hub.mode': 'unsubscribe' }],
    [{}],
  ])('returns 403 for %j', async (query) => {
    const response = await handshake(query);
    expect([response.status, response.body.code]).toEqual([403, 'forbidden']);
    expect(response.text).not.toContain('1158201444');
  });

  it('returns 403 for a repeated token and 404 for an unknown sender', async () => {
    const twice = `hub.mode=subscribe&hub.verify_token=a&hub.verify_token=${verifyToken}`;
    expect(
      (await gateway.call('GET', `/callbacks/messaging/${senderId}?${twice}`, { key: null })).status,
    ).toBe(403);
    expect((await handshake(valid, '019a0b5e-7c00-7000-8000-000000000000')).status).toBe(404);
    expect((await handshake(valid, 'x')).status).toBe(404);
  });
});

describe('a callback', () => {
  it('without a valid signature returns 401 and changes nothing', async () => {
    const message = await unreported();
    const body = statusCallback(number.id, [{ status: 'read', opaque: message.id }]);
    for (const wrong of [null, 'another-secret']) {
      const response = await post(body, wrong);
      expect([response.status, response.body.code]).toEqual([401, 'signature_invalid']);
    }
    expect((await post(body, secret, '019a0b5e-7c00-7000-8000-000000000000')).status).toBe(404);
    expect(await stateOf(message.id)).toBe('accepted');
  });

  it.each(['', '{', '[]', 'null', '{"entry":1}'])(
    'with a valid signature and the body %j returns 400',
    async (body) => {
      expect((await post(body)).status).toBe(400);
    },
  );

  it('returns 200 after its reports are committed', async () => {
    const message = await unreported();
    const response = await post(statusCallback(number.id, [{ status: 'delivered', opaque: message.id }]));
    expect([response.status, await stateOf(message.id)]).toEqual([200, 'delivered']);
  });

  it('without the gateway’s id finds the message by the platform’s identifier', async () => {
    const message = await unreported();
    await post(statusCallback(number.id, [{ status: 'read', id: message.messageId ?? '' }]));
    expect(await stateOf(message.id)).toBe('read');
  });

  it('with known and unknown messages applies the known ones and returns 200', async () => {
    const message = await unreported();
    const unknown = [
      { status: 'read', opaque: '019a0b5e-7c00-7000-8000-000000000000' },
      { status: 'read', opaque: 'not-an-id', id: 'wamid.UNKNOWN' },
      { status: 'read', id: 'wamid.UNKNOWN' },
      { status: 'dancing', opaque: message.id },
    ];
    const body = statusCallback(number.id, [...unknown, { status: 'sent', opaque: message.id }]);
    expect((await post(body)).status).toBe(200);
    expect(await stateOf(message.id)).toBe('sent');
  });

  it('for a number that is no sender here is ignored, even with a valid signature', async () => {
    const message = await unreported();
    expect((await post(statusCallback('777', [{ status: 'read', opaque: message.id }]))).status).toBe(200);
    expect(await stateOf(message.id)).toBe('accepted');
  });

  it('with a thousand statuses in 3 MB is applied', async () => {
    const message = await unreported();
    const statuses = Array.from({ length: 999 }, (_, index) => ({
      status: 'sent',
      id: `wamid.${index}`,
      errors: [{ code: 1, title: 'x'.repeat(3000) }],
    }));
    const body = statusCallback(number.id, [...statuses, { status: 'read', opaque: message.id }]);
    expect((await post(body)).status).toBe(200);
    expect(await stateOf(message.id)).toBe('read');
  });

  it('that arrives many times concurrently publishes each stage once, in order', async () => {
    const message = await unreported();
    const stages = ['read', 'sent', 'delivered', 'read', 'delivered', 'sent'];
    await Promise.all(
      stages.map((status) =>
        post(statusCallback(number.id, [{ status, id: message.messageId ?? '', opaque: message.id }])),
      ),
    );
    expect(await stagesUntil(gateway, message.messageId ?? '', 'read')).toEqual([
      'sent',
      'delivered',
      'read',
    ]);
    expect((await messageOf(gateway, message.id)).deliveries).toHaveLength(3);
  });
});

describe('a request that announces a large body', () => {
  const digest = `sha256=${'0'.repeat(64)}`;
  /** Sends only the head of a request; `answer` resolves with the response, if one comes. */
  const announce = async (path: string, headers: string[] = [], bytes = 4_000_000) => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const head = [`POST ${path} HTTP/1.1`, 'Host: a', `Content-Length: ${bytes}`, ...headers];
    socket.write(`${head.join('\r\n')}\r\nContent-Type: application/json\r\n\r\n`);
    return { socket, answer: once(socket, 'data').then(([answer]) => String(answer)) };
  };

  it.each([
    ['no signature', () => `/callbacks/messaging/${senderId}`, [], 'signature_invalid'],
    ['a malformed signature', () => `/callbacks/messaging/${senderId}`, [`${digest}0`], 'signature_invalid'],
    ['two signatures', () => `/callbacks/messaging/${senderId}`, [digest, digest], 'signature_invalid'],
    [
      'an unknown sender',
      () => '/callbacks/messaging/019a0b5e-7c00-7000-8000-000000000000',
      [digest],
      'not_found',
    ],
    ['a malformed sender id', () => '/callbacks/messaging/x', [digest], 'not_found'],
    ['an unknown path', () => '/callbacks/other', [digest], 'not_found'],
    ['a path without POST', () => '/health/live', [], 'method_not_allowed'],
    ['no API key', () => '/v1/templates/send', [], 'api_key_missing'],
  ])('with %s gets its response before the body arrives', async (_, path, signatures, code) => {
    const { socket, answer } = await announce(
      path(),
      signatures.map((one) => `X-Hub-Signature-256: ${one}`),
    );
    expect(await answer).toContain(`"code":"${code}"`);
    socket.destroy();
  });

  it('gets 503 when too many wait for their bodies; complete callbacks are still applied', async () => {
    const signature = [`X-Hub-Signature-256: ${digest}`];
    const path = `/callbacks/messaging/${senderId}`;
    const held = await Promise.all(Array.from({ length: 16 }, () => announce(path, signature)));
    for (const { answer } of held) answer.catch(() => undefined);
    await expect
      .poll(async () => {
        const { socket, answer } = await announce(path, signature);
        const text = await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 500))]);
        socket.destroy();
        return text;
      })
      .toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 5\r\n/i);
    const message = await unreported();
    const body = statusCallback(number.id, [{ status: 'delivered', opaque: message.id }]);
    expect((await post(body)).status).toBe(200);
    for (const { socket } of held) socket.destroy();
    const large = { ...body, padding: 'x'.repeat(100_000) };
    await expect.poll(async () => (await post(large)).status).toBe(200);
  });
});

describe('when one platform app posts callbacks of all its numbers to one address', () => {
  const second = { id: '300300300300302', displayPhoneNumber: '+1 555 010 0002' };
  const register = (key = gateway.apiKey, of = second) =>
    gateway.call<{ _id: string }>('POST', '/v1/senders', {
      key,
      body: {
        name: 'Second',
        phoneNumberId: of.id,
        businessAccountId: waba,
        accessToken: 'test-token',
        appSecret: secret,
        verifyToken,
      },
    });

  it('a sender added a moment ago gets its reports through the first one’s address', async () => {
    await post(statusCallback(number.id, [{ status: 'sent', id: 'wamid.NOBODY' }]));
    // earlier versions stored an unkeyed hash of the app secret
    const { db } = gateway.database;
    const unkeyed = createHash('sha256').update(secret).digest();
    await db.updateTable('senders').set({ app_secret_hash: unkeyed }).execute();
    await gateway.platform.addNumber({ ...second, wabaId: waba, messagesPerSecond: 0 });
    const added = await register();
    const message = await unreported({ senderId: added.body.data._id });
    const first = await unreported({ senderId });
    await post(statusCallback(second.id, [{ status: 'read', opaque: message.id }]));
    expect(await stateOf(message.id)).toBe('read');
    await post(statusCallback(number.id, [{ status: 'read', opaque: first.id }]));
    expect(await stateOf(first.id)).toBe('read');
    // the next start replaces it by a keyed hash
    await gateway.another();
    const rows = await db.selectFrom('senders').select('app_secret_hash').execute();
    expect(new Set(rows.map((row) => row.app_secret_hash.toString('hex'))).size).toBe(1);
    expect(rows[0]?.app_secret_hash).not.toEqual(unkeyed);
  });

  it('each account with the number gets events of its own messages only', async () => {
    const key = await gateway.otherAccount();
    expect((await register(key, number)).status).toBe(200);
    const message = await unreported();
    await post(statusCallback(number.id, [{ status: 'read', opaque: message.id }]));
    expect(await stateOf(message.id)).toBe('read');
    const foreign = await gateway.call('GET', `/v1/messages/${message.id}`, { key });
    expect(foreign.status).toBe(404);
  });

  it('connected in another account gets its messages at once, in every process', async () => {
    const another = await gateway.another();
    const write = async (id: string, url: string) => {
      const body = JSON.stringify(
        inboundCallback([{ id, from: '15550100', type: 'text', text: { body: 'Hi' } }]),
      );
      const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
      const headers = { 'X-Hub-Signature-256': signature };
      await gateway.call('POST', `/callbacks/messaging/${senderId}`, { key: null, body, headers, url });
    };
    // both processes know the numbers of the app now
    await Promise.all([write('wamid.BEFORE1', gateway.url), write('wamid.BEFORE2', another)]);
    const key = await gateway.otherAccount();
    expect((await register(key, number)).status).toBe(200);
    const received = async () => {
      const list = await gateway.call<{ items: { messageId: string }[] }>('GET', '/v1/messages/received', {
        key,
      });
      return list.body.data.items.map(({ messageId }) => messageId);
    };
    await write('wamid.HERE', gateway.url);
    expect(await received()).toEqual(['wamid.HERE']);
    let tries = 0;
    const there = async () => {
      await write(`wamid.THERE${++tries}`, another);
      return (await received()).length;
    };
    // sooner than a process forgets by itself
    await expect.poll(there, { timeout: 3_000 }).toBeGreaterThan(1);
  });
});

test('a changed app secret is valid immediately, and the old one no longer', async () => {
  await post(statusCallback(number.id, [{ status: 'sent', id: 'wamid.NOBODY' }]));
  await gateway.platform.addApp({ id: '100100100100100', secret: '57831e4b5bc88e0a4c0d9dddbfb409f1' });
  const changed = await gateway.call('PATCH', `/v1/senders/${senderId}`, {
    body: { appSecret: '57831e4b5bc88e0a4c0d9dddbfb409f1' },
  });
  expect(changed.status).toBe(200);
  const message = await unreported();
  const read = statusCallback(number.id, [{ status: 'read', opaque: message.id }]);
  expect((await post(read, '57831e4b5bc88e0a4c0d9dddbfb409f1')).status).toBe(200);
  expect(await stateOf(message.id)).toBe('read');
  expect((await post(read)).status).toBe(401);
});
