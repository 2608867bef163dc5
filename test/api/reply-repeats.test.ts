// Repeated and resent replies: sent once, checked again.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { state } from '../../src/messaging/messages/message.ts';
import type { Answer, Gateway } from '../harness/gateway.ts';
import { type Replies, type ReplyData, startReplies } from '../harness/replies.ts';
import { leaveUnanswered } from '../harness/unanswered.ts';

let gateway: Gateway;
let writes: Replies['writes'];
let reply: Replies['reply'];
let newPhone: Replies['newPhone'];
let bodiesTo: Replies['bodiesTo'];

beforeAll(async () => {
  ({ gateway, writes, reply, newPhone, bodiesTo } = await startReplies());
});
afterEach(() => gateway.platform.clearFaults());
afterAll(() => gateway?.close());

const codeOf = ({ status, body }: Answer<unknown>) => [status, body.code];

/** The person's last message is a day older than it was. */
const closeWindow = (phone: string) =>
  sql`
  update contact_windows set last_received_at = last_received_at - interval '1 day'
  where contact_id = (select contact_id from contact_identities where identity = ${phone})`.execute(
    gateway.database.db,
  );

describe('a repeat with the same Idempotency-Key', () => {
  it('gets the first response and sends nothing', async () => {
    const phone = newPhone();
    await writes(phone);
    const headers = { 'Idempotency-Key': randomUUID() };
    const body = { phone, text: 'Hello' };
    const first = await reply(body, { headers });
    const again = await reply(body, { headers });
    expect(again.text).toBe(first.text);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(codeOf(await reply({ ...body, text: 'Bye' }, { headers }))).toEqual([
      422,
      'idempotency_key_reused',
    ]);
    expect(await bodiesTo(phone)).toHaveLength(1);
  });

  it('gets the acceptance of the reply, which is stored nowhere else, whatever was reported since', async () => {
    const phone = newPhone();
    await writes(phone);
    const key = randomUUID();
    const first = await reply({ phone, text: 'Hello' }, { headers: { 'Idempotency-Key': key } });
    const { db } = gateway.database;
    const { rows } = await sql`select from idempotency_keys where key = ${key} and body is null`.execute(db);
    expect(rows).toHaveLength(1);
    await sql`update messages set state = ${state.failed}, error = '{"code": 131026}' where id = ${first.body.data.id}`.execute(
      db,
    );
    const again = await reply({ phone, text: 'Hello' }, { headers: { 'Idempotency-Key': key } });
    expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
  });

  it('gets 409 until the platform has accepted the reply', async () => {
    const phone = newPhone();
    await writes(phone);
    const headers = { 'Idempotency-Key': randomUUID() };
    await gateway.platform.addFault({ on: 'messages', does: 'delay', ms: 60_000, times: 1 });
    const first = reply({ phone, text: 'Hello' }, { headers });
    const again = () => reply({ phone, text: 'Hello' }, { headers });
    const isStored = async () => {
      const { rows } =
        await sql`select from idempotency_keys where key = ${headers['Idempotency-Key']}`.execute(
          gateway.database.db,
        );
      return rows.length === 1;
    };
    await expect.poll(isStored).toBe(true);
    expect(codeOf(await again())).toEqual([409, 'idempotency_in_progress']);
    await gateway.platform.clearFaults();
    const { text } = await first;
    expect((await again()).text).toBe(text);
  });

  it('gets the stored response if the platform rejected the reply', async () => {
    const phone = '15550001131049';
    await writes(phone);
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await reply({ phone, text: 'Hello' }, { headers });
    expect(first.body.data).toMatchObject({ status: 'failed', messageId: null });
    expect((await reply({ phone, text: 'Hello' }, { headers })).text).toBe(first.text);
  });

  it('that races with the first sends once, also after the window closed', async () => {
    const phone = newPhone();
    await writes(phone);
    const headers = { 'Idempotency-Key': randomUUID() };
    const racing = Array.from({ length: 5 }, () => reply({ phone, text: 'Hello' }, { headers }));
    const codes = (await Promise.all(racing)).map(({ status, body }) => (status === 200 ? 200 : body.code));
    expect(new Set(codes)).toContain(200);
    expect(codes.filter((code) => code !== 200 && code !== 'idempotency_in_progress')).toEqual([]);
    await closeWindow(phone);
    expect((await reply({ phone, text: 'Hello' }, { headers })).status).toBe(200);
    expect(codeOf(await reply({ phone, text: 'Hello' }))).toEqual([409, 'window_closed']);
    expect(await bodiesTo(phone)).toHaveLength(1);
  });

  it('continues a reply whose first request died', async () => {
    const phone = newPhone();
    await writes(phone);
    const key = randomUUID();
    const first = await reply({ phone, text: 'Hello' }, { headers: { 'Idempotency-Key': key } });
    const { db } = gateway.database;
    await sql`update idempotency_keys set answered_by = null, leased_until = now() where key = ${key}`.execute(
      db,
    );
    const again = await reply({ phone, text: 'Hello' }, { headers: { 'Idempotency-Key': key } });
    expect(again.body.data).toEqual(first.body.data);
    expect(await bodiesTo(phone)).toHaveLength(1);
  });

  it('continues a reply as soon as the process of the first request has ended', async () => {
    const phone = newPhone();
    await writes(phone);
    const headers = { 'Idempotency-Key': randomUUID() };
    const first = await reply({ phone, text: 'Hello' }, { headers });
    await leaveUnanswered(gateway.database.db, headers['Idempotency-Key']);
    const again = await reply({ phone, text: 'Hello' }, { headers });
    expect(again.body.data).toEqual(first.body.data);
    expect(await bodiesTo(phone)).toHaveLength(1);
  });

  it('leaves nothing behind if the window was closed', async () => {
    const phone = newPhone();
    const headers = { 'Idempotency-Key': randomUUID() };
    expect((await reply({ phone, text: 'Hello' }, { headers })).status).toBe(409);
    await writes(phone);
    expect((await reply({ phone, text: 'Hello' }, { headers })).status).toBe(200);
  });
});

it('whose call got no response is settled by the reports, and never called again', async () => {
  const phone = '15550000000404';
  await writes(phone);
  const { body } = await reply({ phone, text: 'Hello' });
  expect(body.data).toMatchObject({ status: 'accepted', messageId: expect.stringMatching(/^wamid/) });
  expect(await bodiesTo(phone)).toHaveLength(1);
});

describe('a read mark', () => {
  const reads = async (messageId: string) =>
    (await gateway.platform.reads()).filter((one) => one.messageId === messageId);
  const receivedOf = async (phone: string) => {
    const list = await gateway.call<{ items: { _id: string }[] }>(
      'GET',
      `/v1/messages/received?phone=${phone}`,
    );
    return list.body.data.items[0]?._id ?? '';
  };
  const mark = (id: string, options: { body?: unknown; key?: string } = {}) =>
    gateway.call('POST', `/v1/messages/received/${id}/read`, options);

  it('is made for a received message, with the typing indicator if it is asked for', async () => {
    const phone = newPhone();
    const messageId = await writes(phone);
    const id = await receivedOf(phone);
    const marked = await mark(id);
    expect([marked.status, marked.body.data]).toEqual([200, { _id: id, messageId, typing: false }]);
    expect((await mark(id, { body: { typing: true } })).body.data).toMatchObject({ typing: true });
    expect((await reads(messageId)).map(({ typing }) => typing)).toEqual([false, true]);
  });

  it('that the platform rejects is 502, and without a response 503', async () => {
    const phone = newPhone();
    await writes(phone, { timestamp: Math.floor(Date.now() / 1000) - 31 * 86_400 });
    const rejected = await mark(await receivedOf(phone));
    expect(codeOf(rejected)).toEqual([502, 'provider_rejected']);
    expect(rejected.body).toMatchObject({ provider: { code: 131009 } });
    await gateway.platform.addFault({ on: 'messages', does: 'reset', times: 1 });
    const lost = await mark(await receivedOf(phone));
    expect([...codeOf(lost), lost.headers.get('retry-after')]).toEqual([
      503,
      'provider_unavailable',
      expect.any(String),
    ]);
  });

  it('of a message of another account, or of nothing, is 404', async () => {
    const phone = newPhone();
    await writes(phone);
    const key = await gateway.otherAccount();
    expect(codeOf(await mark(await receivedOf(phone), { key }))).toEqual([404, 'message_not_found']);
    expect(codeOf(await mark(randomUUID()))).toEqual([404, 'message_not_found']);
  });

  it('with a reply is of the last message, comes before the reply, and its failure does not prevent the reply', async () => {
    const phone = newPhone();
    const [first, last] = [await writes(phone, { timestamp: 1_700_000_000 }), await writes(phone)];
    const seen = await reply({ phone, text: 'Hello', typing: true });
    expect(seen.body.data.status).toBe('accepted');
    expect([await reads(first), await reads(last)]).toMatchObject([[], [{ typing: true }]]);
    await gateway.platform.addFault({ on: 'messages', code: 131000, times: 1 });
    expect((await reply({ phone, text: 'Hello', markRead: true })).body.data.status).toBe('accepted');
    expect(await gateway.platform.faults()).toEqual([]);
    expect(await reads(last)).toHaveLength(1);
    await closeWindow(phone);
    expect(codeOf(await reply({ phone, text: 'Hello', markRead: true }))).toEqual([409, 'window_closed']);
    expect(await reads(last)).toHaveLength(1);
  });
});

describe('a failed reply', () => {
  const resend = (id: string) => gateway.call<ReplyData>('POST', `/v1/messages/${id}/resend`);

  it('is resent once, while the window is open', async () => {
    const phone = newPhone();
    await writes(phone);
    await gateway.platform.addFault({ on: 'messages', code: 131026, times: 1 });
    const { id, status } = (await reply({ phone, text: 'Hello', metadata: { a: 'b' } })).body.data;
    expect(status).toBe('failed');
    const { body } = await resend(id);
    expect(body.data).toMatchObject({
      kind: 'reply',
      resendOf: id,
      recipientPhone: phone,
      metadata: { a: 'b' },
    });
    expect((await resend(id)).body.data.id).toBe(body.data.id);
    expect(await bodiesTo(phone)).toMatchObject([{ text: { body: 'Hello' } }]);
  });

  it('is not resent after the window closed', async () => {
    const phone = newPhone();
    await writes(phone);
    await gateway.platform.addFault({ on: 'messages', code: 131026, times: 1 });
    const { id } = (await reply({ phone, text: 'Hello' })).body.data;
    await closeWindow(phone);
    expect(codeOf(await resend(id))).toEqual([409, 'window_closed']);
  });
});
