// The credential of a connected CalDAV account, as the port's opaque text. Pure.
import { VendorError } from '../../base/errors.ts';
import type { CalendarCredential } from '../../ports/calendar.ts';

/**
 * How to query events, as tested when the calendar was connected. `time_range`: the time-range filter finds every event.
 * `with_series`: it misses series or durations, so these are queried too. `everything`: no filter is reliable.
 */
export type QueryMode = 'time_range' | 'with_series' | 'everything';

export interface CaldavAccount {
  username: string;
  password: string;
  /** The address of the account's calendars. The password is sent to this origin only. */
  homeUrl: string;
  /** The owner's mail addresses, in lower case: an invitation that one of them declined blocks no time. */
  addresses: string[];
  /** The owner's address according to the server; null if unknown. Only with it can the server send invitations. */
  organizer: string | null;
  /** The zone of dates and floating times if neither the calendar nor the caller has one. */
  timeZone: string;
  reads: QueryMode;
}

/** An account as the credential that is stored, encrypted. */
export function credentialText(account: CaldavAccount): CalendarCredential {
  return JSON.stringify(account);
}

/** Parses a credential. Throws VendorError `invalid_grant` for any other text: only reconnecting helps. */
export function readCredential(credential: CalendarCredential): CaldavAccount {
  try {
    const account = JSON.parse(credential) as CaldavAccount;
    if (typeof account.username === 'string' && URL.canParse(account.homeUrl)) return account;
  } catch {
    // reported below without the text, which contains the password
  }
  throw new VendorError('rejected', 'The stored connection cannot be read. Reconnect the calendar.', {
    code: 'invalid_grant',
  });
}

/**
 * The address of a calendar of this account, with a trailing slash. Throws `calendar_not_found` for another origin, because
 * the password would be sent there.
 */
export function calendarUrlOf(account: Pick<CaldavAccount, 'homeUrl'>, calendarId: string): string {
  const url = URL.canParse(calendarId, account.homeUrl) ? new URL(calendarId, account.homeUrl) : undefined;
  if (url?.origin !== new URL(account.homeUrl).origin || calendarId === '')
    throw calendarNotFound(calendarId);
  return url.href.endsWith('/') ? url.href : `${url.href}/`;
}

/** The rejection of a calendar that the account does not have. */
export function calendarNotFound(calendarId: string): VendorError {
  return new VendorError('rejected', `There is no calendar ${calendarId} in this account.`, {
    code: 'calendar_not_found',
    title: 'Calendar not found',
    status: 404,
  });
}
