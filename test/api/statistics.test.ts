// Statistics: counts by interval of messages, webhook attempts and bookings.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { foldStatistics } from '../../src/statistics/fold.ts';
import { dayLasts, everyDay, today } from '../harness/dates.ts';
import { addEndpoint, addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { makeProblems } from '../harness/overview-problems.ts';
import { send, stagesUntil, templateKinds } from '../harness/sends.ts';
import { until } from '../harness/until.ts';

interface Statistics {
  foldedUntil: string;
  items: ({ at: string } & Record<string, number | string | null>)[];
}

let gateway: Gateway;
let senderId: string;
let ids: Record<string, string>;
let endpointId: string;
beforeAll(async () => {
  gateway = await startGateway();
  ({ senderId, templateIds: ids } = await addSender(gateway, templateKinds));
  ({ endpointId } = await addEndpoint(gateway));
  await dayLasts();
});
afterAll(() => gateway?.close());

const get = (path: string, key?: string) =>
  gateway.call<Statistics>('GET', `/v1/statistics/${path}`, key === undefined ? {} : { key });

/** The statistics once everything up to now is counted; does not wait for the worker. */
async function counted(path: string): Promise<Statistics> {
  const { db } = gateway.database;
  const now = new Date().toISOString();
  return until(async () => {
    await sql`update statistics_folds set folded_until = 'epoch'`.execute(db);
    await foldStatistics({ hot: db });
    const { body } = await get(path);
    expect(body.data.foldedUntil > now).toBe(true);
    return body.data;
  });
}

const none = { queued: 0, accepted: 0, sent: 0, delivered: 0, read: 0, failed: 0, optedOut: 0 };

it('messages count by stage, sender, template and category, and their webhooks by endpoint', async () => {
  const { body } = await send(gateway, {
    templateId: ids.plain ?? '',
    // read; delivered; failed, then delivered; every callback twice; rejected
    recipients: ['15550700001', '15550000000201', '15550000000304', '15550000000301', '15550001131049'],
  });
  const code = await send(gateway, {
    templateId: ids.sign_in_code ?? '',
    recipients: [{ phone: '15550700002', variables: { 1: '123456' } }],
  });
  const lastStages = ['read', 'delivered', 'delivered', 'read', 'failed'];
  for (const [index, last] of lastStages.entries()) {
    const { messageId, id } = body.data.messages[index] ?? {};
    await stagesUntil(gateway, messageId ?? id ?? '', last);
  }
  await stagesUntil(gateway, code.body.data.messages[0]?.messageId ?? '', 'read');
  const plain = { queued: 5, accepted: 4, sent: 4, delivered: 4, read: 2, failed: 1, optedOut: 0 };
  const codes = { queued: 1, accepted: 1, sent: 1, delivered: 1, read: 1, failed: 0, optedOut: 0 };
  const all = { queued: 6, accepted: 5, sent: 5, delivered: 5, read: 3, failed: 1, optedOut: 0 };
  const items = async (query: string) => (await counted(`messages?${query}`)).items;
  expect(await items('')).toEqual([{ at: today(), ...all }]);
  expect(await items('by=sender')).toEqual([{ at: today(), senderId, ...all }]);
  const byTemplate = await items('by=template');
  expect(byTemplate).toHaveLength(2);
  expect(byTemplate).toEqual(
    expect.arrayContaining([
      { at: today(), templateId: ids.plain, ...plain },
      { at: today(), templateId: ids.sign_in_code, ...codes },
    ]),
  );
  expect(await items('by=category')).toEqual([
    { at: today(), category: 'AUTHENTICATION', ...codes },
    { at: today(), category: 'UTILITY', ...plain },
  ]);
  await until(async () => {
    const [webhooks] = (await counted('webhooks?by=endpoint')).items;
    expect(webhooks).toMatchObject({
      at: today(),
      endpointId,
      attempts: 15,
      delivered: 15,
      failed: 0,
      dead: 0,
    });
    expect(webhooks?.p50Ms).toBeGreaterThan(0);
    expect(Number(webhooks?.p95Ms)).toBeGreaterThanOrEqual(Number(webhooks?.p50Ms));
  });
  expect((await get('messages', await gateway.otherAccount())).body.data.items).toEqual([]);
});

it('bookings count by staff member when they are confirmed, moved and cancelled', async () => {
  const call = async <T>(method: string, path: string, body: object) => {
    const answer = await gateway.call<T>(method, `/v1/appointments/${path}`, {
      body,
      headers: { 'Idempotency-Key': randomUUID() },
    });
    expect([answer.status, path]).toEqual([200, path]);
    return answer.body.data;
  };
  const staff = await call<{ _id: string }>('POST', 'users', { name: 'Asha', calendar: 'none' });
  const weekly = everyDay.map((weekday) => ({ weekday, from: '09:00', to: '12:00' }));
  await call('PUT', `users/${staff._id}/schedule`, { timezone: 'UTC', slotMinutes: 30, weekly });
  const date = Temporal.Now.plainDateISO('UTC').add({ days: 3 }).toString();
  const guest = { email: 'ada@example.com', phoneNumber: '15550100001' };
  const book = (from: string, to: string) =>
    call<{ bookingId: string }>('POST', 'book', { appointmentUserId: staff._id, date, from, to, ...guest });
  const { bookingId } = await book('09:00', '09:30');
  await book('10:00', '10:30');
  await call('POST', `bookings/${bookingId}/reschedule`, { date, from: '11:00', to: '11:30' });
  await call('POST', `bookings/${bookingId}/cancel`, {});
  await call('POST', `bookings/${bookingId}/cancel`, {});
  const counts = { booked: 2, rescheduled: 1, cancelled: 1 };
  expect((await counted('appointments')).items).toEqual([{ at: today(), ...counts }]);
  expect((await counted('appointments?by=staff')).items).toEqual([
    { at: today(), appointmentUserId: staff._id, ...counts },
  ]);
});

describe('ranges', () => {
  /** Folded counts of queued messages at these instants, of one message each. */
  async function fill(key: string, instants: string[]): Promise<void> {
    const db = gateway.database.db;
    const { rows } = await sql<{
      id: string;
    }>`select account_id as id from api_keys order by id desc limit 1`.execute(db);
    for (const minutes of [15, 60]) {
      await sql`
        insert into message_counts (account_id, minutes, at, sender_id, template_id, category, queued)
        select ${rows[0]?.id}, ${minutes}, date_bin(${minutes}::int * interval '1 minute', at, 'epoch'::timestamptz), ${uuidv7()}, null, null, count(*)
        from unnest(${instants}::timestamptz[]) at group by 3`.execute(db);
    }
    expect((await get('messages', key)).status).toBe(200);
  }

  it('count days of a zone, with clock changes and zones of quarter hours', async () => {
    const key = await gateway.otherAccount('Days');
    await fill(key, [
      '2026-03-28T22:45:00Z',
      '2026-03-28T23:00:00Z',
      '2026-03-29T21:45:00Z',
      '2026-03-29T22:00:00Z',
    ]);
    const days = async (query: string) =>
      (
        await get(`messages?from=2026-03-20T00:00:00Z&to=2026-04-10T00:00:00Z&${query}`, key)
      ).body.data.items.map(({ at, queued }) => [at, queued]);
    expect(await days('')).toEqual([
      ['2026-03-28T00:00:00.000Z', 2],
      ['2026-03-29T00:00:00.000Z', 2],
    ]);
    expect(await days('timezone=Europe/Berlin')).toEqual([
      ['2026-03-27T23:00:00.000Z', 1],
      ['2026-03-28T23:00:00.000Z', 2],
      ['2026-03-29T22:00:00.000Z', 1],
    ]);
    expect(await days('timezone=Asia/Kathmandu&interval=hour')).toEqual([
      ['2026-03-28T22:15:00.000Z', 2],
      ['2026-03-29T21:15:00.000Z', 2],
    ]);
    expect(await days('timezone=Asia/Kathmandu')).toEqual([
      ['2026-03-28T18:15:00.000Z', 2],
      ['2026-03-29T18:15:00.000Z', 2],
    ]);
  });

  it('begin and end at quarter hours, and name the start of their first interval', async () => {
    const key = await gateway.otherAccount('Edges');
    await fill(key, [
      '2026-03-28T10:00:00Z',
      '2026-03-28T10:15:00Z',
      '2026-03-28T11:00:00Z',
      '2026-03-28T11:45:00Z',
    ]);
    const { items } = (await get('messages?from=2026-03-28T10:20:00Z&to=2026-03-28T11:45:00Z', key)).body
      .data;
    expect(items).toEqual([{ at: '2026-03-28T00:00:00.000Z', ...none, queued: 2 }]);
  });

  it('of replies have no template and no category', async () => {
    const key = await gateway.otherAccount('Replies');
    await fill(key, ['2026-03-28T10:00:00Z']);
    const range = 'from=2026-03-28T00:00:00Z&to=2026-03-29T00:00:00Z';
    for (const [by, name] of [
      ['template', 'templateId'],
      ['category', 'category'],
    ] as const)
      expect((await get(`messages?${range}&by=${by}`, key)).body.data.items).toEqual([
        { at: '2026-03-28T00:00:00.000Z', [name]: null, ...none, queued: 1 },
      ]);
  });

  it.each([
    ['timezone=Mars/Olympus', 'timezone'],
    ['from=2026-03-28T10:00:00Z&to=2026-03-28T10:00:00Z', 'to'],
    ['from=2026-01-01T00:00:00Z&to=2026-03-25T08:15:00Z&interval=hour', 'from'],
    ['by=phone', 'by'],
    ['interval=week', 'interval'],
  ])('%s is 400 and names %s', async (query, path) => {
    const { status, body } = await get(`messages?${query}`);
    expect([status, body.errors?.[0]?.path]).toEqual([400, path]);
  });

  it('of 2,000 hours or more than 100 templates: 2,000 are allowed, 101 templates are 400', async () => {
    const key = await gateway.otherAccount('Many');
    const range = 'from=2026-01-01T00:00:00Z&to=2026-03-25T08:00:00Z&interval=hour';
    expect((await get(`messages?${range}`, key)).status).toBe(200);
    await fill(key, ['2026-03-01T00:00:00Z']);
    const templates = (count: number) =>
      sql`insert into message_counts (account_id, minutes, at, sender_id, template_id, queued)
        select account_id, minutes, at, sender_id, gen_random_uuid(), 1 from message_counts, generate_series(1, ${count}::int)
        where account_id = (select account_id from api_keys order by id desc limit 1) and template_id is null`.execute(
        gateway.database.db,
      );
    await templates(99);
    expect((await get(`messages?${range}&by=template`, key)).body.data.items).toHaveLength(100);
    await templates(1);
    const { status, body } = await get(`messages?${range}&by=template`, key);
    expect([status, body.errors?.[0]?.path]).toEqual([400, 'by']);
    expect((await get(`messages?${range}`, key)).status).toBe(200);
  });
});

describe('the overview', () => {
  interface Overview {
    today: Record<string, Record<string, number> | null>;
    last30Days: Record<string, Record<string, number> | null>;
    queue: { waiting: number; oldestAt: string | null };
    haltedSenders: { _id: string; haltedCode: number }[] | null;
    failingEndpoints: { _id: string; status: string }[] | null;
    failedChecks: { senderId: string; check: string }[] | null;
    stoppedTemplates: { _id: string; providerStatus: string }[] | null;
    disconnectedCalendars: { appointmentUserId: string; error: string }[] | null;
    nextBookings: { from: string }[] | null;
  }
  const overview = (key?: string) =>
    gateway.call<Overview>('GET', '/v1/overview?timezone=UTC', key === undefined ? {} : { key });

  it('shows the counts of today and of 30 days, the queue, the next bookings, and what needs attention', async () => {
    const templateId = Object.values(ids).find((id) => id !== ids.plain) ?? '';
    const staffId = await makeProblems(gateway.database.db, { senderId, endpointId, templateId });
    const { body } = await send(gateway, { templateId: ids.plain ?? '', recipients: ['15550700009'] });
    await counted('messages');
    const { status, body: shown } = await overview();
    expect(status).toBe(200);
    const { data } = shown;
    expect(data.queue).toMatchObject({ waiting: 1, oldestAt: expect.any(String) });
    expect(data.haltedSenders).toMatchObject([{ _id: senderId, haltedCode: 190 }]);
    expect(data.failingEndpoints).toMatchObject([{ _id: endpointId, status: 'disabled' }]);
    expect(data.failedChecks).toMatchObject([{ senderId, check: 'token', detail: 'expired', fix: 'renew' }]);
    const stopped = data.stoppedTemplates?.find(({ _id }) => _id === templateId);
    expect(stopped).toMatchObject({ providerStatus: 'PAUSED' });
    expect(data.disconnectedCalendars).toMatchObject([{ appointmentUserId: staffId, error: 'revoked' }]);
    expect(data.nextBookings?.map(({ from }) => from)).toEqual(['10:00']);
    expect(data.today.messages).toMatchObject({ queued: 6 + body.data.total, read: 3, failed: 1 });
    expect(data.today.webhooks).toMatchObject({ attempts: 15, dead: 0 });
    expect(data.today.appointments).toEqual({ booked: 2, rescheduled: 1, cancelled: 1 });
    expect(data.last30Days).toEqual(data.today);
  });

  it('is empty in another account, and shows a key only what it may read', async () => {
    const { body } = await overview(await gateway.otherAccount('Empty'));
    const empty = {
      ...{ haltedSenders: [], failedChecks: [], failingEndpoints: [], stoppedTemplates: [] },
      ...{ disconnectedCalendars: [], nextBookings: [] },
    };
    expect(body.data).toMatchObject({
      ...empty,
      queue: { waiting: 0, oldestAt: null },
      today: { messages: none },
    });
    const key = await gateway.call<{ apiKey: string }>('POST', '/v1/keys', {
      body: { name: 'reader', scopes: ['messages:read'] },
    });
    for (const [path, status] of Object.entries({ messages: 200, webhooks: 403, appointments: 403 }))
      expect((await get(path, key.body.data.apiKey)).status, path).toBe(status);
    const { data } = (await overview(key.body.data.apiKey)).body;
    expect(data).toMatchObject({ haltedSenders: null, failingEndpoints: null, disconnectedCalendars: null });
    expect(data).toMatchObject({ failedChecks: null, stoppedTemplates: null });
    expect(data).toMatchObject({ nextBookings: null, today: { webhooks: null, appointments: null } });
    const desk = await gateway.call<{ apiKey: string }>('POST', '/v1/keys', {
      body: { name: 'desk', scopes: ['appointments:manage', 'appointments:read', 'webhooks:manage'] },
    });
    const shown = (await overview(desk.body.data.apiKey)).body.data;
    const failingEndpoints = [{ _id: endpointId }];
    expect(shown).toMatchObject({ queue: null, haltedSenders: null, failingEndpoints });
    expect(shown.nextBookings).toMatchObject([{ from: '10:00', staffName: expect.any(String) }]);
    expect(Object.entries(shown.today).filter(([, counts]) => counts === null)).toEqual([['messages', null]]);
    expect((await gateway.call('GET', '/v1/overview?timezone=Mars')).status).toBe(400);
  });
});
