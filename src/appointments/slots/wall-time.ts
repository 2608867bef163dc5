// Local times and instants: what clocks of a zone show, and the instants of local times. Pure.
import { type ZoneSpan, zoneSpans } from '../../base/time-zones.ts';

export const minuteMs = 60_000;
export const dayMs = 86_400_000;

/** Half-open `[from, to)`, epoch milliseconds. */
export interface Interval {
  from: number;
  to: number;
}

/** Days since 1970-01-01 of a date `YYYY-MM-DD`; undefined for an invalid date. */
export function dayOfDate(date: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date)) return undefined;
  const ms = Date.parse(`${date}T00:00:00Z`);
  // Date.parse reads 2026-02-30 as March 2nd
  return new Date(ms).getUTCDate() === Number(date.slice(-2)) ? ms / dayMs : undefined;
}

/** `YYYY-MM-DD` of a number of days since 1970-01-01. */
function dateOfDay(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10);
}

/** Minutes of `HH:MM` since midnight; `24:00` is 1440. */
export function minuteOfClock(clock: string): number {
  return Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5));
}

/** `HH:MM` of a local time in milliseconds (instant plus offset). */
export function clockText(localMs: number): string {
  const minute = Math.floor((((localMs % dayMs) + dayMs) % dayMs) / minuteMs);
  return clockTexts[minute] as string;
}

const twoDigits = (value: number) => String(value).padStart(2, '0');
/** By the minute of the day. */
const clockTexts = Array.from(
  { length: 1440 },
  (_, minute) => `${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}`,
);

/** Formats instants (epoch milliseconds) like `Date.toISOString`, but computes each date once: faster for many on the same days. */
export function instantTexts(): (instant: number) => string {
  const dates = new Map<number, string>();
  return (instant) => {
    if (instant % minuteMs !== 0) return new Date(instant).toISOString();
    const day = Math.floor(instant / dayMs);
    const date = dates.get(day) ?? new Date(day * dayMs).toISOString().slice(0, -'00:00:00.000Z'.length);
    dates.set(day, date);
    return `${date}${clockText(instant)}:00.000Z`;
  };
}

/** The zone's offset at an instant that the spans cover. */
export function offsetAt(spans: readonly ZoneSpan[], instant: number): number {
  for (const span of spans) if (instant < span.to) return span.offset;
  return spans.at(-1)?.offset ?? 0;
}

/** The local day (days since 1970-01-01) of an instant that the spans cover. */
export function localDay(spans: readonly ZoneSpan[], instant: number): number {
  return Math.floor((instant + offsetAt(spans, instant)) / dayMs);
}

/** What a clock in the zone shows at an instant: `YYYY-MM-DD` and `HH:MM`. */
export function localText(zone: string, instant: number): { date: string; clock: string } {
  const local = instant + offsetAt(zoneSpans(zone, instant, instant + 1), instant);
  return { date: dateOfDay(Math.floor(local / dayMs)), clock: clockText(local) };
}

/**
 * Adds to `into` every instant whose local time is in `[localFrom, localTo)`. A local time skipped by a clock change has
 * no instant; a repeated one has two.
 */
export function addInstantsOf(
  spans: readonly ZoneSpan[],
  localFrom: number,
  localTo: number,
  into: Interval[],
): void {
  for (const span of spans) {
    const from = Math.max(span.from, localFrom - span.offset);
    const to = Math.min(span.to, localTo - span.offset);
    if (from < to) into.push({ from, to });
  }
}

/** True if an earlier instant has the same local time, because clocks went back in between. */
export function isRepeat(spans: readonly ZoneSpan[], instant: number): boolean {
  if (spans.length === 1) return false;
  const local = instant + offsetAt(spans, instant);
  for (const span of spans) {
    const twin = local - span.offset;
    if (twin < instant && twin >= span.from && twin < span.to) return true;
  }
  return false;
}

/** Sorts intervals and joins those that touch or overlap. Changes the array and returns it. */
export function merge(intervals: Interval[]): Interval[] {
  intervals.sort((a, b) => a.from - b.from);
  let kept = 0;
  for (const interval of intervals) {
    const last = kept > 0 ? intervals[kept - 1] : undefined;
    if (last && interval.from <= last.to) last.to = Math.max(last.to, interval.to);
    else intervals[kept++] = interval;
  }
  intervals.length = kept;
  return intervals;
}
