// Google's event resource: written for bookings, and parsed. Pure.
import { isZone } from '../../base/time-zones.ts';
import type { CalendarEvent, EventChange, Interval, Meeting, NewEvent } from '../../ports/calendar.ts';
import { isObject, type Json, objectsOf, textOf } from './json.ts';

/** Names in `extendedProperties.private`, which guests cannot see. */
const bookingKey = 'bookingId';
const linkKey = 'meetingLink';
const tombstoneKey = 'tombstone';

/** Google requires base32hex (a-v, 0-9). A UUID without dashes qualifies; `g` separates the generation. */
export function eventIdFor(bookingId: string, generation = 0): string {
  const id = bookingId.replaceAll('-', '').toLowerCase();
  return generation === 0 ? id : `${id}g${generation}`;
}

/** Google's reference names no limit; beyond this one, inserts and changes were seen to fail (support.nylas.com 10571467644957). */
const descriptionMax = 8192;

/** A description that Google takes: answers of forms can be longer. */
function cutDescription(text: string): string {
  if (text.length <= descriptionMax) return text;
  // without half a character at the end
  return `${text.slice(0, descriptionMax - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** The body of an insert: requests a Meet link, unless the event has its own link or `fallbackLink` is given. */
export function newEventJson(event: NewEvent<string>, fallbackLink: string | null): Json {
  const link = event.meeting.kind === 'link' ? event.meeting.link : fallbackLink;
  const privateProperties = { [bookingKey]: event.bookingId, ...(link === null ? {} : { [linkKey]: link }) };
  return {
    id: event.eventId,
    summary: event.summary,
    description: cutDescription(event.description),
    ...timesJson(event, event.timeZone),
    attendees: event.guests.map(({ email, name }) =>
      name === undefined ? { email } : { email, displayName: name },
    ),
    extendedProperties: { private: privateProperties },
    ...(link === null
      ? { conferenceData: { createRequest: meetRequest(event.eventId) } }
      : { location: link }),
  };
}

/** Google ignores a second request with the same id, so an event never gets two meetings. */
function meetRequest(eventId: string): Json {
  return { requestId: eventId, conferenceSolutionKey: { type: 'hangoutsMeet' } };
}

function timesJson(time: Interval, timeZone: string | undefined): { start: Json; end: Json } {
  const at = (instant: number) => ({
    dateTime: new Date(instant).toISOString(),
    ...(timeZone === undefined ? {} : { timeZone }),
  });
  return { start: at(time.start), end: at(time.end) };
}

/** Google's form of a change: only what changes. */
export function changeJson(change: EventChange): Json {
  return {
    ...(change.summary === undefined ? {} : { summary: change.summary }),
    ...(change.description === undefined ? {} : { description: cutDescription(change.description) }),
    ...(change.time === undefined ? {} : movedJson(change.time, change.timeZone)),
  };
}

/** A patch merges fields, so it must remove the `date` of an event that was made all-day. */
function movedJson(time: Interval, timeZone: string | undefined): Json {
  const { start, end } = timesJson(time, timeZone);
  return { start: { ...start, date: null }, end: { ...end, date: null } };
}

/** Replaces the provider's meeting with a link in the event's location. */
export function replacedMeetingJson(link: string): Json {
  return { conferenceData: null, location: link, extendedProperties: { private: { [linkKey]: link } } };
}

/** A tombstone: occupies the id, so that a late insert fails. It blocks no time, shows no details and has no guests. */
export function tombstoneJson(eventId: string, bookingId: string, time: Interval): Json {
  return {
    id: eventId,
    summary: 'Withdrawn booking',
    ...timesJson(time, undefined),
    transparency: 'transparent',
    visibility: 'private',
    reminders: { useDefault: false },
    extendedProperties: { private: { [bookingKey]: bookingId, [tombstoneKey]: 'true' } },
  };
}

/** Parses an event. `zone` applies to all-day dates. A tombstone counts as deleted. */
export function readEvent(json: Json, zone: string): CalendarEvent {
  const privateProperties = privatePropertiesOf(json);
  const deleted = json.status === 'cancelled' || privateProperties[tombstoneKey] !== undefined;
  return {
    eventId: textOf(json.id) ?? '',
    status: deleted ? 'deleted' : 'live',
    bookingId: textOf(privateProperties[bookingKey]) ?? null,
    start: instantOf(json.start, zone),
    end: instantOf(json.end, zone),
    allDay: isObject(json.start) && textOf(json.start.date) !== undefined,
    meeting: meetingOf(json, textOf(privateProperties[linkKey])),
    link: textOf(json.htmlLink) ?? null,
    version: textOf(json.etag) ?? null,
    guestsInvited: objectsOf(json.attendees).length > 0,
  };
}

function privatePropertiesOf(json: Json): Json {
  const extended = isObject(json.extendedProperties) ? json.extendedProperties : {};
  return isObject(extended.private) ? extended.private : {};
}

function meetingOf(json: Json, storedLink: string | undefined): Meeting {
  const conference = isObject(json.conferenceData) ? json.conferenceData : {};
  const video = objectsOf(conference.entryPoints).find((entry) => entry.entryPointType === 'video');
  const link = textOf(video?.uri) ?? textOf(json.hangoutLink) ?? storedLink;
  if (link !== undefined) return { status: 'ready', link };
  const request = isObject(conference.createRequest) ? conference.createRequest : {};
  const status = isObject(request.status) ? request.status.statusCode : undefined;
  if (status === 'pending') return { status: 'pending' };
  return { status: status === 'failure' ? 'failed' : 'none' };
}

/** The first zone that this Node.js knows, else UTC: Google may name a zone that is newer than our time zone data. */
export function firstKnownZone(names: (string | undefined)[]): string {
  return names.find((name) => name !== undefined && isZone(name)) ?? 'UTC';
}

/** Epoch milliseconds of a `start` or `end`; null if it is missing or invalid. */
export function instantOf(time: unknown, zone: string): number | null {
  if (!isObject(time)) return null;
  try {
    const date = textOf(time.date);
    if (date !== undefined) return Temporal.PlainDate.from(date).toZonedDateTime(zone).epochMilliseconds;
    return Temporal.Instant.from(textOf(time.dateTime) ?? '').epochMilliseconds;
  } catch {
    return null;
  }
}
