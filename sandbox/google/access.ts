// Access control of the simulated Calendar API: access tokens, scopes of operations, visible calendars.
import { createHmac, randomBytes } from 'node:crypto';
import { apiError } from './google-error.ts';
import { type Grant, ownSecret, type State, type StoredCalendar, settingsOf } from './state.ts';

export interface Caller {
  account: string;
  clientId: string;
  scopes: string[];
}

interface TokenContent {
  grant: string;
  epoch: number;
  expiresAt: number;
}

const scope = (name: string) => `https://www.googleapis.com/auth/${name}`;
const writeScopes = ['calendar', 'calendar.events', 'calendar.events.owned', 'calendar.app.created'].map(
  scope,
);
const readScopes = [
  ...writeScopes,
  ...['calendar.readonly', 'calendar.events.readonly', 'calendar.events.owned.readonly'].map(scope),
];

/** Scopes that allow each operation, from the API's reference; one is enough. */
const scopesOf: Record<string, string[]> = {
  'freebusy.query': ['calendar', 'calendar.readonly', 'calendar.freebusy', 'calendar.events.freebusy'].map(
    scope,
  ),
  'events.insert': writeScopes,
  'events.patch': writeScopes,
  'events.update': writeScopes,
  'events.delete': writeScopes,
  'events.get': readScopes,
  'events.list': readScopes,
  'calendarList.list': [
    'calendar',
    'calendar.readonly',
    'calendar.calendarlist',
    'calendar.calendarlist.readonly',
  ].map(scope),
};

/** Scopes that also cover other people's calendars. */
const reachingOthers = ['calendar', 'calendar.readonly', 'calendar.events', 'calendar.events.readonly'].map(
  scope,
);

/** An access token of the grant. It contains its expiry, so no tokens are stored. */
export function accessToken(state: State, grant: Grant): { token: string; expiresInSeconds: number } {
  const expiresInSeconds = settingsOf(state).accessTokenSeconds;
  const now = state.clock.now();
  const epoch = state.accounts.get(grant.account)?.tokenEpoch ?? 1;
  const content = { grant: grant.id, epoch, expiresAt: now + expiresInSeconds * 1000 };
  const salted = { ...content, salt: randomBytes(4).toString('hex') };
  const body = Buffer.from(JSON.stringify(salted)).toString('base64url');
  return { token: `ya29.${body}.${signed(state, body)}`, expiresInSeconds };
}

function signed(state: State, body: string): string {
  return createHmac('sha256', ownSecret(state)).update(body).digest('base64url');
}

/** The active grant of an access token, or undefined. */
export function grantOfAccessToken(state: State, token: string): Grant | undefined {
  const [prefix, body = '', signature] = token.split('.');
  if (prefix !== 'ya29' || signature !== signed(state, body)) return undefined;
  const content = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as TokenContent;
  const grant = state.grants.get(content.grant);
  if (grant === undefined || grant.revoked || content.expiresAt <= state.clock.now()) return undefined;
  return content.epoch === (state.accounts.get(grant.account)?.tokenEpoch ?? 1) ? grant : undefined;
}

/** The caller by the `Authorization` header; throws 401 without a valid token, 403 without a scope for the operation. */
export function authorize(state: State, header: string | undefined, operation: string): Caller {
  const token = /^Bearer (\S+)$/i.exec(header ?? '')?.[1];
  const grant = token === undefined ? undefined : grantOfAccessToken(state, token);
  if (grant === undefined) throw apiError('authError');
  const accepted = scopesOf[operation] ?? [];
  if (!grant.scopes.some((given) => accepted.includes(given))) throw apiError('insufficientPermissions');
  return { account: grant.account, clientId: grant.clientId, scopes: grant.scopes };
}

/** The calendar if the caller may read and write its events; `primary` is the caller's main calendar. Throws 404 or 403. */
export function calendarFor(state: State, caller: Caller, calendarId: string): StoredCalendar {
  const calendar = visibleCalendar(state, caller, calendarId);
  if (calendar === undefined) throw apiError('notFound');
  if (calendar.owner === caller.account) return calendar;
  if (!caller.scopes.some((given) => reachingOthers.includes(given)))
    throw apiError('insufficientPermissions');
  throw apiError('requiredAccessLevel');
}

/** The calendar if the caller may at least see when it is busy. */
export function visibleCalendar(
  state: State,
  caller: Caller,
  calendarId: string,
): StoredCalendar | undefined {
  const calendar = state.calendars.get(calendarId === 'primary' ? caller.account : calendarId);
  if (calendar === undefined) return undefined;
  return calendar.owner === caller.account || calendar.readers.includes(caller.account)
    ? calendar
    : undefined;
}
