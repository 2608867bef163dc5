// The slots engine: grid, overrides, busy times, notice, booking window and daily limit.
import { describe, expect, test } from 'vitest';
import { occupiedRange, slotsAt, startShownAs } from '../../src/appointments/slots/engine.ts';
import { berlin, kolkata, local, newYork, slots, termsOf } from '../harness/slot-cases.ts';

describe('the grid', () => {
  test('offers overlapping slots with a step shorter than the slot', () => {
    expect(local({ ...berlin, weekly: ['09:00-11:00'], step: 15 })).toEqual([
      '09:00',
      '09:15',
      '09:30',
      '09:45',
      '10:00',
    ]);
  });

  test('merges windows that touch or overlap', () => {
    expect(local({ ...berlin, weekly: ['09:00-10:15', '10:15-12:00', '11:00-12:30'], minutes: 50 })).toEqual([
      '09:00',
      '09:50',
      '10:40',
      '11:30',
    ]);
  });

  test('splits a window over midnight by the dates on which slots start', () => {
    expect(local(newYork)).toEqual(['00:00', '01:00', '22:00', '23:00']);
    const once = { ...newYork, weekly: [], overrides: [{ date: '2026-06-10', windows: ['22:00-02:00'] }] };
    expect(local(once)).toEqual(['22:00', '23:00']);
    expect(local({ ...once, date: '2026-06-11' })).toEqual(['00:00', '01:00']);
  });

  test('continues over midnight', () => {
    const once = {
      ...newYork,
      minutes: 90,
      weekly: [],
      overrides: [{ date: '2026-06-10', windows: ['22:00-03:00'] }],
    };
    expect(local(once)).toEqual(['22:00', '23:30']);
    expect(local({ ...once, date: '2026-06-11' })).toEqual(['01:00']);
  });

  test('restarts at each midnight for a staff member who is always open', () => {
    const always = { ...berlin, weekly: ['00:00-24:00'], minutes: 50 };
    const found = local(always);
    expect(found.slice(0, 2)).toEqual(['00:00', '00:50']);
    expect(found.at(-1)).toBe('22:30');
    expect(found).toHaveLength(28);
    expect(local({ ...always, weekly: ['09:00-09:00'] })).toEqual(found);
  });
});

describe('overrides', () => {
  test('replace the weekly hours', () => {
    expect(local({ ...berlin, overrides: [{ date: berlin.date, windows: ['15:00-17:00'] }] })).toEqual([
      '15:00',
      '16:00',
    ]);
  });

  test('without windows close the date, and hours that continue from the day before', () => {
    const given = { ...newYork, overrides: [{ date: '2026-06-10', windows: [] }] };
    expect(local(given)).toEqual([]);
    expect(local({ ...given, date: '2026-06-11' })).toEqual(['22:00', '23:00']);
  });
});

describe('busy times', () => {
  test('that touch a slot do not block it', () => {
    expect(local({ ...berlin, busy: ['2026-07-01T10:00+02:00/2026-07-01T11:00+02:00'] })).toEqual([
      '09:00',
      '11:00',
    ]);
  });

  test('block the slots whose buffers overlap them', () => {
    const given = {
      ...berlin,
      weekly: ['09:00-13:00'],
      minutes: 30,
      before: 15,
      after: 15,
      busy: ['2026-07-01T11:00+02:00/2026-07-01T11:30+02:00'],
    };
    expect(local(given)).toEqual(['09:00', '09:30', '10:00', '12:00', '12:30']);
  });

  test('do not include closed hours, so buffers may be outside opening hours', () => {
    expect(local({ ...berlin, before: 60, after: 60 })).toEqual(['09:00', '10:00', '11:00']);
  });

  test('may overlap, be unordered or empty', () => {
    const busy = [
      '2026-07-01T11:30+02:00/2026-07-01T11:40+02:00',
      '2026-07-01T08:00+02:00/2026-07-01T09:30+02:00',
      '2026-07-01T08:30+02:00/2026-07-01T09:00+02:00',
      '2026-07-01T10:30+02:00/2026-07-01T10:30+02:00',
    ];
    expect(local({ ...berlin, busy })).toEqual(['10:00']);
  });

  test('of an all-day event block the whole date', () => {
    const given = {
      ...berlin,
      zone: 'Pacific/Auckland',
      date: '2026-06-10',
      weekly: ['09:00-17:00'],
      minutes: 120,
    };
    expect(local({ ...given, busy: ['2026-06-10T00:00+12:00/2026-06-11T00:00+12:00'] })).toEqual([]);
  });

  test('of a weekly event in London block the right slots in New York while their clock changes differ', () => {
    const given = { ...newYork, date: '2026-03-10', weekly: ['09:00-13:00'] };
    expect(local({ ...given, busy: ['2026-03-10T15:00Z/2026-03-10T16:00Z'] })).toEqual([
      '09:00',
      '10:00',
      '12:00',
    ]);
  });
});

describe('notice, window and limit', () => {
  test('the notice is exact to the second', () => {
    const given = { ...kolkata, minutes: 30, notice: 60, now: '2026-06-10T04:00:01Z' };
    expect(local(given)).toEqual(['11:00', '11:30']);
    expect(local({ ...given, now: '2026-06-10T04:00:00Z' })).toEqual(['10:30', '11:00', '11:30']);
  });

  test('the notice is elapsed time, also over a clock change', () => {
    const given = {
      ...newYork,
      date: '2026-03-08',
      weekly: ['09:00-12:00'],
      notice: 1440,
      now: '2026-03-07T15:00:00Z',
    };
    expect(local(given)).toEqual(['11:00']);
  });

  test('past slots are never offered', () => {
    expect(local({ ...kolkata, now: '2026-06-10T04:30:00Z' })).toEqual(['10:00', '11:00']);
    expect(local({ ...kolkata, now: '2026-06-11T00:00:00Z' })).toEqual([]);
  });

  test("the booking window ends with a date of the staff member's zone, whatever zone is requested", () => {
    const given = {
      ...kolkata,
      weekly: ['00:00-24:00'],
      windowDays: 1,
      now: '2026-06-09T12:00:00Z',
      minutes: 120,
    };
    expect(local(given)).toHaveLength(12);
    expect(local({ ...given, date: '2026-06-11' })).toEqual([]);
    // the 10th in New York ends at 04:00Z of the 11th, the 10th in Kolkata at 18:30Z
    const asked = slots({ ...given, requestedZone: 'America/New_York' });
    expect(asked[0]?.from).toBe('00:30');
    expect(asked.at(-1)?.endsAt).toBe('2026-06-10T18:30:00.000Z');
  });

  test("the daily limit counts by dates of the staff member's zone", () => {
    const given = {
      ...kolkata,
      weekly: ['00:00-24:00'],
      minutes: 240,
      limit: 2,
      booked: ['2026-06-09T19:00:00Z', '2026-06-10T10:00:00Z'],
    };
    expect(local(given)).toEqual([]);
    expect(local({ ...given, limit: 3 })).toHaveLength(6);
    expect(slots({ ...given, requestedZone: 'UTC' }).map(({ startsAt }) => startsAt)).toEqual([
      '2026-06-10T18:30:00.000Z',
      '2026-06-10T22:30:00.000Z',
    ]);
  });
});

test('a booking occupies its slot and the buffers around it', () => {
  const terms = termsOf({ ...berlin, weekly: ['09:00-12:00'], minutes: 30, before: 10, after: 15 });
  const start = Date.parse('2026-06-10T09:00:00Z');
  expect(occupiedRange(terms, start)).toEqual({
    from: Date.parse('2026-06-10T08:50:00Z'),
    to: Date.parse('2026-06-10T09:45:00Z'),
  });
});

describe('a named slot', () => {
  // New York: 2026-03-08 clocks go forward, 2026-11-01 they go back
  test.each(['2026-03-07T20:00Z', '2026-10-31T20:00Z'])(
    'is the first start that is shown with both times, from %s',
    (first) => {
      const terms = termsOf({ ...newYork, minutes: 60 });
      const starts = Array.from({ length: 40 }, (_, index) => Date.parse(first) + index * 1_800_000);
      const shown = slotsAt(terms, starts, newYork.zone);
      for (const { from, to } of shown) {
        const index = shown.findIndex((slot) => slot.from === from && slot.to === to);
        expect(startShownAs(terms, starts, newYork.zone, { from, to })).toBe(starts[index]);
        expect(startShownAs(terms, starts, newYork.zone, { from, to: '99:99' })).toBeUndefined();
      }
      expect(startShownAs(terms, [], newYork.zone, { from: '09:00', to: '10:00' })).toBeUndefined();
    },
  );
});
