// Repeated and resent replies: sent once, checked again.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Gateway } from '../harness/gateway.ts';
import { type Replies, type ReplyData, startReplies } from '../harness/replies.ts';

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
    await sql`update idempotency_keys set status = null, body = null, leased_until = now() where key = ${key}`.execute(
      gateway.database.db,
    );
    const again = await reply({ phone, text: 'Hello' }, { headers: { 'Idempotency-Key': key } });
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
