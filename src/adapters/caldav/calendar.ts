// The calendar port for CalDAV servers (RFC 4791) with user name and password.
import { type Clock, systemClock } from '../../base/clock.ts';
import { VendorError } from '../../base/errors.ts';
import type { Outgoing } from '../../base/outgoing/outgoing.ts';
import { redactError } from '../../base/outgoing/secrets.ts';
import { attemptLimits, withRetries } from '../../base/retry.ts';
import type {
  Calendar,
  CalendarCredential,
  CallLimits,
  Connected,
  PasswordSignIn,
} from '../../ports/calendar.ts';
import { type CaldavAccount, calendarUrlOf, credentialText, readCredential } from './credential.ts';
import type { CallDeps } from './dav-call.ts';
import { eventIdFor } from './event-id.ts';
import type { Attempt } from './events.ts';
import { identityOf } from './identity.ts';

export interface CaldavCalendarOptions {
  /** Must refuse private addresses: it calls the address that the account's owner gives. */
  outgoing: Pick<Outgoing, 'request'>;
  clock?: Clock | undefined;
  /** The time limit of one attempt; default 5 s. */
  attemptTimeoutMs?: number | undefined;
}

/** Rejections decided by reading the event itself, so no earlier attempt can contradict them. */
const conclusiveCodes = new Set(['event_deleted', 'event_id_taken']);
/** How long after a caller's timeout a server may still execute the request (docs/appointments.md, "Guarantees"). */
const lateRequestMs = 60_000;

/** Loaded on first use, because iCalendar, recurrence rules and XML take 10 MB. */
const events = () => import('./events.ts');
const busy = () => import('./busy-times.ts');

/**
 * Before a rejected password counts as wrong, the same password is tried once more after this time: a proxy or directory that
 * restarts, too, answers 401. Never more often, because servers lock accounts.
 */
const repeatAfterSeconds = 2;

/** Makes a call in several attempts, each of at most `longestMs`. */
type Retried = <T>(
  credential: CalendarCredential,
  limits: CallLimits,
  act: (attempt: Attempt) => Promise<T>,
  longestMs?: number,
) => Promise<T>;

/** The adapter. It has no state. */
export function caldavCalendar(options: CaldavCalendarOptions): Calendar {
  const { outgoing } = options;
  const clock = options.clock ?? systemClock;
  const attemptTimeoutMs = options.attemptTimeoutMs ?? 5_000;

  const retried: Retried = async (credential, limits, act, longestMs = attemptTimeoutMs) => {
    const account = readCredential(credential);
    const confirmed = onceUnconfirmed();
    return withoutPassword(account.password, () =>
      withRetries({ clock, attemptTimeoutMs: longestMs, conclusiveCodes }, limits, (attempt) =>
        act({ outgoing, limits: attempt, account, now: clock.now() }).catch(confirmed),
      ),
    );
  };

  return {
    provider: 'caldav',
    supports: { meetings: false, signIn: 'password' },
    password: passwordSignIn(outgoing),
    eventIds: { kind: 'chosen', idFor: eventIdFor },
    ...readOperations(retried),
    ...eventOperations(retried),
    removeForGood: async (credential, ref, limits) => {
      await retried(credential, limits, async (attempt) =>
        (await events()).deleteEvent(attempt, withEventId(ref)),
      );
      // a deleted event frees its file name, so an insert still in flight would succeed
      return { certain: false, retryAfterMs: attemptTimeoutMs + lateRequestMs };
    },
    // nothing to revoke: the password belongs to its owner
    disconnect: async (credential) => void readCredential(credential),
  };
}

/** For one call: makes its first 401 one that is repeated, if its time limit allows, and that ends no connection. */
function onceUnconfirmed(): (error: unknown) => never {
  let isFirst = true;
  return (error) => {
    const isRejected = error instanceof VendorError && error.status === 401 && error.code === 'invalid_grant';
    if (!isRejected || !isFirst) throw error;
    isFirst = false;
    throw new VendorError('not_sent', error.message, {
      ...{ code: 'http_401', title: 'http_401', status: 401, retryAfterSeconds: repeatAfterSeconds },
      cause: error,
    });
  };
}

function readOperations(
  retried: Retried,
): Pick<Calendar, 'busyTimes' | 'changedEvents'> & Required<Pick<Calendar, 'eventProblems'>> {
  return {
    busyTimes: (credential, query, limits) =>
      retried(credential, limits, async (attempt) =>
        (await busy()).busyTimes(attempt, withTimeZone(attempt.account, query.timeZone), query),
      ),
    eventProblems: (credential, query, limits) =>
      retried(credential, limits, async (attempt) =>
        (await busy()).eventProblems(attempt, withTimeZone(attempt.account, query.timeZone), query),
      ),
    changedEvents: (credential, query, limits) => {
      const read = async (attempt: Attempt) => {
        const { changedEvents } = await import('./changes.ts');
        const account = withTimeZone(attempt.account, query.timeZone);
        return changedEvents({ ...attempt, account }, query);
      };
      // one attempt with the whole time limit: there may be many objects
      return retried(credential, limits, read, limits.timeoutMs);
    },
  };
}

function eventOperations(
  retried: Retried,
): Pick<Calendar, 'getEvent' | 'insertEvent' | 'updateEvent' | 'replaceMeeting' | 'deleteEvent'> {
  return {
    getEvent: (credential, ref, limits) =>
      retried(credential, limits, async (attempt) => (await events()).getEvent(attempt, ref)),
    insertEvent: (credential, event, limits) =>
      retried(credential, limits, async (attempt) =>
        (await events()).insertEvent(attempt, withEventId(event)),
      ),
    updateEvent: (credential, change, limits) =>
      retried(credential, limits, async (attempt) => (await events()).updateEvent(attempt, change)),
    replaceMeeting: (credential, ref, limits) =>
      retried(credential, limits, async (attempt) => (await events()).replaceMeeting(attempt, ref)),
    deleteEvent: (credential, ref, limits) =>
      retried(credential, limits, async (attempt) => (await events()).deleteEvent(attempt, ref)),
  };
}

const withEventId = <T extends { bookingId: string; eventId: string | null }>(of: T) => ({
  ...of,
  eventId: of.eventId ?? eventIdFor(of.bookingId),
});

/** Removes the password from server messages; `base/outgoing/outgoing.ts` removes the Authorization header. */
async function withoutPassword<T>(password: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw redactError(error, [password]);
  }
}

/** The account with the caller's zone instead of the one stored at connection. */
const withTimeZone = (account: CaldavAccount, timeZone = account.timeZone): CaldavAccount => ({
  ...account,
  timeZone,
});

function passwordSignIn(outgoing: Pick<Outgoing, 'request'>): PasswordSignIn {
  return {
    connect: (request, limits) => withoutPassword(request.password, () => connect(outgoing, request, limits)),
  };
}

async function connect(
  outgoing: Pick<Outgoing, 'request'>,
  request: Parameters<PasswordSignIn['connect']>[0],
  limits: CallLimits,
): Promise<Connected> {
  const { url, username, password, calendarUrl } = request;
  if (!/^https?:$/.test(new URL(url).protocol)) {
    throw new VendorError('rejected', 'The address must begin with https://.', {
      code: 'address_unusable',
    });
  }
  if (new URL(url).username !== '' || new URL(url).password !== '') {
    throw new VendorError('rejected', 'The address must not contain a user name or password.', {
      code: 'address_unusable',
    });
  }
  const [{ discover }, { verifyCalendar }] = await Promise.all([
    import('./discovery.ts'),
    import('./verify-calendar.ts'),
  ]);
  const deps: CallDeps = { outgoing, limits: attemptLimits(limits.timeoutMs, limits.signal) };
  const found = await discover(deps, { username, password }, url, calendarUrl);
  const own = username.includes('@') ? [username.toLowerCase()] : [];
  const account: CaldavAccount = {
    ...{ username, password, homeUrl: found.homeUrl },
    addresses: [...new Set([...found.addresses, ...own])],
    organizer: found.addresses[0] ?? null,
    timeZone: request.timeZone ?? 'UTC',
    reads: 'time_range',
  };
  // without the trailing slash, relative event addresses would be outside the calendar
  const calendarId = calendarUrlOf(account, found.calendarUrl);
  const verification = await verifyCalendar(deps, account, calendarId, request.known ?? []);
  return connected({ ...account, reads: verification.reads }, calendarId, verification.sameAs);
}

function connected(account: CaldavAccount, calendarId: string, sameAs: number | null): Connected {
  return {
    credential: credentialText(account),
    accountEmail: account.addresses[0] ?? null,
    calendarId,
    identity: identityOf(calendarId, account.addresses[0] ?? null),
    sameAs,
    scopes: [],
  };
}
