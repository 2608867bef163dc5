// Calendar sync in a process that dies at any point: bookings follow, and each change is published once.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { syncCalendars } from '../../src/appointments/booking/calendar-sync.ts';
import { type AppointmentsFixture, openAppointmentsFixture } from '../harness/appointments-fixture.ts';
import { type CalendarChanges, calendarChanges, cancelled, moved } from '../harness/calendar-changes.ts';
import { crashAt } from '../harness/crash-point.ts';

let fixture: AppointmentsFixture;
let account: string;
let shown: CalendarChanges['shown'];
let makeDue: CalendarChanges['makeDue'];
let read: CalendarChanges['read'];
let book: CalendarChanges['book'];
let moveTo: CalendarChanges['moveTo'];
let aMinuteLater: CalendarChanges['aMinuteLater'];
let changesOf: CalendarChanges['changesOf'];

beforeAll(async () => {
  fixture = await openAppointmentsFixture();
  account = await fixture.account();
  ({ shown, makeDue, read, book, moveTo, aMinuteLater, changesOf } = calendarChanges(fixture, account));
});
afterAll(() => fixture.close());
beforeEach(() => fixture.control.clearFaults());

describe('when the process dies at any step of a reading', () => {
  /** Reads once in a process that dies at that step; false if the reading completed. */
  async function dieWhileReading(staffId: string, step: number): Promise<boolean> {
    const dying = crashAt(fixture.deps.db, fixture.calendar, step);
    await makeDue(staffId);
    await syncCalendars(fixture.depsOn(dying.db, { google: dying.calendar })).catch(() => undefined);
    return dying.steps() >= step;
  }

  test('a booking follows its moved event, and one webhook event is published', async () => {
    for (let step = 1, died = true; died; step += 1) {
      const staff = await fixture.staff(account);
      const made = await book(staff.id, '10:00', '10:30');
      await read(staff.id);
      await moveTo(staff.email, made.calendarEventId, '11:00', '11:30');
      died = await dieWhileReading(staff.id, step);
      await read(staff.id);
      expect([step, (await shown(made.bookingId)).from]).toEqual([step, '11:00']);
      expect([step, await changesOf(staff.id)]).toEqual([step, [moved]]);
      expect(step).toBeLessThan(60);
    }
  });

  test('a booking whose event was deleted is cancelled, and one webhook event is published', async () => {
    for (let step = 1, died = true; died; step += 1) {
      const staff = await fixture.staff(account);
      const made = await book(staff.id, '10:00', '10:30');
      await read(staff.id);
      await fixture.control.removeEvent(staff.email, made.calendarEventId);
      const diedFirst = await dieWhileReading(staff.id, step);
      await read(staff.id);
      await aMinuteLater();
      died = (await dieWhileReading(staff.id, step)) || diedFirst;
      await read(staff.id);
      expect([step, (await shown(made.bookingId)).status]).toEqual([step, 'cancelled']);
      expect([step, await changesOf(staff.id)]).toEqual([step, [cancelled]]);
      expect(step).toBeLessThan(60);
    }
  });
});
