// The slots engine compared with a slow scan of every minute by the rules of docs/slots.md. SLOTS_SCAN=all: every zone and clock change.
import { expect, test } from 'vitest';
import { dayWindow } from '../../src/appointments/slots/day-window.ts';
import { candidateStarts, freeStarts, slotsAt, type Terms } from '../../src/appointments/slots/engine.ts';
import { type ClockWindow, hoursOf, weekdays } from '../../src/appointments/slots/opening-hours.ts';
import { dayOfDate } from '../../src/appointments/slots/wall-time.ts';
import { fc } from '../harness/property.ts';
import {
  anyDate,
  anyZone,
  changesOf,
  clock,
  datesOf,
  minuteMs,
  near,
  type Query,
  queriesOf,
  seed,
  zones,
} from '../harness/slot-queries.ts';

const minutes = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3));
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

/** What the engine offers, given only the bookings in the window that the database is asked for. */
const engine = (query: Query): string[] => slotsGiven(query, (all, window) => all.filter(window));

function slotsGiven(query: Query, known: <T>(all: T[], isInWindow: (one: T) => boolean) => T[]): string[] {
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
  const { occupied, counted } = dayWindow(terms, day, query.requestedZone);
  const free = freeStarts(terms, candidates, {
    busy: known(query.busy, ({ from, to }) => from < occupied.to && to > occupied.from),
    bookedStarts: known(query.booked, (at) => at >= counted.from && at < counted.to),
  });
  return slotsAt(terms, free, query.requestedZone).map(
    ({ startsAt, from, to }) => `${Date.parse(startsAt)} ${from} ${to}`,
  );
}

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

test(`bookings outside the window of a date change none of its slots (SLOTS_SEED=${seed})`, () => {
  const instants = (date: string) =>
    fc
      .integer({ min: -2 * 288, max: 3 * 288 })
      .map((fifth) => Date.parse(`${date}T00:00:00Z`) + fifth * 5 * minuteMs);
  const crowded = anyZone
    .chain((zone) => queriesOf(zone, datesOf(zone)))
    .chain((query) =>
      fc
        .record({
          busy: fc.array(instants(query.date), { maxLength: 30 }),
          booked: fc.array(instants(query.date), { maxLength: 12 }),
        })
        .map(({ busy, booked }): Query => {
          const short = busy.map((from) => ({ from, to: from + 5 * minuteMs }));
          return { ...query, busy: short, booked, notice: 0, limit: 4, now: query.now - 2 * 86_400_000 };
        }),
    );
  fc.assert(
    fc.property(crowded, (query) => {
      expect(engine(query)).toEqual(slotsGiven(query, (all) => all));
    }),
    { seed, numRuns: 1_500 },
  );
});

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
