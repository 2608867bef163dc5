// The credential of a connected Google account, as the port's opaque text. Pure.
import { VendorError } from '../../base/errors.ts';
import type { CalendarCredential } from '../../ports/calendar.ts';

export interface GoogleCredential {
  refreshToken: string;
  accountEmail: string | null;
  scopes: string[];
}

/** An authorization as the credential that is stored, encrypted. */
export function credentialText(credential: GoogleCredential): CalendarCredential {
  return JSON.stringify(credential);
}

/** Parses a credential. Throws VendorError `invalid_grant` for any other text: only reconnecting helps. */
export function readCredential(credential: CalendarCredential): GoogleCredential {
  try {
    const { refreshToken, accountEmail, scopes } = JSON.parse(credential) as Partial<GoogleCredential>;
    if (typeof refreshToken === 'string' && refreshToken !== '') {
      return { refreshToken, accountEmail: accountEmail ?? null, scopes: scopes ?? [] };
    }
  } catch {
    // reported below without the text, which may contain a secret
  }
  throw new VendorError('rejected', 'The stored connection cannot be read. Reconnect the calendar.', {
    code: 'invalid_grant',
  });
}
