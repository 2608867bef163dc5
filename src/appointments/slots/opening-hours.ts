// Opening hours of a staff member, weekly and overridden on single dates, as instants. Pure.
import type { ZoneSpan } from '../../base/time-zones.ts';
import {
  addInstantsOf,
  dayMs,
  dayOfDate,
  type Interval,
  merge,
  minuteMs,
  minuteOfClock,
} from './wall-time.ts';

/** Minutes since local midnight, `[from, to)`; a `to` above 1440 is on the next day. */
interface Window {
  from: number;
  to: number;
}

/** Opening hours, parsed. */
export interface Hours {
  /** By weekday; 0 is Monday. */
  weekly: readonly (readonly Window[])[];
  /** By local day (days since 1970-01-01); an empty list is a day off. */
  overrides: ReadonlyMap<number, readonly Window[]>;
}

export const weekdays = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;
export type Weekday = (typeof weekdays)[number];

/** Local clock times `HH:MM`; `to` may be `24:00`, and is on the next day unless it is after `from`. */
export interface ClockWindow {
  from: string;
  to: string;
}

const none: readonly Window[] = [];

function windowOf({ from, to }: ClockWindow): Window {
  const start = minuteOfClock(from);
  const end = minuteOfClock(to);
  return { from: start, to: end > start ? end : end + 1440 };
}

/** Parses the hours of a schedule (docs/slots.md) whose clock times and dates are valid. */
export function hoursOf(
  weekly: readonly (ClockWindow & { weekday: Weekday })[],
  overrides: readonly { date: string; windows: readonly ClockWindow[] }[],
): Hours {
  const byWeekday: Window[][] = weekdays.map(() => []);
  for (const window of weekly) byWeekday[weekdays.indexOf(window.weekday)]?.push(windowOf(window));
  const byDay = new Map<number, Window[]>();
  for (const { date, windows } of overrides) {
    const day = dayOfDate(date);
    if (day === undefined) continue;
    byDay.set(day, [...(byDay.get(day) ?? []), ...windows.map(windowOf)]);
  }
  return { weekly: byWeekday, overrides: byDay };
}

/** The 1st of January 1970 was a Thursday. */
const weekdayOf = (day: number) => (((day + 3) % 7) + 7) % 7;

function windowsOf(hours: Hours, day: number): readonly Window[] {
  return hours.overrides.get(day) ?? hours.weekly[weekdayOf(day)] ?? none;
}

/**
 * The open intervals of the local days `firstDay` to `lastDay`, merged, in order. One longer than 24 hours is split where
 * each local date begins. `spans`: the staff member's zone on those days. Hours just outside the days are ignored, so
 * request two more days on either side than you use.
 */
export function openIntervals(
  hours: Hours,
  spans: readonly ZoneSpan[],
  firstDay: number,
  lastDay: number,
): Interval[] {
  const open: Interval[] = [];
  for (let day = firstDay; day <= lastDay; day += 1) {
    const midnight = day * dayMs;
    for (const { from, to } of windowsOf(hours, day)) {
      addInstantsOf(spans, midnight + from * minuteMs, midnight + Math.min(to, 1440) * minuteMs, open);
    }
    // an override also replaces hours that continue from the day before
    if (hours.overrides.has(day)) continue;
    for (const { to } of windowsOf(hours, day - 1)) {
      if (to > 1440) addInstantsOf(spans, midnight, midnight + (to - 1440) * minuteMs, open);
    }
  }
  return splitLong(merge(open), spans, firstDay, lastDay);
}

function splitLong(
  open: Interval[],
  spans: readonly ZoneSpan[],
  firstDay: number,
  lastDay: number,
): Interval[] {
  if (!open.some(({ from, to }) => to - from > dayMs)) return open;
  const cuts = dateStarts(spans, firstDay, lastDay);
  const pieces: Interval[] = [];
  for (const { from, to } of open) {
    let start = from;
    if (to - from > dayMs) {
      for (const cut of cuts) {
        if (cut <= start || cut >= to) continue;
        pieces.push({ from: start, to: cut });
        start = cut;
      }
    }
    pieces.push({ from: start, to });
  }
  return pieces;
}

/** The first instant of each local date: after 00:00 where clocks go forward at midnight. */
function dateStarts(spans: readonly ZoneSpan[], firstDay: number, lastDay: number): number[] {
  const starts: number[] = [];
  const found: Interval[] = [];
  for (let day = firstDay; day <= lastDay; day += 1) {
    found.length = 0;
    addInstantsOf(spans, day * dayMs, (day + 1) * dayMs, found);
    const first = found[0];
    if (first) starts.push(first.from);
  }
  return starts;
}
