// Events of bookings in connected calendars that the database does not have: booked after the backup that was restored.
import { isUuid, nilUuid } from '../../base/ids.ts';
import { type CalendarDeps, liveConnection, useCalendar } from '../calendar/connection.ts';
import type { ConnectionRow } from '../calendar/connections-store.ts';
import { listConnections, missingBookings } from './unknown-events-store.ts';

export interface UnknownEvent {
  bookingId: string;
  staffId: string;
  /** Epoch milliseconds; null: unknown. */
  start: number | null;
}

/** An unreachable calendar takes the whole timeout. */
const connectionsAtOnce = 20;
const readTimeoutMs = 60_000;

export interface UnknownEvents {
  events: UnknownEvent[];
  /** How many calendars could not be read. */
  unread: number;
  /** The staff of these calendars. */
  unreadStaffIds: string[];
}

/** Reads every connected calendar. Returns future events of the gateway's bookings that are not in the database. */
export async function findUnknownEvents(deps: CalendarDeps): Promise<UnknownEvents> {
  const events: UnknownEvent[] = [];
  const unreadStaffIds: string[] = [];
  for (let afterId = nilUuid; ; ) {
    const rows = await listConnections(deps.db, { afterId, limit: connectionsAtOnce });
    const last = rows.at(-1);
    if (!last) return { events, unread: unreadStaffIds.length, unreadStaffIds };
    afterId = last.id;
    const found = await Promise.all(rows.map((row) => eventsIn(deps, row)));
    for (const [index, row] of rows.entries()) {
      const own = found[index];
      if (own) events.push(...own);
      else unreadStaffIds.push(row.staff_id);
    }
  }
}

/** The unknown events of one calendar; undefined if it could not be read. */
async function eventsIn(deps: CalendarDeps, row: ConnectionRow): Promise<UnknownEvent[] | undefined> {
  try {
    const connection = liveConnection(deps, row);
    // its provider is not configured
    if (!connection) return undefined;
    const { calendarId, timeZone } = connection;
    const query = { calendarId, timeZone, cursor: null, since: deps.clock.now() };
    const { events } = await useCalendar(deps, connection, (calendar, credential) =>
      calendar.changedEvents(credential, query, { timeoutMs: readTimeoutMs }),
    );
    const live = events.flatMap(({ status, bookingId, start }) =>
      status === 'live' && isUuid(bookingId ?? '')
        ? [{ bookingId: bookingId as string, staffId: row.staff_id, start }]
        : [],
    );
    const missing = await missingBookings(
      deps.db,
      live.map(({ bookingId }) => bookingId),
    );
    return live.filter(({ bookingId }) => missing.has(bookingId));
  } catch (error) {
    deps.log.warn({ err: error, connectionId: row.id }, 'calendar.read_failed');
    return undefined;
  }
}
