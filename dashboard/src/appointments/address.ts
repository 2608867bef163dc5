// What the calendar shows, as its address has it. Pure.
import { addDays, isDate, weekdayOf } from '../text/civil.ts';

export const views = ['day', 'week', 'list'] as const;
export type View = (typeof views)[number];

export interface CalendarAddress {
  view: View;
  /** A date of the range that is shown. */
  date: string;
  /** Ids of the staff chosen by the viewer; undefined: the first ones. */
  staff: string[] | undefined;
  /** The department whose staff are offered; undefined: all. */
  department: string | undefined;
  /** The booking beside the calendar. */
  booking: string | undefined;
  /** True while a new time is chosen for it. */
  isMoving: boolean;
}

/** Columns that fit beside each other: staff in a day, staff in each day of a week. */
export const staffMax: Record<View, number> = { day: 8, week: 3, list: 1_000 };

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

/** Reads the address; what is missing is the week of `today`. */
export function addressOf(search: Record<string, unknown>, today: string): CalendarAddress {
  const { view, date, staff, department, booking, move } = search;
  return {
    view: views.find((one) => one === view) ?? 'week',
    date: isDate(date) ? date : today,
    staff: textOf(staff)?.split(','),
    department: textOf(department),
    booking: textOf(booking),
    isMoving: move === true && textOf(booking) !== undefined,
  };
}

/** The search of an address; the inverse of `addressOf`. */
export function searchOf({
  view,
  date,
  staff,
  department,
  booking,
  isMoving,
}: CalendarAddress): Record<string, unknown> {
  return {
    ...{ view, date },
    ...(staff ? { staff: staff.join(',') } : {}),
    ...(department ? { department } : {}),
    ...(booking ? { booking } : {}),
    ...(booking && isMoving ? { move: true } : {}),
  };
}

/** The dates that a view shows. `firstWeekday`: Monday is 0. */
export function datesOf(view: View, date: string, firstWeekday: number): string[] {
  if (view !== 'week') return [date];
  const start = addDays(date, -((weekdayOf(date) - firstWeekday + 7) % 7));
  return Array.from({ length: 7 }, (_, index) => addDays(start, index));
}

/** The date after one step forward (1) or back (-1). */
export const stepped = (view: View, date: string, direction: 1 | -1): string =>
  addDays(date, direction * (view === 'week' ? 7 : 1));
