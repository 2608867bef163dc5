// When a series takes place: RRULE, RDATE and EXDATE by the wall clock of its zone. Pure.
import ICAL from 'ical.js';
import { RRuleTemporal } from 'rrule-temporal';
import type { Interval } from '../../ports/calendar.ts';
import {
  attempt,
  earliest,
  type Moment,
  momentOf,
  momentsOf,
  type Surroundings,
  UnreadableEvent,
} from './moments.ts';

export interface Occurrence {
  local: Temporal.PlainDateTime;
  /** Epoch milliseconds. */
  start: number;
  /** Of a period given in RDATE, its own end. */
  end?: number;
}

/** Many more than a span of weeks holds of any sound rule; beyond that a rule is given up (within 0.2 s). */
const maxIterations = 20_000;
/** How often in a day a rule may list: every minute; expanding years and months at once, every hour. */
const maxTimesOfDay = { short: 1_440, long: 24 };
/** RFC 5545 wants one RRULE; more have no agreed meaning. */
const maxRules = 4;
/** Frequencies whose periods are equally long on the wall clock. */
const periodMs: Record<string, number> = {
  SECONDLY: 1_000,
  MINUTELY: 60_000,
  HOURLY: 3_600_000,
  DAILY: 86_400_000,
  WEEKLY: 7 * 86_400_000,
};
const dayMs = 86_400_000;

/**
 * The occurrences of `event` that start within `span`, widened by at least a day, EXDATEs taken out; DTSTART always is
 * one. The rule runs by the wall clock. What cannot be read of it is left out and a doubt. A local time that clocks jump over is kept, shifted, as calendar programs show
 * it (RFC 5545 would drop it), and one that comes twice counts twice in series of less than a day.
 */
export function occurrencesOf(
  event: ICAL.Component,
  first: Moment,
  span: Interval,
  around: Surroundings,
): Occurrence[] {
  const found = new Map<number, Occurrence>();
  const add = (local: Temporal.PlainDateTime, each: number[]) => {
    for (const start of each) found.set(start, { local, start });
  };
  add(first.local, [earliest(first)]);
  for (const [index, property] of event
    .getAllProperties('rrule')
    .slice(0, maxRules + 1)
    .entries()) {
    attempt(around, true, () => {
      const rule = property.getFirstValue();
      if (!(rule instanceof ICAL.Recur)) throw new UnreadableEvent('RRULE is no rule');
      if (index === maxRules) throw new UnreadableEvent('it has too many rules');
      const often = ['HOURLY', 'MINUTELY', 'SECONDLY'].includes(rule.freq);
      for (const local of ruled(rule, first, span)) {
        const [earlier, later] = first.zone.readings(local);
        add(local, often ? [earlier, later] : [earlier]);
      }
    });
  }
  for (const occurrence of extraOf(event, around)) found.set(occurrence.start, occurrence);
  for (const moment of momentsOf(event, 'exdate', around, false)) {
    if (!moment.isDate || first.isDate) found.delete(earliest(moment));
    // Some programs leave a whole date out of a series of times.
    else for (const [start, { local }] of found) if (isSameDate(local, moment.local)) found.delete(start);
  }
  return [...found.values()];
}

export const isSameDate = (a: Temporal.PlainDateTime, b: Temporal.PlainDateTime) =>
  a.toPlainDate().equals(b.toPlainDate());

/** The local times of a rule. UNTIL is held against them here: rules in the wild write it in every form there is. */
function ruled(rule: ICAL.Recur, first: Moment, span: Interval): Temporal.PlainDateTime[] {
  const last = rule.until instanceof ICAL.Time ? lastStart(rule.until, first) : undefined;
  if (last !== undefined && last < span.start - dayMs) return [];
  if (isTooDense(rule)) throw new UnreadableEvent('its rule repeats more often than can be followed');
  const near = nearSpan(rule, first.local, span.start - dayMs);
  if (near === null) return [];
  const endless = rule.clone();
  endless.until = null as never;
  if (near.count !== null) endless.count = near.count;
  const wall = (instant: number) => Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO('UTC');
  try {
    const series = new RRuleTemporal({
      rruleString: `RRULE:${endless.toString()}`,
      dtstart: near.start.toZonedDateTime('UTC'),
      maxIterations,
      cache: false,
    });
    return series
      .between(wall(span.start - dayMs), wall(span.end + dayMs), true)
      .map((each) => Temporal.PlainDateTime.from(each.toPlainDateTime().toString()))
      .filter((local) => last === undefined || first.zone.readings(local)[0] <= last);
  } catch (error) {
    throw new UnreadableEvent(`its rule cannot be followed (${(error as Error).message})`);
  }
}

/** True if the times of day that a rule lists are more than any sound rule has: they would be expanded by the million. */
function isTooDense({ freq, parts }: ICAL.Recur): boolean {
  const lists = (['BYHOUR', 'BYMINUTE', 'BYSECOND'] as const).map((name) => parts[name]?.length ?? 1);
  const times = lists.reduce((product, length) => product * length, 1);
  return times > (freq === 'MONTHLY' || freq === 'YEARLY' ? maxTimesOfDay.long : maxTimesOfDay.short);
}

/**
 * Where a rule is best followed from for what lies after `from` (epoch milliseconds, the wall clock taken for UTC): whole
 * periods later than its start, however long ago that was. `count`: how many occurrences are left of a COUNT; null where
 * the rule has none. Null if none is left.
 */
function nearSpan(
  rule: ICAL.Recur,
  start: Temporal.PlainDateTime,
  from: number,
): { start: Temporal.PlainDateTime; count: number | null } | null {
  const count = rule.count ?? null;
  const period = (periodMs[rule.freq] ?? 0) * Math.max(1, rule.interval);
  // with a BYxxx part, a period may hold many occurrences or none: COUNT has to be counted from the start
  if (period === 0 || (count !== null && Object.keys(rule.parts).length > 0)) return { start, count };
  const passed = Math.floor((from - start.toZonedDateTime('UTC').epochMilliseconds) / period) - 1;
  if (passed <= 0) return { start, count };
  if (count !== null && count <= passed) return null;
  return {
    start: start.add({ milliseconds: passed * period }),
    count: count === null ? null : count - passed,
  };
}

/** The last instant at which an occurrence may start. A bare date lets everything of that date in. */
function lastStart(until: ICAL.Time, first: Moment): number {
  const { year, month, day, hour, minute, second } = until;
  if (until.isDate) {
    const next = new Temporal.PlainDateTime(year, month, day).add({ days: 1 });
    return first.zone.readings(next)[0] - 1;
  }
  const local = new Temporal.PlainDateTime(year, month, day, hour, minute, Math.min(second, 59));
  if (until.zone?.tzid === 'UTC' && !first.isDate) return local.toZonedDateTime('UTC').epochMilliseconds;
  return first.zone.readings(first.isDate ? local.with({ hour: 23, minute: 59 }) : local)[1];
}

/** RDATE: times, dates, or periods with an end of their own. */
function extraOf(event: ICAL.Component, around: Surroundings): Occurrence[] {
  const read = (property: ICAL.Property) =>
    property.getValues().map((value: unknown): Occurrence => {
      const period = value instanceof ICAL.Period ? value : undefined;
      const moment = momentOf(period ? period.start : value, property, around);
      const at = { local: moment.local, start: earliest(moment) };
      return period ? { ...at, end: earliest(momentOf(period.getEnd(), property, around)) } : at;
    });
  return event
    .getAllProperties('rdate')
    .flatMap((property) => attempt(around, true, () => read(property)) ?? []);
}
