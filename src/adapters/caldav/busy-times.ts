// When calendars are busy: their objects fetched by time, and expanded here, since servers do it wrongly or not at all.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { merged } from '../../base/intervals.ts';
import type { BusyQuestion, EventProblem, Interval } from '../../ports/calendar.ts';
import { type CaldavAccount, calendarUrlOf, type Reads } from './credential.ts';
import type { Wire } from './dav-call.ts';
import { type Reading, readingOf } from './expansion.ts';
import { isSamePlace } from './multistatus.ts';
import { type CalendarObject, calendarFacts, hasProperty, queryObjects, timeRange } from './objects.ts';

/** How long objects are read in one go. */
const turnMs = 20;
/** Servers read dates and floating times in whatever zone they like: this much lies between the outermost two. */
const zonesApartMs = 26 * 3_600_000;

/** Merged busy times within `[from, to)`; throws VendorError if any one of the calendars could not be read. */
export async function busyTimes(
  wire: Wire,
  account: CaldavAccount,
  question: BusyQuestion,
): Promise<Interval[]> {
  const read = await readings(wire, account, question);
  return merged(
    read.flatMap(({ busy }) => busy),
    question.from,
    question.to,
  );
}

/** The events that may block within `[from, to)` and whose times are not sure; throws like `busyTimes`. */
export async function eventProblems(
  wire: Wire,
  account: CaldavAccount,
  question: BusyQuestion,
): Promise<EventProblem[]> {
  const read = await readings(wire, account, question);
  return read.flatMap(({ url, doubts }) => {
    const [first] = doubts.toSorted((a, b) => Number(b.anywhere) - Number(a.anywhere));
    return first ? [{ event: new URL(url).pathname, problem: first.problem, message: first.message }] : [];
  });
}

/** Every object of the calendars that may have to do with `[from, to)`, read. */
async function readings(
  wire: Wire,
  account: CaldavAccount,
  { from, to, except, calendarIds }: BusyQuestion,
): Promise<(Reading & { url: string })[]> {
  const urls = [...new Set(calendarIds.map((id) => calendarUrlOf(account, id)))];
  const found = await Promise.all(
    urls.map(async (url) => {
      const span = { start: from, end: to };
      const [{ zone }, objects] = await Promise.all([
        calendarFacts(wire, account, url),
        objectsWithin(wire, account, url, span),
      ]);
      const found: (Reading & { url: string })[] = [];
      let begun = performance.now();
      const owner = { calendarZone: zone, staffZone: account.timeZone, addresses: account.addresses };
      for (const object of objects) {
        if (except !== undefined && isEventOf(account, object.url, except)) continue;
        found.push({ url: object.url, ...readingOf(object.text, span, owner) });
        if (performance.now() - begun < turnMs) continue;
        // others' requests have their turn, however much somebody put into a calendar
        await nextTurn();
        begun = performance.now();
      }
      return found;
    }),
  );
  return found.flat();
}

/** A calendar of another account holds nothing of this one. */
const isEventOf = (account: CaldavAccount, url: string, ref: { calendarId: string; eventId: string }) =>
  URL.canParse(ref.calendarId, account.homeUrl) &&
  isSamePlace(url, eventUrlOf(new URL(slashed(ref.calendarId), account.homeUrl).href, ref.eventId));
const slashed = (path: string) => (path.endsWith('/') ? path : `${path}/`);

/** The address of an event's file. */
export const eventUrlOf = (calendarUrl: string, eventId: string) =>
  new URL(`${encodeURIComponent(eventId)}.ics`, calendarUrl).href;

/** Every object that may make `span` busy, and others. */
export async function objectsWithin(
  wire: Wire,
  account: CaldavAccount,
  calendarUrl: string,
  span: Interval,
): Promise<CalendarObject[]> {
  const wide = { start: span.start - zonesApartMs, end: span.end + zonesApartMs };
  const answers = await Promise.all(
    filtersFor(account.reads, wide).map((filter) => queryObjects(wire, account, calendarUrl, filter)),
  );
  return [...new Map(answers.flat().map((object) => [object.url, object])).values()];
}

/** Radicale 3.1 misses durations of whole days, Xandikos 0.2 every occurrence of a series but the first. */
function filtersFor(reads: Reads, span: Interval): string[] {
  if (reads === 'everything') return [''];
  const ranged = [timeRange(span)];
  return reads === 'time_range' ? ranged : [...ranged, ...['RRULE', 'RDATE', 'DURATION'].map(hasProperty)];
}
