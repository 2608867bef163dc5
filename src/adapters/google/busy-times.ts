// Busy times of Google calendars: by free-busy, or from the events where the booking's own event must not count.
import { VendorError } from '../../base/errors.ts';
import { merged } from '../../base/intervals.ts';
import type { AttemptLimits } from '../../base/retry.ts';
import type { BusyTimesQuery, Interval } from '../../ports/calendar.ts';
import { type ClientDeps, callApi, eventsPath, primary } from './client.ts';
import type { GoogleCredential } from './credential.ts';
import { firstKnownZone, instantOf } from './event-json.ts';
import { isObject, type Json, objectsOf, textOf } from './json.ts';

/** Google limits a free-busy query to 50 calendars. */
const maxCalendarsPerQuery = 50;

/** Merged busy times within `[from, to)`. Throws VendorError if any of the calendars cannot be read. */
export async function busyTimes(
  deps: ClientDeps,
  { refreshToken, accountEmail }: Pick<GoogleCredential, 'refreshToken' | 'accountEmail'>,
  query: BusyTimesQuery,
  limits: AttemptLimits,
): Promise<Interval[]> {
  const canonicalId = (id: string) => (id === accountEmail ? primary : id);
  const all = [...new Set(query.calendarIds.map(canonicalId))];
  const given = query.except && {
    ...query.except,
    calendarId: canonicalId(query.except.calendarId),
  };
  const except = given && all.includes(given.calendarId) ? given : undefined;
  const queried = all.filter((id) => id !== except?.calendarId);
  const found: Interval[] = [];
  for (let at = 0; at < queried.length; at += maxCalendarsPerQuery) {
    const ids = queried.slice(at, at + maxCalendarsPerQuery);
    found.push(...(await freeBusy(deps, refreshToken, ids, query, limits)));
  }
  if (except !== undefined) found.push(...(await busyEvents(deps, refreshToken, query, except, limits)));
  return merged(found, query.from, query.to);
}

const iso = (instant: number) => new Date(instant).toISOString();

async function freeBusy(
  deps: ClientDeps,
  refreshToken: string,
  calendarIds: string[],
  span: { from: number; to: number },
  limits: AttemptLimits,
): Promise<Interval[]> {
  const json = { timeMin: iso(span.from), timeMax: iso(span.to), items: calendarIds.map((id) => ({ id })) };
  const response = await callApi(deps, refreshToken, { method: 'POST', path: 'freeBusy', json }, limits);
  const calendars = isObject(response.json.calendars) ? response.json.calendars : {};
  return calendarIds.flatMap((id) => busyOf(id, calendars[id]));
}

/** Google returns 200 even if a calendar could not be read: its `errors` must never count as free time. */
function busyOf(calendarId: string, response: unknown): Interval[] {
  if (!isObject(response) || !Array.isArray(response.busy))
    throw unreadable(calendarId, 'the response lacks it');
  const error = objectsOf(response.errors)[0];
  if (error !== undefined) throw unreadable(calendarId, textOf(error.reason) ?? 'an error without a reason');
  return response.busy.map((span) => {
    const start = isObject(span) ? Date.parse(String(span.start)) : Number.NaN;
    const end = isObject(span) ? Date.parse(String(span.end)) : Number.NaN;
    if (Number.isNaN(start) || Number.isNaN(end)) throw unreadable(calendarId, 'a busy time is invalid');
    return { start, end };
  });
}

function unreadable(calendarId: string, why: string): VendorError {
  const text = `Busy times of calendar ${calendarId} could not be read: ${why}.`;
  return why === 'notFound'
    ? new VendorError('rejected', text, { code: 'calendar_not_found', title: 'Calendar not found' })
    : new VendorError('unknown', text, { code: 'free_busy_error', title: why });
}

/** Busy times from the events without `except`, because free-busy does not say which event makes a time busy. */
async function busyEvents(
  deps: ClientDeps,
  refreshToken: string,
  span: { from: number; to: number; timeZone?: string | undefined },
  except: { calendarId: string; eventId: string },
  limits: AttemptLimits,
): Promise<Interval[]> {
  const found: Interval[] = [];
  let pageToken: string | undefined;
  do {
    const query = {
      singleEvents: 'true',
      timeMin: iso(span.from),
      timeMax: iso(span.to),
      maxResults: '2500',
      fields:
        'nextPageToken,timeZone,items(id,recurringEventId,status,transparency,eventType,start,end,attendees(self,responseStatus))',
      ...(pageToken === undefined ? {} : { pageToken }),
    };
    const call = { method: 'GET' as const, path: eventsPath(except.calendarId), query };
    const { json } = await callApi(deps, refreshToken, call, limits);
    if (!Array.isArray(json.items)) throw unreadable(except.calendarId, 'the response has no list of events');
    const zone = firstKnownZone([textOf(json.timeZone), span.timeZone]);
    for (const event of objectsOf(json.items)) {
      // occurrences of a series have ids of their own
      if ((event.recurringEventId ?? event.id) === except.eventId || !blocks(event)) continue;
      const start = instantOf(event.start, zone);
      const end = instantOf(event.end, zone);
      if (start === null || end === null) throw unreadable(except.calendarId, 'an event has an invalid time');
      if (end > start) found.push({ start, end });
    }
    pageToken = textOf(json.nextPageToken);
  } while (pageToken !== undefined);
  return found;
}

/** Tentative events are busy. Transparent, cancelled and declined ones are free, and so are working locations and birthdays. */
function blocks(event: Json): boolean {
  if (event.status === 'cancelled' || event.transparency === 'transparent') return false;
  if (event.eventType === 'workingLocation' || event.eventType === 'birthday') return false;
  return !objectsOf(event.attendees).some(
    (guest) => guest.self === true && guest.responseStatus === 'declined',
  );
}
