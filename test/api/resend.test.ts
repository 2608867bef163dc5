// POST /v1/messages/:id/resend: sends a failed message again, checked like any send, and only once.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type Answer, addEndpoint, addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { samples } from '../harness/sample-files.ts';
import {
  type MessageData,
  messageOf,
  send,
  stagesUntil,
  templateKinds,
  uploadMedia,
} from '../harness/sends.ts';
import { leaveUnanswered } from '../harness/unanswered.ts';

type Item = MessageData & {
  resentAs: string | null;
  resendOf: string | null;
  senderId: string;
  sendId: string;
};

const offer = {
  ...{ name: 'offer', language: 'en_US', status: 'APPROVED', category: 'MARKETING' },
  components: [
    { type: 'BODY', text: 'Hello there.' },
    { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now', has_expiration: true } },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'COPY_CODE', example: 'A1' },
        { type: 'URL', text: 'Open', url: 'https://shop.example' },
      ],
    },
  ],
};

let gateway: Gateway;
let ids: Record<string, string>;
beforeAll(async () => {
  gateway = await startGateway();
  ({ templateIds: ids } = await addSender(gateway, [...templateKinds, offer]));
  await addEndpoint(gateway);
});
afterEach(() => gateway.platform.clearFaults());
afterAll(() => gateway?.close());

let lastPhone = 15550700000;
const phone = () => String(++lastPhone);
const sentTo = (to: string) => gateway.platform.ledger({ phone: to });
const resend = (
  id: string,
  options: { body?: unknown; key?: string; headers?: Record<string, string> } = {},
) => gateway.call<Item>('POST', `/v1/messages/${id}/resend`, options);
const itemOf = (id: string) => messageOf(gateway, id) as Promise<Item>;
const codeOf = ({ status, body }: Answer<unknown>) => [status, body.code];
const failWith = (id: string, code: number) =>
  sql`
    update messages set error = jsonb_build_object('code', ${code}::int, 'title', 't', 'message', 'm') where id = ${id}`.execute(
    gateway.database.db,
  );

/** A message that the platform rejected; the next one to its recipient is accepted. */
async function failed(
  name = 'plain',
  recipient: Record<string, unknown> = {},
  rest: object = {},
): Promise<string> {
  await gateway.platform.addFault({ on: 'messages', code: 131026, times: 1 });
  const recipients = [{ phone: phone(), ...recipient }];
  const { body } = await send(gateway, { templateId: ids[name] ?? '', recipients, ...rest });
  expect(body.data.messages[0]?.status).toBe('failed');
  return body.data.messages[0]?.id ?? '';
}

test('a failed message is resent as a new one with its own events, and each refers to the other', async () => {
  const [to, metadata] = [phone(), { order: '7' }];
  const old = await failed('plain', { phone: to, name: 'Ada', metadata }, { expiresInSeconds: 3600 });
  const { status, body } = await resend(old);
  expect([status, body.data]).toMatchObject([
    200,
    {
      status: expect.stringMatching(/accepted|sent|delivered|read/),
      recipientPhone: to,
      name: 'Ada',
      metadata,
    },
  ]);
  expect(body.data).toMatchObject({ resendOf: old, resentAs: null, error: null });
  expect(body.data.id).not.toBe(old);
  expect(await sentTo(to)).toHaveLength(1);
  expect(await stagesUntil(gateway, body.data.messageId ?? '', 'read')).toEqual([
    'sent',
    'delivered',
    'read',
  ]);
  expect(await itemOf(old)).toMatchObject({ status: 'failed', resentAs: body.data.id, resendOf: null });
  const listed = await gateway.call<{ items: Item[] }>('GET', `/v1/messages?phone=${to}`);
  expect(listed.body.data.items.map(({ resentAs, resendOf }) => [resentAs, resendOf])).toEqual([
    [null, old],
    [body.data.id, null],
  ]);
  const counts = await gateway.call('GET', `/v1/sends/${body.data.sendId}`);
  expect(counts.body.data).toMatchObject({ total: 1 });
  const { rows } = await sql<{ seconds: number }>`
    select extract(epoch from expires_at)::float8 - ${Date.now() / 1000}::float8 seconds from messages where id = ${body.data.id}`.execute(
    gateway.database.db,
  );
  expect(Math.abs((rows[0]?.seconds ?? 0) - 3600)).toBeLessThan(60);
});

test('a repeat and concurrent requests return the same new message and send nothing else', async () => {
  const to = phone();
  const old = await failed('plain', { phone: to });
  const responses = await Promise.all(Array.from({ length: 5 }, () => resend(old)));
  responses.push(await resend(old.toUpperCase()), await resend(old, { body: {} }));
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
  expect(new Set(responses.map(({ body }) => body.data.id)).size).toBe(1);
  expect(await sentTo(to)).toHaveLength(1);
  const again = await resend(responses[0]?.body.data.id ?? '');
  expect(codeOf(again)).toEqual([409, 'message_not_failed']);
});

test('the new message can be resent if it fails too', async () => {
  const to = phone();
  const old = await failed('plain', { phone: to });
  await gateway.platform.addFault({ on: 'messages', code: 131026, times: 1 });
  const { body } = await resend(old);
  expect(body.message).toBe('Message resent; the new message failed, see error.');
  const second = body.data;
  expect(second.status).toBe('failed');
  const third = (await resend(second.id)).body.data;
  expect(third.resendOf).toBe(second.id);
  expect(await itemOf(second.id)).toMatchObject({ resendOf: old, resentAs: third.id });
  expect(await sentTo(to)).toHaveLength(1);
});

test('content of every kind arrives unchanged', async () => {
  const pdf = await uploadMedia(gateway, samples.pdf, 'bill.pdf', 'application/pdf');
  const location = { latitude: 52.5, longitude: 13.4, name: 'Office', address: 'Street 1' };
  const sale = { 'header.1': 'June', '1': 'Ada', '2': 'SALE', 'buttons.1.1': 'x', 'buttons.2.1': '250FF' };
  const kinds: [string, Record<string, unknown>][] = [
    ['order_update', { variables: { '1': 'Ada', '2': 'A-1', '3': 'Friday' } }],
    ['sale', { variables: sale }],
    ['named', { variables: { day: 'Friday', first_name: 'Ada' } }],
    ['bill', { mediaId: pdf }],
    ['meeting_point', { location }],
  ];
  for (const [name, recipient] of kinds) {
    const [to, twin] = [phone(), phone()];
    const old = await failed(name, { ...recipient, phone: to });
    expect([name, (await resend(old)).status]).toEqual([name, 200]);
    await send(gateway, { templateId: ids[name] ?? '', recipients: [{ ...recipient, phone: twin }] });
    const [[again], [straight]] = [await sentTo(to), await sentTo(twin)];
    expect([name, again?.components]).toEqual([name, straight?.components]);
    expect(again?.components).toBeTruthy();
  }
});

test('returns 409 for a message that is not failed, and for an unknown outcome unless evenIfUnknown is set', async () => {
  const to = phone();
  const { body } = await send(gateway, { templateId: ids.plain ?? '', recipients: [to] });
  expect(codeOf(await resend(body.data.messages[0]?.id ?? ''))).toEqual([409, 'message_not_failed']);
  const sendAt = new Date(Date.now() + 60_000).toISOString();
  const scheduled = await send(gateway, { templateId: ids.plain ?? '', recipients: [to], sendAt });
  expect(codeOf(await resend(scheduled.body.data.messages[0]?.id ?? ''))).toEqual([
    409,
    'message_not_failed',
  ]);
  const cancelled = await gateway.call('POST', `/v1/sends/${scheduled.body.data.sendId}/cancel`);
  expect(cancelled.body.message).toBe('Send cancelled: 1 message will not be sent.');
  const unknown = await failed('plain', { phone: to });
  await failWith(unknown, 900001);
  for (const requestBody of [undefined, {}, { evenIfUnknown: false }])
    expect(codeOf(await resend(unknown, { body: requestBody }))).toEqual([409, 'message_not_failed']);
  expect(await sentTo(to)).toHaveLength(1);
  for (const requestBody of [{ evenIfUnknown: 'yes' }, { evenifunknown: true }, []])
    expect((await resend(unknown, { body: requestBody })).status).toBe(400);
  expect((await resend(unknown, { body: { evenIfUnknown: true } })).status).toBe(200);
  expect(await sentTo(to)).toHaveLength(2);
});

test('a message that is reported during its resend is not resent', async () => {
  const to = phone();
  const old = await failed('plain', { phone: to });
  const { db } = gateway.database;
  const request = await db.transaction().execute(async (tx) => {
    await sql`update messages set state = 4, delivered_at = now() where id = ${old}`.execute(tx);
    const begun = resend(old);
    await expect
      .poll(async () => {
        const { rows } = await sql`
          select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          db,
        );
        return rows.length;
      })
      .toBeGreaterThan(0);
    return { response: begun };
  });
  expect(codeOf(await request.response)).toEqual([409, 'message_not_failed']);
  expect(await sentTo(to)).toEqual([]);
});

test('authentication messages are never resent', async () => {
  const old = await failed('sign_in_code', { variables: { '1': '123456' } });
  expect(codeOf(await resend(old))).toEqual([409, 'content_removed']);
  const { db } = gateway.database;
  const recategorize = (category: string) =>
    sql`update templates set category = ${category} where id = ${ids.sign_in_code ?? ''}`.execute(db);
  await recategorize('UTILITY');
  // as an earlier version stored it
  await sql`update messages set content = '{"body": [{"text": "123456"}], "buttons": []}' where id = ${old}`.execute(
    db,
  );
  expect(codeOf(await resend(old))).toEqual([409, 'content_removed']);
  await recategorize('AUTHENTICATION');
  const recategorized = await failed('plain');
  await sql`update templates set category = 'AUTHENTICATION' where id = ${ids.plain ?? ''}`.execute(db);
  expect(codeOf(await resend(recategorized))).toEqual([409, 'content_removed']);
  await sql`update templates set category = 'UTILITY' where id = ${ids.plain ?? ''}`.execute(db);
  await sql`update messages set content = '{"removed": true}' where id = ${recategorized}`.execute(db);
  expect(codeOf(await resend(recategorized))).toEqual([409, 'content_removed']);
});

test('a resend requires an approved and matching template, the file and the sender', async () => {
  const { db } = gateway.database;
  const variables = { '1': 'Ada', '2': 'A-1', '3': 'Friday' };
  const old = await failed('order_update', { variables });
  const rejectedWith = async (code: string) => expect((await resend(old)).body.code).toBe(code);
  const id = ids.order_update ?? '';
  await sql`update templates set status = 'submitted' where id = ${id}`.execute(db);
  await rejectedWith('template_not_approved');
  await sql`update templates set status = 'approved' where id = ${id}`.execute(db);
  const { rows } = await sql<{
    components: unknown;
  }>`select components from templates where id = ${id}`.execute(db);
  for (const text of ['Hi {{1}}.', 'Hi {{1}}, {{2}}, {{3}} and {{4}}.']) {
    const components = JSON.stringify([{ type: 'BODY', text }]);
    await sql`update templates set components = ${components}::jsonb where id = ${id}`.execute(db);
    await rejectedWith('template_changed');
  }
  await sql`update templates set components = ${JSON.stringify(rows[0]?.components)}::jsonb where id = ${id}`.execute(
    db,
  );
  expect((await resend(old)).status).toBe(200);

  const mediaId = await uploadMedia(gateway, samples.pdf, 'gone.pdf', 'application/pdf');
  const bill = await failed('bill', { mediaId });
  const setState = (state: string) =>
    sql`update media set state = ${state} where public_id = ${mediaId}`.execute(db);
  await setState('removing');
  expect(codeOf(await resend(bill))).toEqual([404, 'media_not_found']);
  await setState('ready');
  await gateway.call('DELETE', `/v1/media/${mediaId}`);
  expect(codeOf(await resend(bill))).toEqual([404, 'media_not_found']);
  const orphan = await failed('plain');
  await sql`update messages set sender_id = gen_random_uuid() where id = ${orphan}`.execute(db);
  expect(codeOf(await resend(orphan))).toEqual([404, 'sender_not_found']);
  for (const unknown of [randomUUID(), 'x'])
    expect(codeOf(await resend(unknown))).toEqual([404, 'message_not_found']);
  const otherAccount = { key: await gateway.otherAccount() };
  expect(codeOf(await resend(old, otherAccount))).toEqual([404, 'message_not_found']);
});

test('the 409 for an offer that has ended says so', async () => {
  const offerExpiresAt = new Date(Date.now() + 3_600_000).toISOString();
  const old = await failed('offer', { variables: { 'buttons.0.1': 'A1' }, offerExpiresAt });
  await sql`update messages set content = jsonb_set(content, '{offerExpiresAt}', '1000') where id = ${old}`.execute(
    gateway.database.db,
  );
  const answer = await resend(old);
  expect(codeOf(answer)).toEqual([409, 'template_changed']);
  expect(answer.body.message).toContain('offerExpiresAt: must be in the future');
  expect(answer.body.message).not.toContain('has changed');
});

test('with an Idempotency-Key, a repeat returns the stored response, and another message or body returns 422', async () => {
  const headers = { 'Idempotency-Key': randomUUID() };
  const [old, other] = [await failed(), await failed()];
  const first = await resend(old, { headers });
  await stagesUntil(gateway, first.body.data.messageId ?? '', 'read');
  const repeat = await resend(old, { headers });
  expect([repeat.text, repeat.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
  await leaveUnanswered(gateway.database.db, headers['Idempotency-Key']);
  const continued = await resend(old, { headers });
  expect([continued.status, continued.body.data.id]).toEqual([200, first.body.data.id]);
  expect(codeOf(await resend(other, { headers }))).toEqual([422, 'idempotency_key_reused']);
  expect(codeOf(await resend(old, { headers, body: { evenIfUnknown: true } }))).toEqual([
    422,
    'idempotency_key_reused',
  ]);
  const second = { 'Idempotency-Key': randomUUID() };
  const late = await resend(old, { headers: second });
  expect([late.body.data.id, late.headers.get('idempotency-replayed')]).toEqual([first.body.data.id, null]);
  const again = await resend(old, { headers: second });
  expect([again.text, again.headers.get('idempotency-replayed')]).toEqual([late.text, 'true']);
});
