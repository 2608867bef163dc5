// Reads the event of a booking as its calendar shows it now.
import { VendorError } from '../../base/errors.ts';
import type { CalendarEvent } from '../../ports/calendar.ts';
import { isDeadGrant, type LiveConnection, useCalendar } from '../calendar/connection.ts';
import type { BookingRow } from './booking.ts';
import { type BookingDeps, eventRef, reachCalendar } from './booking-calendar.ts';
import { handleMovedEvent } from './handle-moved-event.ts';

/**
 * What the calendar answered about the event of a booking. `changing`: not asked, since we are changing it. `unreadable`: it
 * is there, and says nothing that we understand. `unknown`: no answer.
 */
export type EventReading = CalendarEvent | 'gone' | 'changing' | 'unreadable' | 'unknown';

const timeoutMs = 5_000;

/** Asks for the event of a booking, in its calendar or in another one. Throws VendorError where the grant is gone. */
export async function readEvent(
  deps: BookingDeps,
  connection: LiveConnection,
  booking: BookingRow,
  calendarId = booking.calendar_id ?? '',
): Promise<EventReading> {
  if (booking.wish !== null) return 'changing';
  const ref = { ...eventRef(booking, connection.calendar), calendarId, timeZone: connection.timeZone };
  try {
    const event = await useCalendar(deps, connection, (calendar, credential) =>
      calendar.getEvent(credential, ref, { timeoutMs }),
    );
    return event === null || event.status === 'deleted' ? 'gone' : event;
  } catch (error) {
    if (!(error instanceof VendorError) || isDeadGrant(error)) throw error;
    deps.log.warn({ err: error, bookingId: booking.id }, 'booking.event_unread');
    return error.outcome === 'refused' ? 'unreadable' : 'unknown';
  }
}

/**
 * Asks for the event of a booking and notes where it is, since it may have been moved after the last reading. `unknown`:
 * there is nothing to ask for, or no answer.
 */
export async function syncEvent(
  deps: BookingDeps,
  booking: BookingRow,
): Promise<'noted' | 'gone' | 'unknown'> {
  if (booking.state !== 'confirmed' || booking.provider === null) return 'unknown';
  const connection = await reachCalendar(deps, booking);
  if (typeof connection === 'string') return 'unknown';
  try {
    const answer = await readEvent(deps, connection, booking);
    if (typeof answer === 'string') return answer === 'gone' ? 'gone' : 'unknown';
    await handleMovedEvent(deps, booking, answer);
    return 'noted';
  } catch (error) {
    if (error instanceof VendorError) return 'unknown';
    throw error;
  }
}
