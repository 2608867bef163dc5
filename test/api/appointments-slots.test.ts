// Slots over HTTP: what is open at this moment, and never a guess.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type AppointmentsFixture,
  bookingOf,
  comingMonday,
  openAppointmentsFixture,
} from '../harness/appointments-fixture.ts';

let fixture: AppointmentsFixture;
let account: string;
const date = comingMonday();

beforeAll(async () => {
  fixture = await openAppointmentsFixture();
  account = await fixture.account();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.control.clearFaults());

test('the open slots of a date, local and as instants', async () => {
  const staff = await fixture.staff(account, {
    schedule: {
      timezone: 'asia/kolkata',
      slotMinutes: 60,
      weekly: [{ weekday: 'monday', from: '09:00', to: '11:00' }],
    },
  });
  const answer = await fixture.slots(account, staff.id, date);
  expect(answer.json).toEqual({
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
  const asked = await fixture.slots(account, staff.id, date, '&timezone=America/New_York');
  expect(asked.json.data.timezone).toBe('America/New_York');
  expect(asked.json.data.slots).toEqual([]);
});

test('what the calendar says at this moment closes slots, with their buffers', async () => {
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

test('a booking closes its slot and its neighbours within the buffers; the daily limit closes the date', async () => {
  const staff = await fixture.staff(account, {
    calendar: 'none',
    schedule: { bufferAfterMinutes: 10, dailyLimit: 2 },
  });
  await fixture.book(account, bookingOf(staff.id, date, '10:00', '10:30'));
  expect(await fixture.open(account, staff.id, date)).toEqual(['09:00', '11:00', '11:30']);
  await fixture.book(account, bookingOf(staff.id, date, '09:00', '09:30'));
  expect(await fixture.open(account, staff.id, date)).toEqual([]);
});

test('a past date, a day off, and one beyond the booking window: an empty list', async () => {
  const staff = await fixture.staff(account, {
    schedule: { bookingWindowDays: 30, overrides: [{ date, windows: [] }] },
  });
  const later = Temporal.PlainDate.from(date).add({ days: 60 }).toString();
  for (const asked of ['2020-01-06', date, later]) {
    expect([asked, await fixture.open(account, staff.id, asked)]).toEqual([asked, []]);
  }
});

test('an impossible date, an unknown zone, a missing or misspelt parameter: 400 naming it', async () => {
  const staff = await fixture.staff(account, { calendar: 'none' });
  const fault = async (query: string) => {
    const answer = await fixture.call(account, 'GET', `/v1/appointments/available-slots?${query}`);
    return [answer.status, answer.json.errors?.map(({ path }: { path: string }) => path)];
  };
  const id = `appointmentUserId=${staff.id}`;
  expect(await fault(`${id}&date=2027-02-30`)).toEqual([400, ['date']]);
  expect(await fault(`${id}&date=tomorrow&timezone=Mars/Base`)).toEqual([400, ['date', 'timezone']]);
  expect(await fault(`${id}&date=${date}&timezone=%2B05:30`)).toEqual([400, ['timezone']]);
  expect(await fault(id)).toEqual([400, ['date']]);
  expect(await fault(`${id}&date=${date}&timezon=UTC`)).toEqual([400, ['timezon']]);
});

test("unknown staff, and another account's: 404", async () => {
  const theirs = await fixture.staff(await fixture.account(), { calendar: 'none' });
  for (const id of ['x', randomUUID(), theirs.id]) {
    expect((await fixture.slots(account, id, date)).status).toBe(404);
  }
});

test('without a calendar that is needed: 409; one that cannot be asked: 503 with Retry-After', async () => {
  const alone = await fixture.staff(account, { calendar: 'unconnected' });
  const refused = await fixture.slots(account, alone.id, date);
  expect([refused.status, refused.json.code]).toEqual([409, 'calendar_not_connected']);
  const staff = await fixture.staff(account);
  await fixture.control.addFault({ does: 'reset', on: 'freebusy.query' });
  const answer = await fixture.slots(account, staff.id, date);
  expect([answer.status, answer.json.code, answer.headers.has('retry-after')]).toEqual([
    503,
    'provider_unavailable',
    true,
  ]);
});

test('questions that wait at the same time share a call; one that comes later is asked anew', async () => {
  const staff = await fixture.staff(account);
  const before = (await fixture.control.calls('freebusy.query')).length;
  await fixture.control.addFault({ does: 'delay', on: 'freebusy.query', ms: 300, times: 1 });
  const answers = await Promise.all(Array.from({ length: 12 }, () => fixture.slots(account, staff.id, date)));
  expect(answers.every(({ status }) => status === 200)).toBe(true);
  expect((await fixture.control.calls('freebusy.query')).length - before).toBeLessThanOrEqual(2);
  await fixture.open(account, staff.id, date);
  expect((await fixture.control.calls('freebusy.query')).length - before).toBeLessThanOrEqual(3);
});

test('an answer never rests on a call begun before the question came', async () => {
  const staff = await fixture.staff(account);
  // the answer of the first call is made before the event, and heard after it
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

test('a window from 09:00 to 09:00, stored before such were refused, still means 24 hours', async () => {
  const staff = await fixture.staff(account, { calendar: 'none' });
  const weekly = JSON.stringify([{ weekday: 'monday', from: '09:00', to: '09:00' }]);
  await sql`update staff set weekly = ${weekly} where id = ${staff.id}`.execute(fixture.database.db);
  const open = await fixture.open(account, staff.id, date);
  expect([open.length, open[0], open.at(-1)]).toEqual([30, '09:00', '23:30']);
});

test('the question of one account is never answered for another', async () => {
  const staff = await fixture.staff(account, { calendar: 'none' });
  const stranger = await fixture.account();
  const answers = await Promise.all([
    fixture.slots(account, staff.id, date),
    fixture.slots(stranger, staff.id, date),
    fixture.slots(account, staff.id.toUpperCase(), date),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 200]);
});
