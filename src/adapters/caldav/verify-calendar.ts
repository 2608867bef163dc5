// Verifies that a calendar works: writes test events in the past, finds them by time, and deletes them.
import { randomUUID } from 'node:crypto';
import { VendorError } from '../../base/errors.ts';
import type { KnownCalendar } from '../../ports/calendar.ts';
import { eventUrlOf, objectsWithin } from './busy-times.ts';
import { type CaldavAccount, calendarUrlOf, type QueryMode, readCredential } from './credential.ts';
import { type CallDeps, failureOf, isSuccess, send } from './dav-call.ts';
import { readOnly } from './discovery.ts';

/** Events that some servers miss in time-range queries; each of them overlaps 10 to 12 July 2000. */
const trialEvents = [
  'DTSTART:20000105T100000Z\r\nDTEND:20000105T110000Z\r\nRRULE:FREQ=WEEKLY;COUNT=30',
  'DTSTART:20000103T100000Z\r\nDTEND:20000103T110000Z\r\nRDATE:20000711T100000Z',
  'DTSTART:20000701T000000Z\r\nDURATION:P20D',
  'DTSTART:20000701T000000Z\r\nDTEND:20000720T000000Z',
];
const span = { start: Date.UTC(2000, 6, 10), end: Date.UTC(2000, 6, 13) };

export interface Verification {
  /** How to query events. */
  reads: QueryMode;
  /** The index of the same calendar in `known`; null if there is none. */
  sameAs: number | null;
}

/**
 * Writes, finds and deletes a few transparent events in the year 2000. A known calendar of the same host that also shows
 * them is the same calendar: a shared calendar has another address for each account. Throws VendorError
 * `calendar_read_only` if the calendar cannot be written, and `calendar_unreliable` if no query finds the events.
 */
export async function verifyCalendar(
  deps: CallDeps,
  account: CaldavAccount,
  calendarUrl: string,
  known: readonly KnownCalendar[],
): Promise<Verification> {
  const urls: string[] = [];
  try {
    for (const trial of trialEvents) {
      const id = randomUUID();
      urls.push(eventUrlOf(calendarUrl, id));
      await write(deps, account, urls.at(-1) ?? '', trialText(id, trial), calendarUrl);
    }
    for (const reads of ['time_range', 'with_series', 'everything'] as const) {
      if (!(await findsAll(deps, { ...account, reads }, calendarUrl, urls))) continue;
      return { reads, sameAs: await findSameCalendar(deps, known, urls[0] ?? '') };
    }
  } finally {
    await Promise.all(urls.map((url) => remove(deps, account, url)));
  }
  const text = 'The calendar accepted test events, but no query finds them.';
  throw new VendorError('rejected', text, { code: 'calendar_unreliable', title: 'Calendar does not work' });
}

const knownTimeoutMs = 3_000;

/** The index of the first known calendar that shows the event. A calendar that does not respond in time is skipped. */
async function findSameCalendar(
  deps: CallDeps,
  known: readonly KnownCalendar[],
  eventUrl: string,
): Promise<number | null> {
  const { hostname, pathname } = new URL(eventUrl);
  const limits = { ...deps.limits, until: Math.min(deps.limits.until, performance.now() + knownTimeoutMs) };
  const showsEvent = async ({ credential, calendarId }: KnownCalendar): Promise<boolean> => {
    try {
      const other = readCredential(credential);
      const calendarUrl = calendarUrlOf(other, calendarId);
      if (new URL(calendarUrl).hostname !== hostname) return false;
      const url = new URL(pathname.split('/').at(-1) ?? '', calendarUrl).href;
      return isSuccess((await send({ ...deps, limits }, other, { method: 'GET', url })).status);
    } catch (error) {
      if (error instanceof VendorError) return false;
      throw error;
    }
  };
  const index = (await Promise.all(known.map(showsEvent))).indexOf(true);
  return index < 0 ? null : index;
}

function trialText(uid: string, times: string): string {
  const event = `UID:${uid}\r\nDTSTAMP:20000101T000000Z\r\n${times}\r\nSUMMARY:Connection test\r\nTRANSP:TRANSPARENT`;
  return (
    'BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Chatbot Gateway//Bookings//EN\r\n' +
    `BEGIN:VEVENT\r\n${event}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`
  );
}

async function write(
  deps: CallDeps,
  account: CaldavAccount,
  url: string,
  body: string,
  calendarUrl: string,
): Promise<void> {
  const headers = { 'content-type': 'text/calendar; charset=utf-8', 'if-none-match': '*' };
  const response = await send(deps, account, { method: 'PUT', url, body, headers });
  if (response.status === 403 || response.status === 405) throw readOnly(calendarUrl);
  if (!isSuccess(response.status)) throw failureOf(response);
}

/** True if the query finds all events; false also if the server rejects the query. */
async function findsAll(
  deps: CallDeps,
  account: CaldavAccount,
  calendarUrl: string,
  urls: string[],
): Promise<boolean> {
  try {
    const found = await objectsWithin(deps, account, calendarUrl, span);
    return urls.every((url) => found.some((object) => object.url.endsWith(new URL(url).pathname.slice(-40))));
  } catch (error) {
    if (error instanceof VendorError && error.status !== undefined && error.status !== 401) return false;
    throw error;
  }
}

/** Ignores failures: a test event that remains is transparent and in the year 2000. */
async function remove(deps: CallDeps, account: CaldavAccount, url: string): Promise<void> {
  await send(deps, account, { method: 'DELETE', url }).catch(() => undefined);
}
