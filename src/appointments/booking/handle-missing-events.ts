// Bookings whose events are missing from the calendar: recorded, and cancelled once a second check confirms it.

import type { ConnectionRow } from '../calendar/connections-store.ts';
import { calendarStatusEvent } from '../calendar/status-event.ts';
import { type BookingRow, isOver } from './booking.ts';
import type { BookingDeps } from './booking-calendar.ts';
import { lockStaffBookings, staffSettings } from './bookings-store.ts';
import {
  cancelMissingBookings,
  countFutureBookings,
  keepBookings,
  keepBookingsOfStaff,
  lockBookings,
  lockMassDeletion,
  markMassDeletion,
  recheckMissingAfterMs,
  recordMissingEvents,
  scheduleCalendarRead,
} from './external-changes-store.ts';
import { bookingEvent, publishChanges } from './publish-change.ts';

/** So many bookings, and such a part of those to come, do not vanish in one go because somebody deletes them one by one. */
const massDeletionMinimum = 5;
const massDeletionShare = 0.2;
/** For so long after too many vanished, whatever else vanishes is left to whoever decides. */
const suspectMs = 5 * 60_000;
/** As many ids as an event names. */
const bookingIdsMax = 100;

/** True if so many of a person's bookings to come vanished between two readings that somebody has to decide. */
export const isMassDeletion = (vanished: number, coming: number): boolean =>
  vanished > massDeletionMinimum && vanished > coming * massDeletionShare;

const isUnchanged = (row: BookingRow, before: ReadonlyMap<string, BookingRow>): boolean =>
  row.state === 'confirmed' && row.wish === null && row.wish_no === before.get(row.id)?.wish_no;

/**
 * Notes all the bookings of one staff member whose events one reading found gone, in one transaction: what is too many is
 * decided by them all. Nor are those cancelled that vanished just before or soon after: a calendar is not emptied between two
 * readings. False if one of them was changed since `found` was read, so that it has to be read again.
 */
export async function handleMissingEvents(
  deps: BookingDeps,
  connection: ConnectionRow,
  found: readonly BookingRow[],
): Promise<boolean> {
  if (found.length === 0) return true;
  const before = new Map(found.map((row) => [row.id, row]));
  let isAllNoted = true;
  let looksAgain = false;
  await publishChanges(deps, async (tx) => {
    await lockStaffBookings(tx, connection.staff_id);
    const isSuspect = await lockMassDeletion(tx, connection.id, suspectMs);
    const rows = await lockBookings(tx, [...before.keys()]);
    const gone = rows.filter((row) => isUnchanged(row, before) && row.hand !== 'deleted');
    isAllNoted = rows.every((row) => row.state !== 'confirmed' || isUnchanged(row, before));
    if (gone.length === 0) return [];
    const now = deps.clock.now();
    const lost = gone.filter((row) => !isOver(row, now));
    const coming = await countFutureBookings(tx, connection.staff_id, new Date(now));
    const isTooMany = isMassDeletion(lost.length, coming) || (isSuspect && lost.length > 0);
    const { on_calendar_delete } = await staffSettings(tx, connection.staff_id);
    // a booking that was made in a calendar that is not known for sure may be in another one
    const toCancel =
      on_calendar_delete === 'cancel' && !isTooMany ? lost.filter(({ calendar_key }) => calendar_key) : [];
    looksAgain = toCancel.length > 0;
    await recordMissingEvents(tx, ids(gone), ids(toCancel));
    deps.log.info({ bookingIds: ids(gone), toCancel: toCancel.length, isTooMany }, 'booking.events_gone');
    if (!isTooMany) return [];
    await markMassDeletion(tx, connection.id);
    const waiting = await keepBookingsOfStaff(tx, connection.staff_id);
    const all = [...waiting, ...ids(lost)];
    const missing = {
      count: all.length,
      of: coming + waiting.length,
      bookingIds: all.slice(0, bookingIdsMax),
    };
    return [calendarStatusEvent(now, connection, 'bookings_missing', missing)];
  });
  if (looksAgain) await scheduleCalendarRead(deps.db, connection.staff_id, recheckMissingAfterMs + 500);
  return isAllNoted;
}

/**
 * Cancels those of the bookings `asked`, each found gone twice, that are still as they were read, and tells receivers in
 * the same transaction. One that has ended by now, or whose staff member's bookings are no longer cancelled so, stays.
 */
export async function cancelMissing(
  deps: BookingDeps,
  connection: ConnectionRow,
  asked: readonly BookingRow[],
): Promise<void> {
  if (asked.length === 0) return;
  const before = new Map(asked.map((row) => [row.id, row]));
  await publishChanges(deps, async (tx) => {
    await lockStaffBookings(tx, connection.staff_id);
    const rows = (await lockBookings(tx, [...before.keys()])).filter((row) => isUnchanged(row, before));
    const { on_calendar_delete } = await staffSettings(tx, connection.staff_id);
    const now = deps.clock.now();
    const isCancelled = (row: BookingRow) => on_calendar_delete === 'cancel' && !isOver(row, now);
    await keepBookings(tx, ids(rows.filter((row) => !isCancelled(row))));
    const cancelled = await cancelMissingBookings(tx, ids(rows.filter(isCancelled)));
    return cancelled.map((row) => bookingEvent('appointments.cancelled', now, row, 'calendar'));
  });
}

/** Leaves bookings to whoever decides, though their events are gone from the calendar. */
export async function keepMissing(deps: BookingDeps, rows: readonly BookingRow[]): Promise<void> {
  if (rows.length > 0) await deps.db.transaction().execute((tx) => keepBookings(tx, ids(rows)));
}

const ids = (rows: readonly BookingRow[]): string[] => rows.map(({ id }) => id);
