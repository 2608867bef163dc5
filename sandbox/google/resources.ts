// The shapes of the Calendar API's resources, as far as they are simulated, and of the sandbox's own settings.

/** `dateTime` (RFC 3339) for a time, `date` (YYYY-MM-DD) for a whole day. */
export interface EventTime {
  dateTime?: string;
  date?: string;
  timeZone?: string;
}

export interface Attendee {
  email: string;
  displayName?: string;
  responseStatus?: string;
  self?: boolean;
  organizer?: boolean;
}

export interface EntryPoint {
  entryPointType: string;
  uri: string;
  label?: string;
}

export interface ConferenceData {
  createRequest?: {
    requestId: string;
    conferenceSolutionKey: { type: string };
    status?: { statusCode: 'pending' | 'success' | 'failure' };
  };
  conferenceId?: string;
  conferenceSolution?: { key: { type: string }; name: string };
  entryPoints?: EntryPoint[];
}

/** What a client may write. */
export interface EventBody {
  id?: string;
  summary?: string;
  description?: string;
  location?: string;
  start?: EventTime;
  end?: EventTime;
  attendees?: Attendee[];
  recurrence?: string[];
  transparency?: string;
  visibility?: string;
  status?: string;
  eventType?: string;
  extendedProperties?: { private?: Record<string, string>; shared?: Record<string, string> };
  conferenceData?: ConferenceData | null;
  reminders?: unknown;
}

export interface StoredEvent extends Omit<EventBody, 'conferenceData'> {
  id: string;
  status: string;
  start: EventTime;
  end: EventTime;
  created: string;
  updated: string;
  etag: string;
  iCalUID: string;
  sequence: number;
  organizer: { email: string };
  conferenceData?: ConferenceData;
  hangoutLink?: string;
  /** The calendar's sequence at the event's last change. */
  changeNumber: number;
  /** How often a meeting that is being made has been asked for. */
  conferenceReads?: number;
}

export interface Mail {
  at: string;
  to: string;
  kind: 'invitation' | 'update' | 'cancellation';
  calendarId: string;
  eventId: string;
  summary: string | undefined;
}

/**
 * What asking for a video meeting comes to: there immediately; pending until it has been read so often (null: until set
 * to finish); never; or rejected with 400 "Invalid conference type value.".
 */
export type ConferenceMode =
  | { kind: 'success' }
  | { kind: 'pending'; readsUntilSuccess: number | null }
  | { kind: 'failure' }
  | { kind: 'refused' };

export interface Settings {
  /** The consent page: passed immediately, shown, or answered with Deny. */
  consent: 'auto' | 'ask' | 'deny';
  /** The account that is signed in at the browser, if no `login_hint` names one. */
  account: string | null;
  /** Scopes that the person unticks. */
  untickedScopes: string[];
  conference: ConferenceMode;
  accessTokenSeconds: number;
}
