// What a connected CalDAV account leaves with us, as the opaque text that the port speaks of. Pure.
import { VendorError } from '../../base/errors.ts';
import type { CalendarCredential } from '../../ports/calendar.ts';

/**
 * How events are asked for, as the server proved itself when it was connected. `time_range`: its time-range filter
 * finds all that overlaps. `with_series`: it misses series or durations, which are asked for beside it. `everything`:
 * its filters cannot be relied on at all.
 */
export type Reads = 'time_range' | 'with_series' | 'everything';

export interface CaldavAccount {
  username: string;
  password: string;
  /** Where the account's calendars are; the password goes to this origin and no other. */
  homeUrl: string;
  /** The owner's own mail addresses, in lower case: an invitation that one of them declined blocks nothing. */
  addresses: string[];
  /** The address that the server itself names: only then may it send invitations in the owner's name. */
  organizer: string | null;
  /** Where dates and floating times are read if neither the calendar nor the caller names a zone. */
  timeZone: string;
  reads: Reads;
}

export function encryptable(account: CaldavAccount): CalendarCredential {
  return JSON.stringify(account);
}

/** Throws VendorError `invalid_grant` for a text that this adapter did not make: reconnecting fixes it. */
export function opened(credential: CalendarCredential): CaldavAccount {
  try {
    const account = JSON.parse(credential) as CaldavAccount;
    if (typeof account.username === 'string' && URL.canParse(account.homeUrl)) return account;
  } catch {
    // Said below, without the text, which holds a password.
  }
  throw new VendorError('rejected', 'The stored connection cannot be read. Reconnect the calendar.', {
    code: 'invalid_grant',
  });
}

/**
 * The address of a calendar of this account, with a slash at its end. Throws `calendar_not_found` for one elsewhere,
 * since the password would go there.
 */
export function calendarUrlOf(account: Pick<CaldavAccount, 'homeUrl'>, calendarId: string): string {
  const url = URL.canParse(calendarId, account.homeUrl) ? new URL(calendarId, account.homeUrl) : undefined;
  if (url?.origin !== new URL(account.homeUrl).origin || calendarId === '')
    throw calendarNotFound(calendarId);
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}

export function calendarNotFound(calendarId: string): VendorError {
  return new VendorError('rejected', `There is no calendar ${calendarId} in this account.`, {
    code: 'calendar_not_found',
    title: 'Calendar not found',
    status: 404,
  });
}
