// Calls on a staff member's calendar connection: decrypts the credential, makes the call, records its result.
import { createHash } from 'node:crypto';
import type { Cipher } from '../../base/cipher.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, externalError, VendorError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Db } from '../../db/db.ts';
import type { Calendar, CalendarCredential } from '../../ports/calendar.ts';
import { type PublishDeps, publish } from '../../webhooks/publish.ts';
import {
  type ConnectionRow,
  findConnection,
  markDead,
  recordFailure,
  recordUse,
} from './connections-store.ts';
import { calendarStatusEvent } from './status-event.ts';

/** The configured calendar adapters by provider name, the default of each sign-in first. */
export type Calendars = Record<string, Calendar>;

export interface CalendarDeps {
  db: Db;
  log: Log;
  cipher: Cipher;
  calendars: Calendars;
  clock: Pick<Clock, 'now'>;
  deliveries: PublishDeps['deliveries'];
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
  /** The schedule's zone, for dates and floating times in a calendar without a zone. */
  timeZone: string;
  /** True if a success was recorded within the last minute and no failure since. */
  isUseRecorded: boolean;
}

/** The columns that calls need. */
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
> & { use_recorded?: boolean };

export const credentialPlace = (connectionId: string) => ({
  table: 'calendar_connections',
  column: 'credential',
  row: connectionId,
});

/**
 * The key of a calendar, equal for all staff who share it. A UUID of the first 128 bits of a SHA-256 keeps indexes small;
 * migration 0008 computes the same. Null without an identity.
 */
export function calendarKeyOf(provider: string, identity: string | null): string | null {
  if (identity === null) return null;
  const hex = createHash('sha256').update(`${provider}:${identity}`).digest('hex');
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** 409 for a staff member whose calendar must be connected or reconnected first. */
export function notConnected(why?: string): AppError {
  return new AppError(
    'calendar_not_connected',
    why ??
      'The calendar of this staff member is not connected. Open the address of ext-calendar/auth-url to connect it.',
  );
}

/** What an operator has to add before a provider can be used. */
export const notConfiguredText = (what: string) =>
  `${what} is not configured in this gateway. Its operator can see what is missing with "doctor".`;

/** Why a connection cannot be used or had a problem, as callers see it; null: no problem is known. */
export function connectionProblem(
  { calendars }: Pick<CalendarDeps, 'calendars'>,
  row: Pick<ConnectionRow, 'provider' | 'failure'>,
): string | null {
  // a missing setting goes first: without it, reconnecting is not possible either
  return calendars[row.provider] ? row.failure : notConfiguredText(`The calendar provider "${row.provider}"`);
}

/** 409 for a staff member whose connection, if any, cannot be used; says why. */
export const notUsable = (
  deps: Pick<CalendarDeps, 'calendars'>,
  row: Pick<ConnectionRow, 'provider' | 'failure'> | undefined,
): AppError => notConnected((row && connectionProblem(deps, row)) ?? undefined);

/** True for a connection that is not dead and whose provider is configured. */
export function isAlive(
  deps: Pick<CalendarDeps, 'calendars'>,
  row: Pick<UsableConnection, 'provider' | 'dead_at'>,
): boolean {
  return row.dead_at === null && deps.calendars[row.provider] !== undefined;
}

/** By the encrypted bytes: the rows of staff are remembered (`slots/staff-days.ts`), and each request needs the credential. */
const decrypted = new WeakMap<Buffer, CalendarCredential>();

function credentialOf({ cipher }: Pick<CalendarDeps, 'cipher'>, row: UsableConnection): CalendarCredential {
  const known = decrypted.get(row.credential);
  if (known !== undefined) return known;
  const credential = cipher.decrypt(row.credential, credentialPlace(row.id));
  decrypted.set(row.credential, credential);
  return credential;
}

/** The connection of a row; undefined if it is dead or its provider is not configured. */
export function liveConnection(deps: CalendarDeps, row: UsableConnection): LiveConnection | undefined {
  const calendar = deps.calendars[row.provider];
  if (row.dead_at !== null || !calendar) return undefined;
  return {
    id: row.id,
    staffId: row.staff_id,
    calendar,
    credential: credentialOf(deps, row),
    calendarId: row.calendar_id,
    calendarKey: row.calendar_key,
    busyCalendarIds: row.busy_calendar_ids,
    timeZone: row.staff_timezone,
    isUseRecorded: row.use_recorded ?? false,
  };
}

/** The staff member's active connection; 409 `calendar_not_connected` without one. */
export async function openConnection(deps: CalendarDeps, staffId: string): Promise<LiveConnection> {
  const row = await findConnection(deps.db, staffId);
  const live = row && liveConnection(deps, row);
  if (!live) throw notUsable(deps, row);
  return live;
}

const reconnectMessages: Record<string, string> = {
  invalid_grant:
    'The authorization of the calendar account was revoked or has expired. Reconnect the calendar.',
  scope_missing:
    'A permission that the gateway needs was not granted. Reconnect the calendar and allow every permission.',
};

/** True if the authorization was revoked or is incomplete: only reconnecting helps. */
export function isAuthorizationRevoked(error: unknown): boolean {
  return error instanceof VendorError && String(error.code) in reconnectMessages;
}

/**
 * Makes a call on a connection and records its result. A revoked authorization marks the connection as dead. Rethrows the
 * call's error unchanged.
 */
export async function useCalendar<T>(
  deps: CalendarDeps,
  connection: LiveConnection,
  call: (calendar: Calendar, credential: CalendarCredential) => Promise<T>,
): Promise<T> {
  try {
    const result = await call(connection.calendar, connection.credential);
    if (!connection.isUseRecorded) await recordUse(deps.db, connection.id);
    return result;
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    const dead = reconnectMessages[String(error.code)];
    if (dead === undefined) {
      await recordFailure(deps.db, connection.id, `The last calendar call failed: ${error.message}`);
    } else if (await reportDead(deps, connection.id, dead)) {
      deps.log.warn(
        { staffId: connection.staffId, connectionId: connection.id, code: error.code },
        'calendar.disconnected',
      );
    }
    throw error;
  }
}

/** Marks a connection as dead and publishes the event; false if it was dead already. */
async function reportDead(deps: CalendarDeps, connectionId: string, failure: string): Promise<boolean> {
  const started = await deps.db.transaction().execute(async (tx) => {
    const row = await markDead(tx, connectionId, failure);
    return row && publish(deps, tx, [calendarStatusEvent(deps.clock.now(), row, 'disconnected')]);
  });
  if (started && started.length > 0) deps.deliveries.offer(started);
  return started !== undefined;
}

/** The caller's error for a calendar failure: 409 if only reconnecting helps, else 502 or 503. */
export function calendarError(error: unknown): unknown {
  if (!(error instanceof VendorError)) return error;
  const dead = reconnectMessages[String(error.code)];
  return dead === undefined ? externalError(error, 'The calendar') : notConnected(dead);
}
