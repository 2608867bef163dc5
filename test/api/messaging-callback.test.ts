// What the platform calls: only what is rightly signed is heard, each report goes to its own message, nothing is lost for being new.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { postCallback, statusCallback } from '../harness/callbacks.ts';
import { addEndpoint, addSender, type Gateway, number, startGateway, waba } from '../harness/gateway.ts';
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
/** A message that the platform took and will never say a word about. */
async function silent(more: object = {}) {
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
  const shake = (query: Record<string, string>, id = senderId) =>
    gateway.call('GET', `/callbacks/messaging/${id}?${new URLSearchParams(query)}`, { key: null });
  const right = { 'hub.mode': 'subscribe', 'hub.challenge': '1158201444', 'hub.verify_token': verifyToken };

  it('answers the bare challenge to the right token', async () => {
    const answer = await shake(right);
    expect([answer.status, answer.text]).toEqual([200, '1158201444']);
    expect(answer.headers.get('content-type')).toContain('text/plain');
  });

  it.each([
    [{ ...right, 'hub.verify_token': 'wrong' }],
    [{ ...right, 'hub.verify_token': '' }],
    [{ ...right, 'hub.verify_token': 'ü'.repeat(verifyToken.length) }],
    [{ ...right, 'hub.mode': 'unsubscribe' }],
    [{}],
  ])('rejects %j', async (query) => {
    const answer = await shake(query);
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
    expect(answer.text).not.toContain('1158201444');
  });

  it('rejects a repeated token and an unknown sender', async () => {
    const twice = `hub.mode=subscribe&hub.verify_token=a&hub.verify_token=${verifyToken}`;
    expect(
      (await gateway.call('GET', `/callbacks/messaging/${senderId}?${twice}`, { key: null })).status,
    ).toBe(403);
    expect((await shake(right, '019a0b5e-7c00-7000-8000-000000000000')).status).toBe(404);
    expect((await shake(right, 'x')).status).toBe(404);
  });
});

describe('a callback', () => {
  it('without a valid signature is rejected and changes nothing', async () => {
    const message = await silent();
    const body = statusCallback(number.id, [{ status: 'read', opaque: message.id }]);
    for (const wrong of [null, 'another-secret']) {
      const answer = await post(body, wrong);
      expect([answer.status, answer.body.code]).toEqual([401, 'signature_invalid']);
    }
    expect((await post(body, secret, '019a0b5e-7c00-7000-8000-000000000000')).status).toBe(404);
    expect(await stateOf(message.id)).toBe('accepted');
  });

  it.each(['', '{', '[]', 'null', '{"entry":1}'])(
    'that is %j, rightly signed, is refused as no callback',
    async (body) => {
      expect((await post(body)).status).toBe(400);
    },
  );

  it('is answered once its content is committed', async () => {
    const message = await silent();
    const answer = await post(statusCallback(number.id, [{ status: 'delivered', opaque: message.id }]));
    expect([answer.status, await stateOf(message.id)]).toEqual([200, 'delivered']);
  });

  it('finds a message by the platform’s identifier where ours is not echoed', async () => {
    const message = await silent();
    await post(statusCallback(number.id, [{ status: 'read', id: message.messageId ?? '' }]));
    expect(await stateOf(message.id)).toBe('read');
  });

  it('moves what it knows, passes over what it does not, and is not sent again for it', async () => {
    const message = await silent();
    const strangers = [
      { status: 'read', opaque: '019a0b5e-7c00-7000-8000-000000000000' },
      { status: 'read', opaque: 'not-an-id', id: 'wamid.UNKNOWN' },
      { status: 'read', id: 'wamid.UNKNOWN' },
      { status: 'dancing', opaque: message.id },
    ];
    const body = statusCallback(number.id, [...strangers, { status: 'sent', opaque: message.id }]);
    expect((await post(body)).status).toBe(200);
    expect(await stateOf(message.id)).toBe('sent');
  });

  it('of a number that is no sender here is dropped, though it is signed by the same app', async () => {
    const message = await silent();
    expect((await post(statusCallback('777', [{ status: 'read', opaque: message.id }]))).status).toBe(200);
    expect(await stateOf(message.id)).toBe('accepted');
  });

  it('may carry a thousand statuses of 3 MB', async () => {
    const message = await silent();
    const statuses = Array.from({ length: 999 }, (_, index) => ({
      status: 'sent',
      id: `wamid.${index}`,
      errors: [{ code: 1, title: 'x'.repeat(3000) }],
    }));
    const body = statusCallback(number.id, [...statuses, { status: 'read', opaque: message.id }]);
    expect((await post(body)).status).toBe(200);
    expect(await stateOf(message.id)).toBe('read');
  });

  it('that comes many times at the same moment tells each stage once and in order', async () => {
    const message = await silent();
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

describe('a body that a stranger announces', () => {
  const digest = `sha256=${'0'.repeat(64)}`;
  /** Sends the head of a request alone; the answer, or nothing within the time of a test. */
  const announce = async (path: string, headers: string[] = [], bytes = 4_000_000) => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const head = [`POST ${path} HTTP/1.1`, 'Host: a', `Content-Length: ${bytes}`, ...headers];
    socket.write(`${head.join('\r\n')}\r\nContent-Type: application/json\r\n\r\n`);
    return { socket, answer: once(socket, 'data').then(([answer]) => String(answer)) };
  };

  it.each([
    ['no signature', () => `/callbacks/messaging/${senderId}`, [], 'signature_invalid'],
    ['a malformed one', () => `/callbacks/messaging/${senderId}`, [`${digest}0`], 'signature_invalid'],
    ['two of them', () => `/callbacks/messaging/${senderId}`, [digest, digest], 'signature_invalid'],
    [
      'no known sender',
      () => '/callbacks/messaging/019a0b5e-7c00-7000-8000-000000000000',
      [digest],
      'not_found',
    ],
    ['no id of a sender', () => '/callbacks/messaging/x', [digest], 'not_found'],
    ['a path that is none', () => '/callbacks/other', [digest], 'not_found'],
    ['a path that takes no POST', () => '/health/live', [], 'method_not_allowed'],
    ['no API key', () => '/v1/templates/send', [], 'api_key_missing'],
  ])('with %s is answered before it comes', async (_, path, signatures, code) => {
    const { socket, answer } = await announce(
      path(),
      signatures.map((one) => `X-Hub-Signature-256: ${one}`),
    );
    expect(await answer).toContain(`"code":"${code}"`);
    socket.destroy();
  });

  it('is waited for only so many at a time; the platform’s own callbacks still pass', async () => {
    const signature = [`X-Hub-Signature-256: ${digest}`];
    const path = `/callbacks/messaging/${senderId}`;
    const held = await Promise.all(Array.from({ length: 16 }, () => announce(path, signature)));
    for (const { answer } of held) answer.catch(() => undefined);
    await expect
      .poll(async () => {
        const { socket, answer } = await announce(path, signature);
        const text = await Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 20))]);
        socket.destroy();
        return text;
      })
      .toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: 5\r\n/i);
    const message = await silent();
    const body = statusCallback(number.id, [{ status: 'delivered', opaque: message.id }]);
    expect((await post(body)).status).toBe(200);
    for (const { socket } of held) socket.destroy();
    const large = { ...body, padding: 'x'.repeat(100_000) };
    await expect.poll(async () => (await post(large)).status).toBe(200);
  });
});

describe('one platform app posts all its numbers to one address', () => {
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

  it('a number added a moment ago receives reports at the first one’s address', async () => {
    await post(statusCallback(number.id, [{ status: 'sent', id: 'wamid.NOBODY' }]));
    // an earlier version stored the hash of the first one's secret without a key
    const { db } = gateway.database;
    const bare = createHash('sha256').update(secret).digest();
    await db.updateTable('senders').set({ app_secret_hash: bare }).execute();
    await gateway.platform.addNumber({ ...second, wabaId: waba, messagesPerSecond: 0 });
    const added = await register();
    const message = await silent({ senderId: added.body.data._id });
    const first = await silent({ senderId });
    await post(statusCallback(second.id, [{ status: 'read', opaque: message.id }]));
    expect(await stateOf(message.id)).toBe('read');
    await post(statusCallback(number.id, [{ status: 'read', opaque: first.id }]));
    expect(await stateOf(first.id)).toBe('read');
    // the next start hashes it again
    await gateway.another();
    const rows = await db.selectFrom('senders').select('app_secret_hash').execute();
    expect(new Set(rows.map((row) => row.app_secret_hash.toString('hex'))).size).toBe(1);
    expect(rows[0]?.app_secret_hash).not.toEqual(bare);
  });

  it('each account that has the number receives events of its own messages only', async () => {
    const key = await gateway.otherAccount();
    expect((await register(key, number)).status).toBe(200);
    const message = await silent();
    await post(statusCallback(number.id, [{ status: 'read', opaque: message.id }]));
    expect(await stateOf(message.id)).toBe('read');
    const foreign = await gateway.call('GET', `/v1/messages/${message.id}`, { key });
    expect(foreign.status).toBe(404);
  });
});

test('a changed app secret applies immediately, and the old one no longer does', async () => {
  await post(statusCallback(number.id, [{ status: 'sent', id: 'wamid.NOBODY' }]));
  const changed = await gateway.call('PATCH', `/v1/senders/${senderId}`, {
    body: { appSecret: '57831e4b5bc88e0a4c0d9dddbfb409f1' },
  });
  expect(changed.status).toBe(200);
  const message = await silent();
  const read = statusCallback(number.id, [{ status: 'read', opaque: message.id }]);
  expect((await post(read, '57831e4b5bc88e0a4c0d9dddbfb409f1')).status).toBe(200);
  expect(await stateOf(message.id)).toBe('read');
  expect((await post(read)).status).toBe(401);
});
