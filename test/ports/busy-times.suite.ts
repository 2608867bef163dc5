// What every calendar adapter must say of busy times: run on each one against a real server of its kind.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Calendar, CalendarCredential } from '../../src/ports/calendar.ts';
import {
  at,
  type CalendarUnderTest,
  day,
  eleven,
  eventOf,
  failure,
  type HandMadeEvent,
  halfPast,
  limits,
  noon,
  ten,
} from './calendar-under-test.ts';

/** What blocks, what does not, whose zone counts, and that a calendar which cannot be read is never free. */
export function busyTimesSuite(name: string, open: () => Promise<CalendarUnderTest>): void {
  describe(`calendar port: ${name}: busy times`, () => {
    let outside: CalendarUnderTest;
    let calendar: Calendar;
    let credential: CalendarCredential;
    let calendarId: string;
    let secondCalendarId: string;

    beforeAll(async () => {
      outside = await open();
      calendar = outside.calendar;
    });
    afterAll(() => outside.close());
    beforeEach(async () => {
      ({ credential, calendarId, secondCalendarId } = await outside.connect());
    });

    const insertBooking = async () => {
      return calendar.insertEvent(credential, eventOf(calendar, calendarId), limits);
    };
    const busy = (more: Partial<Parameters<Calendar['busyTimes']>[1]> = {}) =>
      calendar.busyTimes(credential, { calendarIds: [calendarId], ...day, ...more }, limits);

    test('join what overlaps or touches, and are cut to the span asked for', async () => {
      await outside.addByHand(calendarId, {
        from: '2026-06-09T23:00',
        to: '2026-06-10T01:00',
        zone: 'UTC',
      });
      await outside.addByHand(calendarId, {
        from: '2026-06-10T10:00',
        to: '2026-06-10T11:00',
        zone: 'UTC',
      });
      await outside.addByHand(calendarId, {
        from: '2026-06-10T11:00',
        to: '2026-06-10T12:00',
        zone: 'UTC',
      });
      await outside.addByHand(calendarId, {
        from: '2026-06-11T00:00',
        to: '2026-06-11T01:00',
        zone: 'UTC',
      });
      expect(await busy()).toEqual([
        { start: day.from, end: at('2026-06-10T01:00:00Z') },
        { start: ten, end: noon },
      ]);
    });

    test('leave out what is transparent, cancelled or declined, and keep what is tentative', async () => {
      const hours: [number, HandMadeEvent['mark']][] = [
        [8, 'transparent'],
        [9, 'cancelled'],
        [10, 'declined'],
        [11, 'tentative'],
      ];
      for (const [hour, mark] of hours) {
        const two = (value: number) => String(value).padStart(2, '0');
        const [from, to] = [`2026-06-10T${two(hour)}:00`, `2026-06-10T${two(hour + 1)}:00`];
        await outside.addByHand(calendarId, { from, to, zone: 'UTC', ...(mark && { mark }) });
      }
      expect(await busy()).toEqual([{ start: eleven, end: noon }]);
    });

    test('keep a weekly event at its wall clock, in its own zone, when the clocks change', async () => {
      const weekly = {
        from: '2026-03-03T15:00',
        to: '2026-03-03T16:00',
        zone: 'Europe/London',
        weekly: true,
      };
      await outside.addByHand(calendarId, weekly);
      const span = { from: at('2026-03-23T00:00:00Z'), to: at('2026-04-06T00:00:00Z') };
      expect(await busy(span)).toEqual([
        { start: at('2026-03-24T15:00:00Z'), end: at('2026-03-24T16:00:00Z') },
        { start: at('2026-03-31T14:00:00Z'), end: at('2026-03-31T15:00:00Z') },
      ]);
    });

    test('take an all-day event for the whole day of the calendar', async () => {
      await outside.addByHand(calendarId, { allDay: '2026-06-10' });
      const start = Temporal.PlainDate.from('2026-06-10').toZonedDateTime(outside.zone);
      const span = { from: at('2026-06-08T00:00:00Z'), to: at('2026-06-13T00:00:00Z') };
      expect(await busy(span)).toEqual([
        { start: start.epochMilliseconds, end: start.add({ days: 1 }).epochMilliseconds },
      ]);
    });

    test('can leave out one event of ours and no other', async () => {
      const event = await insertBooking();
      const except = { calendarId, eventId: event.eventId };
      expect(await busy({ except })).toEqual([]);
      await outside.addByHand(calendarId, {
        from: '2026-06-10T10:15',
        to: '2026-06-10T11:00',
        zone: 'UTC',
      });
      expect(await busy({ except })).toEqual([{ start: at('2026-06-10T10:15:00Z'), end: eleven }]);
      expect(await busy()).toEqual([{ start: ten, end: eleven }]);
    });

    test('come from all calendars asked, and one that is not there is never free', async () => {
      await outside.addByHand(secondCalendarId, {
        from: '2026-06-10T10:00',
        to: '2026-06-10T10:30',
        zone: 'UTC',
      });
      expect(await busy()).toEqual([]);
      const both = [calendarId, secondCalendarId];
      expect(await busy({ calendarIds: both })).toEqual([{ start: ten, end: halfPast }]);
      const unknown = `${secondCalendarId}-unknown`;
      expect(await failure(busy({ calendarIds: [...both, unknown] }))).toMatchObject({
        outcome: 'rejected',
        code: 'calendar_not_found',
      });
    });
  });
}
