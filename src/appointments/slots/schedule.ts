// A staff member's schedule: as a row, in requests and responses, and parsed for the engine. Pure.
import type { Problem } from '../../base/errors.ts';
import { zoneName } from '../../base/time-zones.ts';
import type { PutScheduleBody, ScheduleItem } from '../../contract/schedules.ts';
import type { Terms } from './engine.ts';
import { type ClockWindow, hoursOf } from './opening-hours.ts';
import { dayOfDate } from './wall-time.ts';

/** The columns of a schedule; `weekly` and `overrides` have the form of the API. */
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

/** A schedule in responses. */
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

/** A schedule as the engine needs it. */
export function termsOf(row: ScheduleRow): Terms {
  const { weekly, overrides, ...rest } = scheduleItem(row);
  return { ...rest, hours: hoursOf(weekly, overrides) };
}

/** The columns of a schedule in a request, with defaults for omitted fields. */
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

/** Rejects a window whose ends are equal: it is ambiguous. In schedules stored before this check it means 24 hours. */
function windowProblems({ from, to }: ClockWindow, path: string): Problem[] {
  if (from !== to) return [];
  const message = `must not be the same as "from"; for a whole day write 00:00 to 24:00`;
  return [{ path: `${path}.to`, message }];
}

/** All problems of a schedule that its schema cannot find. */
export function scheduleProblems(body: PutScheduleBody): Problem[] {
  const problems: Problem[] = [];
  if (zoneName(body.timezone) === undefined) {
    problems.push({ path: 'timezone', message: 'is not an IANA time zone, for example Europe/Berlin' });
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
    const first = dates.get(date);
    if (dayOfDate(date) === undefined) {
      problems.push({ path, message: 'is not a valid date; write it as YYYY-MM-DD' });
    } else if (first !== undefined) {
      problems.push({
        path,
        message: `repeats the date of overrides[${first}]; put all windows of a date into one override`,
      });
    }
    dates.set(date, index);
  });
  return problems;
}
