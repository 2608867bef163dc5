// The simulated Google's free-busy query: blocking events, recurrences, and time zones.
import { describe, expect, test } from 'vitest';
import { events, simulatedGoogle, staff, tenToHalfPast, time } from './simulated-google.ts';

const google = simulatedGoogle();

describe('free-busy', () => {
  test('merges overlapping events, and omits transparent, cancelled and declined ones', async () => {
    await google.control.addEvent(staff, tenToHalfPast);
    await google.control.addEvent(staff, time('2026-03-10T14:30:00Z', '2026-03-10T15:00:00Z'));
    await google.control.addEvent(staff, {
      ...time('2026-03-10T16:00:00Z', '2026-03-10T17:00:00Z'),
      transparency: 'transparent',
    });
    await google.control.addEvent(staff, {
      ...time('2026-03-10T17:00:00Z', '2026-03-10T18:00:00Z'),
      status: 'cancelled',
    });
    await google.control.addEvent(staff, {
      ...time('2026-03-10T18:00:00Z', '2026-03-10T19:00:00Z'),
      attendees: [{ email: staff, responseStatus: 'declined' }],
    });
    await google.control.addEvent(staff, {
      ...time('2026-03-10T20:00:00Z', '2026-03-10T21:00:00Z'),
      status: 'tentative',
    });
    expect((await google.busy('2026-03-10T00:00:00Z', '2026-03-11T00:00:00Z')).busy).toEqual([
      { start: '2026-03-10T14:00:00Z', end: '2026-03-10T15:00:00Z' },
      { start: '2026-03-10T20:00:00Z', end: '2026-03-10T21:00:00Z' },
    ]);
  });

  test('keeps the local time of a weekly event in its own zone when clocks change', async () => {
    await google.control.addEvent(staff, {
      start: { dateTime: '2026-03-03T15:00:00', timeZone: 'Europe/London' },
      end: { dateTime: '2026-03-03T16:00:00', timeZone: 'Europe/London' },
      recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=TU', 'EXDATE;TZID=Europe/London:20260317T150000'],
    });
    const found = await google.busy('2026-03-09T00:00:00Z', '2026-04-08T00:00:00Z');
    expect(found.busy.map((span: { start: string }) => span.start)).toEqual([
      '2026-03-10T15:00:00Z',
      '2026-03-24T15:00:00Z',
      '2026-03-31T14:00:00Z',
      '2026-04-07T14:00:00Z',
    ]);
  });

  test.each([
    ['RRULE:FREQ=DAILY;COUNT=3', ['10', '11', '12']],
    ['RRULE:FREQ=DAILY;INTERVAL=2;UNTIL=20260314T235959Z', ['10', '12', '14']],
    ['RRULE:FREQ=WEEKLY;BYDAY=TU,TH', ['10', '12']],
  ])('expands %s', async (rule, days) => {
    await google.control.addEvent(staff, {
      start: { dateTime: '2026-03-10T09:00:00', timeZone: 'America/New_York' },
      end: { dateTime: '2026-03-10T10:00:00', timeZone: 'America/New_York' },
      recurrence: [rule],
    });
    const found = await google.busy('2026-03-08T00:00:00Z', '2026-03-16T00:00:00Z');
    expect(found.busy.map((span: { start: string }) => span.start.slice(8, 10))).toEqual(days);
    const listed = await google.api(
      'GET',
      `${events}?singleEvents=true&timeMin=2026-03-08T00:00:00Z&timeMax=2026-03-16T00:00:00Z`,
    );
    expect(listed.body.items).toHaveLength(days.length);
  });

  test('rejects more than 90 days', async () => {
    const [timeMin, timeMax] = ['2026-03-01T00:00:00Z', '2026-05-30T00:00:01Z'];
    const long = await google.api('POST', 'freeBusy', { timeMin, timeMax, items: [{ id: 'primary' }] });
    expect([long.status, long.body.error.errors[0].reason]).toEqual([400, 'timeRangeTooLong']);
  });

  test('reads an all-day event in the zone of the calendar', async () => {
    await google.control.putCalendar({ id: 'nz', owner: staff, timeZone: 'Pacific/Auckland' });
    await google.control.addEvent('nz', { start: { date: '2026-06-10' }, end: { date: '2026-06-11' } });
    expect((await google.busy('2026-06-01T00:00:00Z', '2026-07-01T00:00:00Z', 'nz')).busy).toEqual([
      { start: '2026-06-09T12:00:00Z', end: '2026-06-10T12:00:00Z' },
    ]);
  });
});
