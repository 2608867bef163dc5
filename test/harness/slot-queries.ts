// Random queries for the slots engine, mostly around clock changes.
import { type ClockWindow, type Weekday, weekdays } from '../../src/appointments/slots/opening-hours.ts';
import { fc } from './property.ts';

export const minuteMs = 60_000;
/** All zones of the runtime, and a few old names. */
export const zones = [
  ...Intl.supportedValuesOf('timeZone'),
  'UTC',
  'US/Eastern',
  'Asia/Calcutta',
  'Etc/GMT+12',
];
/** The seed of the random cases: the same in every run, unless SLOTS_SEED is set. */
export const seed = Number(process.env.SLOTS_SEED ?? 20_261_122);

export interface Query {
  /** The TZ of the process, which must not matter. */
  machine: string;
  zone: string;
  requestedZone: string;
  date: string;
  now: number;
  weekly: (ClockWindow & { weekday: Weekday })[];
  overrides: { date: string; windows: ClockWindow[] }[];
  slotMinutes: number;
  stepMinutes: number;
  before: number;
  after: number;
  notice: number;
  windowDays: number;
  limit: number | null;
  busy: { from: number; to: number }[];
  booked: number[];
}

export const clock = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** The dates in two years on which a zone's clocks change. */
export function changesOf(zone: string): Temporal.PlainDate[] {
  const changes: Temporal.PlainDate[] = [];
  let at = Temporal.PlainDate.from('2026-01-01').toZonedDateTime(zone).getTimeZoneTransition('next');
  while (at && at.year < 2028) {
    changes.push(at.toPlainDate());
    at = at.getTimeZoneTransition('next');
  }
  return changes;
}

export const near = (dates: Temporal.PlainDate[]) =>
  fc
    .tuple(fc.constantFrom(...dates), fc.integer({ min: -2, max: 2 }))
    .map(([date, days]) => date.add({ days }));
export const anyDate = fc
  .integer({ min: 0, max: 729 })
  .map((days) => Temporal.PlainDate.from('2026-01-01').add({ days }));

/** Dates in two years, mostly around the zone's clock changes if it has any. */
export const datesOf = (zone: string) => {
  const changes = changesOf(zone);
  if (changes.length === 0) return anyDate;
  return fc.oneof({ arbitrary: near(changes), weight: 4 }, { arbitrary: anyDate, weight: 1 });
};

const quarter = fc.integer({ min: 0, max: 95 }).map((count) => count * 15);
const anyMinute = fc.oneof(quarter, fc.integer({ min: 0, max: 1439 }));
const window = fc
  .tuple(anyMinute, fc.oneof(anyMinute, fc.constant(1440)))
  .map(([from, to]): ClockWindow => ({ from: clock(from), to: clock(to) }));

const changing = zones.filter((zone) => changesOf(zone).length > 0);
export const anyZone = fc.oneof(fc.constantFrom(...changing), fc.constantFrom(...zones));

export const queriesOf = (zone: string, dates: fc.Arbitrary<Temporal.PlainDate>): fc.Arbitrary<Query> =>
  dates.chain((date) => {
    const day = Date.parse(`${date}T00:00:00Z`);
    const instant = fc.integer({ min: -2 * 1440, max: 3 * 1440 }).map((minute) => day + minute * minuteMs);
    const around = fc.integer({ min: -2, max: 2 }).map((days) => date.add({ days }).toString());
    return fc.record({
      machine: fc.constantFrom(
        'UTC',
        'Asia/Kolkata',
        'America/St_Johns',
        'Pacific/Kiritimati',
        'Europe/Berlin',
      ),
      zone: fc.constant(zone),
      requestedZone: fc.oneof(fc.constant(zone), anyZone),
      date: fc.constant(date.toString()),
      now: fc.integer({ min: -5 * 86_400, max: 86_400 }).map((second) => day + second * 1000),
      weekly: fc.oneof(
        fc.constant(weekdays.map((weekday) => ({ weekday, from: '00:00', to: '24:00' }))),
        fc.array(
          fc
            .record({ weekday: fc.constantFrom(...weekdays), hours: window })
            .map(({ weekday, hours }) => ({ weekday, ...hours })),
          { minLength: 4, maxLength: 14 },
        ),
      ),
      overrides: fc.uniqueArray(fc.record({ date: around, windows: fc.array(window, { maxLength: 2 }) }), {
        maxLength: 2,
        selector: (entry) => entry.date,
      }),
      slotMinutes: fc.constantFrom(5, 15, 20, 30, 45, 50, 60, 90, 120),
      stepMinutes: fc.constantFrom(5, 10, 15, 30, 45, 60),
      before: fc.constantFrom(0, 0, 5, 15, 45),
      after: fc.constantFrom(0, 0, 10, 15, 60),
      notice: fc.constantFrom(0, 0, 30, 60, 1440),
      windowDays: fc.constantFrom(0, 1, 2, 60),
      limit: fc.constantFrom(null, null, 1, 2),
      busy: fc.array(
        fc
          .tuple(instant, fc.integer({ min: 0, max: 300 }))
          .map(([from, length]) => ({ from, to: from + length * minuteMs })),
        { maxLength: 5 },
      ),
      booked: fc.array(instant, { maxLength: 3 }),
    });
  });
