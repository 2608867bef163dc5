// Calls of the Google Calendar API v3. Why without Google's client library: docs/decisions/0014-no-vendor-sdks.md.
import { VendorError } from '../../base/errors.ts';
import type { Outgoing } from '../../base/outgoing/outgoing.ts';
import type { AttemptLimits } from '../../base/retry.ts';
import type { AccessTokens } from './access-tokens.ts';
import { exchange, failureOf, type GoogleResponse } from './exchange.ts';

export interface ApiCall {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/calendar/v3/`, with encoded segments. */
  path: string;
  query?: Record<string, string>;
  json?: unknown;
  ifMatch?: string | undefined;
}

export interface ClientDeps {
  apiUrl: string;
  outgoing: Pick<Outgoing, 'request'>;
  tokens: AccessTokens;
}

/** The events of a busy calendar's year take about 2 MB. */
const maxResponseBytes = 10 * 1024 * 1024;

/** The primary calendar of an account has two ids: this one, and the account's address. */
export const primary = 'primary';

export const eventsPath = (calendarId: string) => `calendars/${encodeURIComponent(calendarId)}/events`;
export const eventPath = (calendarId: string, eventId: string) =>
  `${eventsPath(calendarId)}/${encodeURIComponent(eventId)}`;

/**
 * Makes one call and returns its 2xx response; throws VendorError for any other. After a 401, which did nothing, it repeats
 * the call once with a new token. A second 401 is a failure of Google: for a revoked authorization there is no new token.
 */
export async function callApi(
  deps: ClientDeps,
  refreshToken: string,
  call: ApiCall,
  limits: AttemptLimits,
): Promise<GoogleResponse> {
  for (let renewed = false; ; renewed = true) {
    const token = await deps.tokens.get(refreshToken, limits);
    const response = await send(deps, token, call, limits);
    if (response.status >= 200 && response.status < 300) return response;
    if (response.status === 401) deps.tokens.drop(refreshToken, token);
    if (response.status === 404 && call.path.endsWith('/events')) throw calendarNotFound();
    if (response.status === 401 && renewed) throw newTokenRejected();
    if (response.status !== 401) throw failureOf(response);
  }
}

function newTokenRejected(): VendorError {
  const details = { code: 'new_token_rejected', title: 'New token rejected', status: 401 };
  return new VendorError('not_sent', 'Google issued an access token and then rejected it.', details);
}

function calendarNotFound(): VendorError {
  const details = { code: 'calendar_not_found', title: 'Calendar not found', status: 404 };
  return new VendorError('rejected', 'The calendar does not exist, or this account cannot see it.', details);
}

function send(
  deps: ClientDeps,
  token: string,
  call: ApiCall,
  limits: AttemptLimits,
): Promise<GoogleResponse> {
  const url = new URL(`${deps.apiUrl}/calendar/v3/${call.path}`);
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value);
  const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept: 'application/json' };
  if (call.ifMatch !== undefined) headers['if-match'] = call.ifMatch;
  if (call.json !== undefined) headers['content-type'] = 'application/json';
  const body = call.json === undefined ? {} : { body: JSON.stringify(call.json) };
  return exchange(deps.outgoing, { method: call.method, url, headers, ...body, maxResponseBytes }, limits);
}
