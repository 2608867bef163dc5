// The intervals of the charts: the last 24 hours, or the last 30 days of the viewer's zone. Pure.
import { addDays, civilDate, instantOf, offsetMs } from '../text/civil.ts';

export const periods = ['day', 'month'] as const;
export type Period = (typeof periods)[number];

const hourMs = 3_600_000;
const lengths: Record<Period, number> = { day: 24, month: 30 };

export interface Intervals {
  /** The start of each interval, oldest first, in milliseconds. */
  starts: number[];
  /** Of the whole range, as the API takes it. */
  from: string;
  to: string;
  interval: 'hour' | 'day';
}

/** The intervals until now. Hours begin when those of the zone do, such as at half past of UTC in India. */
export function intervalsOf(period: Period, nowMs: number, zone: string): Intervals {
  const count = lengths[period];
  const starts: number[] = [];
  if (period === 'day') {
    const shiftMs = offsetMs(new Date(nowMs), zone) % hourMs;
    const last = Math.floor((nowMs + shiftMs) / hourMs) * hourMs - shiftMs;
    for (let at = last - (count - 1) * hourMs; at <= last + hourMs; at += hourMs) starts.push(at);
  } else {
    const today = civilDate(new Date(nowMs), zone);
    for (let day = 1 - count; day <= 1; day++) starts.push(instantOf(addDays(today, day), 0, zone).getTime());
  }
  const to = starts.pop() ?? nowMs;
  return {
    starts,
    from: new Date(starts[0] ?? nowMs).toISOString(),
    to: new Date(to).toISOString(),
    interval: period === 'day' ? 'hour' : 'day',
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

/** Today until now, a week ago: from midnight to the quarter of an hour that it is. */
export function weekAgo(nowMs: number, zone: string): { from: string; to: string } {
  const quarterMs = hourMs / 4;
  const today = civilDate(new Date(nowMs), zone);
  const midnight = instantOf(today, 0, zone).getTime();
  const from = instantOf(addDays(today, -7), 0, zone).getTime();
  const passedMs = Math.max(quarterMs, Math.floor((nowMs - midnight) / quarterMs) * quarterMs);
  return { from: new Date(from).toISOString(), to: new Date(from + passedMs).toISOString() };
}
