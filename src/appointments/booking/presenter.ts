// How bookings appear in responses and webhook events. Pure.
import type { BookingItem, BookResult } from '../../contract/bookings.ts';
import { calendarState } from '../../contract/bookings.ts';
import { localText } from '../slots/wall-time.ts';
import type { BookingRow } from './booking.ts';
import { pendingChange } from './booking.ts';

/** A booking in the response to a booking request. */
export function bookedAppointment(row: BookingRow): BookResult {
  const starts = localText(row.timezone, row.starts_at.getTime());
  return {
    bookingId: row.id,
    status: row.state,
    appointmentUserId: row.staff_id,
    date: starts.date,
    from: starts.clock,
    to: localText(row.timezone, row.ends_at.getTime()).clock,
    timezone: row.timezone,
    startsAt: row.starts_at.toISOString(),
    endsAt: row.ends_at.toISOString(),
    meetingLink: row.meeting_link,
    guestInvited: row.guest_invited,
    calendarEventId: row.provider === null ? null : row.event_id,
    calendarEventLink: row.event_link,
    email: row.email,
    phoneNumber: row.phone_number,
    name: row.name,
    source: row.source,
    createdAt: row.created_at.toISOString(),
  };
}

/** A booking in lists and webhook events. */
export function bookingItem(row: BookingRow): BookingItem {
  return {
    _id: row.id,
    ...bookedAppointment(row),
    staticQuestionAnswers: row.answers,
    pendingChange:
      row.pending_change === null
        ? null
        : {
            kind: row.pending_change === pendingChange.cancel ? 'cancel' : 'reschedule',
            startsAt: row.pending_starts_at?.toISOString() ?? null,
            endsAt: row.pending_ends_at?.toISOString() ?? null,
          },
    calendarState: calendarStateOf(row),
    cancelledAt: row.cancelled_at?.toISOString() ?? null,
    cancelReason: row.cancelled_at === null ? null : row.cancel_reason,
  };
}

function calendarStateOf(row: BookingRow): BookingItem['calendarState'] {
  if (row.calendar_state !== calendarState.moved || !row.event_starts_at || !row.event_ends_at)
    return { state: row.calendar_state };
  return {
    state: calendarState.moved,
    from: row.event_starts_at.toISOString(),
    to: row.event_ends_at.toISOString(),
    conflict: row.event_conflict,
  };
}
