// What the gateway needs of an outside calendar: interfaces and their data, no behaviour.

export type CalendarProvider = 'google' | 'caldav';

/**
 * What an adapter needs to act for one staff member, as one text (a secret: encrypted where it is kept). Only the
 * adapter that made it knows what is inside.
 */
export type CalendarCredential = string;

/** How long one call may take in all, its own retries included; an abort of `signal` ends it sooner. */
export interface CallLimits {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * The `code` of a VendorError that rooms may decide by; any other code is the vendor's own word.
 * `invalid_grant`: the connection is dead, retrying never helps, the staff member must connect again.
 * `scope_missing`: a permission we need was not granted (connect again, and allow everything asked for).
 * `calendar_not_found`: no such calendar, or not visible to this account.
 * `event_deleted`: the event's id is used up by a deleted event; it can neither be changed nor inserted again.
 * `event_id_taken`: the id belongs to an event that is not this booking's.
 * `event_not_found`: there is no event to change.
 * `event_changed`: the event is no longer at the `version` given.
 * `calendar_read_only`: the account may not write to that calendar.
 * `address_unusable`: the address given may not be called, or there are no calendars at it.
 */
export type CalendarRefusal =
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
 * A connection just made. `calendarId` is the calendar that bookings are written to. `identity` identifies that calendar
 * among all calendars of the provider: the same text for everybody who connects it; null where it cannot be known.
 */
export interface Connected {
  credential: CalendarCredential;
  accountEmail: string | null;
  calendarId: string;
  identity: string | null;
  /** Which of the `known` calendars it turned out to be under another address or account; null: none of them. */
  sameAs: number | null;
  scopes: string[];
}

/** A calendar that is connected already. */
export interface KnownCalendar {
  credential: CalendarCredential;
  calendarId: string;
}

/**
 * Where the video meeting of an event comes from: `provider` asks the calendar to make one, and takes the fallback
 * link where that calendar does not allow it; `link` writes the link given into the event.
 */
export type MeetingWish = { kind: 'provider'; fallbackLink: string } | { kind: 'link'; link: string };

/** `pending`: being made, ask again by `getEvent`. `failed`: will never be made, use `replaceMeeting`. */
export type Meeting =
  | { status: 'ready'; link: string }
  | { status: 'pending' }
  | { status: 'failed' }
  | { status: 'none' };

export interface Guest {
  email: string;
  name?: string | undefined;
}

/** `timeZone` (IANA): where an all-day date is read, should somebody have made the event an all-day one. */
export interface EventRef {
  calendarId: string;
  eventId: string;
  timeZone?: string | undefined;
}

export interface NewEvent {
  calendarId: string;
  /** From `eventIdFor`; it makes the insert safe to repeat. */
  eventId: string;
  /** Kept in the event, out of guests' sight: by it a booking knows its own event again. */
  bookingId: string;
  summary: string;
  description: string;
  start: number;
  end: number;
  timeZone: string;
  guests: Guest[];
  meeting: MeetingWish;
  /** Whether guests are told by mail. */
  notify: boolean;
}

export interface EventChange extends EventRef {
  summary?: string | undefined;
  description?: string | undefined;
  /** The new time; `timeZone` of the reference is written along. */
  time?: Interval | undefined;
  /** Only if the event still is at this version; else refused, `event_changed`. */
  version?: string | undefined;
  notify: boolean;
}

/** An event as the calendar has it now. */
export interface CalendarEvent {
  eventId: string;
  /** `deleted`: not to be seen in the calendar; its id may still be used up, and the times may be missing. */
  status: 'live' | 'deleted';
  bookingId: string | null;
  start: number | null;
  end: number | null;
  /** Dates without times of day: `start` and `end` are midnights of the calendar's zone. */
  allDay: boolean;
  meeting: Meeting;
  /** Where a person sees it. */
  link: string | null;
  version: string | null;
}

export interface BusyQuestion {
  calendarIds: string[];
  from: number;
  to: number;
  /** An event of ours that does not count as busy (when it is being moved); it may lie in a calendar not asked for. */
  except?: { calendarId: string; eventId: string } | undefined;
  /** Where dates and floating times are read in a calendar that names no zone of its own (IANA). */
  timeZone?: string | undefined;
}

/** An event whose times are not sure. It blocks where it can be known to, and never closes other times. */
export interface EventProblem {
  /** Where the calendar keeps it. */
  event: string;
  problem: 'time_zone_unknown' | 'event_unreadable';
  message: string;
}

/** `certain`: gone, and no insert that is still under way can bring it back; else look again after that time. */
export type Removal = { certain: true } | { certain: false; lookAgainAfterMs: number };

export interface EventChanges {
  /** Events of bookings as they are now, and whatever was deleted (of which only the id is sure). */
  events: CalendarEvent[];
  /** Give it to the next call. */
  cursor: string;
  /** True if this is a reading from the start, not what changed since the cursor given. */
  complete: boolean;
}

/**
 * One kind of calendar. Every call throws VendorError, whose outcome speaks of the whole call with its retries:
 * `refused`, `not_sent` (surely nothing was done; also when turned away for pace), `unknown` (it may have been done).
 */
export interface Calendar {
  readonly provider: CalendarProvider;
  readonly supports: {
    /** Makes video meetings of its own. */
    meetings: boolean;
    /** How one connects: by the provider's consent page, or with a name and a password. */
    signIn: 'oauth' | 'password';
  };
  readonly oauth?: OAuthSignIn;
  readonly password?: PasswordSignIn;

  /** The id of a booking's event, always the same for the same input; a higher generation gives another id. */
  eventIdFor(bookingId: string, generation?: number): string;

  /** Busy times overlapping `[from, to)`, merged and in order. Never "free" where a calendar could not be read. */
  busyTimes(credential: CalendarCredential, question: BusyQuestion, limits: CallLimits): Promise<Interval[]>;

  /** Events that `busyTimes` would answer for and whose times are not sure; absent where the provider reads them itself. */
  eventProblems?(
    credential: CalendarCredential,
    question: BusyQuestion,
    limits: CallLimits,
  ): Promise<EventProblem[]>;

  /** The event, or null if the calendar never knew that id. */
  getEvent(credential: CalendarCredential, ref: EventRef, limits: CallLimits): Promise<CalendarEvent | null>;

  /** Safe to repeat: an event of this booking that is already there is the answer. */
  insertEvent(credential: CalendarCredential, event: NewEvent, limits: CallLimits): Promise<CalendarEvent>;

  /** Changes what is given and nothing else: the meeting stays. Safe to repeat. */
  updateEvent(
    credential: CalendarCredential,
    change: EventChange,
    limits: CallLimits,
  ): Promise<CalendarEvent>;

  /** Takes the provider's meeting out and puts `link` in its place. Safe to repeat. */
  replaceMeeting(
    credential: CalendarCredential,
    ref: EventRef & { link: string; notify: boolean },
    limits: CallLimits,
  ): Promise<CalendarEvent>;

  /** Deletes the event; one that is not there, or no longer, counts as done. */
  deleteEvent(
    credential: CalendarCredential,
    ref: EventRef & { notify: boolean },
    limits: CallLimits,
  ): Promise<void>;

  /**
   * Removes an event whose insert may still be under way (`api.md` part 6, promise 4). Guests hear of it only if
   * they had been invited. Safe to repeat.
   */
  removeForGood(
    credential: CalendarCredential,
    ref: EventRef & Interval & { bookingId: string },
    limits: CallLimits,
  ): Promise<Removal>;

  /** What was done to the events of bookings since `cursor` (null: read from the start, events ending after `since`). */
  changedEvents(
    credential: CalendarCredential,
    question: { calendarId: string; cursor: string | null; since: number; timeZone?: string | undefined },
    limits: CallLimits,
  ): Promise<EventChanges>;

  /**
   * Gives the grant back where the provider has such a thing; one that is gone already counts as done. It ends for
   * every connection of that account: not to be called while another one still uses it.
   */
  disconnect(credential: CalendarCredential, limits: CallLimits): Promise<void>;
}

/** Connecting by OAuth 2.0 with PKCE (RFC 6749, RFC 7636, method S256). */
export interface OAuthSignIn {
  /** The address of the consent page; asks nothing of the network. */
  authUrl(request: {
    state: string;
    codeChallenge: string;
    redirectUri: string;
    loginHint?: string | undefined;
  }): string;

  /** Exchanges the code. Refused with `scope_missing` if the person unticked a permission. Never repeated: a code is good for once. */
  finish(
    answer: { code: string; codeVerifier: string; redirectUri: string },
    limits: CallLimits,
  ): Promise<Connected>;
}

/** Connecting with an address, a name and a password; proves that they work before it answers. */
export interface PasswordSignIn {
  /**
   * `timeZone` (IANA): where all-day dates are read if the calendar names no zone of its own. `known`: calendars that
   * the one to connect may be the same as.
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
