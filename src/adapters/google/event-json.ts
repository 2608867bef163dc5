// Google's event resource, in and out. Pure.
import type { CalendarEvent, EventChange, Interval, Meeting, NewEvent } from '../../ports/calendar.ts';
import { isObject, type Json, objectsOf, textOf } from './json.ts';

/** Names in `extendedProperties.private`, which guests do not see. */
const bookingKey = 'bookingId';
const linkKey = 'meetingLink';
const tombstoneKey = 'tombstone';

/** Google wants base32hex (a-v, 0-9): a UUID without its dashes is that already, and `g` sets generations apart. */
export function eventIdFor(bookingId: string, generation = 0): string {
  const id = bookingId.replaceAll('-', '').toLowerCase();
  return generation === 0 ? id : `${id}g${generation}`;
}

/** The body of an insert, with the provider's meeting or, if `fallbackLink` is given, with that link. */
export function newEventJson(event: NewEvent<string>, fallbackLink: string | null): Json {
  const link = event.meeting.kind === 'link' ? event.meeting.link : fallbackLink;
  const hidden = { [bookingKey]: event.bookingId, ...(link === null ? {} : { [linkKey]: link }) };
  return {
    id: event.eventId,
    summary: event.summary,
    description: event.description,
    ...timesJson(event, event.timeZone),
    attendees: event.guests.map(({ email, name }) =>
      name === undefined ? { email } : { email, displayName: name },
    ),
    extendedProperties: { private: hidden },
    ...(link === null
      ? { conferenceData: { createRequest: meetRequest(event.eventId) } }
      : { location: link }),
  };
}

/** Google ignores a second request of the same id: so one event never gets two meetings. */
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

export function changeJson(change: EventChange): Json {
  return {
    ...(change.summary === undefined ? {} : { summary: change.summary }),
    ...(change.description === undefined ? {} : { description: change.description }),
    ...(change.time === undefined ? {} : movedJson(change.time, change.timeZone)),
  };
}

/** A patch merges: the date that somebody's all-day event has must be taken away. */
function movedJson(time: Interval, timeZone: string | undefined): Json {
  const { start, end } = timesJson(time, timeZone);
  return { start: { ...start, date: null }, end: { ...end, date: null } };
}

/** Takes the provider's meeting out and puts the link where guests look for it. */
export function replacedMeetingJson(link: string): Json {
  return { conferenceData: null, location: link, extendedProperties: { private: { [linkKey]: link } } };
}

/** An event that only takes the id, so that no late insert can: blocks no time, shows no detail, invites nobody. */
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

/** `zone`: where a date without a time is read. A tombstone counts as deleted. */
export function readEvent(json: Json, zone: string): CalendarEvent {
  const hidden = hiddenOf(json);
  const deleted = json.status === 'cancelled' || hidden[tombstoneKey] !== undefined;
  return {
    eventId: textOf(json.id) ?? '',
    status: deleted ? 'deleted' : 'live',
    bookingId: textOf(hidden[bookingKey]) ?? null,
    start: instantOf(json.start, zone),
    end: instantOf(json.end, zone),
    allDay: isObject(json.start) && textOf(json.start.date) !== undefined,
    meeting: meetingOf(json, textOf(hidden[linkKey])),
    link: textOf(json.htmlLink) ?? null,
    version: textOf(json.etag) ?? null,
  };
}

function hiddenOf(json: Json): Json {
  const extended = isObject(json.extendedProperties) ? json.extendedProperties : {};
  return isObject(extended.private) ? extended.private : {};
}

function meetingOf(json: Json, ownLink: string | undefined): Meeting {
  const conference = isObject(json.conferenceData) ? json.conferenceData : {};
  const video = objectsOf(conference.entryPoints).find((entry) => entry.entryPointType === 'video');
  const link = textOf(video?.uri) ?? textOf(json.hangoutLink) ?? ownLink;
  if (link !== undefined) return { status: 'ready', link };
  const request = isObject(conference.createRequest) ? conference.createRequest : {};
  const status = isObject(request.status) ? request.status.statusCode : undefined;
  if (status === 'pending') return { status: 'pending' };
  return { status: status === 'failure' ? 'failed' : 'none' };
}

/** The first zone that our time zone data know, else UTC: Google may name one that is newer than they are. */
export function firstKnownZone(names: (string | undefined)[]): string {
  const isKnown = (name: string) => {
    try {
      Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(name);
      return true;
    } catch {
      return false;
    }
  };
  return names.find((name) => name !== undefined && isKnown(name)) ?? 'UTC';
}

/** Milliseconds since the epoch of a `start` or `end`; null if there is none to be read. */
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
