// A typed client of the simulated Google's control API, for tests, demonstrations and benchmarks.
import type { Fault } from './faults.ts';
import type { EventBody, Mail, Settings, StoredEvent } from './resources.ts';
import type { Account, Call, Change, Client, StoredCalendar } from './state.ts';

/** An event as the API shows it. */
export type ShownEvent = StoredEvent & { htmlLink: string };

/** The scopes that the gateway requests. */
export const gatewayScopes = [
  'https://www.googleapis.com/auth/calendar.events.owned',
  'https://www.googleapis.com/auth/calendar.freebusy',
  'openid',
  'email',
];

export interface GoogleControl {
  /** Creates or changes an OAuth client; without `redirectUris`, any loopback redirect is allowed. */
  putClient(client: Client): Promise<void>;
  /** Creates or changes an account with its main calendar, whose id is the email. */
  putAccount(account: {
    email: string;
    name?: string;
    timeZone?: string;
    conferenceTypes?: string[];
  }): Promise<Account>;
  /** Creates or changes another calendar; `readers` may see when it is busy. */
  putCalendar(calendar: { id: string; owner: string } & Partial<StoredCalendar>): Promise<StoredCalendar>;
  /** Issues a refresh token without the consent page. */
  issueRefreshToken(grant: { account: string; clientId: string; scopes?: string[] }): Promise<string>;
  /** Revokes grants, as a person does on their account's security page. Returns how many. */
  revokeGrants(grant: { account: string; clientId?: string }): Promise<number>;
  expireAccessTokens(): Promise<void>;
  expireSyncTokens(): Promise<void>;
  set(settings: Partial<Settings>): Promise<Settings>;
  /** Finishes all pending meetings. Returns how many. */
  finishMeetings(): Promise<number>;
  addFault(fault: Fault): Promise<void>;
  clearFaults(): Promise<void>;
  /** Carries out the calls that `land_late` holds back. Returns how many. */
  land(): Promise<number>;
  /** The following change events as a person does in the calendar itself. */
  addEvent(calendarId: string, event: EventBody): Promise<ShownEvent>;
  changeEvent(calendarId: string, eventId: string, changes: Partial<StoredEvent>): Promise<ShownEvent>;
  removeEvent(calendarId: string, eventId: string): Promise<ShownEvent>;
  /** Moves an event to another calendar, with the same id. */
  moveEvent(calendarId: string, eventId: string, to: string): Promise<ShownEvent>;
  removeCalendar(calendarId: string): Promise<void>;
  /** All events of a calendar, including deleted ones (`status: cancelled`). */
  events(calendarId: string): Promise<ShownEvent[]>;
  /** The events that are not deleted. */
  liveEvents(calendarId: string): Promise<ShownEvent[]>;
  /** Calls that changed something, in order. */
  changes(): Promise<Change[]>;
  mails(): Promise<Mail[]>;
  /** All calls since the start, in order. */
  calls(operation?: string): Promise<Call[]>;
  /** Deletes everything, including clients. */
  reset(): Promise<void>;
}

/** The control client of the server at `url`. A call rejects with the server's error message. */
export function googleControl(url: string): GoogleControl {
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const init: RequestInit = { method };
    if (body !== undefined) init.body = JSON.stringify(body);
    const response = await fetch(`${url}/sandbox/${path}`, init);
    const value = (await response.json()) as T & { error?: string };
    if (!response.ok) throw new Error(`${method} ${path}: ${value.error}`);
    return value;
  };
  const eventsOf = async (calendarId: string) =>
    (await call<{ events: ShownEvent[] }>('GET', `events?calendarId=${encodeURIComponent(calendarId)}`))
      .events;
  const done = async (pending: Promise<unknown>): Promise<void> => void (await pending);
  return {
    putClient: (client) => done(call('PUT', 'clients', client)),
    putAccount: (account) => call('PUT', 'accounts', account),
    putCalendar: (calendar) => call('PUT', 'calendars', calendar),
    issueRefreshToken: async (grant) => {
      const scopes = grant.scopes ?? gatewayScopes;
      return (await call<{ refreshToken: string }>('POST', 'grants', { ...grant, scopes })).refreshToken;
    },
    revokeGrants: async (grant) => (await call<{ revoked: number }>('POST', 'grants/revoke', grant)).revoked,
    expireAccessTokens: () => done(call('POST', 'access-tokens/expire')),
    expireSyncTokens: () => done(call('POST', 'sync-tokens/expire')),
    set: (settings) => call('POST', 'settings', settings),
    finishMeetings: async () => (await call<{ finished: number }>('POST', 'meetings/finish')).finished,
    addFault: (fault) => done(call('POST', 'faults', fault)),
    clearFaults: () => done(call('DELETE', 'faults')),
    land: async () => (await call<{ landed: number }>('POST', 'land')).landed,
    addEvent: (calendarId, event) => call('POST', 'events', { calendarId, event }),
    changeEvent: (calendarId, eventId, changes) => call('PATCH', 'events', { calendarId, eventId, changes }),
    removeEvent: (calendarId, eventId) => call('DELETE', 'events', { calendarId, eventId }),
    moveEvent: (calendarId, eventId, to) => call('POST', 'events/move', { calendarId, eventId, to }),
    removeCalendar: (calendarId) => done(call('DELETE', 'calendars', { calendarId })),
    events: eventsOf,
    liveEvents: async (calendarId) =>
      (await eventsOf(calendarId)).filter((event) => event.status !== 'cancelled'),
    changes: async () => (await call<{ changes: Change[] }>('GET', 'changes')).changes,
    mails: async () => (await call<{ mails: Mail[] }>('GET', 'mails')).mails,
    calls: async (operation) => {
      const { calls } = await call<{ calls: Call[] }>('GET', 'calls');
      return operation === undefined ? calls : calls.filter((call) => call.operation === operation);
    },
    reset: () => done(call('POST', 'reset')),
  };
}
