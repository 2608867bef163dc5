// Bookings whose events are missing from the calendar: recorded, and cancelled once a second check confirms it.

import { bookingState, calendarState } from '../../contract/bookings.ts';
import type { ConnectionRow } from '../calendar/connections-store.ts';
import { lockMassDeletion, markMassDeletion, scheduleCalendarRead } from '../calendar/connections-store.ts';
import { calendarStatusEvent } from '../calendar/status-event.ts';
import { staffSettings } from '../directory/store.ts';
import { type BookingRow, isOver } from './booking.ts';
import type { BookingDeps } from './booking-calendar.ts';
import { lockBookings } from './bookings-store.ts';
import {
  cancelMissingBookings,
  countFutureBookings,
  keepBookings,
  keepBookingsOfStaff,
  recheckMissingAfterMs,
  recordMissingEvents,
} from './external-changes-store.ts';
import { lockStaffBookings } from './locks-store.ts';
import { freeTime } from './occupancies-store.ts';
import { bookingEvent, publishChanges } from './publish-change.ts';

/** A mass deletion is more events than the first value and a larger share of the future ones than the second. */
const massDeletionMinimum = 5;
const massDeletionShare = 0.2;
/** How long after a mass deletion further missing events cancel nothing. */
const afterMassDeletionMs = 5 * 60_000;
/** The most booking ids in one webhook event. */
const bookingIdsMax = 100;

/**
 * True if so many of a staff member's future bookings went missing between two readings that a person must decide. Without
 * the changes in between, because the calendar was created again, nobody is known to have deleted single events.
 */
export const isMassDeletion = (missing: number, future: number, areChangesKnown = true): boolean =>
  missing > (areChangesKnown ? massDeletionMinimum : 0) && missing > future * massDeletionShare;

const isUnchanged = (row: BookingRow, before: ReadonlyMap<string, BookingRow>): boolean =>
  row.state === bookingState.confirmed &&
  row.pending_change === null &&
  row.change_no === before.get(row.id)?.change_no;

/**
 * Records all bookings of a staff member whose events one reading found missing. A mass deletion cancels none of them, nor
 * those that went missing shortly before or after. `areChangesKnown`: the reading continued the last one. Returns false if
 * one was changed since `found` was read: read it again.
 */
export async function handleMissingEvents(
  deps: BookingDeps,
  connection: ConnectionRow,
  found: readonly BookingRow[],
  areChangesKnown: boolean,
): Promise<boolean> {
  if (found.length === 0) return true;
  const before = new Map(found.map((row) => [row.id, row]));
  let isAllRecorded = true;
  let hasRecheck = false;
  await publishChanges(deps, async (tx) => {
    await lockStaffBookings(tx, connection.staff_id);
    const isRecent = await lockMassDeletion(tx, connection.id, afterMassDeletionMs);
    const rows = await lockBookings(tx, [...before.keys()]);
    const missing = rows.filter(
      (row) => isUnchanged(row, before) && row.calendar_state !== calendarState.deleted,
    );
    isAllRecorded = rows.every((row) => row.state !== bookingState.confirmed || isUnchanged(row, before));
    if (missing.length === 0) return [];
    const now = deps.clock.now();
    const future = missing.filter((row) => !isOver(row, now));
    const futureCount = await countFutureBookings(tx, connection.staff_id, new Date(now));
    const isMass =
      isMassDeletion(future.length, futureCount, areChangesKnown) || (isRecent && future.length > 0);
    const { on_calendar_delete } = await staffSettings(tx, connection.staff_id);
    // a booking without a calendar key may be in another calendar
    const toCancel =
      on_calendar_delete === 'cancel' && !isMass ? future.filter(({ calendar_key }) => calendar_key) : [];
    hasRecheck = toCancel.length > 0;
    await recordMissingEvents(tx, ids(missing), ids(toCancel));
    deps.log.info({ bookingIds: ids(missing), toCancel: toCancel.length, isMass }, 'booking.events_missing');
    if (!isMass) return [];
    await markMassDeletion(tx, connection.id);
    const waiting = await keepBookingsOfStaff(tx, connection.staff_id);
    const all = [...waiting, ...ids(future)];
    const report = {
      count: all.length,
      of: futureCount + waiting.length,
      bookingIds: all.slice(0, bookingIdsMax),
    };
    return [calendarStatusEvent(now, connection, 'bookings_missing', report)];
  });
  if (hasRecheck) await scheduleCalendarRead(deps.db, connection.staff_id, recheckMissingAfterMs + 500);
  return isAllRecorded;
}

/**
 * Cancels bookings whose events were found missing twice, if they are unchanged since `checked` was read. Bookings that have
 * ended, or whose staff member now keeps such bookings, stay.
 */
export async function cancelMissing(
  deps: BookingDeps,
  connection: ConnectionRow,
  checked: readonly BookingRow[],
): Promise<void> {
  if (checked.length === 0) return;
  const before = new Map(checked.map((row) => [row.id, row]));
  await publishChanges(deps, async (tx) => {
    await lockStaffBookings(tx, connection.staff_id);
    const rows = (await lockBookings(tx, [...before.keys()])).filter((row) => isUnchanged(row, before));
    const { on_calendar_delete } = await staffSettings(tx, connection.staff_id);
    const now = deps.clock.now();
    const isCancelled = (row: BookingRow) => on_calendar_delete === 'cancel' && !isOver(row, now);
    await keepBookings(tx, ids(rows.filter((row) => !isCancelled(row))));
    const cancelled = await cancelMissingBookings(tx, ids(rows.filter(isCancelled)));
    await freeTime(tx, ids(cancelled));
    return cancelled.map((row) => bookingEvent('appointments.cancelled', now, row, 'calendar'));
  });
}

/** Keeps bookings although their events are missing: a person decides. */
export async function keepMissing(deps: BookingDeps, rows: readonly BookingRow[]): Promise<void> {
  if (rows.length > 0) await deps.db.transaction().execute((tx) => keepBookings(tx, ids(rows)));
}

const ids = (rows: readonly BookingRow[]): string[] => rows.map(({ id }) => id);
