// Changes to events of bookings since the last reading: by sync token (RFC 6578), or else by comparing versions.
import { VendorError } from '../../base/errors.ts';
import type { CalendarEvent, EventChanges } from '../../ports/calendar.ts';
import { eventUrlOf } from './busy-times.ts';
import { type CaldavAccount, calendarUrlOf } from './credential.ts';
import { requestMultistatus } from './dav-call.ts';
import { readEvent } from './event-ics.ts';
import { isBookingEventId } from './event-id.ts';
import type { Attempt } from './events.ts';
import { decoded, escapeXml, requestXml } from './multistatus.ts';
import {
  type CalendarObject,
  type CalendarProperties,
  getObjects,
  queryObjects,
  queryVersions,
  readCalendarProperties,
  timeRange,
} from './objects.ts';

/** The content of a cursor: the server's token, or the calendar's ctag and the versions of the bookings' events by id. */
type Cursor = { sync: string } | { ctag: string | null; seen: Record<string, string> };

interface SyncContext {
  attempt: Attempt;
  url: string;
  properties: CalendarProperties;
  since: number;
}

/** The end of the period that is read; no booking is that far in the future. */
const farMs = 20 * 365 * 86_400_000;
const maxPages = 100;
/** A token such as `http://sabre.io/ns/sync/12`; the limit keeps the time linear. */
const counter = /^(.*?)(\d{1,15})$/s;
/** A token has a hundred characters, and the versions of 10,000 bookings take half of this. */
const cursorMaxLength = 2 * 1024 * 1024;

/** Reads the changes since the cursor; a full reading if there is none, or if the server no longer accepts it. */
export async function changedEvents(
  attempt: Attempt,
  query: { calendarId: string; cursor: string | null; since: number },
): Promise<EventChanges> {
  const url = calendarUrlOf(attempt.account, query.calendarId);
  // read the token first, so that the next call reports concurrent changes
  const properties = await readCalendarProperties(attempt, attempt.account, url);
  const context: SyncContext = { attempt, url, properties, since: query.since };
  const cursor = cursorIn(query.cursor);
  if (cursor !== null && 'sync' in cursor && properties.syncToken !== null) {
    if (cursor.sync === properties.syncToken) return eventChanges([], cursor, false);
    if (isCountedDown(cursor.sync, properties.syncToken)) return readAll(context);
    const changes = await changesSinceToken(context, cursor.sync);
    return changes ?? readAll(context);
  }
  if (cursor !== null && 'seen' in cursor && properties.syncToken === null)
    return isCountedDown(cursor.ctag, properties.ctag) ? readAll(context) : changesByVersion(context, cursor);
  return readAll(context);
}

/**
 * True if a token ends with a counter that went down: the calendar was deleted and created again. sabre/dav, the engine of
 * Nextcloud and Baikal, reports no changes then (getChangesForCalendar of its PDO backend).
 */
function isCountedDown(before: string | null, now: string | null): boolean {
  const [, name, count] = counter.exec(before ?? '') ?? [];
  const [, nameNow, countNow] = counter.exec(now ?? '') ?? [];
  return name !== undefined && name === nameNow && Number(countNow) < Number(count);
}

function cursorIn(text: string | null): Cursor | null {
  try {
    return text === null ? null : (JSON.parse(text) as Cursor);
  } catch {
    return null;
  }
}

/** Throws VendorError for a cursor that is too long to be stored at each reading. */
function eventChanges(events: CalendarEvent[], cursor: Cursor, complete: boolean): EventChanges {
  const text = JSON.stringify(cursor);
  if (text.length <= cursorMaxLength) return { events, cursor: text, complete };
  throw new VendorError('unknown', 'The sync token, or the list of versions of events, is too long.', {
    code: 'unreadable_answer',
  });
}

async function readAll(context: SyncContext): Promise<EventChanges> {
  const { attempt, url, properties } = context;
  const objects = await queryObjects(attempt, attempt.account, url, filterFrom(context));
  const ours = objects.filter((object) => isBookingEventId(idOf(object.url)));
  const cursor: Cursor =
    properties.syncToken === null
      ? { ctag: properties.ctag, seen: versionsOf(ours) }
      : { sync: properties.syncToken };
  return eventChanges(eventsIn(context, ours), cursor, true);
}

/** Events of bookings are not series, so a time-range filter finds them on every server that has one. */
const filterFrom = ({ attempt, since }: SyncContext) =>
  attempt.account.reads === 'everything' ? '' : timeRange({ start: since, end: since + farMs });

/** The event id of a file's address. */
const idOf = (url: string) => decoded(new URL(url).pathname.split('/').at(-1) ?? '').replace(/\.ics$/, '');

const versionsOf = (objects: CalendarObject[]) =>
  Object.fromEntries(objects.map(({ url, etag }) => [idOf(url), etag ?? '']));

/** The events of bookings among the objects; unreadable ones are skipped. */
function eventsIn({ properties }: SyncContext, objects: CalendarObject[]): CalendarEvent[] {
  return objects.flatMap(({ url, etag, text }) => {
    try {
      const event = readEvent(text, idOf(url), etag, properties.zone);
      return event.bookingId === null ? [] : [event];
    } catch {
      return [];
    }
  });
}

const deleted = (eventId: string): CalendarEvent => ({
  ...{ eventId, status: 'deleted', bookingId: null, start: null, end: null, allDay: false },
  ...{ meeting: { status: 'none' }, link: null, version: null, guestsInvited: null },
});

/** The events changed since a token; null if the server no longer accepts it, which some servers report as 500. */
async function changesSinceToken(context: SyncContext, from: string): Promise<EventChanges | null> {
  const { attempt, url } = context;
  const changed = new Map<string, boolean>();
  let token = from;
  for (let page = 0; page < maxPages; page += 1) {
    const found = await syncPage(attempt, attempt.account, url, token);
    if (found === null) return null;
    for (const { url: each, status } of found.resources) {
      if (isBookingEventId(idOf(each))) changed.set(idOf(each), status !== 404 && status !== 410);
    }
    const more = found.resources.some(({ status }) => status === 507);
    const stuck = found.syncToken === null || found.syncToken === token;
    token = found.syncToken ?? token;
    if (!more || stuck) break;
  }
  const existing = [...changed].filter(([, exists]) => exists).map(([id]) => id);
  return eventChanges(await readChanged(context, existing, [...changed.keys()]), { sync: token }, false);
}

async function syncPage(attempt: Attempt, account: CaldavAccount, url: string, token: string) {
  const inner = `<D:sync-token>${escapeXml(token)}</D:sync-token><D:sync-level>1</D:sync-level><D:prop><D:getetag/></D:prop>`;
  const body = requestXml('D:sync-collection', inner);
  try {
    return await requestMultistatus(attempt, account, { method: 'REPORT', url, depth: '0', body });
  } catch (error) {
    if (!(error instanceof VendorError) || error.status === undefined) throw error;
    if (error.status === 401 || error.status === 429 || error.status === 503) throw error;
    return null;
  }
}

/** Reads the `existing` events; those of `ids` that are not found are reported as deleted. */
async function readChanged(
  context: SyncContext,
  existing: string[],
  ids: string[],
): Promise<CalendarEvent[]> {
  const { attempt, url } = context;
  const urls = existing.map((id) => eventUrlOf(url, id));
  const objects = await getObjects(attempt, attempt.account, url, urls);
  const found = new Set(objects.map((object) => idOf(object.url)));
  return [...eventsIn(context, objects), ...ids.filter((id) => !found.has(id)).map(deleted)];
}

/** For servers without sync tokens: the events whose version differs from the last reading; none if the ctag is unchanged. */
async function changesByVersion(
  context: SyncContext,
  before: { ctag: string | null; seen: Record<string, string> },
): Promise<EventChanges> {
  const { attempt, url, properties } = context;
  if (properties.ctag !== null && properties.ctag === before.ctag) return eventChanges([], before, false);
  const versions = await queryVersions(attempt, attempt.account, url, filterFrom(context));
  const now = new Map(
    versions.map((each) => [idOf(each.url), each.etag] as const).filter(([id]) => isBookingEventId(id)),
  );
  const changed = [...now].filter(([id, etag]) => before.seen[id] !== etag).map(([id]) => id);
  const missing = Object.keys(before.seen).filter((id) => !now.has(id));
  const events = await readChanged(context, [...changed, ...missing], [...changed, ...missing]);
  return eventChanges(events, { ctag: properties.ctag, seen: Object.fromEntries(now) }, false);
}
