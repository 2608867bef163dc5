// Bookings as blocks of the calendar's columns. Pure.
import type { Booking } from '../../../client/src/generated.ts';
import { civilDate, minuteMs, minuteOf, minutesOfDay } from '../text/civil.ts';
import type { Minutes } from './open-hours.ts';

export interface Block {
  booking: Booking;
  from: number;
  to: number;
}

/** Bookings that occupy their time. Others are only in the list. */
export const occupies = ({ status }: Booking): boolean =>
  status === 'held' || status === 'confirmed' || status === 'undoing';

/** The blocks of a date, each cut at its midnights. */
export function blocksOf(bookings: readonly Booking[], date: string, zone: string): Block[] {
  return bookings.flatMap((booking) => {
    const [start, end] = [new Date(booking.startsAt), new Date(booking.endsAt)];
    const [first, last] = [civilDate(start, zone), civilDate(end, zone)];
    if (!occupies(booking) || first > date || last < date) return [];
    const from = first < date ? 0 : minuteOf(start, zone);
    const shown = last > date ? minutesOfDay : minuteOf(end, zone);
    // the clock is put back in between
    const isBack = first === last && shown <= from;
    const to = isBack ? Math.min(minutesOfDay, from + (end.getTime() - start.getTime()) / minuteMs) : shown;
    return to > from ? [{ booking, from, to }] : [];
  });
}

/** The state that the calendar shows: what needs a person before what was decided. */
export function stateOf({ status, pendingChange, calendarState }: Booking): string {
  if (calendarState.conflict) return 'conflict';
  if (pendingChange) return 'changing';
  if (status !== 'confirmed') return status;
  if (calendarState.state === 'moved') return 'moved';
  return calendarState.state === 'deleted' ? 'event_deleted' : status;
}

const usualHours: Minutes = [9 * 60, 17 * 60];

/** The full hours that hold everything; at least a usual day. */
export function hoursShown(spans: readonly Minutes[]): Minutes {
  const all = spans.length === 0 ? [usualHours] : spans;
  const first = Math.min(...all.map(([from]) => from));
  const last = Math.max(...all.map(([, to]) => to));
  return [Math.floor(first / 60) * 60, Math.ceil(last / 60) * 60];
}

/** The guest, as people call them. */
export const guestOf = ({ name, email }: Booking): string => name ?? email;
