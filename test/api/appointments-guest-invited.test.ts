// Whether the guest of a booking is invited by the calendar, in responses, lists and webhooks.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  type AppointmentsFixture,
  bookingOf,
  comingMonday,
  openAppointmentsFixture,
  type StaffOptions,
} from '../harness/appointments-fixture.ts';

let fixture: AppointmentsFixture;
let account: string;
const date = comingMonday();

beforeAll(async () => {
  fixture = await openAppointmentsFixture();
  account = await fixture.account();
});
afterAll(() => fixture.close());
afterEach(async () => {
  await fixture.control.clearFaults();
  await fixture.control.set({ invitationsLeft: null });
});

const book = async (options?: StaffOptions) => {
  const staff = await fixture.staff(account, options);
  const made = await fixture.must(fixture.book(account, bookingOf(staff.id, date, '09:30', '10:00')));
  return { staff, made };
};

/** What the booking, its item and its webhook event say. */
const everywhere = async ({ staff, made }: Awaited<ReturnType<typeof book>>) => {
  const path = `/v1/appointments/bookings/${made.bookingId}`;
  const item = await fixture.must(fixture.call(account, 'GET', path));
  const events = await fixture.events(account, staff.id);
  const booked = events.find(({ event }) => event === 'appointments.booked');
  return [made, item, booked?.data].map(({ guestInvited }) => guestInvited);
};

test('is true for the guest of an event in Google Calendar', async () => {
  expect(await everywhere(await book())).toEqual([true, true, true]);
});

test('is false at the limit of invitations, also if the response to the insert was lost', async () => {
  await fixture.control.set({ invitationsLeft: 0 });
  expect(await everywhere(await book())).toEqual([false, false, false]);
  await fixture.control.addFault({ does: 'reset', when: 'after', on: 'events.insert', skip: 1, times: 1 });
  const lost = await book();
  expect(await everywhere(lost)).toEqual([false, false, false]);
  expect(await fixture.startsOf(lost.staff.email)).toHaveLength(1);
});

test('is false for staff without a calendar', async () => {
  expect(await everywhere(await book({ calendar: 'none' }))).toEqual([false, false, false]);
});
