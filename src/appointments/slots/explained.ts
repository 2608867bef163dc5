// Explains a date of a staff member: every step with the reasons why it is not open.
import type { ExplainedSlots } from '../../contract/explained-slots.ts';
import type { Db } from '../../db/db.ts';
import { calendarError, type LiveConnection } from '../calendar/connection.ts';
import { connectionOf, requestedDate, type SlotsDeps } from './available.ts';
import { dayWindow } from './day-window.ts';
import { explainSteps, without } from './explain.ts';
import { bookingsWithin } from './explained-store.ts';
import type { OpenSlotsQuery } from './open-slots.ts';
import { dayQuery, type ReadStaffDay, requireActive } from './staff-days.ts';
import { dayOfDate, type Interval, minuteMs } from './wall-time.ts';

/** Years of four digits, as RFC 3339 and calendars need them. */
const firstMs = Date.parse('0001-01-01T00:00:00Z');
const lastMs = Date.parse('9999-12-31T23:59:59Z');

export type ExplainDeps = SlotsDeps & { db: Db; readDay: ReadStaffDay };

/**
 * Explains the steps of a date, with bookings and the calendar as they are now. Throws what reading open slots throws: without the
 * calendar nothing is known of a step.
 */
export async function explainSlots(deps: ExplainDeps, query: OpenSlotsQuery): Promise<ExplainedSlots> {
  const read = requireActive(await deps.readDay(dayQuery(query)));
  const { staff, terms, timezone, date } = requestedDate(deps, read.staff, query, read.terms);
  const day = dayOfDate(date) ?? 0;
  const connection = connectionOf(deps, read);
  const occupied = writable(dayWindow(terms, day, timezone).occupied);
  const [bookings, busy] = await Promise.all([
    bookingsWithin(deps.db, { accountId: staff.account_id, staffId: staff.id }, occupied),
    connection ? readBusy(deps, connection, occupied) : [],
  ]);
  // the calendar also shows the events of our bookings
  const { bookedStarts, moves } = read;
  const taken = { bookings, events: without(busy, bookings), bookedStarts, moves };
  const lengthMs = terms.slotMinutes * minuteMs;
  const steps = explainSteps(terms, { day, timezone, now: deps.clock.now() }, taken).filter(
    ({ start }) => start === null || (start >= firstMs && start + lengthMs <= lastMs),
  );
  return {
    appointmentUserId: staff.id,
    date,
    timezone,
    slotMinutes: terms.slotMinutes,
    slotStepMinutes: terms.slotStepMinutes,
    steps: steps.map(({ from, to, start, reasons, booking, event }) => ({
      from,
      to,
      startsAt: start === null ? null : new Date(start).toISOString(),
      endsAt: start === null ? null : new Date(start + lengthMs).toISOString(),
      open: reasons.length === 0,
      reasons,
      by: booking
        ? { kind: 'booking', id: booking.bookingId, until: new Date(booking.to).toISOString() }
        : event
          ? { kind: 'event', id: null, until: new Date(event.to).toISOString() }
          : null,
    })),
  };
}

/** The part of an interval that RFC 3339 can write; empty if there is none. */
const writable = ({ from, to }: Interval): Interval => {
  const start = Math.max(from, firstMs);
  return { from: start, to: Math.max(start, Math.min(to, lastMs)) };
};

async function readBusy(deps: SlotsDeps, connection: LiveConnection, span: Interval): Promise<Interval[]> {
  if (span.from === span.to) return [];
  try {
    return await deps.busyTimes.read(connection, span);
  } catch (error) {
    throw calendarError(error);
  }
}
