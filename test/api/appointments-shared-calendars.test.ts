// Staff who share a calendar: concurrent bookings never overlap in it, even before their events exist.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
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
  fixture = await openAppointmentsFixture({ speed: 1 });
  account = await fixture.account();
});
afterAll(() => fixture.close());

/** Makes bookings whose events the calendar adds only at `land`; resolves when it holds all of them. */
async function held(staffId: string, ...times: [string, string][]) {
  const inserts = async () => (await fixture.control.calls('events.insert')).length;
  const before = await inserts();
  await fixture.control.addFault({ does: 'land_late', on: 'events.insert', times: times.length });
  const booked = times.map(([from, to]) => fixture.book(account, bookingOf(staffId, date, from, to)));
  await expect.poll(inserts).toBe(before + times.length);
  return { booked };
}

async function sharing() {
  const first = await fixture.staff(account);
  return [first, await fixture.staff(account, { email: first.email })] as const;
}

test('makes one booking and one event for 200 concurrent requests to a shared calendar', async () => {
  const [first, second] = await sharing();
  await fixture.control.addFault({ does: 'delay', ms: 300, on: 'events.insert' });
  const responses = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      fixture.book(account, bookingOf(index % 2 === 0 ? first.id : second.id, date, '10:00', '10:30')),
    ),
  );
  await fixture.control.clearFaults();
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(responses.filter(({ json }) => json.code === 'slot_unavailable')).toHaveLength(199);
  expect(await fixture.control.liveEvents(first.email)).toHaveLength(1);
  expect((await fixture.occupancies(first.id)) + (await fixture.occupancies(second.id))).toBe(1);
});

test('blocks the held slot of one staff member for the other one before the event exists', async () => {
  const [first, second] = await sharing();
  const { booked } = await held(first.id, ['10:00', '10:30'], ['10:30', '11:00']);
  expect(await fixture.occupancies(first.id)).toBe(2);
  expect(await fixture.control.liveEvents(first.email)).toEqual([]);
  expect(await fixture.open(account, second.id, date)).not.toContain('10:00');
  const rival = await fixture.book(account, bookingOf(second.id, date, '10:00', '10:30'));
  expect([rival.status, rival.json.code]).toEqual([409, 'slot_unavailable']);
  expect(rival.json.alternatives.map(({ from }: { from: string }) => from)).not.toContain('10:00');
  // a reschedule to the held slot is rejected too
  const other = (await fixture.book(account, bookingOf(second.id, date, '11:00', '11:30'))).json.data;
  const path = `/v1/appointments/bookings/${other.bookingId}/reschedule`;
  const moving = await fixture.call(account, 'POST', path, { date, from: '10:00', to: '10:30' });
  expect([moving.status, moving.json.code]).toEqual([409, 'slot_unavailable']);
  expect(moving.json.alternatives.map(({ from }: { from: string }) => from)).toEqual([
    '09:00',
    '09:30',
    '11:00',
  ]);
  await fixture.control.land();
  expect((await Promise.all(booked)).map(({ status }) => status)).toEqual([200, 200]);
});

test('rejects overlapping bookings in one calendar in the database', async () => {
  const [first, second] = await sharing();
  await fixture.book(account, bookingOf(first.id, date, '10:00', '10:30'));
  const other = await fixture.book(account, bookingOf(second.id, date, '11:00', '11:30'));
  const onto = sql`update occupancies set during = tstzrange(${`${date}T10:29Z`}, ${`${date}T11:00Z`})
    where booking_id = ${other.json.data.bookingId}`;
  await expect(onto.execute(fixture.database.db)).rejects.toMatchObject({ code: '23P01' });
});

test('blocks the held slot for staff of another account who share the calendar', async () => {
  const [first] = await sharing();
  const otherAccount = await fixture.account();
  const other = await fixture.staff(otherAccount, { email: first.email });
  const { booked } = await held(first.id, ['10:00', '10:30']);
  expect(await fixture.occupancies(first.id)).toBe(1);
  const rival = await fixture.book(otherAccount, bookingOf(other.id, date, '10:00', '10:30'));
  expect([rival.status, rival.json.code]).toEqual([409, 'slot_unavailable']);
  await fixture.control.land();
  expect((await booked[0])?.status).toBe(200);
});
