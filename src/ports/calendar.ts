// The calendar port: what the gateway needs of a calendar provider. Interfaces and their data, no code.

/** What an adapter needs to act for one staff member. A secret, and opaque: only the adapter that made it reads it. */
export type CalendarCredential = string;

/** Limits of one call, including its retries. Aborting `signal` ends it sooner. */
export interface CallLimits {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * The VendorError codes that callers act on. Any other code is the provider's own.
 * `invalid_grant`: the authorization was revoked or has expired. Retrying never helps; the staff member must reconnect.
 * `scope_missing`: a required permission was not granted. Reconnect and allow every permission.
 * `calendar_not_found`: the calendar does not exist, or this account cannot see it.
 * `event_deleted`: a deleted event holds this id. It can neither be changed nor inserted again.
 * `event_id_taken`: the id belongs to another event.
 * `event_not_found`: there is no event to change.
 * `event_changed`: the event is no longer at the given `version`.
 * `calendar_read_only`: the account may not write to that calendar.
 * `address_unusable`: the address must not be called, or has no calendars.
 */
export type CalendarRejection =
  | 'invalid_grant'
  | 'scope_missing'
  | 'calendar_not_found'
  | 'event_deleted'
  | 'event_id_taken'
  | 'event_not_found'
  | 'event_changed'
  | 'calendar_read_only'
  | 'address_unusable';

/** Half-open `[start, end)`, milliseconds since the epoch. */
export interface Interval {
  start: number;
  end: number;
}

/**
 * A new connection. Bookings are written to `calendarId`. `identity` is the same text for everyone who connects that
 * calendar, and unique within the provider; null if the adapter cannot tell.
 */
export interface Connected {
  credential: CalendarCredential;
  accountEmail: string | null;
  calendarId: string;
  identity: string | null;
  /** The index in `known` of the same calendar under another address or account; null if there is none. */
  sameAs: number | null;
  scopes: string[];
}

/** A calendar that is already connected. */
export interface KnownCalendar {
  credential: CalendarCredential;
  calendarId: string;
}

/**
 * The video meeting of a new event. `provider`: the provider creates one, or the event gets `fallbackLink` where it
 * cannot. `link`: the event gets this link.
 */
export type MeetingRequest = { kind: 'provider'; fallbackLink: string } | { kind: 'link'; link: string };

/** `pending`: the provider is still creating it; poll `getEvent`. `failed`: it never will; call `replaceMeeting`. */
export type Meeting =
  | { status: 'ready'; link: string }
  | { status: 'pending' }
  | { status: 'failed' }
  | { status: 'none' };

export interface Guest {
  email: string;
  name?: string | undefined;
}

/** `timeZone` (IANA) applies to the dates of an all-day event. */
export interface EventRef {
  calendarId: string;
  eventId: string;
  timeZone?: string | undefined;
}

export interface NewEvent<Id extends string | null = string | null> {
  calendarId: string;
  /** From `eventIds.idFor`; null where the provider assigns ids. */
  eventId: Id;
  /** Stored in the event as a property that guests cannot see. It identifies the booking's own event. */
  bookingId: string;
  summary: string;
  description: string;
  start: number;
  end: number;
  timeZone: string;
  guests: Guest[];
  meeting: MeetingRequest;
  /** Whether guests get an e-mail. */
  notify: boolean;
}

export interface EventChange extends EventRef {
  summary?: string | undefined;
  description?: string | undefined;
  /** The new time, written in `timeZone`. */
  time?: Interval | undefined;
  /** Change the event only at this version; otherwise reject with `event_changed`. */
  version?: string | undefined;
  notify: boolean;
}

/** The current state of an event. */
export interface CalendarEvent {
  eventId: string;
  /** `deleted`: no longer visible in the calendar. Its id may stay unusable, and the times may be missing. */
  status: 'live' | 'deleted';
  bookingId: string | null;
  start: number | null;
  end: number | null;
  /** An all-day event: `start` and `end` are midnights in the calendar's zone. */
  allDay: boolean;
  meeting: Meeting;
  /** A link that opens the event in a browser. */
  link: string | null;
  version: string | null;
  /** Whether the provider invites the guests. False: the event has none. Null: the provider does not tell. */
  guestsInvited: boolean | null;
}

export interface BusyTimesQuery {
  calendarIds: string[];
  from: number;
  to: number;
  /** The booking's own event, which is not busy time while it is being moved. It may be in another calendar. */
  except?: { calendarId: string; eventId: string } | undefined;
  /** The zone (IANA) of dates and floating times in a calendar without a zone of its own. */
  timeZone?: string | undefined;
}

/** An event whose times are uncertain. It blocks the times that are known, and no others. */
export interface EventProblem {
  /** Where the calendar stores it. */
  event: string;
  problem: 'time_zone_unknown' | 'event_unreadable';
  message: string;
}

/** `certain`: no insert in flight can bring the event back. Otherwise remove it again after `retryAfterMs`. */
export type Removal = { certain: true } | { certain: false; retryAfterMs: number };

export interface EventChanges {
  /** Events of bookings in their current state, and deleted events, of which only the id is reliable. */
  events: CalendarEvent[];
  /** Pass it to the next call. */
  cursor: string;
  /** True if this is a full reading rather than the changes since the given cursor. */
  complete: boolean;
}

/**
 * How events get their ids. `chosen`: the gateway chooses the id before the insert, which makes the insert safe to repeat.
 * `assigned`: the provider assigns it at the insert; until it is stored, the event is found by its `bookingId` property.
 */
export type EventIds =
  | {
      kind: 'chosen';
      /** Deterministic; another generation gives another id. */
      idFor(bookingId: string, generation?: number): string;
    }
  | {
      kind: 'assigned';
      /** The event of a booking, or null. It must see every insert that was answered. */
      find(
        credential: CalendarCredential,
        ref: { calendarId: string; bookingId: string; timeZone?: string | undefined },
        limits: CallLimits,
      ): Promise<CalendarEvent | null>;
    };

/**
 * A calendar provider. Every call throws VendorError. Its outcome covers the whole call with all retries: `rejected`,
 * `not_sent` (certainly not done, also when throttled), `unknown` (it may have been done).
 */
export interface Calendar {
  /** The provider's name in the API and in the database, for example `caldav`. */
  readonly provider: string;
  readonly supports: {
    /** The provider creates video meetings. */
    meetings: boolean;
    /** How a person connects: on the provider's consent page, or with a user name and password. */
    signIn: 'oauth' | 'password';
  };
  readonly eventIds: EventIds;
  readonly oauth?: OAuthSignIn;
  readonly password?: PasswordSignIn;

  /** Busy times that overlap `[from, to)`, merged and in order. Throws if a calendar cannot be read. */
  busyTimes(credential: CalendarCredential, query: BusyTimesQuery, limits: CallLimits): Promise<Interval[]>;

  /** Events in the range of `busyTimes` whose times are uncertain. Absent where the provider interprets events itself. */
  eventProblems?(
    credential: CalendarCredential,
    query: BusyTimesQuery,
    limits: CallLimits,
  ): Promise<EventProblem[]>;

  /** The event, or null if the calendar never had that id. */
  getEvent(credential: CalendarCredential, ref: EventRef, limits: CallLimits): Promise<CalendarEvent | null>;

  /** Safe to repeat: returns this booking's event if it already exists. */
  insertEvent(credential: CalendarCredential, event: NewEvent, limits: CallLimits): Promise<CalendarEvent>;

  /** Changes only the given fields and keeps the meeting. Safe to repeat. */
  updateEvent(
    credential: CalendarCredential,
    change: EventChange,
    limits: CallLimits,
  ): Promise<CalendarEvent>;

  /** Replaces the provider's meeting with `link`. Safe to repeat. */
  replaceMeeting(
    credential: CalendarCredential,
    ref: EventRef & { link: string; notify: boolean },
    limits: CallLimits,
  ): Promise<CalendarEvent>;

  /** Deletes the event. A missing event counts as done. */
  deleteEvent(
    credential: CalendarCredential,
    ref: EventRef & { notify: boolean },
    limits: CallLimits,
  ): Promise<void>;

  /**
   * Removes an event whose insert may still be in flight; without `eventId`, by its booking. Notifies guests only if they
   * had been invited. Safe to repeat.
   */
  removeForGood(
    credential: CalendarCredential,
    ref: Interval & { calendarId: string; eventId: string | null; bookingId: string },
    limits: CallLimits,
  ): Promise<Removal>;

  /** Changes to events of bookings since `cursor`. Null reads every event that ends after `since`. */
  changedEvents(
    credential: CalendarCredential,
    query: { calendarId: string; cursor: string | null; since: number; timeZone?: string | undefined },
    limits: CallLimits,
  ): Promise<EventChanges>;

  /**
   * Revokes the authorization, if the provider has one; a revoked one counts as done. Revoking ends every connection of
   * that account, so call it only for the last one.
   */
  disconnect(credential: CalendarCredential, limits: CallLimits): Promise<void>;
}

/** Sign-in by OAuth 2.0 with PKCE (RFC 6749, RFC 7636, method S256). */
export interface OAuthSignIn {
  /** The address of the consent page. Makes no network call. */
  authUrl(request: {
    state: string;
    codeChallenge: string;
    redirectUri: string;
    loginHint?: string | undefined;
  }): string;

  /** Exchanges the code, once. Rejects with `scope_missing` if the person cleared a permission. */
  finish(
    consent: { code: string; codeVerifier: string; redirectUri: string },
    limits: CallLimits,
  ): Promise<Connected>;
}

/** Sign-in with an address, a user name and a password. Verifies that they work. */
export interface PasswordSignIn {
  /**
   * `timeZone` (IANA) applies to all-day dates in a calendar without a zone. `known`: connected calendars that may be the
   * same as this one.
   */
  connect(
    account: {
      url: string;
      username: string;
      password: string;
      calendarUrl?: string | undefined;
      timeZone?: string | undefined;
      known?: readonly KnownCalendar[] | undefined;
    },
    limits: CallLimits,
  ): Promise<Connected>;
}
