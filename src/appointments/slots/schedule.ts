// A staff member's schedule: as a row, on the wire, and as the terms that the engine reckons with. Pure.
import type { Problem } from '../../base/errors.ts';
import type { PutScheduleBody, ScheduleItem } from '../../contract/schedules.ts';
import type { Terms } from './engine.ts';
import { type ClockWindow, hoursOf } from './opening-hours.ts';
import { dayOfDate, zoneName } from './wall-time.ts';

/** The columns of a schedule; `weekly` and `overrides` as the contract words them. */
export interface ScheduleRow {
  timezone: string;
  slot_minutes: number;
  slot_step_minutes: number | null;
  buffer_before_minutes: number;
  buffer_after_minutes: number;
  minimum_notice_minutes: number;
  booking_window_days: number;
  daily_limit: number | null;
  weekly: unknown;
  overrides: unknown;
}

/** The schedule as it is answered. */
export function scheduleItem(row: ScheduleRow): ScheduleItem {
  return {
    timezone: row.timezone,
    slotMinutes: row.slot_minutes,
    slotStepMinutes: row.slot_step_minutes ?? row.slot_minutes,
    bufferBeforeMinutes: row.buffer_before_minutes,
    bufferAfterMinutes: row.buffer_after_minutes,
    minimumNoticeMinutes: row.minimum_notice_minutes,
    bookingWindowDays: row.booking_window_days,
    dailyLimit: row.daily_limit,
    weekly: row.weekly as ScheduleItem['weekly'],
    overrides: row.overrides as ScheduleItem['overrides'],
  };
}

/** The schedule as the engine takes it. */
export function termsOf(row: ScheduleRow): Terms {
  const { weekly, overrides, ...rest } = scheduleItem(row);
  return { ...rest, hours: hoursOf(weekly, overrides) };
}

/** The columns of a schedule that was sent; what is left out gets its default. */
export function scheduleRow(body: PutScheduleBody): ScheduleRow {
  return {
    timezone: zoneName(body.timezone) ?? body.timezone,
    slot_minutes: body.slotMinutes,
    slot_step_minutes: body.slotStepMinutes ?? null,
    buffer_before_minutes: body.bufferBeforeMinutes ?? 0,
    buffer_after_minutes: body.bufferAfterMinutes ?? 0,
    minimum_notice_minutes: body.minimumNoticeMinutes ?? 0,
    booking_window_days: body.bookingWindowDays ?? 60,
    daily_limit: body.dailyLimit ?? null,
    weekly: body.weekly,
    overrides: body.overrides ?? [],
  };
}

/**
 * A window whose ends are the same time: some mean nothing by it, some a whole day. Schedules stored before this was
 * refused mean 24 hours.
 */
function windowProblems({ from, to }: ClockWindow, path: string): Problem[] {
  if (from !== to) return [];
  const message = `must not be the same as "from"; for a whole day write 00:00 to 24:00`;
  return [{ path: `${path}.to`, message }];
}

/** Everything wrong with a schedule that its schema cannot see. */
export function scheduleProblems(body: PutScheduleBody): Problem[] {
  const problems: Problem[] = [];
  if (zoneName(body.timezone) === undefined) {
    problems.push({ path: 'timezone', message: 'is no IANA time zone, such as Europe/Berlin' });
  }
  body.weekly.forEach((window, index) => {
    problems.push(...windowProblems(window, `weekly[${index}]`));
  });
  const dates = new Map<string, number>();
  body.overrides?.forEach(({ date, windows }, index) => {
    windows.forEach((window, nth) => {
      problems.push(...windowProblems(window, `overrides[${index}].windows[${nth}]`));
    });
    const path = `overrides[${index}].date`;
    const twin = dates.get(date);
    if (dayOfDate(date) === undefined) {
      problems.push({ path, message: 'is no date of the calendar; write it as YYYY-MM-DD' });
    } else if (twin !== undefined) {
      problems.push({ path, message: `is the date of overrides[${twin}] too; put all windows into one` });
    }
    dates.set(date, index);
  });
  return problems;
}
