// POST /v1/messages/reply: inside the window only, once, with events of its own, and apart from sends.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it, test } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { insertReply } from '../../src/messaging/replies/store.ts';
import { beginNow } from '../harness/dispatch.ts';
import { type Answer, type Gateway, number, waba } from '../harness/gateway.ts';
import { type Replies, startReplies } from '../harness/replies.ts';
import { messageOf, send } from '../harness/sends.ts';

let replies: Replies;
let gateway: Gateway;
let senderId: string;
let writes: Replies['writes'];
let reply: Replies['reply'];
let newPhone: Replies['newPhone'];
let bodiesTo: Replies['bodiesTo'];
let eventsUntil: Replies['eventsUntil'];
let nowSeconds: number;

beforeAll(async () => {
  replies = await startReplies();
  ({ gateway, senderId, writes, reply, newPhone, bodiesTo, eventsUntil, nowSeconds } = replies);
});
afterEach(() => gateway.platform.clearFaults());
afterAll(() => gateway?.close());

const codeOf = ({ status, body }: Answer<unknown>) => [status, body.code];
const windowMs = 24 * 3_600_000;

type Item = Record<string, unknown> & { id: string; kind: string };
async function listed(query: Record<string, string>): Promise<Item[]> {
  const path = `/v1/messages?${new URLSearchParams(query)}`;
  const { status, body } = await gateway.call<{ items: Item[] }>('GET', path);
  expect(status).toBe(200);
  return body.data.items;
}

describe('a reply', () => {
  it('is sent as text to the person, and its stages are events of their own', async () => {
    const phone = newPhone();
    const wrote = await writes(phone);
    const metadata = { ticket: '4711' };
    const answer = await reply({ phone, text: 'We open at nine.', replyTo: wrote, metadata });
    expect(answer.status).toBe(200);
    const { data } = answer.body;
    expect(data).toEqual({
      ...{ id: data.id, messageId: expect.stringMatching(/^wamid\./), recipientPhone: phone },
      ...{ recipientUserId: null, name: null, status: 'accepted', error: null },
    });
    expect(await bodiesTo(phone)).toEqual([
      {
        ...{ messaging_product: 'whatsapp', recipient_type: 'individual', to: `+${phone}`, type: 'text' },
        ...{ context: { message_id: wrote }, biz_opaque_callback_data: data.id },
        text: { body: 'We open at nine.', preview_url: false },
      },
    ]);
    const events = await eventsUntil(data.messageId ?? '', 'read');
    expect(events.map(({ hook, event, data: { status } }) => [hook, event, status])).toEqual(
      ['sent', 'delivered', 'read'].map((status) => ['all', 'replies.status', status]),
    );
    expect(events[0]?.data).toEqual({
      ...{ messageId: data.messageId, status: 'sent', recipientPhone: phone, recipientUserId: null },
      ...{ timestamp: expect.any(Number), error: null, id: data.id, sendId: null, metadata },
    });
  });

  it('goes to a person without a phone by their user id, which its events and their history show', async () => {
    const userId = 'US.777000111';
    await writes({ userId });
    const { body } = await reply({ userId, text: 'Hello' });
    expect(body.data).toMatchObject({ recipientPhone: null, recipientUserId: userId, status: 'accepted' });
    const [sent] = (await gateway.platform.ledger({ opaque: body.data.id })) as { components: object }[];
    expect(sent?.components).toMatchObject({ recipient: userId });
    expect(sent?.components).not.toHaveProperty('to');
    const [event] = await eventsUntil(body.data.messageId ?? '', 'read');
    expect(event?.data).toMatchObject({ recipientPhone: null, recipientUserId: userId });
    const contact = await gateway.call<{ items: { _id: string }[] }>('GET', `/v1/contacts?userId=${userId}`);
    const history = await gateway.call<{ items: { direction: string; message: Item | null }[] }>(
      'GET',
      `/v1/contacts/${contact.body.data.items[0]?._id}/messages`,
    );
    expect(history.body.data.items.map(({ direction, message }) => [direction, message?.id])).toEqual([
      ['sent', body.data.id],
      ['received', undefined],
    ]);
  });

  it('goes to the present user id of a person who is named by an earlier one', async () => {
    const [earlier, present] = ['US.777000222', 'US.777000223'];
    await writes({ userId: earlier });
    await gateway.platform.changeIdentity(number.id, {
      from: { userId: earlier },
      to: { userId: present },
      as: 'field',
    });
    await expect
      .poll(async () => (await reply({ userId: earlier, text: 'Hello' })).body.data.recipientUserId)
      .toBe(present);
  });

  it('goes to a person who opted out of every template', async () => {
    const phone = newPhone();
    await writes(phone);
    await gateway.call('PUT', `/v1/opt-outs/${phone}`, { body: { scope: 'all' } });
    const { db } = gateway.database;
    await sql`update senders set halted_at = now() where id = ${senderId}`.execute(db);
    expect((await reply({ phone, text: 'Hello' })).body.data.status).toBe('queued');
    await sql`update senders set halted_at = null where id = ${senderId}`.execute(db);
    await expect.poll(() => bodiesTo(phone)).toHaveLength(1);
  });

  it('is in lists of messages only if they ask for replies', async () => {
    const phone = newPhone();
    await writes(phone);
    const { body } = await reply({ phone, text: 'Hello' });
    const sent = await send(gateway, { templateId: replies.templateIds.plain ?? '', recipients: [phone] });
    const { id } = body.data;
    const message = sent.body.data.messages[0]?.id;
    const idsOf = async (query: Record<string, string>) =>
      (await listed({ phone, ...query })).map((one) => one.id);
    expect(await idsOf({})).toEqual([message]);
    expect(await idsOf({ kind: 'template' })).toEqual([message]);
    expect(await idsOf({ kind: 'reply' })).toEqual([id]);
    expect(await idsOf({ kind: 'all' })).toEqual([message, id]);
    expect(codeOf(await gateway.call('GET', '/v1/messages?kind=both'))).toEqual([400, 'invalid_request']);
    expect((await listed({ kind: 'reply', limit: '1' }))[0]).toMatchObject({
      ...{ id, kind: 'reply', sendId: null, templateId: null, senderId, recipientPhone: phone },
      ...{ recipientUserId: null, error: null, resendOf: null, text: 'Hello', variables: null },
      ...{ templateName: null, language: null, category: null },
    });
    expect(await messageOf(gateway, id)).toMatchObject({ id, kind: 'reply' });
    const counts = await gateway.call('GET', `/v1/sends/${sent.body.data.sendId}`);
    expect(counts.body.data).toMatchObject({ total: 1 });
  });

  test.each([
    ['neither phone nor userId', { text: 'x' }, 'phone'],
    ['both phone and userId', { phone: '15551230000', userId: 'US.1', text: 'x' }, 'userId'],
    ['a phone with a plus sign', { phone: '+15551230000', text: 'x' }, 'phone'],
    ['a blank text', { phone: '15551230000', text: ' \n' }, 'text'],
    ['a text of 4,097 characters', { phone: '15551230000', text: 'x'.repeat(4097) }, 'text'],
    ['an unknown member', { phone: '15551230000', text: 'x', template: 'y' }, 'template'],
  ])('with %s is rejected', async (_what, body, path) => {
    const answer = await reply(body);
    expect(codeOf(answer)).toEqual([400, 'invalid_request']);
    expect(answer.body.errors?.map((problem) => problem.path)).toContain(path);
  });

  it('may have 4,096 characters', async () => {
    const phone = newPhone();
    await writes(phone);
    expect((await reply({ phone, text: '😀'.repeat(4096) })).body.data.status).toBe('accepted');
  });
});

it('that was queued leaves when its number can send again', async () => {
  const phone = newPhone();
  await writes(phone);
  const { db } = gateway.database;
  await sql`update senders set halted_at = now() where id = ${senderId}`.execute(db);
  const { body } = await reply({ phone, text: 'Hello' });
  expect(body.data).toMatchObject({ status: 'queued', messageId: null });
  await sql`update senders set halted_at = null where id = ${senderId}`.execute(db);
  await expect.poll(() => bodiesTo(phone)).toHaveLength(1);
});

test('the database rejects a reply without a recipient, and a message of a send without its send', async () => {
  const insert = (kind: number, phone: string | null) =>
    sql`
    insert into messages (account_id, id, kind, sender_id, phone, content, expires_at)
    values (${randomUUID()}, uuid7(), ${kind}, ${senderId}, ${phone}, '{}', now())`.execute(
      gateway.database.db,
    );
  await expect(insert(1, null)).rejects.toThrow('messages_kind');
  await expect(insert(0, '15551230000')).rejects.toThrow('messages_kind');
});

describe('the window', () => {
  const closesAtOf = (seconds: number) => new Date(seconds * 1000 + windowMs).toISOString();

  it('is closed for a person who never wrote to the number, or whose message is 24 hours old', async () => {
    const stranger = await reply({ phone: newPhone(), text: 'Hello' });
    expect(codeOf(stranger)).toEqual([409, 'window_closed']);
    expect(stranger.body).toMatchObject({ closedAt: null, message: expect.stringContaining('template') });
    const phone = newPhone();
    const timestamp = nowSeconds - 86_400;
    await writes(phone, { timestamp });
    const late = await reply({ phone, text: 'Hello' });
    expect(codeOf(late)).toEqual([409, 'window_closed']);
    expect(late.body).toMatchObject({ closedAt: closesAtOf(timestamp) });
    expect(await bodiesTo(phone)).toEqual([]);
  });

  it('is that of the number and person together', async () => {
    const phone = newPhone();
    await writes(phone);
    const other = await gateway.platform.addNumber({ wabaId: waba, displayPhoneNumber: '+1 555 0199' });
    const added = await gateway.call<{ _id: string }>('POST', '/v1/senders', {
      body: {
        ...{ name: 'Second', phoneNumberId: other.id, businessAccountId: other.wabaId },
        ...{ accessToken: (await gateway.platform.state()).apps[0]?.tokens[0], messagesPerSecond: 1000 },
        appSecret: (await gateway.platform.state()).apps[0]?.secret,
      },
    });
    expect(added.status).toBe(200);
    const second = added.body.data._id;
    const answer = await reply({ phone, senderId: second, text: 'Hello' });
    expect([...codeOf(answer), answer.body]).toMatchObject([409, 'window_closed', { closedAt: null }]);
    expect(codeOf(await reply({ phone, senderId: randomUUID(), text: 'x' }))).toEqual([
      404,
      'sender_not_found',
    ]);
    const otherKey = await gateway.otherAccount();
    expect(codeOf(await reply({ phone, text: 'x' }, { key: otherKey }))).toEqual([409, 'window_closed']);
    expect(codeOf(await reply({ phone, senderId, text: 'x' }, { key: otherKey }))).toEqual([
      404,
      'sender_not_found',
    ]);
    // the number that the person wrote to last
    const senderOf = async () => {
      const { body } = await reply({ phone, text: 'Hello' });
      return (await messageOf(gateway, body.data.id)) as unknown as Item;
    };
    expect(await senderOf()).toMatchObject({ senderId });
    await writes(phone, { timestamp: Math.floor(Date.now() / 1000) + 2 }, other.id);
    expect(await senderOf()).toMatchObject({ senderId: second });
  });

  it('is checked again by the statement that stores the reply', async () => {
    const phone = newPhone();
    await writes(phone);
    const stored = () =>
      insertReply(gateway.database.hot, {
        ...{ accountId: gateway.accountId, id: uuidv7(), senderId, identity: phone, phone, userId: null },
        ...{ content: { reply: { kind: 'text', text: 'x' } }, mediaId: null, metadata: null },
        ...{ priority: 1, processId: 0, dispatchMode: 'queued' },
      });
    const { db } = gateway.database;
    expect(await db.transaction().execute(stored)).toMatchObject({ isOpen: true });
    await sql`update contact_windows set last_received_at = now() - interval '24 hours'
      where contact_id = (select contact_id from contact_identities where identity = ${phone})`.execute(db);
    expect(await stored()).toBeUndefined();
  });

  it('is checked again by the statement that begins the dispatch of the reply', async () => {
    const phone = newPhone();
    await writes(phone);
    const { db } = gateway.database;
    await sql`update senders set halted_at = now() where id = ${senderId}`.execute(db);
    const { id } = (await reply({ phone, text: 'Hello' })).body.data;
    const key = { accountId: gateway.accountId, id };
    // leased, so that no process claims it
    await sql`update messages set due_at = now() + interval '1 minute', expires_at = now() where id = ${id}`.execute(
      db,
    );
    await sql`update senders set halted_at = null where id = ${senderId}`.execute(db);
    expect(await beginNow(gateway.database, [key])).toEqual([false]);
    await sql`update messages set expires_at = now() + interval '1 minute' where id = ${id}`.execute(db);
    expect(await beginNow(gateway.database, [key])).toEqual([true]);
  });

  it('ends a queued reply when it closes', async () => {
    const phone = newPhone();
    const timestamp = Math.floor(Date.now() / 1000) - 86_400 + 600;
    await writes(phone, { timestamp });
    const { db } = gateway.database;
    await sql`update senders set halted_at = now() where id = ${senderId}`.execute(db);
    const { body } = await reply({ phone, text: 'Hello' });
    expect(body.data).toMatchObject({ status: 'queued', messageId: null });
    const item = (await messageOf(gateway, body.data.id)) as unknown as Item;
    expect(item).toMatchObject({ status: 'queued', expiresAt: closesAtOf(timestamp) });
    // as if no worker had swept: the dispatch itself must not begin
    await sql`update messages set expires_at = now() where id = ${body.data.id}`.execute(db);
    await sql`update senders set halted_at = null where id = ${senderId}`.execute(db);
    const [failed] = await eventsUntil(body.data.id, 'failed');
    expect(failed?.data.error).toMatchObject({ code: 900002 });
    expect(await bodiesTo(phone)).toEqual([]);
  });

  it('that only the platform considers closed is a failure with its code', async () => {
    const phone = newPhone();
    await writes(phone);
    await gateway.platform.advanceClock(windowMs);
    const { body } = await reply({ phone, text: 'Hello' });
    await gateway.platform.advanceClock(-windowMs);
    const [failed] = await eventsUntil(body.data.messageId ?? '', 'failed');
    expect(failed?.data.error).toMatchObject({ code: 131047, message: expect.stringContaining('24 hours') });
    // until it is cleared: a message of an earlier test may be called in between
    await gateway.platform.addFault({ on: 'messages', code: 131047 });
    const rejected = await reply({ phone, text: 'Hello' });
    await gateway.platform.clearFaults();
    expect(rejected.body.data).toMatchObject({ status: 'failed', error: { code: 131047 } });
  });
});
