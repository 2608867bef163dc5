// What a connected Google account leaves with us, as the opaque text that the port speaks of. Pure.
import { VendorError } from '../../base/errors.ts';
import type { CalendarCredential } from '../../ports/calendar.ts';

export interface GoogleCredential {
  refreshToken: string;
  accountEmail: string | null;
  scopes: string[];
}

export function encryptable(credential: GoogleCredential): CalendarCredential {
  return JSON.stringify(credential);
}

/** Throws VendorError `invalid_grant` for a text that this adapter did not make: reconnecting fixes it. */
export function opened(credential: CalendarCredential): GoogleCredential {
  try {
    const { refreshToken, accountEmail, scopes } = JSON.parse(credential) as Partial<GoogleCredential>;
    if (typeof refreshToken === 'string' && refreshToken !== '') {
      return { refreshToken, accountEmail: accountEmail ?? null, scopes: scopes ?? [] };
    }
  } catch {
    // Said below, without the text, which may hold a secret.
  }
  throw new VendorError('rejected', 'The stored connection cannot be read. Reconnect the calendar.', {
    code: 'invalid_grant',
  });
}
