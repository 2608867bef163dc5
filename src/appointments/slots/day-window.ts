// Which bookings matter for the slots of a date: those near it, and those that count towards its daily limits. Pure.
import { zoneSpans } from '../../base/time-zones.ts';
import type { Terms } from './engine.ts';
import { addInstantsOf, dayMs, type Interval, minuteMs } from './wall-time.ts';

export interface DayWindow {
  /** What the slots of the date can occupy. */
  occupied: Interval;
  /** The staff member's local dates on which slots of the date start. */
  counted: Interval;
}

/** Zones are up to 14 hours from UTC; two days more for the local dates around them. */
const marginMs = 3 * dayMs;

/** The window of a local `day` (days since 1970-01-01) in `timezone`; empty if that zone skips the date. */
export function dayWindow(terms: Terms, day: number, timezone: string): DayWindow {
  const [from, to] = [day * dayMs - marginMs, (day + 1) * dayMs + marginMs];
  const asked: Interval[] = [];
  addInstantsOf(zoneSpans(timezone, from, to), day * dayMs, (day + 1) * dayMs, asked);
  const starts = outline(asked) ?? { from: day * dayMs, to: day * dayMs };
  const own = zoneSpans(terms.timezone, from, to);
  const days = own.flatMap((span) => {
    const [first, end] = [Math.max(span.from, starts.from), Math.min(span.to, starts.to)];
    return first < end ? [first, end - 1].map((at) => Math.floor((at + span.offset) / dayMs)) : [];
  });
  const counted: Interval[] = [];
  if (days.length > 0)
    addInstantsOf(own, Math.min(...days) * dayMs, (Math.max(...days) + 1) * dayMs, counted);
  return {
    occupied: {
      from: starts.from - terms.bufferBeforeMinutes * minuteMs,
      to: starts.to + (terms.slotMinutes + terms.bufferAfterMinutes) * minuteMs,
    },
    counted: outline(counted) ?? starts,
  };
}

/** From the beginning of the first to the end of the last; they are in order. */
function outline(intervals: readonly Interval[]): Interval | undefined {
  const [first, last] = [intervals[0], intervals.at(-1)];
  return first && last && { from: first.from, to: last.to };
}
