// A schedule while it is edited: the windows of each weekday, and what changed. Pure.
import type { Schedule, SetSchedule } from '../../../client/src/generated.ts';
import { minutesOfClock } from '../text/civil.ts';

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

/** Clock times; `to` is on the next day unless it is after `from`. */
export interface Window {
  from: string;
  to: string;
}

export type Rules = Omit<Schedule, 'timezone' | 'weekly' | 'overrides'>;

export interface Draft {
  timezone: string;
  rules: Rules;
  days: Record<Weekday, Window[]>;
  overrides: Schedule['overrides'];
}

const byStart = (one: Window, other: Window) => one.from.localeCompare(other.from);
/** A field for a time shows midnight as 00:00. */
const shown = ({ from, to }: Window): Window => ({ from, to: to === '24:00' ? '00:00' : to });
/** A window that starts and ends at midnight is a whole day. */
const stored = ({ from, to }: Window): Window => ({ from, to: from === to && to === '00:00' ? '24:00' : to });

export function draftOf({ timezone, weekly, overrides, ...rules }: Schedule): Draft {
  const windowsOf = (weekday: Weekday) =>
    weekly
      .filter((one) => one.weekday === weekday)
      .map(shown)
      .sort(byStart);
  return {
    ...{ timezone, rules },
    days: Object.fromEntries(weekdays.map((weekday) => [weekday, windowsOf(weekday)])) as Draft['days'],
    overrides: overrides
      .map(({ date, windows }) => ({ date, windows: windows.map(shown).sort(byStart) }))
      .sort((one, other) => one.date.localeCompare(other.date)),
  };
}

export const scheduleOf = ({ timezone, rules, days, overrides }: Draft): SetSchedule & Schedule => ({
  ...{ timezone, ...rules },
  weekly: weekdays.flatMap((weekday) => days[weekday].map((window) => ({ weekday, ...stored(window) }))),
  overrides: overrides.map(({ date, windows }) => ({ date, windows: windows.map(stored) })),
});

/** How many weekdays, dates and rules differ. */
export function changeCount(one: Draft, other: Draft): number {
  const differs = (left: unknown, right: unknown) => JSON.stringify(left) !== JSON.stringify(right);
  const rules = Object.keys(one.rules) as (keyof Rules)[];
  const dates = new Set([...one.overrides, ...other.overrides].map(({ date }) => date));
  const on = ({ overrides }: Draft, date: string) => overrides.filter((entry) => entry.date === date);
  return [
    differs(one.timezone, other.timezone),
    ...rules.map((rule) => differs(one.rules[rule], other.rules[rule])),
    ...weekdays.map((weekday) => differs(one.days[weekday], other.days[weekday])),
    ...[...dates].map((date) => differs(on(one, date), on(other, date))),
  ].filter(Boolean).length;
}

/** True if the window ends on the next day. */
export const isOvernight = ({ from, to }: Window): boolean => to !== '00:00' && to <= from;

/** A window as minutes of its day; past midnight, more than 1,440. */
export function minutesOf({ from, to }: Window): [from: number, to: number] {
  const [start, end] = [minutesOfClock(from), minutesOfClock(to)];
  return [start, end > start ? end : end + 1_440];
}

/** What a new window of a day begins as: after the last one, or office hours. */
export function nextWindow(windows: readonly Window[]): Window {
  const last = windows.at(-1);
  if (!last) return { from: '09:00', to: '17:00' };
  const start = Math.min(minutesOf(last)[1] + 60, 22 * 60);
  const clock = (minutes: number) => `${String(Math.floor(minutes / 60)).padStart(2, '0')}:00`;
  return { from: clock(start), to: clock(Math.min(start + 120, 23 * 60)) };
}
