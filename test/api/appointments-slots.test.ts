// The available-slots operation: live slots, and errors when the calendar cannot be read.
import { randomUUID } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { readStaff } from '../../src/appointments/slots/staff-days-store.ts';
import {
  type AppointmentsFixture,
  bookingOf,
  comingMonday,
  openAppointmentsFixture,
} from '../harness/appointments-fixture.ts';
import { until } from '../harness/until.ts';

let fixture: AppointmentsFixture;
let account: string;
const date = comingMonday();

beforeAll(async () => {
  fixture = await openAppointmentsFixture();
  account = await fixture.account();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.control.clearFaults());

test('returns the open slots of a date as local times and instants', async () => {
  const staff = await fixture.staff(account, {
    schedule: {
      timezone: 'asia/kolkata',
      slotMinutes: 60,
      weekly: [{ weekday: 'monday', from: '09:00', to: '11:00' }],
    },
  });
  const response = await fixture.slots(account, staff.id, date);
  expect(response.json).toEqual({
    success: true,
    message: expect.any(String),
    data: {
      appointmentUserId: staff.id,
      date,
      timezone: 'Asia/Kolkata',
      slotMinutes: 60,
      slots: [
        { from: '09:00', to: '10:00', startsAt: `${date}T03:30:00.000Z`, endsAt: `${date}T04:30:00.000Z` },
        { from: '10:00', to: '11:00', startsAt: `${date}T04:30:00.000Z`, endsAt: `${date}T05:30:00.000Z` },
      ],
    },
  });
  const requested = await fixture.slots(account, staff.id, date, '&timezone=America/New_York');
  expect(requested.json.data.timezone).toBe('America/New_York');
  expect(requested.json.data.slots).toEqual([]);
});

test('omits slots that are busy in the calendar now, buffers included', async () => {
  const staff = await fixture.staff(account, {
    schedule: { bufferBeforeMinutes: 15, bufferAfterMinutes: 15 },
  });
  const add = (from: string, to: string, more: object = {}) =>
    fixture.control.addEvent(staff.email, {
      start: { dateTime: `${date}T${from}:00Z` },
      end: { dateTime: `${date}T${to}:00Z` },
      ...more,
    });
  await add('10:00', '10:30');
  await add('09:00', '12:00', { transparency: 'transparent' });
  expect(await fixture.open(account, staff.id, date)).toEqual(['09:00', '11:00', '11:30']);
});

test('omits booked slots and those within the buffers, and the whole date at the daily limit', async () => {
  const staff = await fixture.staff(account, {
    calendar: 'none',
    schedule: { bufferAfterMinutes: 10, dailyLimit: 2 },
  });
  await fixture.book(account, bookingOf(staff.id, date, '10:00', '10:30'));
  expect(await fixture.open(account, staff.id, date)).toEqual(['09:00', '11:00', '11:30']);
  await fixture.book(account, bookingOf(staff.id, date, '09:00', '09:30'));
  expect(await fixture.open(account, staff.id, date)).toEqual([]);
});

test('returns an empty list for a past date, a day off, and a date beyond the booking window', async () => {
  const staff = await fixture.staff(account, {
    schedule: { bookingWindowDays: 30, overrides: [{ date, windows: [] }] },
  });
  const later = Temporal.PlainDate.from(date).add({ days: 60 }).toString();
  for (const requested of ['2020-01-06', date, later]) {
    expect([requested, await fixture.open(account, staff.id, requested)]).toEqual([requested, []]);
  }
});

test('returns 400 naming an invalid date, an unknown zone, and a missing or unknown parameter', async () => {
  const staff = await fixture.staff(account, { calendar: 'none' });
  const problems = async (query: string) => {
    const response = await fixture.call(account, 'GET', `/v1/appointments/available-slots?${query}`);
    return [response.status, response.json.errors?.map(({ path }: { path: string }) => path)];
  };
  const id = `appointmentUserId=${staff.id}`;
  expect(await problems(`${id}&date=2027-02-30`)).toEqual([400, ['date']]);
  expect(await problems(`${id}&date=tomorrow&timezone=Mars/Base`)).toEqual([400, ['date', 'timezone']]);
  expect(await problems(`${id}&date=${date}&timezone=%2B05:30`)).toEqual([400, ['timezone']]);
  expect(await problems(id)).toEqual([400, ['date']]);
  expect(await problems(`${id}&date=${date}&timezon=UTC`)).toEqual([400, ['timezon']]);
});

test('returns 404 for unknown staff and staff of another account', async () => {
  const theirs = await fixture.staff(await fixture.account(), { calendar: 'none' });
  for (const id of ['x', randomUUID(), theirs.id]) {
    expect((await fixture.slots(account, id, date)).status).toBe(404);
  }
});

test('returns 409 without a required calendar, and 503 with Retry-After for an unreachable one', async () => {
  const alone = await fixture.staff(account, { calendar: 'unconnected' });
  const unconnected = await fixture.slots(account, alone.id, date);
  expect([unconnected.status, unconnected.json.code]).toEqual([409, 'calendar_not_connected']);
  const staff = await fixture.staff(account);
  await fixture.control.addFault({ does: 'reset', on: 'freebusy.query' });
  const response = await fixture.slots(account, staff.id, date);
  expect([response.status, response.json.code, response.headers.has('retry-after')]).toEqual([
    503,
    'provider_unavailable',
    true,
  ]);
});

/** Resolves when no request reads the database any more: all wait for their calendar. */
async function haveReadTheDatabase(): Promise<void> {
  for (let idle = 0; idle < 5; ) {
    const { rows } = await sql`
      select from pg_stat_activity
      where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`.execute(
      fixture.database.db,
    );
    idle = rows.length === 0 ? idle + 1 : 0;
  }
}

test('follows changes that another process made since the last request', async () => {
  const staff = await fixture.staff(account);
  const { db } = fixture.database;
  const before = await fixture.open(account, staff.id, date);
  expect(before).toContain('09:00');
  const weekly = JSON.stringify([{ weekday: 'monday', from: '10:00', to: '12:00' }]);
  await sql`update staff set weekly = ${weekly} where id = ${staff.id}`.execute(db);
  expect(await fixture.open(account, staff.id, date)).toEqual(before.filter((from) => from >= '10:00'));
  await sql`update calendar_connections set dead_at = now() where staff_id = ${staff.id}`.execute(db);
  expect((await fixture.slots(account, staff.id, date)).status).toBe(409);
  await sql`update staff set calendar = 'none', slot_minutes = 60 where id = ${staff.id}`.execute(db);
  expect(await fixture.open(account, staff.id, date)).toEqual(['10:00', '11:00']);
  await sql`update staff set deleted_at = now() where id = ${staff.id}`.execute(db);
  expect((await fixture.slots(account, staff.id, date)).status).toBe(404);
});

test('remembers no schedule of a server that was restarted, because its transaction ids may repeat', async () => {
  const { db } = fixture.database;
  const staff = await fixture.staff(account);
  const { rows } = await sql<{ started: number }>`
    select date_part('epoch', pg_postmaster_start_time()) as started`.execute(db);
  const [stored] = await readStaff(db, [{ accountId: account, staffId: staff.id }]);
  expect(stored?.version.split('/')).toContain(String(rows[0]?.started));
});

test('shares a calendar call between concurrent requests, and makes another one for later requests', async () => {
  const staff = await fixture.staff(account);
  const before = (await fixture.control.calls('freebusy.query')).length;
  await fixture.control.addFault({ does: 'land_late', on: 'freebusy.query', times: 1 });
  const requests = [fixture.slots(account, staff.id, date)];
  await expect.poll(async () => (await fixture.control.calls('freebusy.query')).length).toBe(before + 1);
  let arrived = 0;
  const seen = (message: unknown) => {
    const { url } = (message as { request: IncomingMessage }).request;
    if (url?.includes(staff.id)) arrived += 1;
  };
  subscribe('http.server.request.start', seen);
  requests.push(...Array.from({ length: 11 }, () => fixture.slots(account, staff.id, date)));
  await until(() => expect(arrived).toBe(11));
  unsubscribe('http.server.request.start', seen);
  await haveReadTheDatabase();
  await fixture.control.land();
  const responses = await Promise.all(requests);
  expect(responses.every(({ status }) => status === 200)).toBe(true);
  expect((await fixture.control.calls('freebusy.query')).length - before).toBeLessThanOrEqual(2);
  await fixture.open(account, staff.id, date);
  expect((await fixture.control.calls('freebusy.query')).length - before).toBeLessThanOrEqual(3);
});

test('never uses a calendar call that began before the request', async () => {
  const staff = await fixture.staff(account);
  // the first response is computed before the event is added, and arrives after it
  await fixture.control.addFault({ does: 'delay', on: 'freebusy.query', ms: 200, times: 1 });
  const calls = (await fixture.control.calls('freebusy.query')).length;
  const first = fixture.open(account, staff.id, date);
  while ((await fixture.control.calls('freebusy.query')).length === calls);
  await fixture.control.addEvent(staff.email, {
    start: { dateTime: `${date}T09:00:00Z` },
    end: { dateTime: `${date}T11:30:00Z` },
  });
  expect(await fixture.open(account, staff.id, date)).toEqual(['11:30']);
  await first;
  expect((await fixture.control.calls('freebusy.query')).length).toBe(calls + 2);
});

test('reads a stored window from 09:00 to 09:00 as 24 hours', async () => {
  const staff = await fixture.staff(account, { calendar: 'none' });
  const weekly = JSON.stringify([{ weekday: 'monday', from: '09:00', to: '09:00' }]);
  await sql`update staff set weekly = ${weekly} where id = ${staff.id}`.execute(fixture.database.db);
  const open = await fixture.open(account, staff.id, date);
  expect([open.length, open[0], open.at(-1)]).toEqual([30, '09:00', '23:30']);
});

test('never shares a response with another account', async () => {
  const staff = await fixture.staff(account, { calendar: 'none' });
  const otherAccount = await fixture.account();
  const responses = await Promise.all([
    fixture.slots(account, staff.id, date),
    fixture.slots(otherAccount, staff.id, date),
    fixture.slots(account, staff.id.toUpperCase(), date),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 404, 200]);
});

test('explains every step: open as in the open slots, else with what takes it and until when', async () => {
  const schedule = { bufferAfterMinutes: 15 };
  const staff = await fixture.staff(account, { schedule });
  const booked = await fixture.book(account, bookingOf(staff.id, date, '09:30', '10:00'));
  await fixture.control.addEvent(staff.email, {
    start: { dateTime: `${date}T10:45:00Z` },
    end: { dateTime: `${date}T11:00:00Z` },
  });
  const explain = (id: string, more = '') =>
    fixture.call(
      account,
      'GET',
      `/v1/appointments/slots-explained?appointmentUserId=${id}&date=${date}${more}`,
    );
  const { json } = await explain(staff.id);
  expect(json.data).toMatchObject({ date, timezone: 'UTC', slotMinutes: 30, slotStepMinutes: 30 });
  const steps: { from: string; open: boolean; reasons: string[]; by: unknown }[] = json.data.steps;
  expect(steps).toHaveLength(48);
  expect(steps.filter(({ open }) => open).map(({ from }) => from)).toEqual(
    await fixture.open(account, staff.id, date),
  );
  const at = (from: string) => steps.find((step) => step.from === from);
  expect(at('09:30')).toEqual({
    ...{ from: '09:30', to: '10:00', startsAt: `${date}T09:30:00.000Z`, endsAt: `${date}T10:00:00.000Z` },
    ...{ open: false, reasons: ['booked'] },
    by: { kind: 'booking', id: booked.json.data.bookingId, until: `${date}T10:15:00.000Z` },
  });
  expect(at('10:30')).toMatchObject({
    reasons: ['calendar_busy'],
    by: { kind: 'event', id: null, until: `${date}T11:00:00.000Z` },
  });
  expect(at('12:00')).toMatchObject({ reasons: ['outside_hours'], by: null });
  // another zone has the same open slots
  const elsewhere = await explain(staff.id, '&timezone=Asia/Kolkata');
  expect(elsewhere.json.data.steps.filter(({ open }: { open: boolean }) => open)).toEqual(
    (await fixture.slots(account, staff.id, date, '&timezone=Asia/Kolkata')).json.data.slots.map(
      (slot: object) => ({
        ...slot,
        ...{ open: true, reasons: [], by: null },
      }),
    ),
  );
  const unconnected = await fixture.staff(account, { calendar: 'unconnected' });
  expect((await explain(unconnected.id)).json.code).toBe('calendar_not_connected');
  expect((await explain(randomUUID())).json.code).toBe('appointment_user_not_found');
});

test('explains the dates at the ends of the calendar, as far as instants can be written', async () => {
  const staff = await fixture.staff(account);
  const ends = [
    ['9999-12-31', 'UTC', 47],
    ['9999-12-31', 'Etc/GMT+12', 23],
    ['9999-12-31', 'Pacific/Kiritimati', 48],
    ['0001-01-01', 'Asia/Tokyo', 29],
    ['0000-01-01', 'Asia/Tokyo', 0],
  ] as const;
  for (const [end, timezone, steps] of ends) {
    const query = `appointmentUserId=${staff.id}&date=${end}&timezone=${encodeURIComponent(timezone)}`;
    const explained = await fixture.call(account, 'GET', `/v1/appointments/slots-explained?${query}`);
    expect([end, timezone, explained.status, explained.json.data?.steps.length]).toEqual([
      ...[end, timezone, 200, steps],
    ]);
    const open = await fixture.slots(account, staff.id, end, `&timezone=${encodeURIComponent(timezone)}`);
    expect([open.status, open.json.data.slots]).toEqual([200, []]);
  }
});
