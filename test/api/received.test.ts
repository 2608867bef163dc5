// Inbound messages: stored once, published once, and readable through the API.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { inboundKinds } from '../../sandbox/cloud-api/inbound-kinds.ts';
import { postCallback } from '../harness/callbacks.ts';
import { type Gateway, number, waba } from '../harness/gateway.ts';
import { type Inbound, inboundCallback, startInbound } from '../harness/inbound.ts';
import { send } from '../harness/sends.ts';

let gateway: Gateway;
let inbound: Inbound;
let senderId: string;
let written: Inbound['written'];
let receive: Inbound['receive'];
let list: Inbound['list'];
let eventsOf: Inbound['eventsOf'];
let eventOf: Inbound['eventOf'];
let post: Inbound['post'];
let nowSeconds: number;

beforeAll(async () => {
  inbound = await startInbound();
  ({ gateway, senderId, written, receive, list, eventsOf, eventOf, post, nowSeconds } = inbound);
});
afterAll(() => gateway?.close());

describe('an inbound message', () => {
  it('is sent once to the endpoints that ask for it, and is the item of the API', async () => {
    const message = written({ from_user_id: 'US.100' });
    await receive([message], [{ profile: { name: 'Ada' }, wa_id: message.from, user_id: 'US.100' }]);
    await Promise.all([receive([message]), receive([message, message])]);
    const event = await eventOf(message.id);
    expect(event).toMatchObject({
      event: 'messages.received',
      data: {
        ...{ messageId: message.id, senderId, phone: message.from, userId: 'US.100', name: 'Ada' },
        ...{ type: 'text', text: message.text.body, timestamp: nowSeconds, raw: message },
      },
    });
    const { items } = await list({ phone: message.from });
    expect(items).toEqual([event.data]);
    const one = await gateway.call('GET', `/v1/messages/received/${event.data._id}`);
    expect(one.body.data).toEqual(event.data);
    // a later event of the same endpoint, so that a second one of the first message would have come
    const later = written();
    await receive([later]);
    await eventOf(later.id);
    const hooks = (await eventsOf(message.id)).map(({ hook }) => hook);
    expect(hooks).toEqual(['all']);
  });

  it('has the same id in another process and after seven days', async () => {
    const message = written({ timestamp: String(nowSeconds - 7 * 86_400) });
    await receive([message]);
    const other = await gateway.another();
    const before = await list({ phone: message.from });
    const call: Gateway['call'] = async (method, path, options) => {
      const response = await fetch(`${other}${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', ...options?.headers },
        body: options?.body as string,
      });
      return { status: response.status } as never;
    };
    const answer = await postCallback({ call }, senderId, inboundCallback([message]), inbound.secret);
    expect(answer.status).toBe(200);
    expect(await list({ phone: message.from })).toEqual(before);
    expect(before.items[0]?.timestamp).toBe(nowSeconds - 7 * 86_400);
  });

  it('of an unknown or unreadable kind is stored beside the others of its callback', async () => {
    const good = written();
    const poll = written({ type: 'poll_of_the_future', text: undefined });
    await receive(['poison', { id: 5, timestamp: {} }, poll, good]);
    expect((await eventOf(poll.id)).data).toMatchObject({
      type: 'poll_of_the_future',
      raw: JSON.parse(JSON.stringify(poll)),
    });
    expect((await eventOf(good.id)).data.type).toBe('text');
    const { items } = await list({ type: 'unknown' });
    expect(items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ messageId: null, timestamp: null, raw: 'poison' }),
        expect.objectContaining({ messageId: '5', timestamp: null, raw: { id: 5, timestamp: {} } }),
      ]),
    );
    expect(items).toHaveLength(2);
  });

  it('that the database rejects never keeps the others of its callback from being stored', async () => {
    await sql`alter table received_messages add constraint no_poison check (name <> 'poison')`.execute(
      gateway.database.db,
    );
    const [first, poison, third] = [written(), written(), written()];
    await receive([first, poison, third], [{ profile: { name: 'poison' }, wa_id: poison.from }]);
    await sql`alter table received_messages drop constraint no_poison`.execute(gateway.database.db);
    expect((await list({ phone: first.from })).items).toHaveLength(1);
    expect((await list({ phone: third.from })).items).toHaveLength(1);
    expect((await eventOf(poison.id)).data).toMatchObject({ phone: null, type: 'text', raw: poison });
  });

  it('keeps every digit and byte of the platform’s object, up to 64 KB', async () => {
    const id = 'wamid.RAW';
    const pad = (bytes: number) => {
      const source = `{ "from":"15559990001","id":"${id}${bytes}", "timestamp":"${nowSeconds}" ,"type":"text","n":12345678901234567890,"é":1.50,"x":""}`;
      return source.replace('"x":""', `"x":"${'y'.repeat(bytes - Buffer.byteLength(source))}"`);
    };
    const [fits, tooLarge] = [pad(65_536), pad(65_537)];
    const body = (source: string) =>
      `{"entry":[{"id":"1","changes":[{"field":"messages","value":{"metadata":{"phone_number_id":"${number.id}"},"messages":[${source}]}}]}]}`;
    for (const source of [fits, tooLarge]) expect((await post(body(source))).status).toBe(200);
    const page = await gateway.call('GET', '/v1/messages/received?phone=15559990001');
    expect(page.text).toContain(`"raw":${fits}`);
    expect(page.text).toContain('"rawOmitted":true,"raw":null');
    await eventOf(`${id}65536`);
    const [event] = await eventsOf(`${id}65536`);
    expect((event as unknown as { body: string }).body).toContain(`"raw":${fits.replace('é', '\\u00e9')}}}`);
  });

  it('names our message that it answers', async () => {
    const { body } = await send(gateway, { templateId: inbound.templateId, recipients: ['15550001111'] });
    const ours = body.data.messages[0];
    const answer = written({ context: { from: number.displayPhoneNumber, id: ours?.messageId } });
    const other = written({ type: 'reaction', reaction: { message_id: 'wamid.OTHER', emoji: '👍' } });
    await receive([answer, other]);
    expect((await eventOf(answer.id)).data.context).toEqual({
      ...{ messageId: ours?.messageId, id: ours?.id, sendId: body.data.sendId },
    });
    expect((await eventOf(other.id)).data.context).toEqual({
      messageId: 'wamid.OTHER',
      id: null,
      sendId: null,
    });
  });

  it('for a number of another app is not stored', async () => {
    const message = written();
    expect((await post(inboundCallback([message], [], '777'))).status).toBe(200);
    expect((await list({ phone: message.from })).items).toEqual([]);
  });
});

test('every kind that people write is received once, whatever order and repeats the platform chooses', async () => {
  const from = { phone: '15556661111', username: 'ada', parentUserId: 'US.ENT.1' };
  const kinds = Object.keys(inboundKinds);
  const messages = kinds.map((kind) => ({ from, kind }));
  const options = { separate: true, reversed: true, repeats: 2, poison: [{ id: [] }, null] };
  const written = await gateway.platform.write(number.id, { messages, ...options });
  const missing = async () => {
    const { items } = await list({ phone: from.phone, limit: '100' });
    return written.messages.filter(({ id }) => !items.some(({ messageId }) => messageId === id));
  };
  await expect.poll(missing).toEqual([]);
  await expect.poll(async () => (await gateway.platform.state()).pendingCallbacks).toBe(0);
  const { items } = await list({ phone: from.phone, limit: '100' });
  expect(items).toHaveLength(kinds.length);
  const types = new Map(items.map(({ messageId, type }) => [messageId, type]));
  expect(types.get(written.messages[kinds.indexOf('button_reply')]?.id ?? '')).toBe('interactive');
  expect(types.get(written.messages[kinds.indexOf('voicemail')]?.id ?? '')).toBe('audio');
  // a person who hides their number, and then gets another id
  const hidden = { userId: 'BR.1', name: 'Clarice' };
  await gateway.platform.write(number.id, { messages: [{ from: hidden, kind: 'text' }] });
  await gateway.platform.changeIdentity(number.id, { from: hidden, to: { userId: 'BR.2' } });
  await gateway.platform.changeIdentity(number.id, { from, to: { phone: '15556662222' }, as: 'field' });
  await expect
    .poll(async () => (await inbound.contacts({ userId: 'BR.2' })).map(({ name }) => name))
    .toEqual(['Clarice']);
  await expect
    .poll(async () => (await inbound.contacts({ phone: '15556662222' }))[0]?._id)
    .toBe((await inbound.contacts({ phone: from.phone }))[0]?._id);
});

describe('GET /v1/messages/received', () => {
  it('filters by person, number, type and time, and pages', async () => {
    const from = '15553330000';
    const many = [3, 1, 2].map((age) => written({ from, timestamp: String(nowSeconds - age * 60) }));
    const sticker = written({
      from,
      timestamp: String(nowSeconds - 240),
      type: 'sticker',
      from_user_id: 'US.333',
    });
    await receive([...many, sticker]);
    const ids = async (query: Record<string, string>) =>
      (await list({ phone: from, ...query })).items.map(({ messageId }) => messageId);
    const [oldest, newest, middle] = many.map(({ id }) => id);
    expect(await ids({})).toEqual([newest, middle, oldest, sticker.id]);
    expect(await ids({ type: 'sticker', senderId })).toEqual([sticker.id]);
    expect(await ids({ userId: 'US.333' })).toHaveLength(4);
    expect(await ids({ userId: 'US.100' })).toEqual([]);
    expect(await ids({ senderId: '019a0b5e-7c00-7000-8000-000000000000' })).toEqual([]);
    const at = (age: number) => new Date((nowSeconds - age * 60) * 1000).toISOString();
    expect(await ids({ from: at(3), to: at(1) })).toEqual([middle, oldest]);
    const page = await list({ phone: `+${from}`, limit: '3' });
    expect(page.items).toHaveLength(3);
    const next = await list({ phone: from, limit: '3', cursor: page.pagination.nextCursor ?? '' });
    expect(next.items.map(({ messageId }) => messageId)).toEqual([sticker.id]);
    expect(next.pagination.nextCursor).toBeNull();
    const everybody = await list({ type: 'sticker', limit: '1' });
    expect(everybody.items).toHaveLength(1);
  });

  it('shows nothing of other accounts', async () => {
    const message = written();
    await receive([message]);
    const [own] = (await list({ phone: message.from })).items;
    const key = await gateway.otherAccount();
    expect((await list({}, key)).items).toEqual([]);
    const one = await gateway.call('GET', `/v1/messages/received/${own?._id}`, { key });
    expect([one.status, one.body.code]).toEqual([404, 'message_not_found']);
    expect((await gateway.call('GET', '/v1/messages/received/x')).status).toBe(404);
    const [contact] = await inbound.contacts({ phone: message.from });
    const history = await gateway.call('GET', `/v1/contacts/${contact?._id}/messages`, { key });
    expect([history.status, history.body.code]).toEqual([404, 'contact_not_found']);
  });
});

test('a message to a number that two accounts have is stored and sent once for each of them, as separate messages', async () => {
  const { platform } = gateway;
  const [app] = (await platform.state()).apps;
  const key = await gateway.otherAccount();
  const added = await gateway.call<{ _id: string }>('POST', '/v1/senders', {
    key,
    body: {
      ...{ name: 'The same number', phoneNumberId: number.id, businessAccountId: waba, webhook: 'manual' },
      ...{ accessToken: app?.tokens[0], appSecret: app?.secret, appId: app?.id },
    },
  });
  expect(added.status, added.text).toBe(200);
  await gateway.call('POST', '/v1/webhooks/endpoints', {
    key,
    body: { url: gateway.receiver.hookUrl('other'), events: ['messages.received'] },
  });
  const message = written();
  // the callbacks of all numbers of an app go to the address of one of them; the other's is cached for seconds
  const toOther = () =>
    postCallback(gateway, added.body.data._id, inboundCallback([message]), app?.secret ?? '');
  await Promise.all([toOther(), toOther(), receive([message])]);
  const senders = [senderId, added.body.data._id];
  const lists = await Promise.all([list({ phone: message.from }), list({ phone: message.from }, key)]);
  expect(lists.map(({ items }) => items.map((item) => item.senderId))).toEqual(senders.map((id) => [id]));
  expect(new Set(lists.flatMap(({ items }) => items.map(({ _id }) => _id))).size).toBe(2);
  await expect
    .poll(async () => (await eventsOf(message.id)).map(({ hook }) => hook).sort())
    .toEqual(['all', 'other']);
});

test('contacts and inbound messages need the scope conversations:read, which manage includes', async () => {
  const keyWith = async (scopes: string[]) =>
    (await gateway.call<{ apiKey: string }>('POST', '/v1/keys', { body: { name: 'k', scopes } })).body.data
      .apiKey;
  const reader = await keyWith(['messages:read', 'messages:send']);
  const manager = await keyWith(['manage']);
  for (const path of ['/v1/contacts', '/v1/messages/received']) {
    expect((await gateway.call('GET', path, { key: reader })).status).toBe(403);
    expect((await gateway.call('GET', path, { key: manager })).status).toBe(200);
  }
});
