// The calendar port, kept by any CalDAV server (RFC 4791) that takes a name and a password.
import { type Clock, systemClock } from '../../base/clock.ts';
import { VendorError } from '../../base/errors.ts';
import type { Outgoing } from '../../base/outgoing.ts';
import { cutFromError } from '../../base/outgoing-secrets.ts';
import { attemptOf, withRetries } from '../../base/retry.ts';
import type {
  Calendar,
  CalendarCredential,
  CallLimits,
  Connected,
  PasswordSignIn,
} from '../../ports/calendar.ts';
import { type CaldavAccount, calendarUrlOf, encryptable, opened } from './credential.ts';
import type { Wire } from './dav-call.ts';
import { eventIdFor } from './event-id.ts';
import type { Attempt } from './events.ts';
import { identityOf } from './identity.ts';

export interface CaldavCalendarOptions {
  /** Calls whatever address an account's owner gives: guarded. */
  outgoing: Pick<Outgoing, 'request'>;
  clock?: Clock | undefined;
  /** The longest that one attempt of a call waits; default 5 s. */
  attemptTimeoutMs?: number | undefined;
}

/** Refusals that rest on the event itself, as it was seen last. */
const seenAfterwards = new Set(['event_deleted', 'event_id_taken']);
/** How long after its caller gave up a server may still carry out what it was sent (docs/appointments.md, "Guarantees"). */
const lateMs = 60_000;

/** iCalendar, recurrence rules and XML are 10 MB: loaded when the first calendar is used. */
const events = () => import('./events.ts');

/** The adapter; it keeps nothing. */
export function caldavCalendar(options: CaldavCalendarOptions): Calendar {
  const { outgoing } = options;
  const clock = options.clock ?? systemClock;
  const attemptTimeoutMs = options.attemptTimeoutMs ?? 5_000;

  const repeated = async <T>(
    credential: CalendarCredential,
    limits: CallLimits,
    act: (attempt: Attempt) => Promise<T>,
    longestMs = attemptTimeoutMs,
  ): Promise<T> => {
    const account = opened(credential);
    return withoutPassword(account.password, () =>
      withRetries({ clock, attemptTimeoutMs: longestMs, seenAfterwards }, limits, (attempt) =>
        act({ outgoing, limits: attempt, account, now: clock.now() }),
      ),
    );
  };

  return {
    provider: 'caldav',
    supports: { meetings: false, signIn: 'password' },
    password: passwordSignIn(outgoing),
    eventIds: { kind: 'chosen', idFor: eventIdFor },
    busyTimes: (credential, question, limits) =>
      repeated(credential, limits, async (attempt) => {
        const { busyTimes } = await import('./busy-times.ts');
        return busyTimes(attempt, zonedAs(attempt.account, question.timeZone), question);
      }),
    eventProblems: (credential, question, limits) =>
      repeated(credential, limits, async (attempt) => {
        const { eventProblems } = await import('./busy-times.ts');
        return eventProblems(attempt, zonedAs(attempt.account, question.timeZone), question);
      }),
    getEvent: (credential, ref, limits) =>
      repeated(credential, limits, async (attempt) => (await events()).getEvent(attempt, ref)),
    insertEvent: (credential, event, limits) =>
      repeated(credential, limits, async (attempt) =>
        (await events()).insertEvent(attempt, withEventId(event)),
      ),
    updateEvent: (credential, change, limits) =>
      repeated(credential, limits, async (attempt) => (await events()).updateEvent(attempt, change)),
    replaceMeeting: (credential, ref, limits) =>
      repeated(credential, limits, async (attempt) => (await events()).replaceMeeting(attempt, ref)),
    deleteEvent: (credential, ref, limits) =>
      repeated(credential, limits, async (attempt) => (await events()).deleteEvent(attempt, ref)),
    removeForGood: async (credential, ref, limits) => {
      await repeated(credential, limits, async (attempt) =>
        (await events()).deleteEvent(attempt, withEventId(ref)),
      );
      // A name is free again once its event is deleted: an insert that is still on its way would land.
      return { certain: false, retryAfterMs: attemptTimeoutMs + lateMs };
    },
    changedEvents: (credential, question, limits) => {
      const read = async (attempt: Attempt) => {
        const { changedEvents } = await import('./changes.ts');
        return changedEvents({ ...attempt, account: zonedAs(attempt.account, question.timeZone) }, question);
      };
      // Many objects: the whole time, in one attempt.
      return repeated(credential, limits, read, limits.timeoutMs);
    },
    // There is nothing to give back: the password is its owner's.
    disconnect: async (credential) => void opened(credential),
  };
}

const withEventId = <T extends { bookingId: string; eventId: string | null }>(of: T) => ({
  ...of,
  eventId: of.eventId ?? eventIdFor(of.bookingId),
});

/** Cuts the password out of what servers say; the whole Authorization header never gets past `base/outgoing.ts`. */
async function withoutPassword<T>(password: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw cutFromError(error, [password]);
  }
}

/** The caller's zone replaces the one stored at connection. */
const zonedAs = (account: CaldavAccount, timeZone = account.timeZone): CaldavAccount => ({
  ...account,
  timeZone,
});

function passwordSignIn(outgoing: Pick<Outgoing, 'request'>): PasswordSignIn {
  return {
    connect: (given, limits) => withoutPassword(given.password, () => connect(outgoing, given, limits)),
  };
}

async function connect(
  outgoing: Pick<Outgoing, 'request'>,
  given: Parameters<PasswordSignIn['connect']>[0],
  limits: CallLimits,
): Promise<Connected> {
  const { url, username, password, calendarUrl } = given;
  if (!/^https?:$/.test(new URL(url).protocol)) {
    throw new VendorError('rejected', 'The address must begin with https://.', {
      code: 'address_unusable',
    });
  }
  if (new URL(url).username !== '' || new URL(url).password !== '') {
    throw new VendorError('rejected', 'The address must not hold a user name or password.', {
      code: 'address_unusable',
    });
  }
  const [{ discover }, { proveCalendar }] = await Promise.all([
    import('./discovery.ts'),
    import('./proof.ts'),
  ]);
  const wire: Wire = { outgoing, limits: attemptOf(limits.timeoutMs, limits.signal) };
  const found = await discover(wire, { username, password }, url, calendarUrl);
  const own = username.includes('@') ? [username.toLowerCase()] : [];
  const account: CaldavAccount = {
    ...{ username, password, homeUrl: found.homeUrl },
    addresses: [...new Set([...found.addresses, ...own])],
    organizer: found.addresses[0] ?? null,
    timeZone: given.timeZone ?? 'UTC',
    reads: 'time_range',
  };
  // an address without its last slash would put events beside the calendar
  const calendarId = calendarUrlOf(account, found.calendarUrl);
  const proof = await proveCalendar(wire, account, calendarId, given.known ?? []);
  return connected({ ...account, reads: proof.reads }, calendarId, proof.sameAs);
}

function connected(account: CaldavAccount, calendarId: string, sameAs: number | null): Connected {
  return {
    credential: encryptable(account),
    accountEmail: account.addresses[0] ?? null,
    calendarId,
    identity: identityOf(calendarId, account.addresses[0] ?? null),
    sameAs,
    scopes: [],
  };
}
