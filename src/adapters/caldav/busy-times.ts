// Busy times of CalDAV calendars: fetches objects by time and expands series, because servers expand them incorrectly.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { VendorError } from '../../base/errors.ts';
import { merged } from '../../base/intervals.ts';
import type { BusyTimesQuery, EventProblem, Interval } from '../../ports/calendar.ts';
import { type CaldavAccount, calendarUrlOf, type QueryMode } from './credential.ts';
import type { CallDeps } from './dav-call.ts';
import { type BusyObject, joined, readBusySeries } from './expansion.ts';
import { isSamePlace } from './multistatus.ts';
import {
  type CalendarObject,
  hasProperty,
  queryObjects,
  readCalendarProperties,
  timeRange,
} from './objects.ts';

/** The longest time that reading objects may block the event loop. */
const maxBlockingMs = 20;
/** Servers interpret dates and floating times in any zone; zones differ by at most this much. */
const zoneSpreadMs = 26 * 3_600_000;

/** Merged busy times within `[from, to)`. Throws VendorError if any of the calendars cannot be read. */
export async function busyTimes(
  deps: CallDeps,
  account: CaldavAccount,
  query: BusyTimesQuery,
): Promise<Interval[]> {
  const read = await readObjects(deps, account, query);
  return merged(
    read.flatMap(({ busy }) => busy),
    query.from,
    query.to,
  );
}

/** Events that may block within `[from, to)` and whose times are uncertain. Throws what `busyTimes` throws. */
export async function eventProblems(
  deps: CallDeps,
  account: CaldavAccount,
  query: BusyTimesQuery,
): Promise<EventProblem[]> {
  const read = await readObjects(deps, account, query);
  return read.flatMap(({ url, problems }) => {
    const [first] = problems.toSorted((a, b) => Number(b.isTimeUnknown) - Number(a.isTimeUnknown));
    return first ? [{ event: new URL(url).pathname, problem: first.problem, message: first.message }] : [];
  });
}

/** Reads every object of the calendars that may block within `[from, to)`. */
async function readObjects(
  deps: CallDeps,
  account: CaldavAccount,
  { from, to, except, calendarIds }: BusyTimesQuery,
): Promise<(BusyObject & { url: string })[]> {
  const urls = [...new Set(calendarIds.map((id) => calendarUrlOf(account, id)))];
  const found = await Promise.all(
    urls.map(async (url) => {
      const span = { start: from, end: to };
      const [{ zone }, objects] = await Promise.all([
        readCalendarProperties(deps, account, url),
        objectsWithin(deps, account, url, span),
      ]);
      const found: (BusyObject & { url: string })[] = [];
      let begun = performance.now();
      const owner = { calendarZone: zone, staffZone: account.timeZone, addresses: account.addresses };
      for (const object of objects) {
        if (except !== undefined && isEventOf(account, object.url, except)) continue;
        const parts: BusyObject[] = [];
        for (const part of readBusySeries(object.text, span, owner)) {
          parts.push(part);
          if (performance.now() - begun < maxBlockingMs) continue;
          // let other requests run, however many events the calendar has
          await nextTurn();
          begun = performance.now();
          if (begun > deps.limits.until) throw tooLong();
        }
        found.push({ url: object.url, ...joined(parts) });
      }
      return found;
    }),
  );
  return found.flat();
}

/** Expanding every event takes longer than the whole call may take. */
const tooLong = () =>
  new VendorError('unknown', 'The events of the calendar could not be read in time.', { code: 'timeout' });

/** True if the object is that event; false if the event is in another account. */
const isEventOf = (account: CaldavAccount, url: string, ref: { calendarId: string; eventId: string }) =>
  URL.canParse(ref.calendarId, account.homeUrl) &&
  isSamePlace(url, eventUrlOf(new URL(slashed(ref.calendarId), account.homeUrl).href, ref.eventId));
const slashed = (path: string) => (path.endsWith('/') ? path : `${path}/`);

/** The address of an event's file. */
export const eventUrlOf = (calendarUrl: string, eventId: string) =>
  new URL(`${encodeURIComponent(eventId)}.ics`, calendarUrl).href;

/** Every object that may block within `span`; others may be among them. */
export async function objectsWithin(
  deps: CallDeps,
  account: CaldavAccount,
  calendarUrl: string,
  span: Interval,
): Promise<CalendarObject[]> {
  const widened = { start: span.start - zoneSpreadMs, end: span.end + zoneSpreadMs };
  const answers = await Promise.all(
    filtersFor(account.reads, widened).map((filter) => queryObjects(deps, account, calendarUrl, filter)),
  );
  return [...new Map(answers.flat().map((object) => [object.url, object])).values()];
}

/** Radicale 3.1 misses durations of whole days; Xandikos 0.2 misses all occurrences of a series except the first. */
function filtersFor(reads: QueryMode, span: Interval): string[] {
  if (reads === 'everything') return [''];
  const ranged = [timeRange(span)];
  return reads === 'time_range' ? ranged : [...ranged, ...['RRULE', 'RDATE', 'DURATION'].map(hasProperty)];
}
