// Types of the simulated Calendar API resources, and of the sandbox's settings.

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

/** The fields that a client may write. */
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
  /** How often the event was read while its meeting was pending. */
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
 * The result of a request for a video meeting: created immediately; pending until the event was read so often (null:
 * until it is finished by the control API); failed; or rejected with 400 "Invalid conference type value.".
 */
export type ConferenceMode =
  | { kind: 'success' }
  | { kind: 'pending'; readsUntilSuccess: number | null }
  | { kind: 'failure' }
  | { kind: 'refused' };

export interface Settings {
  /** The consent page: approved automatically, shown, or denied. */
  consent: 'auto' | 'ask' | 'deny';
  /** The account that is signed in, if the request has no `login_hint`. */
  account: string | null;
  /** Scopes that the person unticks. */
  untickedScopes: string[];
  conference: ConferenceMode;
  accessTokenSeconds: number;
  /** How many more guests may be invited, by all accounts together; null: any number. */
  invitationsLeft: number | null;
}
