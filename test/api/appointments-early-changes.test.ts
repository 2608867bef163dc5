// Events that staff move or delete before their booking is confirmed.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { book } from '../../src/appointments/booking/book.ts';
import {
  type AppointmentsFixture,
  bookingOf,
  openAppointmentsFixture,
} from '../harness/appointments-fixture.ts';
import { at, type CalendarChanges, calendarChanges, date } from '../harness/calendar-changes.ts';

let fixture: AppointmentsFixture;
let account: string;
let changes: CalendarChanges;

beforeAll(async () => {
  fixture = await openAppointmentsFixture();
  account = await fixture.account();
  changes = calendarChanges(fixture, account);
});
afterAll(() => fixture.close());

/** Books 10:00 to 10:30, and runs `act` with the id of the event before the booking learns that it was inserted. */
async function bookWhile(staffId: string, act: (eventId: string) => Promise<unknown>) {
  const { insertEvent } = fixture.calendar;
  const inserting: typeof insertEvent = async (...given) => {
    const event = await insertEvent(...given);
    await act(event.eventId);
    return event;
  };
  const google = new Proxy(fixture.calendar, {
    get: (calendar, name) => (name === 'insertEvent' ? inserting : Reflect.get(calendar, name)),
  });
  const body = bookingOf(staffId, date, '10:00', '10:30');
  const deps = fixture.depsOn(fixture.deps.db, { google });
  const booked = await book(deps, { accountId: account, key: randomUUID(), body });
  return JSON.parse(booked.body).data.bookingId as string;
}

const connected = async () => {
  const staff = await fixture.staff(account);
  await changes.read(staff.id);
  return staff;
};

test('an event that is moved and read before its booking is confirmed moves the booking', async () => {
  const staff = await connected();
  const bookingId = await bookWhile(staff.id, async (eventId) => {
    await changes.moveTo(staff.email, eventId, '11:00', '11:30');
    await changes.read(staff.id);
  });
  await changes.read(staff.id);
  expect(await changes.shown(bookingId)).toMatchObject({
    startsAt: at('11:00'),
    calendarState: { state: 'in_step' },
  });
});

test('an event that is deleted and read before its booking is confirmed cancels the booking', async () => {
  const staff = await connected();
  const bookingId = await bookWhile(staff.id, async (eventId) => {
    await fixture.control.removeEvent(staff.email, eventId);
    await changes.read(staff.id);
  });
  await changes.read(staff.id);
  await changes.aMinuteLater();
  await changes.read(staff.id);
  expect(await changes.shown(bookingId)).toMatchObject({ status: 'cancelled' });
});
