// Single steps of a booking: what the gateway does when a hold, an event id, a confirmation or a calendar changed in between.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { book } from '../../src/appointments/booking/book.ts';
import { findBooking } from '../../src/appointments/booking/bookings-store.ts';
import { compensate } from '../../src/appointments/booking/compensate.ts';
import { createEvent } from '../../src/appointments/booking/create-event.ts';
import { reconcileDue } from '../../src/appointments/booking/reconcile.ts';
import { weekdays } from '../../src/appointments/slots/opening-hours.ts';
import { VendorError } from '../../src/base/errors.ts';
import type { Calendar } from '../../src/ports/calendar.ts';
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

const ten = (staffId: string) => bookingOf(staffId, date, '10:00', '10:30');
const db = () => fixture.deps.db;

/** What a process works with whose calendar has other methods. */
const depsWith = (methods: Partial<Calendar>) =>
  fixture.depsOn(db(), {
    google: new Proxy(fixture.calendar, {
      get: (calendar, name) => Reflect.get(name in methods ? methods : calendar, name),
    }),
  });
const bookBy = (deps: ReturnType<typeof depsWith>, staffId: string) =>
  book(deps, { accountId: account, key: staffId, body: ten(staffId) });

async function onlyBooking(staffId: string) {
  const [row] = await fixture.bookingRows(staffId);
  const found = await findBooking(db(), account, row?.id ?? '');
  if (!found) throw new Error('no booking');
  return found;
}

/** A booking whose process died after it began to insert the event, in that state. */
async function interrupted(state: 'held' | 'undoing') {
  const staff = await fixture.staff(account);
  const dying = depsWith({ insertEvent: () => Promise.reject(new Error('the process died')) });
  await expect(bookBy(dying, staff.id)).rejects.toThrow('died');
  await sql`update bookings set state = ${state}, due_at = now(), attempts = 1 where staff_id = ${staff.id}`.execute(
    db(),
  );
  return { staff, row: await onlyBooking(staff.id) };
}

test('a hold that the worker compensates before its insert gets no event', async () => {
  const staff = await fixture.staff(account);
  const { calendar } = fixture;
  const deps = depsWith({
    async busyTimes(...given) {
      await sql`update bookings set state = 'undoing' where staff_id = ${staff.id}`.execute(db());
      return calendar.busyTimes(...given);
    },
  });
  await expect(bookBy(deps, staff.id)).rejects.toMatchObject({ code: 'provider_unavailable' });
  expect(await fixture.control.events(staff.email)).toEqual([]);
});

test('an event id that the calendar rejects is replaced twice, and then the booking is compensated', async () => {
  const { calendar } = fixture;
  const usedUp = () =>
    new VendorError('rejected', 'The event was deleted.', { code: 'event_deleted', status: 409 });
  for (const rejections of [2, 3]) {
    const staff = await fixture.staff(account);
    const ids = new Set<string | null>();
    const deps = depsWith({
      insertEvent(credential, event, limits) {
        ids.add(event.eventId);
        return ids.size <= rejections
          ? Promise.reject(usedUp())
          : calendar.insertEvent(credential, event, limits);
      },
    });
    const booked = await bookBy(deps, staff.id).then(
      () => 'confirmed',
      ({ code }) => code,
    );
    const { state, event_id } = await onlyBooking(staff.id);
    expect(ids.size).toBe(3);
    if (rejections === 2) {
      expect([booked, state]).toEqual(['confirmed', 'confirmed']);
      const events = await fixture.control.liveEvents(staff.email);
      expect(events.map(({ id }) => id)).toEqual([event_id]);
    } else {
      expect([booked, state]).toEqual(['provider_unavailable', 'undone']);
      expect(await fixture.occupancies(staff.id)).toBe(0);
    }
  }
});

test('a repeated confirmation returns the booking, but never one that was compensated', async () => {
  const staff = await fixture.staff(account, { calendar: 'none' });
  await fixture.must(fixture.book(account, ten(staff.id)));
  const row = await onlyBooking(staff.id);
  const again = () => createEvent(fixture.deps, { ...row, state: 'held' }, undefined, undefined as never, 0);
  expect(await again()).toMatchObject({ id: row.id, state: 'confirmed' });
  await sql`update bookings set state = 'undone' where id = ${row.id}`.execute(db());
  await expect(again()).rejects.toMatchObject({ code: 'provider_unavailable' });
});

test('an event is removed twice where a late insert may bring it back', async () => {
  const { staff, row } = await interrupted('undoing');
  const deps = depsWith({ removeForGood: async () => ({ certain: false, retryAfterMs: 60_000 }) });
  const deadline = fixture.clock.steady() + 10_000;
  expect(await compensate(deps, row, deadline)).toBe(false);
  const removed = await onlyBooking(staff.id);
  expect(removed).toMatchObject({ state: 'undoing', removed_once: true });
  expect(await fixture.occupancies(staff.id)).toBe(1);
  expect(await compensate(deps, removed, deadline)).toBe(true);
  expect(await fixture.occupancies(staff.id)).toBe(0);
});

test('the daily limit of the schedule that offered a slot counts, even if the zone changes before the hold', async () => {
  const weekly = weekdays.map((weekday) => ({ weekday, from: '00:00', to: '24:00' }));
  const schedule = { timezone: 'Pacific/Kiritimati', dailyLimit: 1, slotMinutes: 30, weekly };
  const staff = await fixture.staff(account, { calendar: 'none', schedule });
  const nextDate = Temporal.PlainDate.from(date).add({ days: 1 }).toString();
  // one date in Kiritimati, two in UTC
  const late = { ...bookingOf(staff.id, date, '20:00', '20:30'), timezone: 'UTC' };
  const early = { ...bookingOf(staff.id, nextDate, '05:00', '05:30'), timezone: 'UTC' };
  const deps = depsWith({});
  const changing: typeof deps = {
    ...deps,
    async readDay(query) {
      const day = await deps.readDay(query);
      await book(deps, { accountId: account, key: randomUUID(), body: early });
      await sql`update staff set timezone = 'UTC' where id = ${staff.id}`.execute(db());
      return day;
    },
  };
  const booking = book(changing, { accountId: account, key: randomUUID(), body: late });
  await expect(booking).rejects.toMatchObject({ code: 'slot_unavailable' });
});

test('a booking whose calendar is disconnected keeps its time until its end, and is retried with a delay', async () => {
  const held = await interrupted('held');
  const undoing = await interrupted('undoing');
  const path = '/v1/appointments/ext-calendar/status?appointmentUserId=';
  for (const { staff } of [held, undoing]) {
    await fixture.control.revokeGrants({ account: staff.email });
    await fixture.must(fixture.call(account, 'GET', `${path}${staff.id}`));
  }
  await reconcileDue(fixture.deps);
  const { rows } = await sql<{ state: string; isDue: boolean }>`
    select state, due_at <= now() + interval '500 milliseconds' as "isDue" from bookings
    where staff_id in (${held.staff.id}, ${undoing.staff.id}) order by state`.execute(db());
  expect(rows).toEqual([
    { state: 'held', isDue: false },
    { state: 'undoing', isDue: false },
  ]);
  // two weeks ahead and a day
  fixture.clock.aheadMs += 30 * 86_400_000;
  const deadline = fixture.clock.steady() + 10_000;
  expect(await compensate(fixture.deps, await onlyBooking(undoing.staff.id), deadline)).toBe(true);
  expect(await fixture.occupancies(undoing.staff.id)).toBe(0);
});
