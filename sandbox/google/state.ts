// The state of the simulated Google: clients, accounts, calendars, events, grants, and a record of changes.
import { randomBytes } from 'node:crypto';
import type { SandboxClock } from '../clock.ts';
import type { Mail, Settings, StoredEvent } from './resources.ts';
import type { Table, Tables } from './tables.ts';

/** An OAuth client. Without `redirectUris`, any loopback redirect is allowed. */
export interface Client {
  id: string;
  secret: string;
  redirectUris?: string[];
}

export interface Account {
  email: string;
  name: string;
  /** Access tokens of another epoch are invalid. */
  tokenEpoch: number;
}

/** A calendar; `readers` may only see when it is busy. The id of an account's main calendar is its email. */
export interface StoredCalendar {
  id: string;
  owner: string;
  summary: string;
  timeZone: string;
  readers: string[];
  /** Empty: requests for a video meeting are rejected with 400. */
  conferenceTypes: string[];
  /** Increases with every change of an event. */
  sequence: number;
  /** Sync tokens of another epoch are expired. */
  syncEpoch: number;
}

/** A refresh token and what it authorizes. */
export interface Grant {
  id: string;
  refreshToken: string;
  clientId: string;
  account: string;
  scopes: string[];
  revoked: boolean;
}

/** A call that changed something. */
export interface Change {
  at: string;
  operation: string;
  account: string | null;
  calendarId: string | null;
  eventId: string | null;
  /** Who gets an email: `all`, `externalOnly` or `none`. */
  sendUpdates?: string;
}

/** A call of an operation of the API. */
export interface Call {
  at: string;
  operation: string;
  status: number | null;
  calendarId: string | null;
}

export interface State {
  clients: Table<Client>;
  accounts: Table<Account>;
  calendars: Table<StoredCalendar>;
  /** The events of one calendar by id, including deleted ones. */
  eventsOf(calendarId: string): Table<StoredEvent>;
  grants: Table<Grant>;
  changes: Table<Change>;
  mails: Table<Mail>;
  settings: Table<Settings>;
  secrets: Table<string>;
  /** Calls since the start, oldest first; in memory only. */
  calls: Call[];
  clock: SandboxClock;
  /** The server's own address, for links in its responses. */
  url: string;
}

const defaultSettings: Settings = {
  consent: 'auto',
  account: null,
  untickedScopes: [],
  conference: { kind: 'success' },
  accessTokenSeconds: 3599,
  invitationsLeft: null,
};

/** The state, stored in the given tables. */
export function openState(tables: Tables, clock: SandboxClock): State {
  return {
    clients: tables.table('clients'),
    accounts: tables.table('accounts'),
    calendars: tables.table('calendars'),
    eventsOf: (calendarId) => tables.table(`events of ${calendarId}`),
    grants: tables.table('grants'),
    changes: tables.table('changes'),
    mails: tables.table('mails'),
    settings: tables.table('settings'),
    secrets: tables.table('secrets'),
    calls: [],
    clock,
    url: '',
  };
}

export function settingsOf(state: State): Settings {
  return state.settings.get('now') ?? defaultSettings;
}

/** Creates an account with its main calendar in `timeZone`, or changes an existing one. */
export function putAccount(
  state: State,
  given: { email: string; name?: string; timeZone?: string; conferenceTypes?: string[] },
): Account {
  const known = state.accounts.get(given.email);
  const account: Account = {
    email: given.email,
    name: given.name ?? known?.name ?? given.email.replace(/@.*/, ''),
    tokenEpoch: known?.tokenEpoch ?? 1,
  };
  state.accounts.set(account.email, account);
  putCalendar(state, { id: given.email, owner: given.email, summary: given.email, ...pick(given) });
  return account;
}

function pick(given: { timeZone?: string; conferenceTypes?: string[] }) {
  return {
    ...(given.timeZone === undefined ? {} : { timeZone: given.timeZone }),
    ...(given.conferenceTypes === undefined ? {} : { conferenceTypes: given.conferenceTypes }),
  };
}

/** Creates a calendar, or changes the given fields of an existing one. */
export function putCalendar(
  state: State,
  given: { id: string; owner: string } & Partial<StoredCalendar>,
): StoredCalendar {
  const calendar: StoredCalendar = {
    summary: given.id,
    timeZone: 'UTC',
    readers: [],
    conferenceTypes: ['hangoutsMeet'],
    sequence: 0,
    syncEpoch: 1,
    ...state.calendars.get(given.id),
    ...given,
  };
  // Throws a RangeError for an unknown zone.
  new Intl.DateTimeFormat('en', { timeZone: calendar.timeZone });
  state.calendars.set(calendar.id, calendar);
  return calendar;
}

/** Stores an event with a new etag and change number, and returns it. */
export function storeEvent(state: State, calendar: StoredCalendar, event: StoredEvent): StoredEvent {
  const current = state.calendars.get(calendar.id) ?? calendar;
  const next = { ...current, sequence: current.sequence + 1 };
  state.calendars.set(next.id, next);
  const now = state.clock.now();
  const stored: StoredEvent = {
    ...event,
    updated: new Date(now).toISOString(),
    etag: `"${now * 2}${String(next.sequence).padStart(4, '0')}"`,
    changeNumber: next.sequence,
  };
  state.eventsOf(calendar.id).set(event.id, stored);
  return stored;
}

/** Records a call that changed something. */
export function recordChange(state: State, change: Omit<Change, 'at'>): void {
  const at = new Date(state.clock.now()).toISOString();
  state.changes.set(String(state.changes.size), { at, ...change });
}

/** Records the emails that guests would get, according to `sendUpdates`. */
export function sendMails(
  state: State,
  calendar: StoredCalendar,
  event: StoredEvent,
  kind: Mail['kind'],
  sendUpdates: string,
): void {
  if (sendUpdates !== 'all' && sendUpdates !== 'externalOnly') return;
  const at = new Date(state.clock.now()).toISOString();
  for (const guest of event.attendees ?? []) {
    if (guest.email === calendar.owner) continue;
    const mail: Mail = {
      at,
      to: guest.email,
      kind,
      calendarId: calendar.id,
      eventId: event.id,
      summary: event.summary,
    };
    state.mails.set(String(state.mails.size), mail);
  }
}

/** Issues a grant; beyond 100 active ones of an account and client the oldest is revoked silently, as Google does. */
export function issueGrant(state: State, clientId: string, account: string, scopes: string[]): Grant {
  const id = randomBytes(9).toString('hex');
  const grant: Grant = {
    id,
    refreshToken: `1//${id}.${randomBytes(32).toString('base64url')}`,
    clientId,
    account,
    scopes,
    revoked: false,
  };
  state.grants.set(grant.id, grant);
  const live = state.grants
    .values()
    .filter((g) => !g.revoked && g.clientId === clientId && g.account === account);
  for (const old of live.slice(0, Math.max(0, live.length - 100))) {
    state.grants.set(old.id, { ...old, revoked: true });
  }
  return grant;
}

/** Revokes every grant of the account (to that client, if given). Returns how many were active. */
export function revokeGrants(state: State, account: string, clientId?: string): number {
  const live = state.grants
    .values()
    .filter(
      (g) => !g.revoked && g.account === account && (clientId === undefined || g.clientId === clientId),
    );
  for (const grant of live) state.grants.set(grant.id, { ...grant, revoked: true });
  return live.length;
}

/** A secret of this server, generated once and stored. */
export function ownSecret(state: State): string {
  const known = state.secrets.get('tokens');
  if (known !== undefined) return known;
  const made = randomBytes(32).toString('hex');
  state.secrets.set('tokens', made);
  return made;
}

/** The active grant of a refresh token. */
export function grantOf(state: State, refreshToken: string): Grant | undefined {
  const id = /^1\/\/([0-9a-f]+)\./.exec(refreshToken)?.[1] ?? '';
  const grant = state.grants.get(id);
  return grant?.refreshToken === refreshToken && !grant.revoked ? grant : undefined;
}
