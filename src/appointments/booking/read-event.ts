// Reads the event of a booking as its calendar shows it now.
import { VendorError } from '../../base/errors.ts';
import { bookingState } from '../../contract/bookings.ts';
import type { CalendarEvent } from '../../ports/calendar.ts';
import { isAuthorizationRevoked, type LiveConnection, useCalendar } from '../calendar/connection.ts';
import type { BookingRow } from './booking.ts';
import { type BookingDeps, eventRef, findBookingConnection } from './booking-calendar.ts';
import { handleMovedEvent } from './handle-moved-event.ts';

/**
 * The event of a booking, or why there is none. `missing`: not in the calendar. `changing`: not read, because a change is
 * pending, or the booking is not confirmed yet. `unreadable`: the calendar rejected the call, or the event makes no sense.
 * `unknown`: no answer.
 */
export type EventReading = CalendarEvent | 'missing' | 'changing' | 'unreadable' | 'unknown';

const timeoutMs = 5_000;

/** Reads the event of a booking, in its calendar or in another one. Throws VendorError if the authorization was revoked. */
export async function readEvent(
  deps: BookingDeps,
  connection: LiveConnection,
  booking: BookingRow,
  calendarId = booking.calendar_id ?? '',
): Promise<EventReading> {
  if (booking.pending_change !== null || booking.state === bookingState.held) return 'changing';
  const ref = { ...eventRef(booking, connection.calendar), calendarId, timeZone: connection.timeZone };
  try {
    const event = await useCalendar(deps, connection, (calendar, credential) =>
      calendar.getEvent(credential, ref, { timeoutMs }),
    );
    return event === null || event.status === 'deleted' ? 'missing' : event;
  } catch (error) {
    if (!(error instanceof VendorError) || isAuthorizationRevoked(error)) throw error;
    deps.log.warn({ err: error, bookingId: booking.id }, 'booking.event_read_failed');
    return error.outcome === 'rejected' ? 'unreadable' : 'unknown';
  }
}

/**
 * Reads the event of a booking and records where it is, because it may have been moved after the last reading. `unknown`:
 * there is no event, or no answer.
 */
export async function syncEvent(
  deps: BookingDeps,
  booking: BookingRow,
): Promise<'recorded' | 'missing' | 'unknown'> {
  if (booking.state !== bookingState.confirmed || booking.provider === null) return 'unknown';
  const connection = await findBookingConnection(deps, booking);
  if (typeof connection === 'string') return 'unknown';
  try {
    const result = await readEvent(deps, connection, booking);
    if (typeof result === 'string') return result === 'missing' ? 'missing' : 'unknown';
    await handleMovedEvent(deps, booking, result);
    return 'recorded';
  } catch (error) {
    if (error instanceof VendorError) return 'unknown';
    throw error;
  }
}
