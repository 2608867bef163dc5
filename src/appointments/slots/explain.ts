// Why slots are open or not: every step of a date with all reasons that close it. Agrees with the engine. Pure.
import { type ZoneSpan, zoneSpans } from '../../base/time-zones.ts';
import type { SlotReason } from '../../contract/explained-slots.ts';
import { limitCheck, type Move, marginMs, occupiedRange, type SlotQuery, type Terms } from './engine.ts';
import { openIntervals } from './opening-hours.ts';
import {
  addInstantsOf,
  clockText,
  dayMs,
  type Interval,
  isRepeat,
  localDay,
  merge,
  minuteMs,
  offsetAt,
} from './wall-time.ts';

/** What is known about a date, in any order. */
export interface TakenBy<B extends Interval, E extends Interval> {
  /** Ranges that bookings occupy, with their buffers. */
  bookings: readonly B[];
  /** Busy times of the calendars. */
  events: readonly E[];
  bookedStarts: readonly number[];
  moves?: readonly Move[];
}

/** One step of a date. */
export interface Step<B, E> {
  /** Local `HH:MM` in the requested zone. */
  from: string;
  to: string;
  /** Epoch milliseconds; null for a local time that the clocks skip. */
  start: number | null;
  /** In the order of `slotReasons`; none: the slot is open. */
  reasons: SlotReason[];
  /** What takes the time longest, of each kind. */
  booking: B | undefined;
  event: E | undefined;
}

/** A step before it is judged. */
interface Found {
  /** What the clock shows, in milliseconds. */
  local: number;
  start: number | null;
  isInHours: boolean;
  order: number;
}

/**
 * Returns the steps of a local date in order: the grid of the opening hours, and in between the multiples of the step from midnight, with
 * the local times that the clocks skip.
 */
export function explainSteps<B extends Interval, E extends Interval>(
  terms: Terms,
  query: SlotQuery,
  taken: TakenBy<B, E>,
): Step<B, E>[] {
  const { day, timezone, now } = query;
  const spans = zoneSpans(timezone, day * dayMs - marginMs, (day + 1) * dayMs + marginMs);
  const own = zoneSpans(terms.timezone, day * dayMs - marginMs, (day + 1) * dayMs + marginMs);
  const found = stepsOf(terms, day, spans, own);
  const lengthMs = terms.slotMinutes * minuteMs;
  const earliest = now + terms.minimumNoticeMinutes * minuteMs;
  const lastOpenDay = localDay(zoneSpans(terms.timezone, now, now + 1), now) + terms.bookingWindowDays;
  const starts = found.flatMap(({ start }) => start ?? []);
  const underLimit = limitCheck(terms, Math.min(...starts), Math.max(...starts), taken);
  return found.map(({ local, start, isInHours }) => {
    const from = clockText(local);
    if (start === null)
      return {
        from,
        to: clockText(local + lengthMs),
        start,
        reasons: ['clock_change'],
        booking: undefined,
        event: undefined,
      };
    const occupied = occupiedRange(terms, start);
    const booking = longest(taken.bookings, occupied);
    const event = longest(taken.events, occupied);
    const applies: Record<SlotReason, boolean> = {
      outside_hours: !isInHours,
      window: localDay(own, start) > lastOpenDay,
      notice: start < earliest,
      clock_change: isRepeat(spans, start),
      daily_limit: !underLimit(start),
      booked: booking !== undefined,
      calendar_busy: event !== undefined,
    };
    const reasons = (Object.keys(applies) as SlotReason[]).filter((reason) => applies[reason]);
    const end = start + lengthMs;
    return { from, to: clockText(end + offsetAt(spans, end)), start, reasons, booking, event };
  });
}

/** The one that overlaps and ends last. */
function longest<T extends Interval>(intervals: readonly T[], { from, to }: Interval): T | undefined {
  let last: T | undefined;
  for (const one of intervals)
    if (one.from < to && one.to > from && one.from < one.to && (!last || one.to > last.to)) last = one;
  return last;
}

function stepsOf(terms: Terms, day: number, spans: readonly ZoneSpan[], own: readonly ZoneSpan[]): Found[] {
  const [midnight, nextMidnight] = [day * dayMs, (day + 1) * dayMs];
  const ranges: Interval[] = [];
  addInstantsOf(spans, midnight, nextMidnight, ranges);
  const [first, last] = [ranges[0], ranges.at(-1)];
  const open =
    first && last
      ? openIntervals(terms.hours, own, localDay(own, first.from) - 2, localDay(own, last.to - 1) + 2)
      : [];
  const stepMs = terms.slotStepMinutes * minuteMs;
  const lengthMs = terms.slotMinutes * minuteMs;
  const found: Found[] = [];
  const add = (start: number, isInHours: boolean) =>
    found.push({ local: start + offsetAt(spans, start), start, isInHours, order: start });
  for (const range of merge(ranges.map((one) => ({ ...one })))) {
    for (const interval of open) {
      const steps = Math.max(0, Math.ceil((range.from - interval.from) / stepMs));
      const end = Math.min(range.to, interval.to);
      for (let start = interval.from + steps * stepMs; start < end; start += stepMs)
        add(start, start + lengthMs <= interval.to);
    }
  }
  for (let local = midnight; local < nextMidnight; local += stepMs) {
    const instants = spans.map(({ from, to, offset }) => [local - offset, from, to] as const);
    const real = instants.filter(([at, from, to]) => at >= from && at < to).map(([at]) => at);
    for (const at of real) if (!open.some(({ from, to }) => at >= from && at < to)) add(at, false);
    // the clocks skip it: the change is where the span ends after which it would lie
    const change = instants.findLast(([at, , to]) => at >= to);
    if (real.length === 0 && change)
      found.push({ local, start: null, isInHours: false, order: change[2] - 0.5 });
  }
  return found.sort((a, b) => a.order - b.order);
}

/** The parts of `intervals` that none of `others` covers. */
export function without(intervals: readonly Interval[], others: readonly Interval[]): Interval[] {
  const covered = merge(others.map(({ from, to }) => ({ from, to })));
  return intervals.flatMap((interval) => {
    const parts: Interval[] = [];
    let { from } = interval;
    for (const other of covered) {
      if (other.to <= from || other.from >= interval.to) continue;
      if (other.from > from) parts.push({ from, to: other.from });
      from = other.to;
    }
    return from < interval.to ? [...parts, { from, to: interval.to }] : parts;
  });
}
