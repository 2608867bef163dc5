// Occurrences of a series: RRULE, RDATE and EXDATE in the local time of its zone. Pure.
import ICAL from 'ical.js';
import { RRuleTemporal } from 'rrule-temporal';
import type { Interval } from '../../ports/calendar.ts';
import {
  firstInstant,
  type Moment,
  momentOf,
  momentsOf,
  type ObjectContext,
  readOrReport,
  UnreadableEvent,
} from './moments.ts';

export interface Occurrence {
  local: Temporal.PlainDateTime;
  /** Epoch milliseconds. */
  start: number;
  /** The end of a period in RDATE. */
  end?: number;
}

/** The most iterations for one rule: far more than a valid rule needs in some weeks, and at most 0.2 s. */
const maxIterations = 20_000;
/** The most times of day that a rule may list: every minute, or every hour in monthly and yearly rules. */
const maxTimesOfDay = { short: 1_440, long: 24 };
/** The most rules of a series. RFC 5545 allows one RRULE; the meaning of several is undefined. */
const maxRules = 4;
/** The most dates (RDATE, EXDATE) of a series. */
const maxDates = 20_000;

/** What the occurrences of a series depend on, with the numbers of its rules and dates so far: a rule may take 0.2 s, a date 20 µs. */
export interface SeriesContext extends ObjectContext {
  rules: { read: number };
  dates: { read: number };
}
/** Frequencies with periods of constant length in local time. */
const periodMs: Record<string, number> = {
  SECONDLY: 1_000,
  MINUTELY: 60_000,
  HOURLY: 3_600_000,
  DAILY: 86_400_000,
  WEEKLY: 7 * 86_400_000,
};
const dayMs = 86_400_000;

/**
 * The occurrences of `event` that start within `span`, widened by at least a day, without EXDATEs. DTSTART is always
 * one. Rules run in local time. Unreadable parts are left out and reported as problems. A local time that a clock change
 * skips moves forward, as in calendar programs (RFC 5545 drops it). A repeated one counts twice in hourly or faster series.
 */
export function occurrencesOf(
  event: ICAL.Component,
  first: Moment,
  span: Interval,
  context: SeriesContext,
): Occurrence[] {
  const found = new Map<number, Occurrence>();
  const add = (local: Temporal.PlainDateTime, each: number[]) => {
    for (const start of each) found.set(start, { local, start });
  };
  add(first.local, [firstInstant(first)]);
  for (const property of event.getAllProperties('rrule').slice(0, maxRules + 1)) {
    readOrReport(context, true, () => {
      const rule = property.getFirstValue();
      if (!(rule instanceof ICAL.Recur)) throw new UnreadableEvent('its RRULE is not a valid rule');
      if (context.rules.read === maxRules) throw new UnreadableEvent('it has too many rules');
      context.rules.read += 1;
      const isSubDaily = ['HOURLY', 'MINUTELY', 'SECONDLY'].includes(rule.freq);
      for (const local of ruleOccurrences(rule, first, span)) {
        const [earlier, later] = first.zone.instantsOf(local);
        add(local, isSubDaily ? [earlier, later] : [earlier]);
      }
    });
  }
  for (const occurrence of rdateOccurrences(event, context)) found.set(occurrence.start, occurrence);
  const dates = new Set<string>();
  for (const moment of momentsOf(dateProperties(event, 'exdate', context, false), context, false)) {
    if (!moment.isDate || first.isDate) found.delete(firstInstant(moment));
    // some programs exclude an occurrence by its date alone
    else dates.add(dateOf(moment.local));
  }
  const occurrences = [...found.values()];
  return dates.size === 0 ? occurrences : occurrences.filter(({ local }) => !dates.has(dateOf(local)));
}

/** The date of a local time, such as `2027-03-10`. */
export const dateOf = (local: Temporal.PlainDateTime): string => local.toPlainDate().toString();

/** The local times of a rule. UNTIL is applied here, because programs write it in many nonstandard forms. */
function ruleOccurrences(rule: ICAL.Recur, first: Moment, span: Interval): Temporal.PlainDateTime[] {
  const last = rule.until instanceof ICAL.Time ? lastStart(rule.until, first) : undefined;
  if (last !== undefined && last < span.start - dayMs) return [];
  if (isTooDense(rule)) throw new UnreadableEvent('its rule repeats too often');
  const ahead = skipAhead(rule, first.local, span.start - dayMs);
  if (ahead === null) return [];
  const withoutUntil = rule.clone();
  withoutUntil.until = null as never;
  if (ahead.count !== null) withoutUntil.count = ahead.count;
  const wall = (instant: number) => Temporal.Instant.fromEpochMilliseconds(instant).toZonedDateTimeISO('UTC');
  try {
    const series = new RRuleTemporal({
      rruleString: `RRULE:${withoutUntil.toString()}`,
      dtstart: ahead.start.toZonedDateTime('UTC'),
      maxIterations,
      cache: false,
    });
    return series
      .between(wall(span.start - dayMs), wall(span.end + dayMs), true)
      .map((each) => Temporal.PlainDateTime.from(each.toPlainDateTime().toString()))
      .filter((local) => last === undefined || first.zone.instantsOf(local)[0] <= last);
  } catch (error) {
    throw new UnreadableEvent(`its rule cannot be expanded (${(error as Error).message})`);
  }
}

/** True if a rule lists more times of day than any valid rule: it would expand to millions of occurrences. */
function isTooDense({ freq, parts }: ICAL.Recur): boolean {
  const lists = (['BYHOUR', 'BYMINUTE', 'BYSECOND'] as const).map((name) => parts[name]?.length ?? 1);
  const times = lists.reduce((product, length) => product * length, 1);
  return times > (freq === 'MONTHLY' || freq === 'YEARLY' ? maxTimesOfDay.long : maxTimesOfDay.short);
}

/**
 * A later start with the same occurrences after `from` (epoch milliseconds of the local time as UTC): the start plus whole
 * periods, so that old series expand fast. `count`: the rest of COUNT; null if the rule has none. Null if none is left.
 */
function skipAhead(
  rule: ICAL.Recur,
  start: Temporal.PlainDateTime,
  from: number,
): { start: Temporal.PlainDateTime; count: number | null } | null {
  const count = rule.count ?? null;
  const period = (periodMs[rule.freq] ?? 0) * Math.max(1, rule.interval);
  // with BYxxx parts, a period has any number of occurrences, so COUNT must be counted from the start
  if (period === 0 || (count !== null && Object.keys(rule.parts).length > 0)) return { start, count };
  const skipped = Math.floor((from - start.toZonedDateTime('UTC').epochMilliseconds) / period) - 1;
  if (skipped <= 0) return { start, count };
  if (count !== null && count <= skipped) return null;
  return {
    start: start.add({ milliseconds: skipped * period }),
    count: count === null ? null : count - skipped,
  };
}

/** The last instant at which an occurrence may start. A date includes the whole day. */
function lastStart(until: ICAL.Time, first: Moment): number {
  const { year, month, day, hour, minute, second } = until;
  if (until.isDate) {
    const next = new Temporal.PlainDateTime(year, month, day).add({ days: 1 });
    return first.zone.instantsOf(next)[0] - 1;
  }
  const local = new Temporal.PlainDateTime(year, month, day, hour, minute, Math.min(second, 59));
  if (until.zone?.tzid === 'UTC' && !first.isDate) return local.toZonedDateTime('UTC').epochMilliseconds;
  return first.zone.instantsOf(first.isDate ? local.with({ hour: 23, minute: 59 }) : local)[1];
}

/** The properties of that name, without those beyond the limit of dates, which is a problem. */
function dateProperties(
  event: ICAL.Component,
  name: string,
  context: SeriesContext,
  isTimeUnknown: boolean,
): ICAL.Property[] {
  const count = (property: ICAL.Property): true => {
    // without reading them: name, parameters and type come before the values
    context.dates.read += property.jCal.length - 3;
    if (context.dates.read > maxDates) throw new UnreadableEvent('it has too many dates');
    return true;
  };
  return event
    .getAllProperties(name)
    .filter((property) => readOrReport(context, isTimeUnknown, () => count(property)));
}

/** Occurrences of RDATE: times, dates, or periods with their own end. */
function rdateOccurrences(event: ICAL.Component, context: SeriesContext): Occurrence[] {
  const read = (property: ICAL.Property) =>
    property.getValues().map((value: unknown): Occurrence => {
      const period = value instanceof ICAL.Period ? value : undefined;
      const moment = momentOf(period ? period.start : value, property, context);
      const at = { local: moment.local, start: firstInstant(moment) };
      return period ? { ...at, end: firstInstant(momentOf(period.getEnd(), property, context)) } : at;
    });
  return dateProperties(event, 'rdate', context, true).flatMap(
    (property) => readOrReport(context, true, () => read(property)) ?? [],
  );
}
