// Records that the event of a booking was moved; the booking follows if its staff member's settings say so.
import { bookingState, calendarState } from '../../contract/bookings.ts';
import type { CalendarEvent } from '../../ports/calendar.ts';
import { type StaffSettings, staffSettings } from '../directory/store.ts';
import { occupiedWithin } from '../slots/store.ts';
import { type Interval, minuteMs } from '../slots/wall-time.ts';
import type { BookingRow } from './booking.ts';
import type { BookingDeps } from './booking-calendar.ts';
import { lockBooking } from './bookings-store.ts';
import { recordExternalChange } from './external-changes-store.ts';
import { lockStaffBookings } from './locks-store.ts';
import { moveOccupancy } from './occupancies-store.ts';
import { publishChange } from './publish-change.ts';

/** The time of an event. */
export type EventTime = Pick<CalendarEvent, 'start' | 'end' | 'allDay'>;

/**
 * Records where the event of a booking is. If the staff member's bookings follow, the booking takes the event's time, unless
 * the event is an all-day one, and occupies it unless another booking does. Otherwise it keeps its own time, and the calendar
 * shows the event's as busy. Returns false if the booking was changed since `before` was read: read the event again.
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
    if (row?.state !== bookingState.confirmed) return undefined;
    isCurrent = row.pending_change === null && row.change_no === before.change_no;
    const isUnmoved = start === row.starts_at.getTime() && end === row.ends_at.getTime();
    if (!isCurrent || (isUnmoved && row.calendar_state === calendarState.inStep)) return undefined;
    const staff = await staffSettings(tx, row.staff_id);
    const { account_id: accountId, staff_id: staffId, calendar_key: calendarKey } = row;
    const of = { accountId, staffId, calendarKey, except: row.id };
    const range = withBuffers(staff, { from: start, to: end });
    const conflict = (await occupiedWithin(tx, of, range)).length > 0;
    const follows = isUnmoved || (staff.on_calendar_move === 'follow' && !event.allDay);
    if (follows && !conflict) await moveOccupancy(tx, row.id, range);
    const inStep = follows && !conflict;
    const recorded = await recordExternalChange(tx, row.id, {
      startsAt: follows ? new Date(start) : row.starts_at,
      endsAt: follows ? new Date(end) : row.ends_at,
      state: inStep ? calendarState.inStep : calendarState.moved,
      movedTo: inStep ? null : { from: new Date(start), to: new Date(end) },
      conflict,
      isRescheduled: follows && !isUnmoved,
    });
    deps.log.info(
      { bookingId: row.id, calendarState: recorded?.calendar_state, follows, conflict },
      'booking.changed_externally',
    );
    return follows && !isUnmoved ? recorded : undefined;
  });
  return isCurrent;
}

/** The event's time with the staff member's buffers. */
function withBuffers(staff: StaffSettings, event: Interval): Interval {
  return {
    from: event.from - staff.buffer_before_minutes * minuteMs,
    to: event.to + staff.buffer_after_minutes * minuteMs,
  };
}
