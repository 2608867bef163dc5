// Series around clock changes, compared with a day-by-day computation and with another library call.
import { RRuleTemporal } from 'rrule-temporal';
import { expect, test } from 'vitest';
import { utc } from '../../src/adapters/caldav/zones.ts';
import { readBusyObject } from '../harness/busy-object.ts';
import { fc } from '../harness/property.ts';

const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
/** Zones whose clocks change at different hours, at midnight (Santiago), by half an hour (Lord Howe), and never. */
const zones = [
  ...['Europe/Berlin', 'America/New_York', 'America/Santiago', 'Australia/Lord_Howe', 'Asia/Kolkata'],
  ...['Africa/Cairo', 'America/St_Johns', 'UTC'],
];

interface Series {
  zone: string;
  start: Temporal.PlainDateTime;
  minutes: number;
  freq: 'DAILY' | 'WEEKLY';
  interval: number;
  byDay: string[];
  end: { count: number } | { untilDays: number } | null;
  exceptDays: number[];
}

const series: fc.Arbitrary<Series> = fc.record({
  zone: fc.constantFrom(...zones),
  start: fc
    .record({ day: fc.nat(363), half: fc.nat(47) })
    .map(({ day, half }) => new Temporal.PlainDateTime(2026, 1, 1).add({ days: day, minutes: half * 30 })),
  minutes: fc.constantFrom(30, 60, 90, 600),
  freq: fc.constantFrom('DAILY', 'WEEKLY'),
  interval: fc.integer({ min: 1, max: 3 }),
  byDay: fc.subarray(weekdays),
  end: fc.oneof(
    fc.constant(null),
    fc.record({ count: fc.integer({ min: 1, max: 200 }) }),
    fc.record({ untilDays: fc.nat(300) }),
  ),
  exceptDays: fc.array(fc.nat(120), { maxLength: 5 }),
});

const basic = (local: Temporal.PlainDateTime) =>
  local.toString({ smallestUnit: 'second' }).replace(/[-:]/g, '');
const instantOf = (local: Temporal.PlainDateTime, zone: string) =>
  local.toZonedDateTime(zone).epochMilliseconds;

function ruleOf({ freq, interval, byDay, end, start, zone }: Series): string {
  const until =
    end !== null && 'untilDays' in end
      ? [
          `UNTIL=${basic(start.add({ days: end.untilDays }).toZonedDateTime(zone).withTimeZone('UTC').toPlainDateTime())}Z`,
        ]
      : [];
  return [
    ...[`FREQ=${freq}`, `INTERVAL=${interval}`],
    ...(byDay.length > 0 ? [`BYDAY=${byDay.join(',')}`] : []),
    ...(end !== null && 'count' in end ? [`COUNT=${end.count}`] : []),
    ...until,
  ].join(';');
}

function textOf(given: Series): string {
  const excepted = given.exceptDays.map((days) => basic(given.start.add({ days })));
  return [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', 'UID:one'],
    `DTSTART;TZID=${given.zone}:${basic(given.start)}`,
    ...[`DURATION:PT${given.minutes}M`, `RRULE:${ruleOf(given)}`],
    ...(excepted.length > 0 ? [`EXDATE;TZID=${given.zone}:${excepted.join(',')}`] : []),
    ...['END:VEVENT', 'END:VCALENDAR', ''],
  ].join('\r\n');
}

/** The occurrences, computed day by day; weeks count from the Monday before the first one. */
function computed(given: Series, lastDate: Temporal.PlainDate): Temporal.PlainDateTime[] {
  const first = given.start.toPlainDate();
  const monday = first.subtract({ days: first.dayOfWeek - 1 });
  const byDay =
    given.byDay.length > 0 || given.freq === 'DAILY' ? given.byDay : [weekdays[first.dayOfWeek - 1]];
  const found: Temporal.PlainDateTime[] = [];
  for (let date = first; Temporal.PlainDate.compare(date, lastDate) <= 0; date = date.add({ days: 1 })) {
    const days = first.until(date).days;
    const step = given.freq === 'DAILY' ? days : Math.floor(monday.until(date).days / 7);
    if (step % given.interval !== 0) continue;
    if (byDay.length > 0 && !byDay.includes(weekdays[date.dayOfWeek - 1] ?? '')) continue;
    if (given.end !== null && 'untilDays' in given.end && days > given.end.untilDays) break;
    if (given.end !== null && 'count' in given.end && found.length === given.end.count) break;
    found.push(date.toPlainDateTime(given.start.toPlainTime()));
  }
  return found;
}

/** Selects a week around a clock change of the zone after the first occurrence. */
const weekIn = fc.record({ after: fc.integer({ min: 0, max: 300 }), back: fc.integer({ min: 0, max: 6 }) });

function spanOf(given: Series, week: { after: number; back: number }) {
  const from = given.start.add({ days: week.after }).toZonedDateTime(given.zone);
  const change = from.getTimeZoneTransition('next') ?? from;
  const start = change.subtract({ days: week.back });
  return { start: start.epochMilliseconds, end: start.add({ days: 7 }).epochMilliseconds };
}

const busyOf = (given: Series, span: { start: number; end: number }) =>
  readBusyObject(textOf(given), span, { calendarZone: utc, staffZone: 'UTC', addresses: [] }).busy.toSorted(
    (a, b) => a.start - b.start,
  );

test('a series around a clock change equals the day-by-day computation', () => {
  fc.assert(
    fc.property(series, weekIn, (given, week) => {
      const span = spanOf(given, week);
      const last = Temporal.Instant.fromEpochMilliseconds(span.end)
        .toZonedDateTimeISO(given.zone)
        .toPlainDate();
      const excepted = new Set(
        given.exceptDays.map((days) => instantOf(given.start.add({ days }), given.zone)),
      );
      // DTSTART is an occurrence even if the rule does not include it
      const locals = [given.start, ...computed(given, last.add({ days: 1 }))];
      const expected = [...new Set(locals.map((local) => instantOf(local, given.zone)))]
        .filter((start) => !excepted.has(start))
        .map((start) => ({ start, end: start + given.minutes * 60_000 }))
        .filter(({ start, end }) => start < span.end && end > span.start)
        .toSorted((a, b) => a.start - b.start);
      expect(busyOf(given, span)).toEqual(expected);
    }),
    { numRuns: 400 },
  );
});

test("a series around a clock change contains every occurrence of the library's expansion in the zone", () => {
  fc.assert(
    fc.property(series, weekIn, (given, week) => {
      const plain = { ...given, exceptDays: [] };
      const span = spanOf(given, week);
      const zoned = (at: number) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(given.zone);
      const others = new RRuleTemporal({
        rruleString: `RRULE:${ruleOf(plain)}`,
        dtstart: plain.start.toZonedDateTime(plain.zone),
      }).between(zoned(span.start), zoned(span.end - 1), true);
      const starts = new Set(busyOf(plain, span).map(({ start }) => start));
      // RFC 5545 does not count skipped local times towards COUNT, so ignore series with such times
      const hasSkipped = computed(plain, zoned(span.end).toPlainDate()).some(
        (local) => !local.toZonedDateTime(plain.zone).toPlainDateTime().equals(local),
      );
      if (hasSkipped) return;
      for (const other of others) expect(starts).toContain(other.epochMilliseconds);
    }),
    { numRuns: 400 },
  );
});
