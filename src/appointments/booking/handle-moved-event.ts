// Records where the event of a booking is; the booking follows if its staff member wants that.
import type { CalendarEvent } from '../../ports/calendar.ts';
import { occupiedWithin } from '../slots/store.ts';
import { type Interval, minuteMs } from '../slots/wall-time.ts';
import type { BookingRow } from './booking.ts';
import type { BookingDeps } from './booking-calendar.ts';
import { lockBooking, lockStaffBookings, type StaffSettings, staffSettings } from './bookings-store.ts';
import { moveOccupancy, recordExternalChange } from './external-changes-store.ts';
import { publishChange } from './publish-change.ts';

/** What there is to know of an event that is there. */
export type EventTime = Pick<CalendarEvent, 'start' | 'end' | 'allDay'>;

/**
 * Notes where the event of a booking is, read after `before` was; false if the booking was changed since, so that the
 * event has to be read again. What the booking occupies goes where the event is, unless another booking is in the way. Where
 * the staff member's bookings follow, so does its time, and receivers are told in the same transaction. An all-day event has no time of
 * day to follow.
 */
export async function handleMovedEvent(
  deps: BookingDeps,
  before: BookingRow,
  event: EventTime,
): Promise<boolean> {
  const { start, end } = event;
  if (start === null || end === null || end <= start) return true;
  let isCurrent = true;
  await publishChange(deps, 'appointments.rescheduled', 'calendar', async (tx) => {
    isCurrent = true;
    await lockStaffBookings(tx, before.staff_id);
    const row = await lockBooking(tx, before.id);
    if (row?.state !== 'confirmed') return undefined;
    isCurrent = row.wish === null && row.wish_no === before.wish_no;
    const isKept = start === row.starts_at.getTime() && end === row.ends_at.getTime();
    if (!isCurrent || (isKept && row.hand === 'in_step')) return undefined;
    const staff = await staffSettings(tx, row.staff_id);
    const range = withBuffers(staff, { from: start, to: end });
    const { account_id: accountId, staff_id: staffId, calendar_key: calendarKey } = row;
    const of = { accountId, staffId, calendarKey, except: row.id };
    const conflict = (await occupiedWithin(tx, of, range)).length > 0;
    if (!conflict) await moveOccupancy(tx, row.id, range);
    const follows = isKept || (staff.on_calendar_move === 'follow' && !event.allDay);
    const inStep = follows && !conflict;
    const noted = await recordExternalChange(tx, row.id, {
      startsAt: follows ? new Date(start) : row.starts_at,
      endsAt: follows ? new Date(end) : row.ends_at,
      state: inStep ? 'in_step' : 'moved',
      movedTo: inStep ? null : { from: new Date(start), to: new Date(end) },
      conflict,
    });
    deps.log.info({ bookingId: row.id, hand: noted?.hand, follows, conflict }, 'booking.changed_by_hand');
    return follows && !isKept ? noted : undefined;
  });
  return isCurrent;
}

/** What the event occupies at its new time. */
function withBuffers(staff: StaffSettings, event: Interval): Interval {
  return {
    from: event.from - staff.buffer_before_minutes * minuteMs,
    to: event.to + staff.buffer_after_minutes * minuteMs,
  };
}
