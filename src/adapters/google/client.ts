// One call of the Calendar API v3, over our own way out.
// Not @googleapis/calendar: it sends by fetch, which cannot say whether a request was written, its auth client may repeat a POST after 401 or 403 unasked, and loading it costs 30 MB.
import { VendorError } from '../../base/errors.ts';
import type { Outgoing } from '../../base/outgoing.ts';
import type { AttemptLimits } from '../../base/retry.ts';
import type { AccessTokens } from './access-tokens.ts';
import { exchange, failureOf, type GoogleAnswer } from './exchange.ts';

export interface ApiCall {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/calendar/v3/`, its parts encoded. */
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

/** A year of a busy calendar's events is about 2 MB. */
const maxResponseBytes = 10 * 1024 * 1024;

export const eventsPath = (calendarId: string) => `calendars/${encodeURIComponent(calendarId)}/events`;
export const eventPath = (calendarId: string, eventId: string) =>
  `${eventsPath(calendarId)}/${encodeURIComponent(eventId)}`;

/**
 * Makes one call and answers its 2xx; throws VendorError for everything else. A 401 means that nothing was done: the
 * call is made once more with a fresh token, and a second 401 is a dead grant.
 */
export async function callApi(
  deps: ClientDeps,
  refreshToken: string,
  call: ApiCall,
  limits: AttemptLimits,
): Promise<GoogleAnswer> {
  for (let renewed = false; ; renewed = true) {
    const token = await deps.tokens.get(refreshToken, limits);
    const answer = await send(deps, token, call, limits);
    if (answer.status >= 200 && answer.status < 300) return answer;
    if (answer.status === 401) deps.tokens.drop(refreshToken, token);
    if (answer.status === 404 && call.path.endsWith('/events')) throw calendarNotFound();
    if (answer.status !== 401 || renewed) throw failureOf(answer);
  }
}

function calendarNotFound(): VendorError {
  const details = { code: 'calendar_not_found', title: 'Calendar not found', status: 404 };
  return new VendorError('rejected', 'There is no such calendar, or this account may not see it.', details);
}

function send(deps: ClientDeps, token: string, call: ApiCall, limits: AttemptLimits): Promise<GoogleAnswer> {
  const url = new URL(`${deps.apiUrl}/calendar/v3/${call.path}`);
  for (const [name, value] of Object.entries(call.query ?? {})) url.searchParams.set(name, value);
  const headers: Record<string, string> = { authorization: `Bearer ${token}`, accept: 'application/json' };
  if (call.ifMatch !== undefined) headers['if-match'] = call.ifMatch;
  if (call.json !== undefined) headers['content-type'] = 'application/json';
  const body = call.json === undefined ? {} : { body: JSON.stringify(call.json) };
  return exchange(deps.outgoing, { method: call.method, url, headers, ...body, maxResponseBytes }, limits);
}
