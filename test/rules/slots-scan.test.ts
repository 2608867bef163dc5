// The slots engine compared with a slow scan of every minute by the rules of docs/slots.md. SLOTS_SCAN=all: every zone and clock change.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { candidateStarts, freeStarts, slotsAt, type Terms } from '../../src/appointments/slots/engine.ts';
import {
  type ClockWindow,
  hoursOf,
  type Weekday,
  weekdays,
} from '../../src/appointments/slots/opening-hours.ts';
import { dayOfDate } from '../../src/appointments/slots/wall-time.ts';

const minuteMs = 60_000;
/** All zones of the runtime, and a few old names. */
const zones = [...Intl.supportedValuesOf('timeZone'), 'UTC', 'US/Eastern', 'Asia/Calcutta', 'Etc/GMT+12'];
/** The seed of the random cases, printed in the test's name. Set SLOTS_SEED to repeat them. */
const seed = Number(process.env.SLOTS_SEED ?? Date.now() % 1_000_000_000);

interface Query {
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

const minutes = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
const clock = (minute: number) =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** A local time: days since 1970-01-01, and minutes since midnight. */
interface Local {
  day: number;
  minute: number;
}

function localAt(instant: number, zone: string): Local {
  const { offsetNanoseconds } = new Temporal.ZonedDateTime(BigInt(instant) * 1_000_000n, zone);
  const minute = Math.floor((instant + offsetNanoseconds / 1e6) / minuteMs);
  return { day: Math.floor(minute / 1440), minute: ((minute % 1440) + 1440) % 1440 };
}

const dateOf = (day: number) => Temporal.PlainDate.from('1970-01-01').add({ days: day });

function windowsOn(query: Query, day: number): { override: boolean; windows: ClockWindow[] } {
  const date = dateOf(day);
  const override = query.overrides.find((entry) => entry.date === date.toString());
  if (override) return { override: true, windows: override.windows };
  const weekly = query.weekly.filter(({ weekday }) => weekdays.indexOf(weekday) + 1 === date.dayOfWeek);
  return { override: false, windows: weekly };
}

/** True for a local minute within opening hours. */
function openMinutes(query: Query): (local: Local) => boolean {
  const known = new Map<number, ReturnType<typeof windowsOn>>();
  const on = (day: number) => {
    const found = known.get(day) ?? windowsOn(query, day);
    known.set(day, found);
    return found;
  };
  const runsOver = ({ from, to }: ClockWindow) => minutes(to) <= minutes(from);
  return ({ day, minute }) => {
    const today = on(day);
    const inWindow = (window: ClockWindow) =>
      minute >= minutes(window.from) && (runsOver(window) || minute < minutes(window.to));
    if (today.windows.some(inWindow)) return true;
    return (
      !today.override && on(day - 1).windows.some((window) => runsOver(window) && minute < minutes(window.to))
    );
  };
}

/** Runs of open minutes; one longer than 24 hours is split where the local date changes. */
function openRuns(query: Query, first: number, locals: Local[]): { from: number; to: number }[] {
  const runs: { from: number; to: number; dates: number[] }[] = [];
  let run: { from: number; to: number; dates: number[] } | undefined;
  const isOpen = openMinutes(query);
  locals.forEach((local, index) => {
    const at = first + index * minuteMs;
    if (!isOpen(local)) {
      run = undefined;
      return;
    }
    if (!run) {
      run = { from: at, to: at, dates: [] };
      runs.push(run);
    }
    if (index > 0 && locals[index - 1]?.day !== local.day) run.dates.push(at);
    run.to = at + minuteMs;
  });
  return runs.flatMap(({ from, to, dates }) => {
    if (to - from <= 24 * 60 * minuteMs) return [{ from, to }];
    const edges = [from, ...dates.filter((date) => date > from), to];
    return edges.slice(1).map((edge, index) => ({ from: edges[index] ?? from, to: edge }));
  });
}

/** The open slots by all rules, each as `startsAt from to`. */
function scan(query: Query): string[] {
  const requestedDay = Date.parse(`${query.date}T00:00:00Z`) / (1440 * minuteMs);
  const first = (requestedDay - 4) * 1440 * minuteMs;
  const locals = Array.from({ length: 9 * 1440 }, (_, index) =>
    localAt(first + index * minuteMs, query.zone),
  );
  const ownDay = (instant: number) => locals[(instant - first) / minuteMs]?.day ?? Number.NaN;
  const lastDay = localAt(query.now, query.zone).day + query.windowDays;
  const found: string[] = [];
  for (const run of openRuns(query, first, locals)) {
    for (let start = run.from; start < run.to; start += query.stepMinutes * minuteMs) {
      const end = start + query.slotMinutes * minuteMs;
      const local = localAt(start, query.requestedZone);
      if (local.day !== requestedDay || end > run.to) continue;
      const occupied = { from: start - query.before * minuteMs, to: end + query.after * minuteMs };
      const earlier = dateOf(local.day)
        .toPlainDateTime(clock(local.minute))
        .toZonedDateTime(query.requestedZone, { disambiguation: 'earlier' }).epochMilliseconds;
      const sameDay = query.booked.filter((at) => ownDay(at) === ownDay(start)).length;
      const offered =
        start >= query.now + query.notice * minuteMs &&
        ownDay(start) <= lastDay &&
        earlier === start &&
        (query.limit === null || sameDay < query.limit) &&
        !query.busy.some(({ from, to }) => from < occupied.to && to > occupied.from && from < to);
      if (offered)
        found.push(`${start} ${clock(local.minute)} ${clock(localAt(end, query.requestedZone).minute)}`);
    }
  }
  return found;
}

/** The engine's slots in a process with another TZ. */
function engineWithOtherTz(query: Query): string[] {
  const { TZ: before } = process.env;
  process.env.TZ = query.machine;
  try {
    return engine(query);
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
}

function engine(query: Query): string[] {
  const terms: Terms = {
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
  const day = dayOfDate(query.date) ?? Number.NaN;
  const candidates = candidateStarts(terms, { day, timezone: query.requestedZone, now: query.now });
  const free = freeStarts(terms, candidates, { busy: query.busy, bookedStarts: query.booked });
  return slotsAt(terms, free, query.requestedZone).map(
    ({ startsAt, from, to }) => `${Date.parse(startsAt)} ${from} ${to}`,
  );
}

/** The dates in two years on which a zone's clocks change. */
function changesOf(zone: string): Temporal.PlainDate[] {
  const changes: Temporal.PlainDate[] = [];
  let at = Temporal.PlainDate.from('2026-01-01').toZonedDateTime(zone).getTimeZoneTransition('next');
  while (at && at.year < 2028) {
    changes.push(at.toPlainDate());
    at = at.getTimeZoneTransition('next');
  }
  return changes;
}

const near = (dates: Temporal.PlainDate[]) =>
  fc
    .tuple(fc.constantFrom(...dates), fc.integer({ min: -2, max: 2 }))
    .map(([date, days]) => date.add({ days }));
const anyDate = fc
  .integer({ min: 0, max: 729 })
  .map((days) => Temporal.PlainDate.from('2026-01-01').add({ days }));

/** Dates in two years, mostly around the zone's clock changes if it has any. */
const datesOf = (zone: string) => {
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
const anyZone = fc.oneof(fc.constantFrom(...changing), fc.constantFrom(...zones));

const queriesOf = (zone: string, dates: fc.Arbitrary<Temporal.PlainDate>): fc.Arbitrary<Query> =>
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

/** Compares engine and scan; returns the number of offered slots, which shows that the cases are not all empty. */
function agree(queries: fc.Arbitrary<Query>, options: fc.Parameters<[Query]>): number {
  let offered = 0;
  fc.assert(
    fc.property(queries, (given) => {
      const expected = scan(given);
      offered += expected.length;
      expect(engineWithOtherTz(given)).toEqual(expected);
    }),
    { seed, ...options },
  );
  return offered;
}

if (process.env.SLOTS_SCAN === 'all') {
  test.each(zones)(
    `the engine offers the same slots as a scan of every minute, around every clock change of %s (SLOTS_SEED=${seed})`,
    (zone) => {
      const changes = changesOf(zone);
      const dates = changes.length === 0 ? [anyDate] : changes.map((change) => near([change]));
      for (const around of dates) agree(queriesOf(zone, around), { numRuns: 12 });
    },
    600_000,
  );
} else {
  test(`the engine offers the same slots as a scan of every minute, in random zones around clock changes (SLOTS_SEED=${seed})`, () => {
    const queries = anyZone.chain((zone) => queriesOf(zone, datesOf(zone)));
    expect(agree(queries, { numRuns: 120, interruptAfterTimeLimit: 8_000 })).toBeGreaterThan(100);
  }, 30_000);
}
