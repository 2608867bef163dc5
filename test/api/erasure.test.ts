// Erasure of a person: nothing of them stays in any table, what was promised about them holds, and nobody else is changed.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Erasure } from '../../src/contract/erasure.ts';
import { postCallback } from '../harness/callbacks.ts';
import { contentOf } from '../harness/database-content.ts';
import { addEndpoint, addSender, app, type Gateway, startGateway } from '../harness/gateway.ts';
import { inboundCallback } from '../harness/inbound.ts';
import { send, stagesUntil } from '../harness/sends.ts';

let gateway: Gateway;
let senderId: string;
let templates: Record<string, string>;
let staffId: string;
const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

beforeAll(async () => {
  gateway = await startGateway({ settings: { SEND_WAIT_SECONDS: '2' } });
  const seed = { language: 'en_US', status: 'APPROVED' };
  const components = [{ type: 'BODY', text: 'Hello {{1}}.', example: { body_text: [['x']] } }];
  ({ senderId, templateIds: templates } = await addSender(gateway, [
    { name: 'offer', category: 'MARKETING', components, ...seed },
    { name: 'notice', category: 'UTILITY', components, ...seed },
  ]));
  await addEndpoint(gateway, {
    hook: 'all',
    events: [
      'messages.status',
      'messages.received',
      'contacts.opted_out',
      'appointments.booked',
      'appointments.cancelled',
    ],
  });
  staffId = (await did<{ _id: string }>('POST', '/v1/appointments/users', { name: 'Asha', calendar: 'none' }))
    ._id;
  const weekly = days.map((weekday) => ({ weekday, from: '09:00', to: '12:00' }));
  await did('PUT', `/v1/appointments/users/${staffId}/schedule`, {
    timezone: 'UTC',
    slotMinutes: 30,
    weekly,
  });
});
afterAll(() => gateway?.close());

async function did<T>(method: string, path: string, body?: unknown, headers = {}): Promise<T> {
  const answer = await gateway.call<T>(method, path, { ...(body === undefined ? {} : { body }), headers });
  expect([method, path, answer.status, answer.text]).toEqual([method, path, 200, expect.any(String)]);
  return answer.body.data;
}

const erase = (body: object) => gateway.call<Erasure>('POST', '/v1/contacts/erase', { body });

/** A person with a number and names that nothing else in the database contains. */
function person(no: number) {
  return { phone: `1555770${1000 + no}`, email: `canary${no}@example.com`, canary: `Canary${no}` };
}
type Person = ReturnType<typeof person>;
/** The platform's id of their message: ids stay. */
const canaryId = ({ phone }: Person) => Number(phone).toString(36);

/** Rows of any table that contain something of the person. */
async function traces({ phone, email, canary }: Person): Promise<string[]> {
  const { tables } = await contentOf(gateway.database.db);
  return Object.entries(tables).flatMap(([table, rows]) =>
    rows
      .filter((row) => [phone, email, canary].some((one) => row.toLowerCase().includes(one.toLowerCase())))
      .map((row) => `${table}: ${row}`),
  );
}

const recipient = ({ phone, canary }: Person) => ({
  ...{ phone, name: canary, variables: { '1': canary }, metadata: { note: canary } },
});

/** Does everything with a person that leaves a trace, and with nobody else in the same requests but `other`. */
async function leaveTraces(one: Person, other: Person) {
  const { phone, email, canary } = one;
  const sent = await send(
    gateway,
    { templateId: templates.notice ?? '', recipients: [recipient(one), recipient(other)] },
    { headers: { 'Idempotency-Key': randomUUID() } },
  );
  const { id = '', messageId } = sent.body.data.messages[0] ?? {};
  await stagesUntil(gateway, messageId as string, 'read');
  const message = {
    from: phone,
    id: `wamid.in${canaryId(one)}`,
    timestamp: String(Math.floor(Date.now() / 1000)),
    type: 'text',
    text: { body: canary },
  };
  const contacts = [{ wa_id: phone, profile: { name: canary } }];
  expect(
    (await postCallback(gateway, senderId, inboundCallback([message], contacts), app.secret)).status,
  ).toBe(200);
  await did('PUT', `/v1/opt-outs/${phone}`, { scope: 'marketing', reason: canary });
  const draft = await did<{ sendId: string }>('POST', '/v1/sends', {
    templateId: templates.notice,
    name: 'later',
  });
  await did('POST', `/v1/sends/${draft.sendId}/recipients`, {
    recipients: [recipient(one), recipient(other)],
  });
  await send(gateway, {
    ...{ templateId: templates.notice ?? '', recipients: [recipient(one)] },
    sendAt: new Date(Date.now() + 86_400_000).toISOString(),
  });
  const date = Temporal.Now.plainDateISO('UTC').add({ days: 3 }).toString();
  const slots = await did<{ slots: { from: string; to: string }[] }>(
    'GET',
    `/v1/appointments/available-slots?appointmentUserId=${staffId}&date=${date}`,
  );
  const { bookingId } = await did<{ bookingId: string }>(
    'POST',
    '/v1/appointments/book',
    {
      appointmentUserId: staffId,
      date,
      from: slots.slots[0]?.from,
      to: slots.slots[0]?.to,
      email,
      phoneNumber: phone,
      name: canary,
    },
    { 'Idempotency-Key': randomUUID() },
  );
  return { id, draftId: draft.sendId, bookingId };
}

describe('a person', () => {
  const [one, other] = [person(1), person(2)];
  let made: Awaited<ReturnType<typeof leaveTraces>>;

  it('with an open booking is erased only with cancelBookings', async () => {
    made = await leaveTraces(one, other);
    const tables = new Set((await traces(one)).map((row) => row.split(':')[0]));
    expect([...tables].sort()).toEqual(
      expect.arrayContaining([
        ...['bookings', 'contact_identities', 'contacts', 'deliveries', 'idempotency_keys', 'messages'],
        ...['opt_outs', 'received_messages', 'send_recipients'],
      ]),
    );
    const refused = await erase({ phone: one.phone });
    expect([refused.status, refused.body.code]).toEqual([409, 'booking_open']);
    expect((refused.body as unknown as { bookingIds: string[] }).bookingIds).toEqual([made.bookingId]);
  });

  it('leaves no trace in any table, and the others keep theirs', async () => {
    const before = (await traces(other)).length;
    const { status, body } = await erase({ phone: one.phone, cancelBookings: true });
    expect([status, body.message]).toEqual([200, 'Person erased.']);
    expect(body.data).toMatchObject({
      finished: true,
      messages: 1,
      received: 1,
      recipients: 2,
      bookings: 1,
      calendarEvents: [],
    });
    expect(body.data.backups).toContain('Backups');
    expect(await traces(one)).toEqual([]);
    // the stored answer of the shared send keeps the other's part
    expect((await traces(other)).length).toBe(before);
  });

  it('keeps ids, states and times, without contents', async () => {
    const message = await did<Record<string, unknown>>('GET', `/v1/messages/${made.id}`);
    expect(message).toMatchObject({
      id: made.id,
      status: 'read',
      recipientPhone: '',
      name: null,
      variables: null,
      text: null,
      metadata: null,
    });
    expect((await gateway.call('POST', `/v1/messages/${made.id}/resend`, { body: {} })).body.code).toMatch(
      /message_not_failed|content_removed/,
    );
    expect(await did('GET', `/v1/appointments/bookings/${made.bookingId}`)).toMatchObject({
      status: 'cancelled',
      email: '',
      phoneNumber: '',
      name: null,
    });
    expect(await did('GET', `/v1/sends/${made.draftId}`)).toMatchObject({ total: 1 });
    const received = await did<{ items: { raw: unknown; phone: unknown }[] }>('GET', '/v1/messages/received');
    expect(received.items).toMatchObject([{ phone: null, raw: null }]);
    const deliveries = await did<{ items: { _id: string; event: string }[] }>(
      'GET',
      '/v1/webhooks/deliveries?limit=100',
    );
    for (const { _id } of deliveries.items)
      expect((await gateway.call('GET', `/v1/webhooks/deliveries/${_id}`)).text).not.toContain(one.phone);
  });

  it('is not stored again by a callback that the platform repeats', async () => {
    const timestamp = String(Math.floor(Date.now() / 1000));
    const [id] = (await sql<{ id: string }>`select id from received_messages`.execute(gateway.database.db))
      .rows;
    const repeated = {
      from: one.phone,
      id: `wamid.in${canaryId(one)}`,
      timestamp,
      type: 'text',
      text: { body: one.canary },
    };
    expect(id).toBeDefined();
    // the same second, as far as it can be: else it is another message
    await postCallback(gateway, senderId, inboundCallback([repeated], []), app.secret);
    const rows = (
      await sql<{ phone: string | null }>`select phone from received_messages`.execute(gateway.database.db)
    ).rows;
    expect(rows.length).toBeLessThanOrEqual(2);
  });

  it('who opted out gets no marketing when somebody sends to the number again', async () => {
    const hashes = async () =>
      (await sql`select from erased_opt_outs`.execute(gateway.database.db)).rows.length;
    // of the number, and of the platform's id if a status has named it
    const before = await hashes();
    const again = await send(gateway, {
      templateId: templates.offer ?? '',
      recipients: [recipient(one), recipient(person(3))],
    });
    expect(again.body.data.messages.map(({ status, error }) => [status, error?.code])).toEqual([
      ['failed', 900005],
      ['accepted', undefined],
    ]);
    expect(await hashes()).toBe(before - 1);
    const lifted = await did('DELETE', `/v1/opt-outs/${one.phone}`);
    expect(lifted).toEqual({ removed: true });
  });

  it('is erased again by a repeat, which finds nothing when nothing is left', async () => {
    expect((await erase({ phone: one.phone })).body.data).toMatchObject({ finished: true, messages: 1 });
    expect((await erase({ phone: one.phone })).body.data).toMatchObject({
      finished: true,
      messages: 0,
      received: 0,
      deliveries: 0,
    });
    expect(await traces(one)).toEqual([]);
  });

  it('is named by exactly one of phone, userId and email', async () => {
    for (const body of [{}, { phone: one.phone, email: one.email }, { phone: '+1 555' }])
      expect((await erase(body)).body.code).toBe('invalid_request');
    expect((await erase({ email: 'NOBODY@example.com' })).body.data).toMatchObject({
      finished: true,
      bookings: 0,
    });
  });
});

it('an erasure that a process did not finish is finished by another one', async () => {
  const { db } = gateway.database;
  const one = person(4);
  const sent = await send(gateway, { templateId: templates.notice ?? '', recipients: [recipient(one)] });
  const { id = '', messageId } = sent.body.data.messages[0] ?? {};
  await stagesUntil(gateway, messageId as string, 'read');
  // its call has begun, and its outcome is not known yet
  await sql`update messages set due_at = now() + interval '1 hour', state = 1 where id = ${id}`.execute(db);
  const begun = await erase({ phone: one.phone });
  expect([begun.status, begun.body.data.finished, begun.body.message]).toEqual([
    200,
    false,
    'The person is being erased.',
  ]);
  await gateway.stop();
  await sql`update messages set due_at = null, state = 5 where id = ${id}`.execute(db);
  await sql`update erasures set due_at = now() where due_at is not null`.execute(db);
  await gateway.another();
  await expect
    .poll(async () => (await sql`select from erasures where due_at is not null`.execute(db)).rows, {
      timeout: 10_000,
    })
    .toEqual([]);
  expect(await traces(one)).toEqual([]);
  const { rows } = await sql<{
    n: number;
  }>`select count(*)::int as n from erasures where subject <> ''`.execute(db);
  expect(rows).toEqual([{ n: 0 }]);
});
