// What people do to the events of bookings in their calendar by hand: read, noted, and a move taken along where it can be.
import { VendorError } from '../../base/errors.ts';
import { retryTransient } from '../../db/failure.ts';
import type { CalendarEvent } from '../../ports/calendar.ts';
import { type LiveConnection, liveConnection, useCalendar } from '../calendar/connection.ts';
import type { ConnectionRow } from '../calendar/store.ts';
import { occupiedWithin } from '../slots/store.ts';
import { type Interval, minuteMs } from '../slots/wall-time.ts';
import type { BookingRow } from './booking.ts';
import {
  bookingsOfEvents,
  bookingsWithoutEvents,
  claimChangesDue,
  moveKeptRange,
  recordChangesRead,
  recordHand,
} from './changes-store.ts';
import { eventRef, type SettleDeps } from './settle-deps.ts';
import { lockBooking, lockStaffBookings, type StaffFacts, staffFacts } from './store.ts';

const connectionsAtOnce = 5;
/** How often each calendar is read. */
const readEveryMs = 60_000;
/** More than any calendar loses between two readings. */
const missingAtOnce = 200;
/** An event that the calendar does not know. */
const gone = { status: 'deleted', start: null, end: null } as const;

/** Reads the calendars that are due, a few at a time; answers how many were. */
export async function followChanges(deps: SettleDeps): Promise<number> {
  const rows = await claimChangesDue(deps.db, connectionsAtOnce, readEveryMs);
  await Promise.all(rows.map((row) => follow(deps, row)));
  return rows.length;
}

async function follow(deps: SettleDeps, row: ConnectionRow): Promise<void> {
  const connection = liveConnection(deps, row);
  if (!connection) return;
  try {
    const question = {
      ...{ calendarId: row.calendar_id, timeZone: connection.timeZone },
      ...{ cursor: row.changes_cursor, since: deps.clock.now() },
    };
    const { events, cursor, complete } = await useCalendar(deps, connection, (calendar, credential) =>
      calendar.changedEvents(credential, question, { timeoutMs: 20_000 }),
    );
    const seen = new Map(events.map((event) => [event.eventId, event]));
    const seenOf = ({ event_id }: BookingRow) => seen.get(event_id ?? '');
    const changed = await bookingsOfEvents(deps.db, row.staff_id, [...seen.keys()]);
    const toLookAt = changed.filter((booking) => !isInStep(booking, seenOf(booking)));
    // the calendar has forgotten our cursor, and with it what was deleted since
    if (complete && row.changes_cursor !== null) {
      toLookAt.push(
        ...(await bookingsWithoutEvents(deps.db, inCalendar(deps, row), [...seen.keys()], missingAtOnce)),
      );
    }
    let isAllNoted = true;
    for (const booking of toLookAt) {
      if (!(await lookAt(deps, connection, booking, seenOf(booking)))) isAllNoted = false;
    }
    // else it is all told again at the next reading
    if (isAllNoted) await recordChangesRead(deps.db, row.id, cursor);
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    deps.log.warn({ err: error, connectionId: row.id, staffId: row.staff_id }, 'calendar.unread');
  }
}

const inCalendar = (deps: SettleDeps, row: ConnectionRow) => ({
  staffId: row.staff_id,
  provider: row.provider,
  calendarId: row.calendar_id,
  since: new Date(deps.clock.now()),
});

function isInStep(row: BookingRow, event: CalendarEvent | undefined): boolean {
  const isThere = event?.status === 'live' && row.hand === 'in_step' && row.wish === null;
  return isThere && event.start === row.starts_at.getTime() && event.end === row.ends_at.getTime();
}

/**
 * Reads the event of a booking and notes how it stands to it; false if the booking is being changed by us. What a whole
 * reading saw may be older than a move of ours that ended meanwhile, and what it did not see may have been made since.
 */
async function lookAt(
  deps: SettleDeps,
  connection: LiveConnection,
  booking: BookingRow,
  seen: CalendarEvent | undefined,
): Promise<boolean> {
  if (booking.wish !== null) return false;
  const event = await useCalendar(deps, connection, (calendar, credential) =>
    calendar.getEvent(
      credential,
      { ...eventRef(booking, calendar), timeZone: connection.timeZone },
      { timeoutMs: 5_000 },
    ),
  );
  // the whole reading knows in which zone the calendar reads dates
  const isSame = event !== null && event.version !== null && event.version === seen?.version;
  return retryTransient(() => note(deps, booking, isSame ? seen : (event ?? gone)));
}

/** Notes how the event, read after `before`, stands to the booking; false if we have begun to change it since. */
async function note(
  deps: SettleDeps,
  before: BookingRow,
  event: Pick<CalendarEvent, 'status' | 'start' | 'end'>,
): Promise<boolean> {
  const { id, staff_id } = before;
  return deps.db.transaction().execute(async (tx) => {
    await lockStaffBookings(tx, staff_id);
    const row = await lockBooking(tx, id);
    if (row?.state !== 'confirmed') return true;
    if (row.wish !== null || row.wish_no !== before.wish_no) return false;
    if (event.status === 'deleted') {
      await recordHand(tx, id, { state: 'deleted', startsAt: null, endsAt: null, conflict: false });
      deps.log.info({ bookingId: id, hand: 'deleted' }, 'booking.changed_by_hand');
      return true;
    }
    const { start, end } = event;
    if (start === null || end === null || end <= start) return true;
    const inStep = start === row.starts_at.getTime() && end === row.ends_at.getTime();
    if (inStep && row.hand === 'in_step') return true;
    const range = widened(await staffFacts(tx, staff_id), { from: start, to: end });
    const of = { accountId: row.account_id, staffId: staff_id, except: id };
    const conflict = (await occupiedWithin(tx, of, range)).length > 0;
    if (!conflict) await moveKeptRange(tx, id, range);
    await recordHand(tx, id, {
      state: inStep ? 'in_step' : 'moved',
      startsAt: inStep ? null : new Date(start),
      endsAt: inStep ? null : new Date(end),
      conflict: conflict && !inStep,
    });
    deps.log.info({ bookingId: id, hand: inStep ? 'in_step' : 'moved', conflict }, 'booking.changed_by_hand');
    return true;
  });
}

/** What the event occupies at its new time. */
function widened(staff: StaffFacts, event: Interval): Interval {
  return {
    from: event.from - staff.buffer_before_minutes * minuteMs,
    to: event.to + staff.buffer_after_minutes * minuteMs,
  };
}
