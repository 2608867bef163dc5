// Events of bookings that staff delete in their calendars: bookings are cancelled after a second check, except in a mass deletion.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { isMassDeletion } from '../../src/appointments/booking/handle-missing-events.ts';
import { type AppointmentsFixture, openAppointmentsFixture } from '../harness/appointments-fixture.ts';
import {
  type CalendarChanges,
  calendarChanges,
  cancelled,
  date,
  pathOf,
} from '../harness/calendar-changes.ts';

let fixture: AppointmentsFixture;
let account: string;
let shown: CalendarChanges['shown'];
let read: CalendarChanges['read'];
let book: CalendarChanges['book'];
let aMinuteLater: CalendarChanges['aMinuteLater'];
let changesOf: CalendarChanges['changesOf'];

beforeAll(async () => {
  fixture = await openAppointmentsFixture();
  account = await fixture.account();
  ({ shown, read, book, aMinuteLater, changesOf } = calendarChanges(fixture, account));
});
afterAll(() => fixture.close());
beforeEach(() => fixture.control.clearFaults());

describe('an event that is deleted externally', () => {
  async function deleted(options: Parameters<AppointmentsFixture['staff']>[1] = {}) {
    const staff = await fixture.staff(account, options);
    const made = await book(staff.id, '10:00', '10:30');
    await read(staff.id);
    await fixture.control.removeEvent(staff.email, made.calendarEventId);
    await read(staff.id);
    return { staff, made };
  }
  const stateOf = async (bookingId: string) => {
    const { status, calendarState } = await shown(bookingId);
    return [status, calendarState.state];
  };

  test('cancels its booking and frees the slot when it is missing twice, a minute apart', async () => {
    const { staff, made } = await deleted();
    await read(staff.id);
    expect(await stateOf(made.bookingId)).toEqual(['confirmed', 'deleted']);
    expect(await fixture.open(account, staff.id, date)).not.toContain('10:00');
    expect(await changesOf(staff.id)).toEqual([]);
    await aMinuteLater();
    await read(staff.id);
    await read(staff.id);
    const { staffName: _ofLists, ...item } = await shown(made.bookingId);
    expect([item.status, item.cancelReason]).toEqual(['cancelled', null]);
    expect(await fixture.open(account, staff.id, date)).toContain('10:00');
    expect(await fixture.occupancies(staff.id)).toBe(0);
    expect(await changesOf(staff.id)).toEqual([cancelled]);
    expect((await fixture.events(account, staff.id)).at(-1)?.data).toEqual({ ...item, by: 'calendar' });
  });

  test('is checked again as soon as the minute has passed', async () => {
    const { staff } = await deleted();
    const { rows } = await sql<{ inMs: number }>`
      select (extract(epoch from c.changes_due_at - b.gone_at) * 1000)::int as "inMs"
      from calendar_connections c join bookings b using (staff_id) where staff_id = ${staff.id}`.execute(
      fixture.database.db,
    );
    expect(rows[0]?.inMs).toBeGreaterThan(60_000);
    expect(rows[0]?.inMs).toBeLessThan(75_000);
  });

  test('and restored in the meantime cancels and publishes nothing', async () => {
    const { staff, made } = await deleted();
    await fixture.control.changeEvent(staff.email, made.calendarEventId, { status: 'confirmed' });
    await aMinuteLater();
    await read(staff.id);
    expect(await stateOf(made.bookingId)).toEqual(['confirmed', 'in_step']);
    expect(await changesOf(staff.id)).toEqual([]);
  });

  test('cancels nothing when the calendar cannot be read or was deleted', async () => {
    const { staff, made } = await deleted();
    await aMinuteLater();
    // the changes can be read, but the full reading fails
    await fixture.control.addFault({ does: 'refuse', reason: 'forbidden', on: 'events.list', skip: 1 });
    await read(staff.id);
    expect(await stateOf(made.bookingId)).toEqual(['confirmed', 'deleted']);
    await fixture.control.clearFaults();
    await fixture.control.removeCalendar(staff.email);
    await read(staff.id);
    expect(await stateOf(made.bookingId)).toEqual(['confirmed', 'deleted']);
    expect(await changesOf(staff.id)).toEqual([]);
  });

  test('is not recorded while reading another event fails, and counts as present if it alone may not be read', async () => {
    const staff = await fixture.staff(account);
    const [first, second] = [await book(staff.id, '10:00', '10:30'), await book(staff.id, '11:00', '11:30')];
    await read(staff.id);
    for (const { calendarEventId } of [first, second])
      await fixture.control.removeEvent(staff.email, calendarEventId);
    await fixture.control.addFault({ does: 'reset', on: 'events.get', skip: 1 });
    await read(staff.id);
    for (const { bookingId } of [first, second])
      expect(await stateOf(bookingId)).toEqual(['confirmed', 'in_step']);
    await fixture.control.clearFaults();
    await fixture.control.addFault({ does: 'refuse', reason: 'forbidden', on: 'events.get', times: 1 });
    await read(staff.id);
    const states = [await stateOf(first.bookingId), await stateOf(second.bookingId)];
    expect(states.map(([, state]) => state).sort()).toEqual(['deleted', 'in_step']);
  });

  test('keeps its booking when it was moved to another calendar of the connection', async () => {
    const staff = await fixture.staff(account);
    const other = `second-${staff.email}`;
    await fixture.control.putCalendar({ id: other, owner: staff.email });
    const path = `/v1/appointments/users/${staff.id}/ext-calendar`;
    await fixture.must(fixture.call(account, 'PUT', path, { busyCalendarIds: ['primary', other] }));
    const made = await book(staff.id, '10:00', '10:30');
    await fixture.control.moveEvent(staff.email, made.calendarEventId, other);
    await read(staff.id);
    await aMinuteLater();
    await read(staff.id);
    await aMinuteLater();
    await read(staff.id);
    expect(await stateOf(made.bookingId)).toEqual(['confirmed', 'deleted']);
  });

  test('cancels its booking, and keeps the connection, although a busy calendar belongs to someone else', async () => {
    const [staff, colleague] = [await fixture.staff(account), await fixture.staff(account)];
    await fixture.control.putCalendar({
      id: colleague.email,
      owner: colleague.email,
      readers: [staff.email],
    });
    const path = `/v1/appointments/users/${staff.id}/ext-calendar`;
    const busyCalendarIds = ['primary', colleague.email];
    await fixture.must(fixture.call(account, 'PUT', path, { busyCalendarIds }));
    const made = await book(staff.id, '10:00', '10:30');
    await fixture.control.removeEvent(staff.email, made.calendarEventId);
    await read(staff.id);
    await aMinuteLater();
    await read(staff.id);
    expect(await stateOf(made.bookingId)).toEqual(['cancelled', 'deleted']);
    expect(await fixture.open(account, staff.id, date)).toContain('10:00');
  });

  test('cancels nothing when its booking was rescheduled, or the staff member chose "keep", in the meantime', async () => {
    const first = await deleted();
    const path = pathOf(first.made.bookingId);
    const moving = { date, from: '11:00', to: '11:30' };
    const calendar = new Proxy(fixture.calendar, {
      get(target, name) {
        if (name !== 'changedEvents') return Reflect.get(target, name);
        return async (...given: Parameters<typeof target.changedEvents>) => {
          const response = await target.changedEvents(...given);
          // the full reading: the last call before bookings are cancelled
          if (given[1].cursor === null) {
            await fixture.control.changeEvent(first.staff.email, first.made.calendarEventId, {
              status: 'confirmed',
            });
            await fixture.must(fixture.call(account, 'POST', `${path}/reschedule`, moving));
          }
          return response;
        };
      },
    });
    await aMinuteLater();
    await read(first.staff.id, fixture.depsOn(fixture.deps.db, { google: calendar }));
    expect(await shown(first.made.bookingId)).toMatchObject({ status: 'confirmed', from: '11:00' });

    const second = await deleted();
    const user = `/v1/appointments/users/${second.staff.id}`;
    await fixture.must(fixture.call(account, 'PATCH', user, { onCalendarDelete: 'keep' }));
    await aMinuteLater();
    await read(second.staff.id);
    expect(await stateOf(second.made.bookingId)).toEqual(['confirmed', 'deleted']);
  });

  test('in a mass deletion cancels no booking and publishes one webhook event', async () => {
    const staff = await fixture.staff(account);
    const made: { bookingId: string; calendarEventId: string }[] = [];
    const clocks = ['09:00', '09:30', '10:00', '10:30', '11:00', '11:30', '12:00'];
    for (const [index, from] of clocks.slice(0, 6).entries()) {
      made.push(await book(staff.id, from, clocks[index + 1] ?? ''));
    }
    await read(staff.id);
    for (const { calendarEventId } of made) await fixture.control.removeEvent(staff.email, calendarEventId);
    for (let round = 0; round < 3; round += 1) {
      await read(staff.id);
      await aMinuteLater();
    }
    for (const { bookingId } of made) expect(await stateOf(bookingId)).toEqual(['confirmed', 'deleted']);
    const published = (await fixture.events(account, staff.id)).filter(
      ({ event }) => event === 'calendars.status',
    );
    expect(published.map(({ data }) => data.reason)).toEqual(['connected', 'bookings_missing']);
    expect(published[1]?.data.missing).toEqual({
      count: 6,
      of: 6,
      bookingIds: made.map(({ bookingId }) => bookingId),
    });
    const [decided] = made;
    await fixture.must(fixture.call(account, 'POST', `${pathOf(decided?.bookingId ?? '')}/cancel`, {}));
    expect(await changesOf(staff.id)).toEqual(['appointments.cancelled by api']);
  });

  test('is reported and cancels no booking if the calendar no longer tells what changed', async () => {
    const staff = await fixture.staff(account);
    const made = await book(staff.id, '10:00', '10:30');
    await read(staff.id);
    await fixture.control.removeEvent(staff.email, made.calendarEventId);
    // as after the calendar was created again
    await fixture.control.expireSyncTokens();
    for (let round = 0; round < 2; round += 1) {
      await read(staff.id);
      await aMinuteLater();
    }
    expect(await stateOf(made.bookingId)).toEqual(['confirmed', 'deleted']);
    expect((await fixture.events(account, staff.id)).at(-1)?.data).toMatchObject({
      reason: 'bookings_missing',
      missing: { count: 1, of: 1, bookingIds: [made.bookingId] },
    });
  });

  test('shortly before or after a mass deletion cancels no booking either', async () => {
    const staff = await fixture.staff(account, { schedule: { slotMinutes: 15 } });
    const made: { bookingId: string; calendarEventId: string }[] = [];
    for (let minutes = 9 * 60; minutes < 11 * 60; minutes += 15) {
      const [from, to] = [minutes, minutes + 15].map(
        (at) => `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`,
      );
      made.push(await book(staff.id, from ?? '', to ?? ''));
    }
    await read(staff.id);
    for (const some of [made.slice(0, 1), made.slice(1, 7), made.slice(7)]) {
      for (const { calendarEventId } of some) await fixture.control.removeEvent(staff.email, calendarEventId);
      await read(staff.id);
    }
    await aMinuteLater();
    await read(staff.id);
    for (const { bookingId } of made) expect(await stateOf(bookingId)).toEqual(['confirmed', 'deleted']);
    const published = (await fixture.events(account, staff.id)).filter(({ data }) => data.missing);
    expect(published.map(({ data: { missing } }) => [missing.count, missing.of])).toEqual([
      [7, 8],
      [1, 1],
    ]);
    expect(published.flatMap(({ data }) => data.missing.bookingIds)).toEqual(
      made.map(({ bookingId }) => bookingId),
    );
    // a single deletion later cancels its booking again
    await sql`update calendar_connections set bookings_missing_at = now() - interval '5 minutes'
      where staff_id = ${staff.id}`.execute(fixture.database.db);
    const alone = await book(staff.id, '11:30', '11:45');
    await fixture.control.removeEvent(staff.email, alone.calendarEventId);
    await read(staff.id);
    await aMinuteLater();
    await read(staff.id);
    expect((await shown(alone.bookingId)).status).toBe('cancelled');
  });

  test.each([
    [5, 5, false],
    [6, 6, true],
    [6, 29, true],
    [6, 30, false],
    [7, 34, true],
  ])('%i missing of %i future bookings: mass deletion %s', (missing, future, isMass) => {
    expect(isMassDeletion(missing, future)).toBe(isMass);
    expect(isMassDeletion(missing, future, false)).toBe(missing > future / 5);
  });
});
