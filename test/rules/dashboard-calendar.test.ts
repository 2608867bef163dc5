// The dashboard's calendar: civil times of a zone, hours of a schedule in the viewer's zone, and blocks of bookings.
import { describe, expect, test } from 'vitest';
import type { Booking } from '../../client/src/generated.ts';
import { addressOf, datesOf, searchOf } from '../../dashboard/src/appointments/address.ts';
import { blocksOf, hoursShown } from '../../dashboard/src/appointments/blocks.ts';
import { closedMinutes, openMinutes } from '../../dashboard/src/appointments/open-hours.ts';
import { addDays, civilDate, clockOf, instantOf, minuteOf } from '../../dashboard/src/text/civil.ts';
import { fc } from '../harness/property.ts';

const zones = [
  'Asia/Kolkata',
  'America/New_York',
  'Europe/Berlin',
  'Australia/Lord_Howe',
  'America/Santiago',
];

test('civil times are those of Temporal, across clock changes too', () => {
  const day = fc.integer({ min: 0, max: 730 }).map((days) => addDays('2026-01-01', days));
  fc.assert(
    fc.property(fc.constantFrom(...zones), day, fc.nat(1439), (zone, date, minutes) => {
      const at = instantOf(date, minutes, zone);
      const known = Temporal.PlainDateTime.from(`${date}T${clockOf(minutes)}`).toZonedDateTime(zone);
      expect(at.getTime()).toBe(known.epochMilliseconds);
      expect(`${civilDate(at, zone)}T${clockOf(minuteOf(at, zone))}`).toBe(
        known.toPlainDateTime().toString({ smallestUnit: 'minute' }),
      );
    }),
  );
});

describe('open hours', () => {
  const hours = (weekly: object[], overrides: object[] = [], timezone = 'Europe/Berlin') =>
    ({ timezone, weekly, overrides }) as Parameters<typeof openMinutes>[0];

  test('are shown in the zone of the viewer, on the date that they have there', () => {
    const kolkata = hours([{ weekday: 'tuesday', from: '00:00', to: '09:00' }], [], 'Asia/Kolkata');
    expect(openMinutes(kolkata, '2026-11-23', 'Europe/Berlin')).toEqual([[19 * 60 + 30, 1440]]);
    expect(openMinutes(kolkata, '2026-11-24', 'Europe/Berlin')).toEqual([[0, 4 * 60 + 30]]);
  });

  test('run past midnight, unless the next date has hours of its own', () => {
    const night = [{ weekday: 'monday', from: '22:00', to: '02:00' }];
    expect(openMinutes(hours(night), '2026-11-24', 'Europe/Berlin')).toEqual([[0, 120]]);
    const closed = hours(night, [{ date: '2026-11-24', windows: [] }]);
    expect(openMinutes(closed, '2026-11-24', 'Europe/Berlin')).toEqual([]);
    expect(openMinutes(closed, '2026-11-23', 'Europe/Berlin')).toEqual([[1320, 1440]]);
  });

  test('that touch are one, and the rest of the range is closed', () => {
    const windows = [
      { weekday: 'monday', from: '09:00', to: '12:00' },
      { weekday: 'monday', from: '12:00', to: '13:00' },
    ];
    const open = openMinutes(hours(windows), '2026-11-23', 'Europe/Berlin');
    expect(open).toEqual([[540, 780]]);
    expect(closedMinutes(open, [480, 1080])).toEqual([
      [480, 540],
      [780, 1080],
    ]);
    expect(closedMinutes([[0, 1440]], [480, 1080])).toEqual([]);
  });
});

test('a booking across midnight is a block on both dates; a cancelled one is none', () => {
  const booking = {
    ...{ startsAt: '2026-11-23T22:30:00Z', endsAt: '2026-11-23T23:30:00Z', status: 'confirmed' },
  } as Booking;
  const spans = (date: string, one = booking) =>
    blocksOf([one], date, 'Europe/Berlin').map(({ from, to }) => [from, to]);
  expect(spans('2026-11-23')).toEqual([[1410, 1440]]);
  expect(spans('2026-11-24')).toEqual([[0, 30]]);
  expect(spans('2026-11-24', { ...booking, status: 'cancelled' })).toEqual([]);
  expect(hoursShown([[515, 1015]])).toEqual([480, 1020]);
});

test.each([
  ['that ends at an earlier clock time', '00:30', '01:00', [150, 180]],
  ['that ends at its own clock time', '00:30', '01:30', [150, 210]],
  ['across it, by the clock', '00:30', '02:30', [150, 210]],
  ['before it', '00:00', '00:30', [120, 150]],
  ['after it', '01:30', '02:00', [150, 180]],
])('where clocks are put back, a booking %s is shown', (_which, from, to, span) => {
  const at = (clock: string) => `2027-10-31T${clock}:00Z`;
  const booking = { startsAt: at(from), endsAt: at(to), status: 'confirmed' } as Booking;
  const blocks = blocksOf([booking], '2027-10-31', 'Europe/Berlin');
  expect(blocks.map((block) => [block.from, block.to])).toEqual([span]);
});

test('an address says what is shown, and what makes no sense is left out', () => {
  const today = '2026-11-24';
  const address = addressOf({ view: 'month', date: '2026-11-99', move: true }, today);
  expect(address).toMatchObject({ view: 'week', date: today, isMoving: false });
  const full = addressOf({ view: 'day', date: today, staff: 'a,b', booking: 'x', move: true }, today);
  expect(addressOf(searchOf(full), '2026-01-01')).toEqual(full);
  expect(datesOf('week', today, 0)[0]).toBe('2026-11-23');
  expect(datesOf('week', today, 6)[0]).toBe('2026-11-22');
});
