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

/** A calendar that does not report events which were inserted and deleted since the last reading, as Xandikos and sabre/dav 1. */
const forgetful = () => {
  const { changedEvents } = fixture.calendar;
  const reading: typeof changedEvents = async (...given) => {
    const read = await changedEvents(...given);
    return { ...read, events: read.events.filter(({ status }) => status === 'live') };
  };
  const google = new Proxy(fixture.calendar, {
    get: (calendar, name) => (name === 'changedEvents' ? reading : Reflect.get(calendar, name)),
  });
  return fixture.depsOn(fixture.deps.db, { google });
};

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

test.each(['after', 'before'])(
  'an event that is deleted before any reading shows it, %s the confirmation, cancels the booking',
  async (when) => {
    const staff = await connected();
    const deps = forgetful();
    const remove = async (eventId: string) => {
      await fixture.control.removeEvent(staff.email, eventId);
      await changes.read(staff.id, deps);
    };
    const eventIds: string[] = [];
    const bookingId = await bookWhile(staff.id, async (eventId) => {
      eventIds.push(eventId);
      if (when === 'before') await remove(eventId);
    });
    if (when === 'after') await remove(eventIds[0] ?? '');
    await changes.read(staff.id, deps);
    expect(await changes.shown(bookingId)).toMatchObject({ calendarState: { state: 'deleted' } });
    await changes.aMinuteLater();
    await changes.read(staff.id, deps);
    expect(await changes.shown(bookingId)).toMatchObject({ status: 'cancelled' });
  },
);

test('an event that a reading shows where its booking is needs no call of its own', async () => {
  const staff = await connected();
  const gets = async () => (await fixture.control.calls('events.get')).length;
  await changes.book(staff.id, '09:00', '09:30');
  const before = await gets();
  for (let reading = 0; reading < 2; reading += 1) await changes.read(staff.id);
  expect(await gets()).toBe(before);
});
