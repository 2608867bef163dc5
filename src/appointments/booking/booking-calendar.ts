// The calendar and the event of a booking: how to reach them, and how long a call may take.
import type { Calendar, CallLimits } from '../../ports/calendar.ts';
import { type LiveConnection, liveConnection } from '../calendar/connection.ts';
import { findConnection } from '../calendar/connections-store.ts';
import type { SlotsDeps } from '../slots/available.ts';
import { type BookingRow, requestTimeoutMs } from './booking.ts';

export type BookingDeps = SlotsDeps & { webhookTimeoutMs: number };

/** The time that is left until `deadline` (of `clock.steady()`) as a call's limits, `maxMs` at most. */
export function limitsUntil(deps: BookingDeps, deadline: number, maxMs = requestTimeoutMs): CallLimits {
  return { timeoutMs: Math.max(1, Math.min(maxMs, deadline - deps.clock.steady())) };
}

/**
 * How a booking's calendar can be reached: by a living connection, not now (dead), or never again (none: disconnected,
 * or another calendar took its place).
 */
export async function reachCalendar(
  deps: BookingDeps,
  row: Pick<BookingRow, 'staff_id' | 'provider' | 'calendar_key'>,
): Promise<LiveConnection | 'dead' | 'none'> {
  const connection = await findConnection(deps.db, row.staff_id);
  if (connection?.provider !== row.provider) return 'none';
  const keys = [row.calendar_key, connection.calendar_key];
  if (!keys.includes(null) && keys[0] !== keys[1]) return 'none';
  return liveConnection(deps, connection) ?? 'dead';
}

/** The event of a booking, as the calendar knows it. */
export function eventRef(row: BookingRow, calendar: Calendar): { calendarId: string; eventId: string } {
  return {
    calendarId: row.calendar_id ?? '',
    eventId: row.event_id ?? calendar.eventIdFor(row.id, row.event_generation),
  };
}
