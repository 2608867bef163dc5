// Event times as instants, with the rules of the Calendar API. Pure.
import { apiError } from './google-error.ts';
import type { EventTime } from './resources.ts';

/** Half-open `[start, end)`, milliseconds since the epoch. */
export interface Span {
  start: number;
  end: number;
}

const dateForm = /^\d{4}-\d{2}-\d{2}$/;
const offsetForm = /(Z|[+-]\d{2}:?\d{2})$/i;

/** The instant of an event's start or end; a date is the first instant of that day in the calendar's zone. */
export function instantOf(time: EventTime, calendarZone: string): number {
  try {
    if (time.date !== undefined) {
      return Temporal.PlainDate.from(time.date).toZonedDateTime(calendarZone).epochMilliseconds;
    }
    const text = time.dateTime ?? '';
    if (offsetForm.test(text)) return Temporal.Instant.from(text).epochMilliseconds;
    const zone = time.timeZone ?? calendarZone;
    return Temporal.PlainDateTime.from(text).toZonedDateTime(zone).epochMilliseconds;
  } catch {
    throw apiError('invalid', { message: 'Invalid start time.' });
  }
}

/** Start and end; throws for what the API rejects: a missing end, a mix of date and time, an empty span, an unknown zone. */
export function spanOf(event: { start?: EventTime; end?: EventTime }, calendarZone: string): Span {
  const { start, end } = event;
  if (start === undefined) throw apiError('required', { message: 'Missing start time.' });
  if (end === undefined) throw apiError('required', { message: 'Missing end time.' });
  if ((start.date === undefined) !== (end.date === undefined)) {
    throw apiError('invalid', {
      message: 'Start and end times must either both be date or both be dateTime.',
    });
  }
  for (const time of [start, end]) checkTime(time);
  const span = storedSpan({ start, end }, calendarZone);
  if (span.end < span.start) throw apiError('timeRangeEmpty');
  if (start.date !== undefined && span.end === span.start) throw apiError('timeRangeEmpty');
  return span;
}

function checkTime(time: EventTime): void {
  if (time.date !== undefined && !dateForm.test(time.date)) {
    throw apiError('invalid', { message: 'Invalid value for date.' });
  }
  if (time.date !== undefined && time.dateTime !== undefined) {
    throw apiError('invalid', { message: 'Invalid start time.' });
  }
  if (time.date === undefined && typeof time.dateTime !== 'string') throw apiError('required');
  if (time.dateTime !== undefined && time.timeZone === undefined && !offsetForm.test(time.dateTime)) {
    throw apiError('required', { message: 'Missing time zone definition for start time.' });
  }
  if (time.timeZone !== undefined && !isZone(time.timeZone)) {
    throw apiError('invalid', { message: 'Invalid time zone definition for start time.' });
  }
}

interface Read extends Span {
  from: { start: EventTime; end: EventTime; calendarZone: string };
}

/** Cached spans by event, because every free-busy query reads all events of a calendar. */
const read = new WeakMap<object, Read>();

/** Start and end of an event that was checked before. */
export function storedSpan(event: { start: EventTime; end: EventTime }, calendarZone: string): Span {
  const { start, end } = event;
  const known = read.get(event);
  const { from } = known ?? {};
  if (known && from?.start === start && from.end === end && from.calendarZone === calendarZone) return known;
  const span = { start: instantOf(start, calendarZone), end: instantOf(end, calendarZone) };
  read.set(event, { ...span, from: { start, end, calendarZone } });
  return span;
}

/** A request's `timeMin` or `timeMax`: RFC 3339 with an offset, else throws 400. */
export function rfc3339(text: unknown): number {
  if (typeof text === 'string' && offsetForm.test(text)) {
    const parsed = Date.parse(text);
    if (!Number.isNaN(parsed)) return parsed;
  }
  throw apiError('invalid', { status: 400, message: 'Bad Request' });
}

const zones = new Set<string>();

function isZone(zone: string): boolean {
  if (zones.has(zone)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    zones.add(zone);
    return true;
  } catch {
    return false;
  }
}
