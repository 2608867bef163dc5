// The calendar port's suite for busy times. It runs on every adapter, against a server of its kind.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Calendar, CalendarCredential } from '../../src/ports/calendar.ts';
import {
  at,
  type CalendarUnderTest,
  day,
  type ExternalEvent,
  eleven,
  eventOf,
  failure,
  halfPast,
  limits,
  noon,
  ten,
} from './calendar-under-test.ts';

/** Which events block, in which zone, and that an unreadable calendar is never free. */
export function busyTimesSuite(name: string, open: () => Promise<CalendarUnderTest>): void {
  describe(`calendar port: ${name}: busy times`, () => {
    let provider: CalendarUnderTest;
    let calendar: Calendar;
    let credential: CalendarCredential;
    let calendarId: string;
    let secondCalendarId: string;

    beforeAll(async () => {
      provider = await open();
      calendar = provider.calendar;
    });
    afterAll(() => provider.close());
    beforeEach(async () => {
      ({ credential, calendarId, secondCalendarId } = await provider.connect());
    });

    const insertBooking = async () => {
      return calendar.insertEvent(credential, eventOf(calendar, calendarId), limits);
    };
    const busy = (more: Partial<Parameters<Calendar['busyTimes']>[1]> = {}) =>
      calendar.busyTimes(credential, { calendarIds: [calendarId], ...day, ...more }, limits);

    test('are merged, and limited to the requested span', async () => {
      await provider.addExternally(calendarId, {
        from: '2026-06-09T23:00',
        to: '2026-06-10T01:00',
        zone: 'UTC',
      });
      await provider.addExternally(calendarId, {
        from: '2026-06-10T10:00',
        to: '2026-06-10T11:00',
        zone: 'UTC',
      });
      await provider.addExternally(calendarId, {
        from: '2026-06-10T11:00',
        to: '2026-06-10T12:00',
        zone: 'UTC',
      });
      await provider.addExternally(calendarId, {
        from: '2026-06-11T00:00',
        to: '2026-06-11T01:00',
        zone: 'UTC',
      });
      expect(await busy()).toEqual([
        { start: day.from, end: at('2026-06-10T01:00:00Z') },
        { start: ten, end: noon },
      ]);
    });

    test('omit transparent, cancelled and declined events, and contain tentative ones', async () => {
      const hours: [number, ExternalEvent['mark']][] = [
        [8, 'transparent'],
        [9, 'cancelled'],
        [10, 'declined'],
        [11, 'tentative'],
      ];
      for (const [hour, mark] of hours) {
        const two = (value: number) => String(value).padStart(2, '0');
        const [from, to] = [`2026-06-10T${two(hour)}:00`, `2026-06-10T${two(hour + 1)}:00`];
        await provider.addExternally(calendarId, { from, to, zone: 'UTC', ...(mark && { mark }) });
      }
      expect(await busy()).toEqual([{ start: eleven, end: noon }]);
    });

    test('keep the local time of a weekly event in its own zone when clocks change', async () => {
      const weekly = {
        from: '2026-03-03T15:00',
        to: '2026-03-03T16:00',
        zone: 'Europe/London',
        weekly: true,
      };
      await provider.addExternally(calendarId, weekly);
      const span = { from: at('2026-03-23T00:00:00Z'), to: at('2026-04-06T00:00:00Z') };
      expect(await busy(span)).toEqual([
        { start: at('2026-03-24T15:00:00Z'), end: at('2026-03-24T16:00:00Z') },
        { start: at('2026-03-31T14:00:00Z'), end: at('2026-03-31T15:00:00Z') },
      ]);
    });

    test("contain the whole day of an all-day event, in the calendar's zone", async () => {
      await provider.addExternally(calendarId, { allDay: '2026-06-10' });
      const start = Temporal.PlainDate.from('2026-06-10').toZonedDateTime(provider.zone);
      const span = { from: at('2026-06-08T00:00:00Z'), to: at('2026-06-13T00:00:00Z') };
      expect(await busy(span)).toEqual([
        { start: start.epochMilliseconds, end: start.add({ days: 1 }).epochMilliseconds },
      ]);
    });

    test("can omit the booking's own event and no other", async () => {
      const event = await insertBooking();
      const except = { calendarId, eventId: event.eventId };
      expect(await busy({ except })).toEqual([]);
      await provider.addExternally(calendarId, {
        from: '2026-06-10T10:15',
        to: '2026-06-10T11:00',
        zone: 'UTC',
      });
      expect(await busy({ except })).toEqual([{ start: at('2026-06-10T10:15:00Z'), end: eleven }]);
      expect(await busy()).toEqual([{ start: ten, end: eleven }]);
    });

    test('cover all requested calendars, and are rejected if one does not exist', async () => {
      await provider.addExternally(secondCalendarId, {
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
