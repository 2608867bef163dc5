// What people do to the events of bookings in their calendars: read about once a minute, asked for by id, and followed.
import { VendorError } from '../../base/errors.ts';
import type { CalendarEvent, EventChanges } from '../../ports/calendar.ts';
import { type LiveConnection, liveConnection, useCalendar } from '../calendar/connection.ts';
import type { ConnectionRow } from '../calendar/store.ts';
import { type Answer, askFor } from './ask-event.ts';
import type { BookingRow } from './booking.ts';
import { noteFound } from './follow-move.ts';
import {
  bookingsInDoubt,
  bookingsOfEvents,
  bookingsWithoutEvents,
  claimChangesDue,
  recordChangesRead,
} from './follow-store.ts';
import type { SettleDeps } from './settle-deps.ts';
import { cancelVanished, leaveVanished, noteGone } from './vanished.ts';

const connectionsAtOnce = 5;
/** How often each calendar is read. */
const readEveryMs = 60_000;
/** As many bookings are asked for by id in one reading; of more, the next reading hears again. */
const askedAtMost = 200;
const asksAtOnce = 5;
const readTimeoutMs = 20_000;

/** Reads the calendars that are due, a few at a time; answers how many were. */
export async function followChanges(deps: SettleDeps): Promise<number> {
  const rows = await claimChangesDue(deps.db, connectionsAtOnce, readEveryMs);
  await Promise.all(rows.map((row) => follow(deps, row)));
  return rows.length;
}

interface Asked {
  booking: BookingRow;
  answer: Answer;
}

async function follow(deps: SettleDeps, row: ConnectionRow): Promise<void> {
  const connection = liveConnection(deps, row);
  if (!connection) return;
  try {
    const reading = await read(deps, connection, row.changes_cursor);
    const seen = new Map(reading.events.map((event) => [event.eventId, event]));
    const { bookings, secondAsks, isWhole } = await toAskFor(deps, row, reading, seen);
    const asked = await askForAll(deps, connection, bookings, seen);
    const isAllNoted = await noteAll(deps, row, asked);
    // else it is all told again at the next reading
    if (isWhole && isAllNoted) await recordChangesRead(deps.db, row.id, reading.cursor);
    const gone = goneOf(asked);
    await settleGone(
      deps,
      row,
      connection,
      gone.filter(({ id }) => secondAsks.has(id)),
    );
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    deps.log.warn({ err: error, connectionId: row.id, staffId: row.staff_id }, 'calendar.unread');
  }
}

function read(deps: SettleDeps, connection: LiveConnection, cursor: string | null): Promise<EventChanges> {
  const { calendarId, timeZone } = connection;
  const question = { calendarId, timeZone, cursor, since: deps.clock.now() };
  return useCalendar(deps, connection, (calendar, credential) =>
    calendar.changedEvents(credential, question, { timeoutMs: readTimeoutMs }),
  );
}

/** The bookings whose events a reading shows elsewhere, or not at all, and those that are in doubt since earlier ones. */
async function toAskFor(
  deps: SettleDeps,
  row: ConnectionRow,
  reading: EventChanges,
  seen: ReadonlyMap<string, CalendarEvent>,
): Promise<{ bookings: BookingRow[]; secondAsks: Set<string>; isWhole: boolean }> {
  const now = new Date(deps.clock.now());
  const changed = await bookingsOfEvents(deps.db, row, [...seen.keys()]);
  const bookings = changed.filter((booking) => !isInStep(booking, seen.get(booking.event_id ?? '')));
  let isWhole = true;
  // a reading from the start does not say what was deleted before
  if (reading.complete) {
    const missing = await bookingsWithoutEvents(deps.db, row, now, [...seen.keys()], askedAtMost);
    isWhole = missing.length < askedAtMost;
    bookings.push(...missing);
  }
  const inDoubt = await bookingsInDoubt(deps.db, row, now, askedAtMost);
  const secondAsks = new Set(inDoubt.filter(({ gone_at }) => gone_at !== null).map(({ id }) => id));
  const distinct = new Map([...bookings, ...inDoubt].map((booking) => [booking.id, booking]));
  return { bookings: [...distinct.values()], secondAsks, isWhole };
}

function isInStep(row: BookingRow, event: CalendarEvent | undefined): boolean {
  const isThere = event?.status === 'live' && row.hand === 'in_step' && row.wish === null;
  return isThere && event.start === row.starts_at.getTime() && event.end === row.ends_at.getTime();
}

/**
 * Asks for the events by their ids, a few at a time. What a whole reading saw may be older than a move of ours that ended
 * meanwhile, and what it did not see may have been made since.
 */
async function askForAll(
  deps: SettleDeps,
  connection: LiveConnection,
  bookings: readonly BookingRow[],
  seen: ReadonlyMap<string, CalendarEvent>,
): Promise<Asked[]> {
  const asked: Asked[] = [];
  for (let at = 0; at < bookings.length; at += asksAtOnce) {
    const some = bookings.slice(at, at + asksAtOnce).map(async (booking) => {
      const answer = await askFor(deps, connection, booking);
      if (typeof answer === 'string') return { booking, answer };
      const shown = seen.get(answer.eventId);
      // the whole reading knows in which zone the calendar reads dates
      const isSame = answer.version !== null && answer.version === shown?.version;
      return { booking, answer: isSame ? shown : answer };
    });
    asked.push(...(await Promise.all(some)));
  }
  return asked;
}

/** Notes what was answered; false if some of it has to be read again. */
async function noteAll(deps: SettleDeps, row: ConnectionRow, asked: readonly Asked[]): Promise<boolean> {
  let isAllNoted = !asked.some(({ answer }) => answer === 'changing' || answer === 'unknown');
  for (const { booking, answer } of asked) {
    if (typeof answer !== 'string' && !(await noteFound(deps, booking, answer))) isAllNoted = false;
  }
  const firstAsks = goneOf(asked).filter(({ hand }) => hand !== 'deleted');
  return (await noteGone(deps, row, firstAsks)) && isAllNoted;
}

/** Bookings that are gone. A calendar that does not answer for one event proves nothing by what it says of others. */
function goneOf(asked: readonly Asked[]): BookingRow[] {
  if (asked.some(({ answer }) => answer === 'unknown')) return [];
  return asked.filter(({ answer }) => answer === 'gone').map(({ booking }) => booking);
}

/**
 * Bookings whose events were asked for twice and are gone: cancelled if the calendar's other events can be read at this
 * moment and theirs are not among them. One whose event lies in another calendar of the connection is left to its people.
 */
async function settleGone(
  deps: SettleDeps,
  row: ConnectionRow,
  connection: LiveConnection,
  twice: readonly BookingRow[],
): Promise<void> {
  if (twice.length === 0) return;
  const { events } = await read(deps, connection, null);
  const shown = new Set(events.filter(({ status }) => status === 'live').map(({ eventId }) => eventId));
  const absent = twice.filter(({ event_id }) => !shown.has(event_id ?? ''));
  const elsewhere = new Set<BookingRow>();
  for (const booking of absent) if (await isElsewhere(deps, connection, booking)) elsewhere.add(booking);
  await leaveVanished(deps, [...elsewhere]);
  await cancelVanished(
    deps,
    row,
    absent.filter((booking) => !elsewhere.has(booking)),
  );
}

/** True if the event was moved to another calendar that this connection reads; one that it may not read shows nothing. */
async function isElsewhere(
  deps: SettleDeps,
  connection: LiveConnection,
  booking: BookingRow,
): Promise<boolean> {
  for (const calendarId of connection.busyCalendarIds) {
    if (calendarId === booking.calendar_id) continue;
    const answer = await askFor(deps, connection, booking, calendarId);
    if (typeof answer !== 'string' && answer.bookingId === booking.id) return true;
  }
  return false;
}
