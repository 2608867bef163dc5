// What was done to the events of bookings since the last look: by sync token (RFC 6578), else by comparing versions.
import { VendorError } from '../../base/errors.ts';
import type { CalendarEvent, EventChanges } from '../../ports/calendar.ts';
import { eventUrlOf } from './busy-times.ts';
import { type CaldavAccount, calendarUrlOf } from './credential.ts';
import { ask } from './dav-call.ts';
import { readEvent } from './event-ics.ts';
import { isOurs } from './event-id.ts';
import type { Attempt } from './events.ts';
import { escaped, requestXml } from './multistatus.ts';
import {
  type CalendarFacts,
  type CalendarObject,
  calendarFacts,
  getObjects,
  queryObjects,
  queryVersions,
  timeRange,
} from './objects.ts';

/** What a cursor holds: the server's token; or the calendar's tag and the versions of our events, by their ids. */
type Cursor = { sync: string } | { ctag: string | null; seen: Record<string, string> };

interface Look {
  attempt: Attempt;
  url: string;
  facts: CalendarFacts;
  since: number;
}

/** Bookings are made for months, not decades, ahead. */
const farMs = 20 * 365 * 86_400_000;
const maxPages = 100;

/** One reading of what changed; a cursor that the server no longer takes is answered by a reading from the start. */
export async function changedEvents(
  attempt: Attempt,
  question: { calendarId: string; cursor: string | null; since: number },
): Promise<EventChanges> {
  const url = calendarUrlOf(attempt.account, question.calendarId);
  // Taken before reading, so that the next call reports concurrent changes.
  const facts = await calendarFacts(attempt, attempt.account, url);
  const look: Look = { attempt, url, facts, since: question.since };
  const cursor = cursorIn(question.cursor);
  if (cursor !== null && 'sync' in cursor && facts.syncToken !== null) {
    if (cursor.sync === facts.syncToken) return answer([], cursor, false);
    const changes = await changedSince(look, cursor.sync);
    return changes ?? fromTheStart(look);
  }
  if (cursor !== null && 'seen' in cursor && facts.syncToken === null) return compared(look, cursor);
  return fromTheStart(look);
}

function cursorIn(text: string | null): Cursor | null {
  try {
    return text === null ? null : (JSON.parse(text) as Cursor);
  } catch {
    return null;
  }
}

const answer = (events: CalendarEvent[], cursor: Cursor, complete: boolean): EventChanges => ({
  events,
  cursor: JSON.stringify(cursor),
  complete,
});

async function fromTheStart(look: Look): Promise<EventChanges> {
  const { attempt, url, facts } = look;
  const objects = await queryObjects(attempt, attempt.account, url, filterFrom(look));
  const ours = objects.filter((object) => isOurs(idOf(object.url)));
  const cursor: Cursor =
    facts.syncToken === null ? { ctag: facts.ctag, seen: versionsOf(ours) } : { sync: facts.syncToken };
  return answer(eventsIn(look, ours), cursor, true);
}

/** Events of bookings are no series: every server that has a time range finds them by it. */
const filterFrom = ({ attempt, since }: Look) =>
  attempt.account.reads === 'everything' ? '' : timeRange({ start: since, end: since + farMs });

/** The event id of a file's address. */
const idOf = (url: string) =>
  decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '').replace(/\.ics$/, '');

const versionsOf = (objects: CalendarObject[]) =>
  Object.fromEntries(objects.map(({ url, etag }) => [idOf(url), etag ?? '']));

/** An unreadable event is skipped. */
function eventsIn({ facts }: Look, objects: CalendarObject[]): CalendarEvent[] {
  return objects.flatMap(({ url, etag, text }) => {
    try {
      const event = readEvent(text, idOf(url), etag, facts.zone);
      return event.bookingId === null ? [] : [event];
    } catch {
      return [];
    }
  });
}

const deleted = (eventId: string): CalendarEvent => ({
  ...{ eventId, status: 'deleted', bookingId: null, start: null, end: null, allDay: false },
  ...{ meeting: { status: 'none' }, link: null, version: null },
});

/** The events changed since a token; null where the server no longer knows it (some say so by 500). */
async function changedSince(look: Look, from: string): Promise<EventChanges | null> {
  const { attempt, url } = look;
  const changed = new Map<string, boolean>();
  let token = from;
  for (let page = 0; page < maxPages; page += 1) {
    const found = await syncPage(attempt, attempt.account, url, token);
    if (found === null) return null;
    for (const { url: each, status } of found.resources) {
      if (isOurs(idOf(each))) changed.set(idOf(each), status !== 404 && status !== 410);
    }
    const more = found.resources.some(({ status }) => status === 507);
    const stuck = found.syncToken === null || found.syncToken === token;
    token = found.syncToken ?? token;
    if (!more || stuck) break;
  }
  const there = [...changed].filter(([, isThere]) => isThere).map(([id]) => id);
  return answer(await looked(look, there, [...changed.keys()]), { sync: token }, false);
}

async function syncPage(attempt: Attempt, account: CaldavAccount, url: string, token: string) {
  const inner = `<D:sync-token>${escaped(token)}</D:sync-token><D:sync-level>1</D:sync-level><D:prop><D:getetag/></D:prop>`;
  const body = requestXml('D:sync-collection', inner);
  try {
    return await ask(attempt, account, { method: 'REPORT', url, depth: '0', body });
  } catch (error) {
    if (!(error instanceof VendorError) || error.status === undefined) throw error;
    if (error.status === 401 || error.status === 429 || error.status === 503) throw error;
    return null;
  }
}

/** The events `there` as they are now; of all `asked`, those that are not to be found were deleted. */
async function looked(look: Look, there: string[], asked: string[]): Promise<CalendarEvent[]> {
  const { attempt, url } = look;
  const urls = there.map((id) => eventUrlOf(url, id));
  const objects = await getObjects(attempt, attempt.account, url, urls);
  const found = new Set(objects.map((object) => idOf(object.url)));
  return [...eventsIn(look, objects), ...asked.filter((id) => !found.has(id)).map(deleted)];
}

/** Without tokens: nothing if the calendar's tag is the same, else whatever has another version than when last seen. */
async function compared(
  look: Look,
  before: { ctag: string | null; seen: Record<string, string> },
): Promise<EventChanges> {
  const { attempt, url, facts } = look;
  if (facts.ctag !== null && facts.ctag === before.ctag) return answer([], before, false);
  const versions = await queryVersions(attempt, attempt.account, url, filterFrom(look));
  const now = new Map(
    versions.map((each) => [idOf(each.url), each.etag] as const).filter(([id]) => isOurs(id)),
  );
  const changed = [...now].filter(([id, etag]) => before.seen[id] !== etag).map(([id]) => id);
  const missing = Object.keys(before.seen).filter((id) => !now.has(id));
  const events = await looked(look, [...changed, ...missing], [...changed, ...missing]);
  return answer(events, { ctag: facts.ctag, seen: Object.fromEntries(now) }, false);
}
