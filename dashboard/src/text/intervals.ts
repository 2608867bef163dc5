// The intervals of the charts: the last 24 hours, or the last days, of the viewer's zone. Pure.
import { addDays, civilDate, instantOf, offsetMs } from './civil.ts';

export const ranges = ['day', 'week', 'month'] as const;
export type Range = (typeof ranges)[number];
/** How many intervals a range has, and how long they are. */
const shapes = {
  day: { count: 24, interval: 'hour' },
  week: { count: 7 * 24, interval: 'hour' },
  month: { count: 30, interval: 'day' },
} as const;

const hourMs = 3_600_000;

export interface Intervals {
  /** The start of each interval, oldest first, in milliseconds; the last one holds now. */
  starts: number[];
  /** Of the whole range, as the API takes it. */
  from: string;
  to: string;
  interval: 'hour' | 'day';
}

/** The intervals until now. Hours begin when those of the zone do, such as at half past of UTC in India. */
export function intervalsOf(range: Range, nowMs: number, zone: string): Intervals {
  const { count, interval } = shapes[range];
  const now = new Date(nowMs);
  const today = civilDate(now, zone);
  const shiftMs = offsetMs(now, zone) % hourMs;
  const thisHour = Math.floor((nowMs + shiftMs) / hourMs) * hourMs - shiftMs;
  /** The start of the interval that many after the present one. */
  const startOf = (after: number) =>
    interval === 'day' ? instantOf(addDays(today, after), 0, zone).getTime() : thisHour + after * hourMs;
  const starts = Array.from({ length: count }, (_, index) => startOf(index - count + 1));
  return {
    starts,
    from: new Date(startOf(1 - count)).toISOString(),
    to: new Date(startOf(1)).toISOString(),
    interval,
  };
}

/** The row of each interval; undefined where the API has none, since nothing was counted. */
export const rowsOf = <T extends { at: string }>(
  items: readonly T[],
  starts: readonly number[],
): (T | undefined)[] =>
  starts.map((start, index) => {
    const end = starts[index + 1] ?? Number.POSITIVE_INFINITY;
    return items.find(({ at }) => Date.parse(at) >= start && Date.parse(at) < end);
  });
