// The calendar port for Google Calendar.
import { type Clock, systemClock } from '../../base/clock.ts';
import type { Outgoing } from '../../base/outgoing/outgoing.ts';
import { withRetries } from '../../base/retry.ts';
import type { Calendar, CalendarCredential, CallLimits } from '../../ports/calendar.ts';
import { openAccessTokens } from './access-tokens.ts';
import { busyTimes } from './busy-times.ts';
import type { ClientDeps } from './client.ts';
import { readCredential } from './credential.ts';
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
import { googleSignIn, type OAuthDeps, refreshAccess, revokeAuthorization } from './oauth.ts';

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
  /** The time limit of one attempt; default 5 s. */
  attemptTimeoutMs?: number | undefined;
}

const withEventId = <T extends { bookingId: string; eventId: string | null }>(of: T) => ({
  ...of,
  eventId: of.eventId ?? eventIdFor(of.bookingId),
});

/** Rejections decided by reading the event itself, so no earlier attempt can contradict them. */
const conclusiveCodes = new Set(['event_deleted', 'event_id_taken']);

/** Makes a call in several attempts, each of at most `longestMs`. */
type Retried = <T>(
  credential: CalendarCredential,
  limits: CallLimits,
  act: (attempt: Attempt) => Promise<T>,
  longestMs?: number,
) => Promise<T>;

/** The adapter for one OAuth client. Its only state is the cache of access tokens. */
export function googleCalendar(options: GoogleCalendarOptions): Calendar {
  const clock = options.clock ?? systemClock;
  const oauth = oauthDeps(options);
  const deps: ClientDeps = {
    apiUrl: (options.apiUrl ?? 'https://www.googleapis.com').replace(/\/+$/, ''),
    outgoing: options.outgoing,
    tokens: openAccessTokens(clock, (refreshToken, limits) => refreshAccess(oauth, refreshToken, limits)),
  };
  const retry = { clock, attemptTimeoutMs: options.attemptTimeoutMs ?? 5_000, conclusiveCodes };

  const retried: Retried = async (credential, limits, act, longestMs = retry.attemptTimeoutMs) => {
    const { refreshToken, accountEmail } = readCredential(credential);
    return withRetries({ ...retry, attemptTimeoutMs: longestMs }, limits, (attempt) =>
      act({ deps, refreshToken, accountEmail, limits: attempt }),
    );
  };

  return {
    provider: 'google',
    supports: { meetings: true, signIn: 'oauth' },
    oauth: googleSignIn(oauth),
    eventIds: { kind: 'chosen', idFor: eventIdFor },
    ...readOperations(retried),
    ...eventOperations(retried),
    disconnect: async (credential, limits) => {
      const { refreshToken } = readCredential(credential);
      await withRetries(retry, limits, (attempt) => revokeAuthorization(oauth, refreshToken, attempt));
    },
  };
}

function oauthDeps(options: GoogleCalendarOptions): OAuthDeps {
  const { clientId, clientSecret, outgoing } = options;
  return {
    clientId,
    clientSecret,
    outgoing,
    authUrl: options.authUrl ?? 'https://accounts.google.com/o/oauth2/v2/auth',
    tokenUrl: options.tokenUrl ?? 'https://oauth2.googleapis.com/token',
    revokeUrl: options.revokeUrl ?? 'https://oauth2.googleapis.com/revoke',
  };
}

function readOperations(retried: Retried): Pick<Calendar, 'busyTimes' | 'changedEvents'> {
  return {
    busyTimes: (credential, query, limits) =>
      retried(credential, limits, (attempt) => busyTimes(attempt.deps, attempt, query, attempt.limits)),
    changedEvents: (credential, query, limits) => {
      const read = (attempt: Attempt) => changedEvents(attempt, query);
      // one attempt with the whole time limit: there may be many pages
      return retried(credential, limits, read, limits.timeoutMs);
    },
  };
}

function eventOperations(
  retried: Retried,
): Pick<
  Calendar,
  'getEvent' | 'insertEvent' | 'updateEvent' | 'replaceMeeting' | 'deleteEvent' | 'removeForGood'
> {
  return {
    getEvent: (credential, ref, limits) => retried(credential, limits, (attempt) => getEvent(attempt, ref)),
    insertEvent: (credential, event, limits) =>
      retried(credential, limits, (attempt) => insertEvent(attempt, withEventId(event))),
    updateEvent: (credential, change, limits) =>
      retried(credential, limits, (attempt) => updateEvent(attempt, change)),
    replaceMeeting: (credential, ref, limits) =>
      retried(credential, limits, (attempt) => replaceMeeting(attempt, ref)),
    deleteEvent: (credential, ref, limits) =>
      retried(credential, limits, (attempt) => deleteEvent(attempt, ref)),
    removeForGood: async (credential, ref, limits) => {
      await retried(credential, limits, (attempt) => removeForGood(attempt, withEventId(ref)));
      return { certain: true };
    },
  };
}
