// A booking's event as iCalendar text (RFC 5545), made, read and changed. Pure.
import ICAL from 'ical.js';
import type { CalendarEvent, Interval, NewEvent } from '../../ports/calendar.ts';
import { isOurs } from './event-id.ts';
import { earliest, lengthOf, momentOfFirst } from './moments.ts';
import { tidied } from './tidy.ts';
import type { Zone } from './zones.ts';

const bookingProperty = 'x-chatbot-gateway-booking';
const producer = '-//Chatbot Gateway//Bookings//EN';

const instant = (at: number) => ICAL.Time.fromJSDate(new Date(at), true);

/** The link of an event; CalDAV makes no meetings of its own. */
export const linkOf = (meeting: NewEvent['meeting']) =>
  meeting.kind === 'link' ? meeting.link : meeting.fallbackLink;

/**
 * The text of a new event. Guests are written only where the server named the owner's address: there it sends the
 * invitations (RFC 6638), elsewhere nobody could be told. `now`: epoch milliseconds.
 */
export function newEventText(event: NewEvent<string>, organizer: string | null, now: number): string {
  const object = new ICAL.Component('vcalendar');
  object.updatePropertyWithValue('prodid', producer);
  object.updatePropertyWithValue('version', '2.0');
  const vevent = new ICAL.Component('vevent');
  object.addSubcomponent(vevent);
  const link = linkOf(event.meeting);
  const values: Record<string, unknown> = {
    uid: event.eventId,
    dtstamp: instant(now),
    created: instant(now),
    sequence: 0,
    dtstart: instant(event.start),
    dtend: instant(event.end),
    summary: event.summary,
    description: described(event.description, link),
    location: link,
    url: link,
    status: 'CONFIRMED',
    transp: 'OPAQUE',
    [bookingProperty]: event.bookingId,
  };
  for (const [name, value] of Object.entries(values)) vevent.addPropertyWithValue(name, value as never);
  if (organizer !== null) addGuests(vevent, event, organizer);
  return object.toString();
}

const described = (text: string, link: string) => `${text}\n\nVideo meeting: ${link}`;

function addGuests(vevent: ICAL.Component, event: NewEvent<string>, organizer: string): void {
  // The server itself sends mails; CLIENT asks it not to (RFC 6638 section 7.1).
  const agent = event.notify ? 'SERVER' : 'CLIENT';
  vevent.addPropertyWithValue('organizer', `mailto:${organizer}`);
  for (const guest of event.guests) {
    const property = vevent.addPropertyWithValue('attendee', `mailto:${guest.email}`);
    if (guest.name !== undefined) property.setParameter('cn', guest.name.replace(/["\p{Cc}]/gu, ' '));
    property.setParameter('partstat', 'NEEDS-ACTION');
    property.setParameter('rsvp', 'TRUE');
    property.setParameter('schedule-agent', agent);
  }
}

/** An object and the event in it that counts: the series itself before its exceptions. Throws an Error if there is none. */
function opened(text: string): { object: ICAL.Component; vevent: ICAL.Component } {
  const object = new ICAL.Component(ICAL.parse(tidied(text)) as unknown[]);
  const events = object.getAllSubcomponents('vevent');
  const vevent = events.find((each) => !each.hasProperty('recurrence-id')) ?? events[0];
  if (vevent === undefined) throw new Error('there is no event in it');
  return { object, vevent };
}

/** What is written in `text`; `zone`: where dates and floating times are read. Throws an Error if it is no event. */
export function readEvent(text: string, eventId: string, version: string | null, zone: Zone): CalendarEvent {
  const { object, vevent } = opened(text);
  const time = timeOf(object, vevent, zone);
  const written = vevent.getFirstPropertyValue(bookingProperty);
  const uid = String(vevent.getFirstPropertyValue('uid') ?? '');
  // A server may drop properties that it does not know; the UID says the same.
  const bookingId =
    typeof written === 'string' ? written : isOurs(uid) && uid === eventId ? uid.slice(0, 36) : null;
  const link = linkIn(vevent);
  return {
    eventId,
    status: wordOf(vevent, 'status') === 'CANCELLED' ? 'deleted' : 'live',
    bookingId,
    start: time?.start ?? null,
    end: time?.end ?? null,
    allDay: time?.allDay ?? false,
    meeting: link === null ? { status: 'none' } : { status: 'ready', link },
    link: null,
    version,
  };
}

/** When the event is; null if that cannot be read for sure: somebody put it into a zone that nobody knows, say. */
function timeOf(
  object: ICAL.Component,
  vevent: ICAL.Component,
  zone: Zone,
): (Interval & { allDay: boolean }) | null {
  const around = { object, calendarZone: zone };
  try {
    const start = momentOfFirst(vevent, 'dtstart', around);
    if (start === null) return null;
    const startAt = earliest(start);
    const end = lengthOf(vevent, start, around).endOf(start.local, startAt);
    return { start: startAt, end, allDay: start.isDate };
  } catch {
    return null;
  }
}

const wordOf = (vevent: ICAL.Component, name: string) =>
  String(vevent.getFirstPropertyValue(name) ?? '').toUpperCase();

function linkIn(vevent: ICAL.Component): string | null {
  const places = ['url', 'location'].map((name) => String(vevent.getFirstPropertyValue(name) ?? '').trim());
  return places.find((place) => /^https?:\/\//.test(place)) ?? null;
}

export interface TextChange {
  summary?: string | undefined;
  description?: string | undefined;
  time?: Interval | undefined;
  link?: string | undefined;
}

/**
 * `text` with the change made and everything else kept, or null if there was nothing to change. `now`: epoch
 * milliseconds. Throws an Error if it is no event.
 */
export function changedText(text: string, change: TextChange, zone: Zone, now: number): string | null {
  const { object, vevent } = opened(text);
  const before = object.toString();
  const oldLink = linkIn(vevent);
  const link = change.link ?? oldLink;
  if (change.summary !== undefined) vevent.updatePropertyWithValue('summary', change.summary);
  if (change.description !== undefined) {
    const description = link === null ? change.description : described(change.description, link);
    vevent.updatePropertyWithValue('description', description);
  }
  if (change.link !== undefined) putLink(vevent, change.link, oldLink);
  if (change.time !== undefined) putTime(object, vevent, change.time, zone);
  if (object.toString() === before) return null;
  vevent.updatePropertyWithValue('sequence', Number(vevent.getFirstPropertyValue('sequence') ?? 0) + 1);
  vevent.updatePropertyWithValue('dtstamp', instant(now));
  vevent.updatePropertyWithValue('last-modified', instant(now));
  return object.toString();
}

function putLink(vevent: ICAL.Component, link: string, oldLink: string | null): void {
  vevent.updatePropertyWithValue('location', link);
  vevent.updatePropertyWithValue('url', link);
  const description = String(vevent.getFirstPropertyValue('description') ?? '');
  if (description.includes(link)) return;
  const replaced =
    oldLink !== null && description.includes(oldLink)
      ? description.replaceAll(oldLink, () => link)
      : described(description, link);
  vevent.updatePropertyWithValue('description', replaced);
}

const momentIsDate = (vevent: ICAL.Component) => vevent.getFirstProperty('dtstart')?.type === 'date';

/** In place of whatever stood there: a date, a local time, a duration. The same instants in another form stay. */
function putTime(object: ICAL.Component, vevent: ICAL.Component, time: Interval, zone: Zone): void {
  const before = timeOf(object, vevent, zone);
  const isDate = momentIsDate(vevent);
  if (!isDate && before?.start === time.start && before.end === time.end) return;
  for (const name of ['dtstart', 'dtend', 'duration']) vevent.removeAllProperties(name);
  vevent.addPropertyWithValue('dtstart', instant(time.start));
  vevent.addPropertyWithValue('dtend', instant(time.end));
}
