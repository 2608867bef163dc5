// The slots engine: which slots a schedule offers on a date, and which of them are free. Rules: docs/slots.md. Pure.
import { type ZoneSpan, zoneSpans } from '../../base/time-zones.ts';
import { type Hours, openIntervals } from './opening-hours.ts';
import {
  addInstantsOf,
  clockText,
  dayMs,
  type Interval,
  instantTexts,
  isRepeat,
  localDay,
  merge,
  minuteMs,
  offsetAt,
} from './wall-time.ts';

/** The schedule of a staff member, parsed. */
export interface Terms {
  timezone: string;
  slotMinutes: number;
  slotStepMinutes: number;
  bufferBeforeMinutes: number;
  bufferAfterMinutes: number;
  minimumNoticeMinutes: number;
  bookingWindowDays: number;
  dailyLimit: number | null;
  hours: Hours;
}

/** The requested slots: those that start on the local `day` (days since 1970-01-01) in `timezone`. */
export interface SlotQuery {
  day: number;
  timezone: string;
  /** Epoch milliseconds. */
  now: number;
}

/** What makes offered slots unavailable. */
export interface Taken {
  /** Busy times of the calendars and ranges that other bookings occupy, in any order. */
  busy: readonly Interval[];
  /** Starts (epoch milliseconds) of the bookings that count towards the daily limit, at least on the requested local dates. */
  bookedStarts: readonly number[];
  /** The present and the pending start of each booking that is being moved. However the move ends, no date exceeds the limit. */
  moves?: readonly Move[];
}

/** The present and the pending start of a booking, epoch milliseconds. */
export type Move = readonly [present: number, pending: number];

export interface Slot {
  /** Local `HH:MM` in the requested zone. */
  from: string;
  to: string;
  /** RFC 3339 instants. */
  startsAt: string;
  endsAt: string;
}

/** Margin around the requested day: zones differ by up to 26 hours, and opening hours are read two days beyond that. */
export const marginMs = 5 * dayMs;

/**
 * Starts (epoch milliseconds, in order) of the slots that the schedule offers on a day, whether busy or not: inside opening
 * hours, after the minimum notice, within the booking window, and each local time once.
 */
export function candidateStarts(terms: Terms, { day, timezone, now }: SlotQuery): number[] {
  const requestedSpans = zoneSpans(timezone, day * dayMs - marginMs, (day + 1) * dayMs + marginMs);
  const ranges: Interval[] = [];
  addInstantsOf(requestedSpans, day * dayMs, (day + 1) * dayMs, ranges);
  const first = ranges[0];
  const last = ranges.at(-1);
  const earliest = now + terms.minimumNoticeMinutes * minuteMs;
  if (!first || !last || last.to <= earliest) return [];
  const staffSpans =
    timezone === terms.timezone
      ? requestedSpans
      : zoneSpans(terms.timezone, day * dayMs - marginMs, (day + 1) * dayMs + marginMs);
  const lastOpenDay = localDay(zoneSpans(terms.timezone, now, now + 1), now) + terms.bookingWindowDays;
  const firstDay = localDay(staffSpans, first.from);
  if (firstDay > lastOpenDay) return [];
  const open = openIntervals(terms.hours, staffSpans, firstDay - 2, localDay(staffSpans, last.to - 1) + 2);
  const starts: number[] = [];
  for (const range of merge(ranges)) {
    for (const interval of open) {
      addGrid(terms, interval, Math.max(range.from, earliest), range.to, starts);
    }
  }
  return starts.filter(
    (start) => localDay(staffSpans, start) <= lastOpenDay && !isRepeat(requestedSpans, start),
  );
}

/** Adds the grid's starts in `[from, to)` whose slot lies inside the open interval. */
function addGrid(terms: Terms, open: Interval, from: number, to: number, into: number[]): void {
  const stepMs = terms.slotStepMinutes * minuteMs;
  const last = open.to - terms.slotMinutes * minuteMs;
  let start = open.from + Math.max(0, Math.ceil((from - open.from) / stepMs)) * stepMs;
  for (; start <= last && start < to; start += stepMs) into.push(start);
}

/** What a slot occupies: the slot with its buffers. */
export function occupiedRange(terms: Terms, start: number): Interval {
  return {
    from: start - terms.bufferBeforeMinutes * minuteMs,
    to: start + (terms.slotMinutes + terms.bufferAfterMinutes) * minuteMs,
  };
}

/** Those of `starts` (in order) whose occupied range is free and whose local date is below the daily limit. */
export function freeStarts(terms: Terms, starts: readonly number[], taken: Taken): number[] {
  const first = starts[0];
  const last = starts.at(-1);
  if (first === undefined || last === undefined) return [];
  const beforeMs = terms.bufferBeforeMinutes * minuteMs;
  const afterMs = (terms.slotMinutes + terms.bufferAfterMinutes) * minuteMs;
  const near: Interval[] = [];
  for (const { from, to } of taken.busy) {
    if (to > first - beforeMs && from < last + afterMs && from < to) near.push({ from, to });
  }
  const busy = merge(near);
  const underLimit = limitCheck(terms, first, last, taken);
  let at = 0;
  return starts.filter((start) => {
    let next = busy[at];
    while (next && next.to <= start - beforeMs) next = busy[++at];
    return (!next || next.from >= start + afterMs) && underLimit(start);
  });
}

/** Returns whether the local date of a start between `first` and `last` is below the daily limit. */
export function limitCheck(
  terms: Terms,
  first: number,
  last: number,
  { bookedStarts, moves = [] }: Pick<Taken, 'bookedStarts' | 'moves'>,
) {
  const limit = terms.dailyLimit;
  if (limit === null) return () => true;
  const staffSpans = zoneSpans(terms.timezone, first - 2 * dayMs, last + 2 * dayMs);
  const counts = new Map<number, number>();
  const isNear = (start: number) => start >= first - 2 * dayMs && start < last + 2 * dayMs;
  const count = (day: number) => counts.set(day, (counts.get(day) ?? 0) + 1);
  for (const start of bookedStarts) if (isNear(start)) count(localDay(staffSpans, start));
  // a move within a date counts once
  for (const starts of moves)
    new Set(starts.filter(isNear).map((start) => localDay(staffSpans, start))).forEach(count);
  return (start: number) => (counts.get(localDay(staffSpans, start)) ?? 0) < limit;
}

/** The slots that begin at `starts`, with local times in `timezone`. */
export function slotsAt(terms: Terms, starts: readonly number[], timezone: string): Slot[] {
  const first = starts[0];
  const last = starts.at(-1);
  if (first === undefined || last === undefined) return [];
  const lengthMs = terms.slotMinutes * minuteMs;
  const spans: ZoneSpan[] = zoneSpans(timezone, first, last + lengthMs + 1);
  const instant = instantTexts();
  return starts.map((start) => {
    const end = start + lengthMs;
    return {
      from: clockText(start + offsetAt(spans, start)),
      to: clockText(end + offsetAt(spans, end)),
      startsAt: instant(start),
      endsAt: instant(end),
    };
  });
}

/** The one of `starts` whose slot is shown as `from` to `to` (`HH:MM`) in `timezone`; undefined if there is none. */
export function startShownAs(
  terms: Terms,
  starts: readonly number[],
  timezone: string,
  { from, to }: { from: string; to: string },
): number | undefined {
  const first = starts[0];
  const last = starts.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const lengthMs = terms.slotMinutes * minuteMs;
  const spans = zoneSpans(timezone, first, last + lengthMs + 1);
  const shown = (instant: number) => clockText(instant + offsetAt(spans, instant));
  return starts.find((start) => shown(start) === from && shown(start + lengthMs) === to);
}
