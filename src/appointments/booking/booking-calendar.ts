// The calendar connection and event reference of a booking, and the time limits of its calendar calls.
import { VendorError } from '../../base/errors.ts';
import type { Calendar, CalendarCredential, CalendarEvent, CallLimits } from '../../ports/calendar.ts';
import { type LiveConnection, liveConnection } from '../calendar/connection.ts';
import { findConnection } from '../calendar/connections-store.ts';
import type { SlotsDeps } from '../slots/available.ts';
import { type BookingRow, requestTimeoutMs } from './booking.ts';
import { type TracedDeps, tracedConnection } from './traced-steps.ts';

export type BookingDeps = SlotsDeps & TracedDeps & { webhookTimeoutMs: number };

/** The limits of a call that must end by `deadline` (of `clock.steady()`), and within `maxMs`. */
export function limitsUntil(deps: BookingDeps, deadline: number, maxMs = requestTimeoutMs): CallLimits {
  return { timeoutMs: Math.max(1, Math.min(maxMs, deadline - deps.clock.steady())) };
}

/**
 * The connection to a booking's calendar. `dead`: not until it is reconnected. `none`: never again, because it was
 * disconnected or replaced by another calendar.
 */
export async function findBookingConnection(
  deps: BookingDeps,
  row: Pick<BookingRow, 'id' | 'staff_id' | 'provider' | 'calendar_key'>,
): Promise<LiveConnection | 'dead' | 'none'> {
  const connection = await findConnection(deps.db, row.staff_id);
  if (connection?.provider !== row.provider) return 'none';
  const keys = [row.calendar_key, connection.calendar_key];
  if (!keys.includes(null) && keys[0] !== keys[1]) return 'none';
  const live = liveConnection(deps, connection);
  return live ? tracedConnection(deps, live, row.id) : 'dead';
}

/** The id of a booking's event, chosen before the insert; null where the provider assigns ids. */
export function chosenEventId({ eventIds }: Calendar, bookingId: string, generation = 0): string | null {
  return eventIds.kind === 'chosen' ? eventIds.idFor(bookingId, generation) : null;
}

/** The event of a booking for calls that insert or remove it; `eventId` is null until the provider has assigned one. */
export function newEventRef(
  row: BookingRow,
  calendar: Calendar,
): { calendarId: string; eventId: string | null; bookingId: string } {
  return {
    calendarId: row.calendar_id ?? '',
    eventId: row.event_id ?? chosenEventId(calendar, row.id, row.event_generation),
    bookingId: row.id,
  };
}

/** The event of a booking by its id. Throws `event_not_found` if the provider has not assigned one. */
export function eventRef(row: BookingRow, calendar: Calendar): { calendarId: string; eventId: string } {
  const { calendarId, eventId } = newEventRef(row, calendar);
  if (eventId === null) {
    throw new VendorError('rejected', 'The event of this booking is not known.', { code: 'event_not_found' });
  }
  return { calendarId, eventId };
}

/** The event of a booking whose insert may have been cut off: by its id, or by its booking if none is stored. */
export function findEvent(
  calendar: Calendar,
  credential: CalendarCredential,
  row: BookingRow,
  limits: CallLimits,
): Promise<CalendarEvent | null> {
  const { calendarId, eventId, bookingId } = newEventRef(row, calendar);
  if (eventId !== null) return calendar.getEvent(credential, { calendarId, eventId }, limits);
  if (calendar.eventIds.kind === 'chosen') return Promise.resolve(null);
  return calendar.eventIds.find(credential, { calendarId, bookingId }, limits);
}
