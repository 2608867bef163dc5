// The viewer's local time in a form: what `<input type="datetime-local">` shows and returns. Pure.
import { civilDate, clockOf, instantOf, minuteOf, minutesOfClock } from './civil.ts';

/** `2026-11-24T10:42`, in the zone. */
export const localInput = (at: Date, zone: string): string =>
  `${civilDate(at, zone)}T${clockOf(minuteOf(at, zone))}`;

/** The instant of what the input returned. */
export function ofLocalInput(text: string, zone: string): Date {
  const [date = '', clock = ''] = text.split('T');
  return instantOf(date, minutesOfClock(clock), zone);
}
