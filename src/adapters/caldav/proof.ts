// The proof that a calendar works: events of long ago written, asked for by time, and taken away again.
import { randomUUID } from 'node:crypto';
import { VendorError } from '../../base/errors.ts';
import type { KnownCalendar } from '../../ports/calendar.ts';
import { eventUrlOf, objectsWithin } from './busy-times.ts';
import { type CaldavAccount, calendarUrlOf, opened, type Reads } from './credential.ts';
import { failureOf, isDone, send, type Wire } from './dav-call.ts';
import { readOnly } from './discovery.ts';

/** What servers are known to miss when they are asked for a time: each makes 10 to 12 July 2000 busy in its way. */
const trials = [
  'DTSTART:20000105T100000Z\r\nDTEND:20000105T110000Z\r\nRRULE:FREQ=WEEKLY;COUNT=30',
  'DTSTART:20000103T100000Z\r\nDTEND:20000103T110000Z\r\nRDATE:20000711T100000Z',
  'DTSTART:20000701T000000Z\r\nDURATION:P20D',
  'DTSTART:20000701T000000Z\r\nDTEND:20000720T000000Z',
];
const span = { start: Date.UTC(2000, 6, 10), end: Date.UTC(2000, 6, 13) };

export interface Proof {
  /** How events are to be asked for. */
  reads: Reads;
  /** Which of the known calendars is this one. */
  sameAs: number | null;
}

/**
 * Writes, finds and deletes a few transparent events in the year 2000. A known calendar of that host in which one of them
 * is found is the same calendar, whatever address and account lead there: shared calendars have addresses of their own for
 * everybody they are shared with. Throws VendorError if the calendar cannot be written (`calendar_read_only`) or the
 * events cannot be found in any way.
 */
export async function proveCalendar(
  wire: Wire,
  account: CaldavAccount,
  calendarUrl: string,
  known: readonly KnownCalendar[],
): Promise<Proof> {
  const urls: string[] = [];
  try {
    for (const trial of trials) {
      const id = randomUUID();
      urls.push(eventUrlOf(calendarUrl, id));
      await write(wire, account, urls.at(-1) ?? '', trialText(id, trial), calendarUrl);
    }
    for (const reads of ['time_range', 'with_series', 'everything'] as const) {
      if (!(await findsAll(wire, { ...account, reads }, calendarUrl, urls))) continue;
      return { reads, sameAs: await seenIn(wire, known, urls[0] ?? '') };
    }
  } finally {
    await Promise.all(urls.map((url) => remove(wire, account, url)));
  }
  const text = 'Events that were written to this calendar are not found in it again.';
  throw new VendorError('rejected', text, { code: 'calendar_unreliable', title: 'Calendar does not work' });
}

const knownTimeoutMs = 3_000;

/** The first of the known calendars that shows the event; one that cannot be asked in time does not. */
async function seenIn(wire: Wire, known: readonly KnownCalendar[], eventUrl: string): Promise<number | null> {
  const { hostname, pathname } = new URL(eventUrl);
  const limits = { ...wire.limits, until: Math.min(wire.limits.until, performance.now() + knownTimeoutMs) };
  const isSeen = async ({ credential, calendarId }: KnownCalendar): Promise<boolean> => {
    try {
      const other = opened(credential);
      const calendarUrl = calendarUrlOf(other, calendarId);
      if (new URL(calendarUrl).hostname !== hostname) return false;
      const url = new URL(pathname.split('/').at(-1) ?? '', calendarUrl).href;
      return isDone((await send({ ...wire, limits }, other, { method: 'GET', url })).status);
    } catch (error) {
      if (error instanceof VendorError) return false;
      throw error;
    }
  };
  const index = (await Promise.all(known.map(isSeen))).indexOf(true);
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
  wire: Wire,
  account: CaldavAccount,
  url: string,
  body: string,
  calendarUrl: string,
): Promise<void> {
  const headers = { 'content-type': 'text/calendar; charset=utf-8', 'if-none-match': '*' };
  const answer = await send(wire, account, { method: 'PUT', url, body, headers });
  if (answer.status === 403 || answer.status === 405) throw readOnly(calendarUrl);
  if (!isDone(answer.status)) throw failureOf(answer);
}

/** A way of asking that the server refuses is one that does not find them. */
async function findsAll(
  wire: Wire,
  account: CaldavAccount,
  calendarUrl: string,
  urls: string[],
): Promise<boolean> {
  try {
    const found = await objectsWithin(wire, account, calendarUrl, span);
    return urls.every((url) => found.some((object) => object.url.endsWith(new URL(url).pathname.slice(-40))));
  } catch (error) {
    if (error instanceof VendorError && error.status !== undefined && error.status !== 401) return false;
    throw error;
  }
}

/** What is left over by a call that fails blocks nothing, and lies in the year 2000. */
async function remove(wire: Wire, account: CaldavAccount, url: string): Promise<void> {
  await send(wire, account, { method: 'DELETE', url }).catch(() => undefined);
}
