// Calendar sync: reads staff calendars about once a minute and applies external changes to bookings.
import { VendorError } from '../../base/errors.ts';
import { calendarState } from '../../contract/bookings.ts';
import type { CalendarEvent, EventChanges } from '../../ports/calendar.ts';
import { type LiveConnection, liveConnection, useCalendar } from '../calendar/connection.ts';
import {
  type ClaimedConnection,
  claimCalendarReads,
  postponeFailingRead,
  saveCursor,
} from '../calendar/connections-store.ts';
import type { BookingRow } from './booking.ts';
import type { BookingDeps } from './booking-calendar.ts';
import {
  bookingsInsertedUnseen,
  bookingsOfEvents,
  bookingsToRecheck,
  bookingsWithoutEvents,
} from './external-changes-store.ts';
import { cancelMissing, handleMissingEvents, keepMissing } from './handle-missing-events.ts';
import { handleMovedEvent } from './handle-moved-event.ts';
import { type EventReading, readEvent } from './read-event.ts';

const connectionsAtOnce = 5;
/** How often each calendar is read. One that does not answer is read less often, so that it does not delay the others. */
const readEveryMs = 60_000;
const failingReadMaxMs = 600_000;
/** The most bookings checked in one reading. The next reading reports the others again. */
const bookingsPerReading = 200;
const readsAtOnce = 5;
const readTimeoutMs = 20_000;

/** Reads the calendars that are due, a few at a time, and returns how many there were. */
export async function syncCalendars(deps: BookingDeps): Promise<number> {
  const rows = await claimCalendarReads(deps.db, connectionsAtOnce, readEveryMs);
  await Promise.all(rows.map((row) => syncCalendar(deps, row)));
  return rows.length;
}

interface CheckedBooking {
  booking: BookingRow;
  result: EventReading;
}

async function syncCalendar(deps: BookingDeps, row: ClaimedConnection): Promise<void> {
  const connection = liveConnection(deps, row);
  if (!connection) return;
  try {
    const reading = await readChanges(deps, connection, row.changes_cursor);
    const seen = new Map(reading.events.map((event) => [event.eventId, event]));
    const { bookings, secondChecks, isComplete } = await bookingsToCheck(deps, row, reading, seen);
    const checked = await readEvents(deps, connection, bookings, seen);
    const areChangesKnown = !reading.complete || row.changes_cursor === null;
    const isAllRecorded = await recordAll(deps, row, checked, areChangesKnown);
    // otherwise the next reading reports everything again
    if (isComplete && isAllRecorded) await saveCursor(deps.db, row, reading.cursor);
    const missing = missingOf(checked);
    await cancelIfStillMissing(
      deps,
      row,
      connection,
      missing.filter(({ id }) => secondChecks.has(id)),
    );
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    deps.log.warn({ err: error, connectionId: row.id, staffId: row.staff_id }, 'calendar.read_failed');
    await postponeFailingRead(deps.db, row.id, failingReadMaxMs);
  }
}

function readChanges(
  deps: BookingDeps,
  connection: LiveConnection,
  cursor: string | null,
): Promise<EventChanges> {
  const { calendarId, timeZone } = connection;
  const query = { calendarId, timeZone, cursor, since: deps.clock.now() };
  return useCalendar(deps, connection, (calendar, credential) =>
    calendar.changedEvents(credential, query, { timeoutMs: readTimeoutMs }),
  );
}

/** The bookings whose events a reading shows at another time or not at all, and those to check again. */
async function bookingsToCheck(
  deps: BookingDeps,
  row: ClaimedConnection,
  reading: EventChanges,
  seen: ReadonlyMap<string, CalendarEvent>,
): Promise<{ bookings: BookingRow[]; secondChecks: Set<string>; isComplete: boolean }> {
  const now = new Date(deps.clock.now());
  const ids = [...seen.keys()];
  const changed = await bookingsOfEvents(deps.db, row, ids);
  const bookings = changed.filter((booking) => !isInStep(booking, seen.get(booking.event_id ?? '')));
  bookings.push(...(await bookingsInsertedUnseen(deps.db, row, now, ids, bookingsPerReading)));
  let isComplete = true;
  // a full reading does not report earlier deletions
  if (reading.complete) {
    const missing = await bookingsWithoutEvents(deps.db, row, now, ids, bookingsPerReading);
    isComplete = missing.length < bookingsPerReading;
    bookings.push(...missing);
  }
  const toRecheck = await bookingsToRecheck(deps.db, row, now, bookingsPerReading);
  const secondChecks = new Set(
    toRecheck.filter(({ event_missing_at }) => event_missing_at !== null).map(({ id }) => id),
  );
  const distinct = new Map([...bookings, ...toRecheck].map((booking) => [booking.id, booking]));
  return { bookings: [...distinct.values()], secondChecks, isComplete };
}

function isInStep(row: BookingRow, event: CalendarEvent | undefined): boolean {
  const isThere =
    event?.status === 'live' && row.calendar_state === calendarState.inStep && row.pending_change === null;
  return isThere && event.start === row.starts_at.getTime() && event.end === row.ends_at.getTime();
}

/**
 * Reads the events by their ids, a few at a time: a calendar reading may be older than a move of the gateway, and lacks
 * events created since.
 */
async function readEvents(
  deps: BookingDeps,
  connection: LiveConnection,
  bookings: readonly BookingRow[],
  seen: ReadonlyMap<string, CalendarEvent>,
): Promise<CheckedBooking[]> {
  const checked: CheckedBooking[] = [];
  for (let at = 0; at < bookings.length; at += readsAtOnce) {
    const some = bookings.slice(at, at + readsAtOnce).map(async (booking) => {
      const result = await readEvent(deps, connection, booking);
      if (typeof result === 'string') return { booking, result };
      const shown = seen.get(result.eventId);
      // the calendar reading knows the calendar's zone
      const isSame = result.version !== null && result.version === shown?.version;
      return { booking, result: isSame ? shown : result };
    });
    checked.push(...(await Promise.all(some)));
  }
  return checked;
}

/** Records what was read; false if some of it must be read again. */
async function recordAll(
  deps: BookingDeps,
  row: ClaimedConnection,
  checked: readonly CheckedBooking[],
  areChangesKnown: boolean,
): Promise<boolean> {
  let isAllRecorded = !checked.some(({ result }) => result === 'changing' || result === 'unknown');
  for (const { booking, result } of checked) {
    if (typeof result !== 'string' && !(await handleMovedEvent(deps, booking, result))) isAllRecorded = false;
  }
  const newlyMissing = missingOf(checked).filter(
    ({ calendar_state }) => calendar_state !== calendarState.deleted,
  );
  return (await handleMissingEvents(deps, row, newlyMissing, areChangesKnown)) && isAllRecorded;
}

/** Bookings whose events are missing. None if the calendar failed to answer for any event: it may be unreliable now. */
function missingOf(checked: readonly CheckedBooking[]): BookingRow[] {
  if (checked.some(({ result }) => result === 'unknown')) return [];
  return checked.filter(({ result }) => result === 'missing').map(({ booking }) => booking);
}

/**
 * Cancels bookings whose events are missing for the second time, if a full reading of the calendar succeeds and lacks them
 * too. A booking whose event is in another calendar of the connection is kept.
 */
async function cancelIfStillMissing(
  deps: BookingDeps,
  row: ClaimedConnection,
  connection: LiveConnection,
  missingTwice: readonly BookingRow[],
): Promise<void> {
  if (missingTwice.length === 0) return;
  const { events } = await readChanges(deps, connection, null);
  const shown = new Set(events.filter(({ status }) => status === 'live').map(({ eventId }) => eventId));
  const absent = missingTwice.filter(({ event_id }) => !shown.has(event_id ?? ''));
  const elsewhere = new Set<BookingRow>();
  for (const booking of absent)
    if (await isInOtherCalendar(deps, connection, booking)) elsewhere.add(booking);
  await keepMissing(deps, [...elsewhere]);
  await cancelMissing(
    deps,
    row,
    absent.filter((booking) => !elsewhere.has(booking)),
  );
}

/** True if the event was moved to another calendar that this connection reads. */
async function isInOtherCalendar(
  deps: BookingDeps,
  connection: LiveConnection,
  booking: BookingRow,
): Promise<boolean> {
  for (const calendarId of connection.busyCalendarIds) {
    if (calendarId === booking.calendar_id) continue;
    const result = await readEvent(deps, connection, booking, calendarId);
    if (typeof result !== 'string' && result.bookingId === booking.id) return true;
  }
  return false;
}
