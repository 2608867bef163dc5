// The calendar port, kept by Google Calendar.
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Outgoing } from '../../base/outgoing.ts';
import { withRetries } from '../../base/retry.ts';
import type { Calendar, CalendarCredential, CallLimits } from '../../ports/calendar.ts';
import { accessTokens } from './access-tokens.ts';
import { busyTimes } from './busy-times.ts';
import type { ClientDeps } from './client.ts';
import { opened } from './credential.ts';
import { eventIdFor } from './event-json.ts';
import {
  type Attempt,
  changedEvents,
  deleteEvent,
  getEvent,
  insertEvent,
  removeForGood,
  replaceMeeting,
  updateEvent,
} from './events.ts';
import { googleSignIn, type OAuthDeps, refreshAccess, revokeGrant } from './oauth.ts';

export interface GoogleCalendarOptions {
  clientId: string;
  clientSecret: string;
  outgoing: Pick<Outgoing, 'request'>;
  /** Default `https://www.googleapis.com`; `/calendar/v3` follows. */
  apiUrl?: string | undefined;
  /** Default `https://accounts.google.com/o/oauth2/v2/auth`. */
  authUrl?: string | undefined;
  /** Default `https://oauth2.googleapis.com/token`. */
  tokenUrl?: string | undefined;
  /** Default `https://oauth2.googleapis.com/revoke`. */
  revokeUrl?: string | undefined;
  clock?: Clock | undefined;
  /** The longest that one attempt of a call waits; default 5 s. */
  attemptTimeoutMs?: number | undefined;
}

const withEventId = <T extends { bookingId: string; eventId: string | null }>(of: T) => ({
  ...of,
  eventId: of.eventId ?? eventIdFor(of.bookingId),
});

/** Refusals that rest on the event itself, as it was seen last. */
const seenAfterwards = new Set(['event_deleted', 'event_id_taken']);

/** The adapter for one OAuth client; it keeps access tokens and nothing else. */
export function googleCalendar(options: GoogleCalendarOptions): Calendar {
  const clock = options.clock ?? systemClock;
  const { clientId, clientSecret, outgoing } = options;
  const oauth: OAuthDeps = {
    clientId,
    clientSecret,
    outgoing,
    authUrl: options.authUrl ?? 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: options.tokenUrl ?? 'https://oauth2.googleapis.com/token',
    revokeUrl: options.revokeUrl ?? 'https://oauth2.googleapis.com/revoke',
  };
  const deps: ClientDeps = {
    apiUrl: (options.apiUrl ?? 'https://www.googleapis.com').replace(/\/+$/, ''),
    outgoing,
    tokens: accessTokens(clock, (refreshToken, limits) => refreshAccess(oauth, refreshToken, limits)),
  };
  const retry = { clock, attemptTimeoutMs: options.attemptTimeoutMs ?? 5_000, seenAfterwards };

  const repeated = async <T>(
    credential: CalendarCredential,
    limits: CallLimits,
    act: (attempt: Attempt) => Promise<T>,
    attemptTimeoutMs = retry.attemptTimeoutMs,
  ): Promise<T> => {
    const { refreshToken } = opened(credential);
    return withRetries({ ...retry, attemptTimeoutMs }, limits, (attempt) =>
      act({ deps, refreshToken, limits: attempt }),
    );
  };

  return {
    provider: 'google',
    supports: { meetings: true, signIn: 'oauth' },
    oauth: googleSignIn(oauth),
    eventIds: { kind: 'chosen', idFor: eventIdFor },
    busyTimes: (credential, question, limits) =>
      repeated(credential, limits, (attempt) =>
        busyTimes(attempt.deps, opened(credential), question, attempt.limits),
      ),
    getEvent: (credential, ref, limits) => repeated(credential, limits, (attempt) => getEvent(attempt, ref)),
    insertEvent: (credential, event, limits) =>
      repeated(credential, limits, (attempt) => insertEvent(attempt, withEventId(event))),
    updateEvent: (credential, change, limits) =>
      repeated(credential, limits, (attempt) => updateEvent(attempt, change)),
    replaceMeeting: (credential, ref, limits) =>
      repeated(credential, limits, (attempt) => replaceMeeting(attempt, ref)),
    deleteEvent: (credential, ref, limits) =>
      repeated(credential, limits, (attempt) => deleteEvent(attempt, ref)),
    removeForGood: async (credential, ref, limits) => {
      await repeated(credential, limits, (attempt) => removeForGood(attempt, withEventId(ref)));
      return { certain: true };
    },
    changedEvents: (credential, question, limits) => {
      // Many pages: the whole time, in one attempt.
      const read = (attempt: Attempt) => changedEvents(attempt, question);
      return repeated(credential, limits, read, limits.timeoutMs);
    },
    disconnect: async (credential, limits) => {
      const { refreshToken } = opened(credential);
      await withRetries(retry, limits, (attempt) => revokeGrant(oauth, refreshToken, attempt));
    },
  };
}
