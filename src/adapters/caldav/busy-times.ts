// When calendars are busy: their objects fetched by time, and expanded here, since servers do it wrongly or not at all.
import { VendorError } from '../../base/errors.ts';
import { merged } from '../../base/intervals.ts';
import type { BusyQuestion, Interval } from '../../ports/calendar.ts';
import { type CaldavAccount, calendarUrlOf, type Reads } from './credential.ts';
import type { Wire } from './dav-call.ts';
import { busyIn } from './expansion.ts';
import { UnreadableEvent } from './moments.ts';
import { isSamePlace } from './multistatus.ts';
import { type CalendarObject, calendarFacts, hasProperty, queryObjects, timeRange } from './objects.ts';

/** Servers read dates and floating times in whatever zone they like: this much lies between the outermost two. */
const zonesApartMs = 26 * 3_600_000;

/** Merged busy times within `[from, to)`; throws VendorError if any one of the calendars could not be read. */
export async function busyTimes(
  wire: Wire,
  account: CaldavAccount,
  question: BusyQuestion,
): Promise<Interval[]> {
  const { from, to, except } = question;
  const urls = [...new Set(question.calendarIds.map((id) => calendarUrlOf(account, id)))];
  const found = await Promise.all(
    urls.map(async (url) => {
      const span = { start: from, end: to };
      const [{ zone }, objects] = await Promise.all([
        calendarFacts(wire, account, url),
        objectsWithin(wire, account, url, span),
      ]);
      return objects
        .filter((object) => except === undefined || !isEventOf(account, object.url, except))
        .flatMap((object) => busyOf(object, span, { calendarZone: zone, addresses: account.addresses }));
    }),
  );
  return merged(found.flat(), from, to);
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

function busyOf(object: CalendarObject, span: Interval, owner: Parameters<typeof busyIn>[2]): Interval[] {
  try {
    return busyIn(object.text, span, owner);
  } catch (error) {
    if (!(error instanceof UnreadableEvent)) throw error;
    throw new VendorError(
      'refused',
      `The event ${new URL(object.url).pathname} cannot be read: ${error.message}. Mend or delete it in the calendar.`,
      { code: 'event_unreadable', title: 'Event cannot be read', cause: error },
    );
  }
}
