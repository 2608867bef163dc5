// Events of bookings in connected calendars that the database does not have: booked after the backup that was restored.
import { isUuid, nilUuid } from '../../base/ids.ts';
import { type CalendarDeps, liveConnection, useCalendar } from '../calendar/connection.ts';
import { listConnections, missingBookings } from './unknown-events-store.ts';

export interface UnknownEvent {
  bookingId: string;
  staffId: string;
  /** Epoch milliseconds; null: unknown. */
  start: number | null;
}

const connectionsAtOnce = 100;
const readTimeoutMs = 60_000;

/**
 * Reads every connected calendar. Returns future events of the gateway's bookings that are not in the database, and how many
 * calendars could not be read.
 */
export async function findUnknownEvents(
  deps: CalendarDeps,
): Promise<{ events: UnknownEvent[]; unread: number }> {
  const events: UnknownEvent[] = [];
  let unread = 0;
  for (let afterId = nilUuid; ; ) {
    const rows = await listConnections(deps.db, { afterId, limit: connectionsAtOnce });
    const last = rows.at(-1);
    if (!last) return { events, unread };
    afterId = last.id;
    for (const row of rows) {
      try {
        const connection = liveConnection(deps, row);
        if (!connection) {
          // its provider is not configured
          unread += 1;
          continue;
        }
        const { calendarId, timeZone } = connection;
        const query = { calendarId, timeZone, cursor: null, since: deps.clock.now() };
        const { events: found } = await useCalendar(deps, connection, (calendar, credential) =>
          calendar.changedEvents(credential, query, { timeoutMs: readTimeoutMs }),
        );
        const live = found.filter(({ status, bookingId }) => status === 'live' && isUuid(bookingId ?? ''));
        const missing = await missingBookings(
          deps.db,
          live.map(({ bookingId }) => bookingId ?? ''),
        );
        for (const { bookingId, start } of live)
          if (bookingId !== null && missing.has(bookingId))
            events.push({ bookingId, staffId: row.staff_id, start });
      } catch (error) {
        unread += 1;
        deps.log.warn({ err: error, connectionId: row.id }, 'calendar.read_failed');
      }
    }
  }
}
