// Expansion of daily and weekly recurrence rules (RFC 5545) in local time of the event's zone. Pure.
import { instantOf, type Span, storedSpan } from './event-time.ts';
import { apiError } from './google-error.ts';
import type { EventTime } from './resources.ts';

interface Rule {
  freq: 'DAILY' | 'WEEKLY';
  interval: number;
  count: number | null;
  /** Last start, as an instant. */
  until: number | null;
  /** ISO weekdays, 1 Monday to 7 Sunday; empty: the weekday of the first occurrence. */
  byDay: number[];
  /** Excluded starts. */
  excluded: Set<number>;
}

interface Series {
  start: EventTime;
  end: EventTime;
  recurrence?: string[];
}

const weekdays = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const maxSteps = 100_000;

/** Throws for an unsupported rule, and for a recurring event without a time zone, as the API does. */
export function checkRecurrence(event: Series, calendarZone: string): void {
  if (event.recurrence === undefined || event.recurrence.length === 0) return;
  if (event.start.dateTime !== undefined && event.start.timeZone === undefined) {
    throw apiError('required', { message: 'Missing time zone definition for start time.' });
  }
  readRule(event.recurrence, zoneOf(event, calendarZone));
}

/** The occurrences of an event that overlap `[from, to)`, in order; one for an event that does not recur. */
export function occurrences(event: Series, calendarZone: string, from: number, to: number): Span[] {
  const first = storedSpan(event, calendarZone);
  if (event.recurrence === undefined || event.recurrence.length === 0) {
    return overlaps(first, from, to) ? [first] : [];
  }
  const zone = zoneOf(event, calendarZone);
  const rule = readRule(event.recurrence, zone);
  const found: Span[] = [];
  let counted = 0;
  for (const date of datesOf(rule, first.start, zone, from - (first.end - first.start))) {
    const span = spanOn(event, first, date, zone);
    if (span.start < first.start) continue;
    if (rule.until !== null && span.start > rule.until) break;
    if (rule.count !== null && counted >= rule.count) break;
    counted += 1;
    if (span.start >= to) break;
    if (!rule.excluded.has(span.start) && overlaps(span, from, to)) found.push(span);
  }
  return found;
}

function overlaps(span: Span, from: number, to: number): boolean {
  return span.start < to && span.end > from;
}

function zoneOf(event: Series, calendarZone: string): string {
  return event.start.date === undefined ? (event.start.timeZone ?? calendarZone) : calendarZone;
}

/** The occurrence on `date`, at the same local time; all-day events last whole days. */
function spanOn(event: Series, first: Span, date: Temporal.PlainDate, zone: string): Span {
  if (event.start.date !== undefined && event.end.date !== undefined) {
    const days = Temporal.PlainDate.from(event.start.date).until(event.end.date);
    return {
      start: date.toZonedDateTime(zone).epochMilliseconds,
      end: date.add(days).toZonedDateTime(zone).epochMilliseconds,
    };
  }
  const time = Temporal.Instant.fromEpochMilliseconds(first.start).toZonedDateTimeISO(zone).toPlainTime();
  const start = date.toZonedDateTime({ timeZone: zone, plainTime: time }).epochMilliseconds;
  return { start, end: start + (first.end - first.start) };
}

/** Dates of the rule, endless; skips ahead to `from` unless occurrences must be counted. */
function* datesOf(rule: Rule, firstStart: number, zone: string, from: number): Generator<Temporal.PlainDate> {
  const first = Temporal.Instant.fromEpochMilliseconds(firstStart).toZonedDateTimeISO(zone).toPlainDate();
  const stepDays = (rule.freq === 'DAILY' ? 1 : 7) * rule.interval;
  const offsets = rule.freq === 'WEEKLY' && rule.byDay.length > 0 ? rule.byDay : [first.dayOfWeek];
  const base = rule.freq === 'WEEKLY' ? first.subtract({ days: first.dayOfWeek - 1 }) : first;
  const behindDays = Math.floor((from - firstStart) / 86_400_000) - 2;
  let step = rule.count === null ? Math.max(0, Math.floor(behindDays / stepDays) - 1) : 0;
  for (const last = step + maxSteps; step < last; step += 1) {
    const day = base.add({ days: step * stepDays });
    if (rule.freq === 'DAILY') {
      if (rule.byDay.length === 0 || rule.byDay.includes(day.dayOfWeek)) yield day;
    } else for (const weekday of offsets) yield day.add({ days: weekday - 1 });
  }
}

function readRule(lines: string[], zone: string): Rule {
  const rules = lines.filter((line) => line.startsWith('RRULE:'));
  const excluded = lines.filter((line) => line.startsWith('EXDATE'));
  if (rules.length !== 1 || rules.length + excluded.length !== lines.length) throw invalidRule();
  const parts = new Map(
    (rules[0] ?? '')
      .slice('RRULE:'.length)
      .split(';')
      .map((part) => part.split('=', 2) as [string, string]),
  );
  for (const name of parts.keys()) {
    if (!['FREQ', 'INTERVAL', 'COUNT', 'UNTIL', 'BYDAY', 'WKST'].includes(name)) throw invalidRule();
  }
  const freq = parts.get('FREQ');
  if (freq !== 'DAILY' && freq !== 'WEEKLY') throw invalidRule();
  const byDay = (parts.get('BYDAY') ?? '').split(',').filter((day) => day !== '');
  if (byDay.some((day) => !weekdays.includes(day))) throw invalidRule();
  return {
    freq,
    interval: positive(parts.get('INTERVAL')) ?? 1,
    count: positive(parts.get('COUNT')),
    until: parts.has('UNTIL') ? icalInstant(parts.get('UNTIL') ?? '', zone, true) : null,
    byDay: byDay.map((day) => weekdays.indexOf(day) + 1).sort((a, b) => a - b),
    excluded: new Set(excluded.flatMap((line) => excludedStarts(line, zone))),
  };
}

function positive(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw invalidRule();
  return Number(text);
}

function excludedStarts(line: string, zone: string): number[] {
  const at = line.indexOf(':');
  const named = /;TZID=([^;:]+)/.exec(line.slice(0, at))?.[1] ?? zone;
  return line
    .slice(at + 1)
    .split(',')
    .map((text) => icalInstant(text, named, false));
}

/** `20260310T090000Z`, `20260310T090000` or `20260310`; with `asLast`, a date is the end of its day. */
function icalInstant(text: string, zone: string, asLast: boolean): number {
  const parts = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})(Z)?)?$/.exec(text);
  if (parts === null) throw invalidRule();
  const date = `${parts[1]}-${parts[2]}-${parts[3]}`;
  if (parts[4] === undefined) {
    const start = instantOf({ date }, zone);
    return asLast ? start + 86_400_000 - 1 : start;
  }
  const dateTime = `${date}T${parts[4]}:${parts[5]}:${parts[6]}${parts[7] ?? ''}`;
  return instantOf({ dateTime, timeZone: zone }, zone);
}

function invalidRule() {
  return apiError('invalid', { message: 'Invalid recurrence rule.' });
}
