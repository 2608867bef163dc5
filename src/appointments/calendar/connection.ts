// From a staff member to their calendar: the credential opened, and what a failing call says of the connection.
import { createHash } from 'node:crypto';
import type { Cipher } from '../../base/cipher.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, externalError, VendorError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import type { Calendar, CalendarCredential } from '../../ports/calendar.ts';
import { type LeasedDelivery, type PublishDeps, publish } from '../../webhooks/publish.ts';
import { type ConnectionRow, findConnection, markDead, noteFailure, noteUse } from './connections-store.ts';
import { calendarStatusEvent } from './status-event.ts';

/** The configured calendar adapters by provider name, the default of each sign-in first. */
export type Calendars = Record<string, Calendar>;

export interface CalendarDeps {
  db: Db;
  log: Log;
  cipher: Cipher;
  calendars: Calendars;
  clock: Pick<Clock, 'now'>;
  deliveries: PublishDeps['deliveries'] & { offer(leasedDeliveries: LeasedDelivery[]): void };
}

/** A connection ready for calls. */
export interface LiveConnection {
  id: string;
  staffId: string;
  calendar: Calendar;
  credential: CalendarCredential;
  calendarId: string;
  calendarKey: string | null;
  busyCalendarIds: string[];
  /** Where dates and floating times are read if the calendar names no zone: that of the schedule. */
  timeZone: string;
  /** True if a success was noted within the last minute and no failure since: another one need not be. */
  noted: boolean;
}

/** What calls need of a connection's row. */
export type UsableConnection = Pick<
  ConnectionRow,
  | 'id'
  | 'staff_id'
  | 'staff_timezone'
  | 'provider'
  | 'credential'
  | 'calendar_id'
  | 'calendar_key'
  | 'busy_calendar_ids'
  | 'dead_at'
> & { noted?: boolean };

export const credentialPlace = (connectionId: string) => ({
  table: 'calendar_connections',
  column: 'credential',
  row: connectionId,
});

/**
 * The key by which staff who share a calendar share its time: a UUID made of the first 128 bits of a SHA-256, so that it is
 * short in indexes. Migration 0008 makes the same of what was stored before. Null for a calendar that is not known.
 */
export function calendarKeyOf(provider: string, identity: string | null): string | null {
  if (identity === null) return null;
  const hex = createHash('sha256').update(`${provider}:${identity}`).digest('hex');
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** 409 for a staff member whose calendar cannot be used until somebody connects it (again). */
export function notConnected(why?: string): AppError {
  return new AppError(
    'calendar_not_connected',
    why ??
      'The calendar of this staff member is not connected. Open the address of ext-calendar/auth-url to connect it.',
  );
}

/** True for a connection whose grant is not known to be gone, and whose kind of calendar is configured. */
export function isAlive(deps: CalendarDeps, row: Pick<UsableConnection, 'provider' | 'dead_at'>): boolean {
  return row.dead_at === null && deps.calendars[row.provider] !== undefined;
}

/** The connection of a row that is alive; undefined for a dead one, or one whose kind of calendar is not configured. */
export function liveConnection(deps: CalendarDeps, row: UsableConnection): LiveConnection | undefined {
  const calendar = deps.calendars[row.provider];
  if (row.dead_at !== null || !calendar) return undefined;
  return {
    id: row.id,
    staffId: row.staff_id,
    calendar,
    credential: deps.cipher.decrypt(row.credential, credentialPlace(row.id)),
    calendarId: row.calendar_id,
    calendarKey: row.calendar_key,
    busyCalendarIds: row.busy_calendar_ids,
    timeZone: row.staff_timezone,
    noted: row.noted ?? false,
  };
}

/** The staff member's living connection; 409 `calendar_not_connected` without one. */
export async function openConnection(deps: CalendarDeps, staffId: string): Promise<LiveConnection> {
  const row = await findConnection(deps.db, staffId);
  const live = row && liveConnection(deps, row);
  if (!live) throw notConnected(row?.failure ?? undefined);
  return live;
}

const connectAgain: Record<string, string> = {
  invalid_grant:
    'The calendar account has taken its permission back, or it has expired. Connect the calendar again.',
  scope_missing:
    'A permission that the gateway needs was not granted. Connect the calendar again and allow everything asked for.',
};

/** True if the failure says that the connection is dead: retrying never helps. */
export function isDeadGrant(error: unknown): boolean {
  return error instanceof VendorError && String(error.code) in connectAgain;
}

/**
 * Makes a call on a connection and notes what it says of it: a success, a failure, or that the grant is gone (then the
 * connection is dead from now on). The call's own error is thrown on as it is.
 */
export async function useCalendar<T>(
  deps: CalendarDeps,
  connection: LiveConnection,
  call: (calendar: Calendar, credential: CalendarCredential) => Promise<T>,
): Promise<T> {
  try {
    const answer = await call(connection.calendar, connection.credential);
    if (!connection.noted) await noteUse(deps.db, connection.id);
    return answer;
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    const dead = connectAgain[String(error.code)];
    if (dead === undefined) {
      await noteFailure(deps.db, connection.id, `The calendar did not do what was asked: ${error.message}`);
    } else if (await reportDead(deps, connection.id, dead)) {
      deps.log.warn(
        { staffId: connection.staffId, connectionId: connection.id, code: error.code },
        'calendar.disconnected',
      );
    }
    throw error;
  }
}

/** Notes that the authorization of a connection is gone, and reports it; false if that was known. */
async function reportDead(deps: CalendarDeps, connectionId: string, failure: string): Promise<boolean> {
  const started = await deps.db.transaction().execute(async (tx) => {
    const row = await markDead(tx, connectionId, failure);
    return row && publish(deps, tx, [calendarStatusEvent(deps.clock.now(), row, 'disconnected')]);
  });
  if (started && started.length > 0) deps.deliveries.offer(started);
  return started !== undefined;
}

/** A calendar's failure as the caller is told it: 409 where connecting again is all that helps, else 502 or 503. */
export function calendarError(error: unknown): unknown {
  if (!(error instanceof VendorError)) return error;
  const dead = connectAgain[String(error.code)];
  return dead === undefined ? externalError(error, 'The calendar') : notConnected(dead);
}
