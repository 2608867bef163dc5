// Bookings of staff who needed no calendar when they were made, and need one now.
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
  fixture = await openAppointmentsFixture();
  account = await fixture.account();
});
afterAll(() => fixture.close());

/** A booking at 10:00 without an event. Its staff member needs a calendar now, which is not connected. */
async function bookedWithout() {
  const staff = await fixture.staff(account, { calendar: 'none' });
  const { bookingId } = await fixture.must(
    fixture.book(account, bookingOf(staff.id, date, '10:00', '10:30')),
  );
  const path = `/v1/appointments/users/${staff.id}`;
  await fixture.must(fixture.call(account, 'PATCH', path, { calendar: 'required' }));
  const move = (from: string, to: string) =>
    fixture.call(account, 'POST', `/v1/appointments/bookings/${bookingId}/reschedule`, { date, from, to });
  const stored = async () => {
    const { startsAt } = await fixture.must(
      fixture.call(account, 'GET', `/v1/appointments/bookings/${bookingId}`),
    );
    return [startsAt.slice(11, 16), await fixture.occupancies(staff.id)];
  };
  return { staff, move, stored };
}

test('are moved to times that are free in the calendar only', async () => {
  const { staff, move, stored } = await bookedWithout();
  await fixture.connect(account, staff.id);
  await fixture.control.addEvent(staff.email, {
    start: { dateTime: `${date}T11:00:00Z` },
    end: { dateTime: `${date}T11:30:00Z` },
  });
  const busy = await move('11:00', '11:30');
  expect([busy.status, busy.json.code, await stored()]).toEqual([409, 'slot_unavailable', ['10:00', 1]]);
  expect((await move('09:30', '10:00')).status).toBe(200);
  expect(await stored()).toEqual(['09:30', 1]);
});

test('are not moved while no calendar is connected, or after its authorization was revoked', async () => {
  const { staff, move, stored } = await bookedWithout();
  const unconnected = await move('11:00', '11:30');
  expect([unconnected.status, unconnected.json.code]).toEqual([409, 'calendar_not_connected']);
  await fixture.connect(account, staff.id);
  await fixture.control.revokeGrants({ account: staff.email });
  await fixture.control.expireAccessTokens();
  for (let times = 0; times < 2; times += 1) {
    const revoked = await move('11:00', '11:30');
    expect([revoked.status, revoked.json.code]).toEqual([409, 'calendar_not_connected']);
  }
  expect(await stored()).toEqual(['10:00', 1]);
});

test('are moved by the worker once the calendar can be read again', async () => {
  const { staff, move, stored } = await bookedWithout();
  await fixture.connect(account, staff.id);
  await fixture.control.addFault({ does: 'reset', on: 'freebusy.query' });
  const unknown = await fixture.withoutDelays(() => move('11:00', '11:30'));
  expect([unknown.status, unknown.json.code, await stored()]).toEqual([
    503,
    'provider_unavailable',
    ['10:00', 2],
  ]);
  await fixture.control.clearFaults();
  await fixture.reconcileAll();
  expect(await stored()).toEqual(['11:00', 1]);
});
