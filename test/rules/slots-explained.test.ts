// Explained slots: they agree with the open slots step by step, and name every reason.
import { describe, expect, test } from 'vitest';
import { candidateStarts, freeStarts, type Terms } from '../../src/appointments/slots/engine.ts';
import { explainSteps, without } from '../../src/appointments/slots/explain.ts';
import { hoursOf } from '../../src/appointments/slots/opening-hours.ts';
import { dayOfDate, type Interval, localText } from '../../src/appointments/slots/wall-time.ts';
import { fc } from '../harness/property.ts';
import { berlin, type Case, kolkata, local, newYork, termsOf } from '../harness/slot-cases.ts';
import { anyZone, datesOf, type Query, queriesOf, seed } from '../harness/slot-queries.ts';

const intervalOf = (text: string): Interval => {
  const [from, to] = text.split('/').map((part) => Date.parse(part));
  return { from: from ?? Number.NaN, to: to ?? Number.NaN };
};

/** The steps of a case as `09:00` if they are open, else with the reasons: `09:00 booked`. */
function explained(given: Case & { booking?: string[] }): string[] {
  const day = dayOfDate(given.date) ?? Number.NaN;
  const now = Date.parse(given.now ?? `${given.date}T00:00:00Z`) - (given.now ? 0 : 3 * 86_400_000);
  const timezone = given.requestedZone ?? given.zone;
  const taken = {
    bookings: (given.booking ?? []).map(intervalOf),
    events: (given.busy ?? []).map(intervalOf),
    bookedStarts: (given.booked ?? []).map((text) => Date.parse(text)),
  };
  return explainSteps(termsOf(given), { day, timezone, now }, taken).map(({ from, reasons }) =>
    [from, ...reasons].join(' '),
  );
}

const isOpen = (step: string) => step.length === 5;
const inHours = (steps: string[]) => steps.filter((step) => !step.includes('outside_hours'));

const zone = (
  name: string,
  date: string,
  window: string,
  minutes: number,
  more: Partial<Case> = {},
): Case => ({
  ...{ zone: name, date, weekly: [window], minutes },
  ...more,
});
const documented: Case[] = [
  kolkata,
  zone('America/New_York', '2026-03-08', '00:00-06:00', 60),
  zone('America/New_York', '2026-03-08', '02:30-04:30', 30),
  zone('America/New_York', '2026-11-01', '00:00-04:00', 60),
  zone('Europe/Berlin', '2026-03-29', '01:00-04:00', 60),
  zone('Australia/Lord_Howe', '2026-10-04', '01:00-04:00', 30),
  zone('America/Santiago', '2026-09-06', '00:00-03:00', 60),
  zone('Asia/Kathmandu', '2026-06-10', '09:00-11:00', 30),
  { ...berlin, weekly: ['09:00-11:00'], step: 15 },
  { ...berlin, busy: ['2026-07-01T08:00Z/2026-07-01T09:00Z'] },
  {
    ...berlin,
    weekly: ['09:00-13:00'],
    minutes: 30,
    before: 15,
    after: 15,
    busy: ['2026-07-01T09:00Z/2026-07-01T09:30Z'],
  },
  { ...kolkata, minutes: 30, notice: 60, now: '2026-06-10T04:00:01Z' },
  zone('America/New_York', '2026-03-08', '09:00-12:00', 60, { notice: 1440, now: '2026-03-07T15:00Z' }),
  newYork,
  { ...newYork, date: '2026-06-11' },
  zone('Pacific/Auckland', '2026-06-10', '09:00-17:00', 120, {
    busy: ['2026-06-09T12:00Z/2026-06-10T12:00Z'],
  }),
];

test.each(documented)('open steps are the open slots: $zone $date $weekly', (given) => {
  expect(explained(given).filter(isOpen)).toEqual(local(given));
});

function termsOfQuery(query: Query): Terms {
  return {
    timezone: query.zone,
    slotMinutes: query.slotMinutes,
    slotStepMinutes: query.stepMinutes,
    bufferBeforeMinutes: query.before,
    bufferAfterMinutes: query.after,
    minimumNoticeMinutes: query.notice,
    bookingWindowDays: query.windowDays,
    dailyLimit: query.limit,
    hours: hoursOf(query.weekly, query.overrides),
  };
}

test(`open steps are the open slots, in random zones around clock changes, whoever takes the time (SLOTS_SEED=${seed})`, () => {
  let open = 0;
  const queries = anyZone.chain((name) => queriesOf(name, datesOf(name)));
  fc.assert(
    fc.property(queries, (query) => {
      const terms = termsOfQuery(query);
      const day = dayOfDate(query.date) ?? Number.NaN;
      const asked = { day, timezone: query.requestedZone, now: query.now };
      const bookings = query.busy.slice(0, 2);
      // a calendar shows bookings too
      const events = without(query.busy, bookings);
      const steps = explainSteps(terms, asked, { bookings, events, bookedStarts: query.booked });
      const starts = freeStarts(terms, candidateStarts(terms, asked), {
        busy: query.busy,
        bookedStarts: query.booked,
      });
      expect(steps.filter(({ reasons }) => reasons.length === 0).map(({ start }) => start)).toEqual(starts);
      open += starts.length;
      const real = steps.flatMap(({ start }) => start ?? []);
      expect(real).toEqual([...new Set(real)].sort((a, b) => a - b));
      for (const { from, start, reasons } of steps) {
        if (start === null) expect(reasons).toEqual(['clock_change']);
        else expect(localText(query.requestedZone, start)).toEqual({ date: query.date, clock: from });
      }
    }),
    { seed, numRuns: 100 },
  );
  expect(open).toBeGreaterThan(50);
});

describe('the reasons', () => {
  test('name closed hours, also where only the end of a slot is in them', () => {
    const steps = explained({ ...berlin, weekly: ['09:00-10:30'] });
    expect(steps).toHaveLength(24);
    expect(steps.slice(7, 12)).toEqual([
      '07:00 outside_hours',
      '08:00 outside_hours',
      '09:00',
      '10:00 outside_hours',
      '11:00 outside_hours',
    ]);
  });

  test('name a booking and an event with their buffers, and both where both are in the way', () => {
    const steps = explained({
      ...{ ...berlin, weekly: ['09:00-12:00'], minutes: 30, before: 15 },
      booking: ['2026-07-01T07:30Z/2026-07-01T08:10Z'],
      // an event without length takes nothing
      busy: ['2026-07-01T08:05Z/2026-07-01T08:10Z', '2026-07-01T09:15Z/2026-07-01T09:15Z'],
    });
    expect(inHours(steps)).toEqual([
      '09:00',
      '09:30 booked',
      '10:00 booked calendar_busy',
      '10:30',
      '11:00',
      '11:30',
    ]);
  });

  test('name the notice, the booking window and the daily limit', () => {
    const now = '2026-07-01T07:30:00Z';
    expect(inHours(explained({ ...berlin, now }))).toEqual(['09:00 notice', '10:00', '11:00']);
    const far = { ...berlin, now: '2026-06-29T12:00:00Z', windowDays: 1, limit: 1, booked: [now] };
    expect(inHours(explained(far))).toEqual([
      '09:00 window daily_limit',
      '10:00 window daily_limit',
      '11:00 window daily_limit',
    ]);
  });

  test('name a clock change for the local times that it skips, and for the second of two', () => {
    const forward = explained(zone('America/New_York', '2026-03-08', '00:00-06:00', 60)).slice(0, 5);
    expect(forward).toEqual(['00:00', '01:00', '02:00 clock_change', '03:00', '04:00']);
    const back = explained(zone('America/New_York', '2026-11-01', '00:00-04:00', 60)).slice(0, 5);
    expect(back).toEqual(['00:00', '01:00', '01:00 clock_change', '02:00', '03:00']);
    const skipped = explained(zone('Pacific/Apia', '2011-12-30', '00:00-24:00', 720));
    expect(skipped).toEqual(['00:00 clock_change', '12:00 clock_change']);
  });
});

test('what bookings cover is no event', () => {
  const at = (from: number, to: number) => ({ from, to });
  expect(without([at(0, 10), at(20, 30)], [at(2, 4), at(3, 6), at(25, 40)])).toEqual([
    at(0, 2),
    at(6, 10),
    at(20, 25),
  ]);
  expect(without([at(0, 10)], [at(0, 10)])).toEqual([]);
});
