// How bookings appear in responses and webhook events. Pure.
import type { BookAnswer, BookingItem } from '../../contract/bookings.ts';
import { localText } from '../slots/wall-time.ts';
import type { BookingRow } from './booking.ts';

/** A booking as the book operation answers it. */
export function bookAnswer(row: BookingRow): BookAnswer {
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
    calendarEventId: row.provider === null ? null : row.event_id,
    calendarEventLink: row.event_link,
    email: row.email,
    phoneNumber: row.phone_number,
    name: row.name,
    source: row.source,
    createdAt: row.created_at.toISOString(),
  };
}

/** A booking as lists and events tell it. */
export function bookingItem(row: BookingRow): BookingItem {
  return {
    _id: row.id,
    ...bookAnswer(row),
    staticQuestionAnswers: row.answers,
    pendingChange:
      row.wish === null
        ? null
        : {
            kind: row.wish === 'cancel' ? 'cancel' : 'reschedule',
            startsAt: row.wish_starts_at?.toISOString() ?? null,
            endsAt: row.wish_ends_at?.toISOString() ?? null,
          },
    calendarState: calendarState(row),
    cancelledAt: row.cancelled_at?.toISOString() ?? null,
    cancelReason: row.cancelled_at === null ? null : row.cancel_reason,
  };
}

function calendarState(row: BookingRow): BookingItem['calendarState'] {
  if (row.hand !== 'moved' || !row.hand_starts_at || !row.hand_ends_at) return { state: row.hand };
  return {
    state: 'moved',
    from: row.hand_starts_at.toISOString(),
    to: row.hand_ends_at.toISOString(),
    conflict: row.hand_conflict,
  };
}
