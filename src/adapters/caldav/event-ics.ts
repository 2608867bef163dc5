// Events of bookings as iCalendar text (RFC 5545): written, parsed and changed. Pure.
import ICAL from 'ical.js';
import type { CalendarEvent, Interval, NewEvent } from '../../ports/calendar.ts';
import { isBookingEventId } from './event-id.ts';
import { firstInstant, firstMoment, lengthOf } from './moments.ts';
import { normalizeText } from './normalize.ts';
import type { Zone } from './zones.ts';

const bookingProperty = 'x-chatbot-gateway-booking';
const producer = '-//Chatbot Gateway//Bookings//EN';

const instant = (at: number) => ICAL.Time.fromJSDate(new Date(at), true);

/**
 * A text that servers store as it is: iCalendar has no other control characters than tabs and line feeds (RFC 5545 section
 * 3.3.11), and ical.js escapes line feeds only. Python's servers end a line at any of these line breaks.
 */
const storable = (text: string) =>
  text.replace(/\r\n|[\r\v\f\u0085\u2028\u2029]/g, '\n').replace(/[^\P{Cc}\t\n]/gu, ' ');
const oneLine = (text: string) => storable(text).replaceAll(/\s*\n\s*/g, ' ');

/** The link of an event; CalDAV servers create no meetings. */
const linkOf = (meeting: NewEvent['meeting']) =>
  meeting.kind === 'link' ? meeting.link : meeting.fallbackLink;

/**
 * The text of a new event. It has guests only if the server reported the owner's address, because only then does the server
 * send invitations (RFC 6638). `now`: epoch milliseconds.
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
    summary: oneLine(event.summary),
    description: descriptionWithLink(event.description, link),
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

const descriptionWithLink = (text: string, link: string) => `${storable(text)}\n\nVideo meeting: ${link}`;

function addGuests(vevent: ICAL.Component, event: NewEvent<string>, organizer: string): void {
  // SERVER: the server sends mails; CLIENT: it does not (RFC 6638 section 7.1)
  const agent = event.notify ? 'SERVER' : 'CLIENT';
  vevent.addPropertyWithValue('organizer', `mailto:${organizer}`);
  for (const guest of event.guests) {
    const property = vevent.addPropertyWithValue('attendee', `mailto:${guest.email}`);
    if (guest.name !== undefined) property.setParameter('cn', oneLine(guest.name).replace(/["\t]/g, ' '));
    property.setParameter('partstat', 'NEEDS-ACTION');
    property.setParameter('rsvp', 'TRUE');
    property.setParameter('schedule-agent', agent);
  }
}

/** Parses an object and chooses its event: the series rather than an exception. Throws an Error if there is no event. */
function parseEvent(text: string): { object: ICAL.Component; vevent: ICAL.Component } {
  const object = new ICAL.Component(ICAL.parse(normalizeText(text)) as unknown[]);
  const events = object.getAllSubcomponents('vevent');
  const vevent = events.find((each) => !each.hasProperty('recurrence-id')) ?? events[0];
  if (vevent === undefined) throw new Error('it contains no event');
  return { object, vevent };
}

/** Parses an event. `zone` applies to dates and floating times. Throws an Error if the text is not an event. */
export function readEvent(text: string, eventId: string, version: string | null, zone: Zone): CalendarEvent {
  const { object, vevent } = parseEvent(text);
  const time = timeOf(object, vevent, zone);
  const written = vevent.getFirstPropertyValue(bookingProperty);
  const uid = String(vevent.getFirstPropertyValue('uid') ?? '');
  // a server may drop unknown properties, so fall back to the UID
  const bookingId =
    typeof written === 'string'
      ? written
      : isBookingEventId(uid) && uid === eventId
        ? uid.slice(0, 36)
        : null;
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
    // a server that is asked to invite may still have no mail (RFC 6638)
    guestsInvited: vevent.hasProperty('attendee') ? null : false,
  };
}

/** The time of the event; null if it is uncertain, for example in an unknown time zone. */
function timeOf(
  object: ICAL.Component,
  vevent: ICAL.Component,
  zone: Zone,
): (Interval & { allDay: boolean }) | null {
  const context = { object, calendarZone: zone };
  try {
    const start = firstMoment(vevent, 'dtstart', context);
    if (start === null) return null;
    const startAt = firstInstant(start);
    const end = lengthOf(vevent, start, context).endOf(start.local, startAt);
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
 * The text with the change, and everything else kept; null if the text already has it. `now`: epoch milliseconds. Throws an
 * Error if the text is not an event.
 */
export function changedText(text: string, change: TextChange, zone: Zone, now: number): string | null {
  const { object, vevent } = parseEvent(text);
  const before = object.toString();
  const oldLink = linkIn(vevent);
  const link = change.link ?? oldLink;
  if (change.summary !== undefined) vevent.updatePropertyWithValue('summary', oneLine(change.summary));
  if (change.description !== undefined) {
    const description = link === null ? change.description : descriptionWithLink(change.description, link);
    vevent.updatePropertyWithValue('description', description);
  }
  if (change.link !== undefined) setLink(vevent, change.link, oldLink);
  if (change.time !== undefined) setTime(object, vevent, change.time, zone);
  if (object.toString() === before) return null;
  vevent.updatePropertyWithValue('sequence', Number(vevent.getFirstPropertyValue('sequence') ?? 0) + 1);
  vevent.updatePropertyWithValue('dtstamp', instant(now));
  vevent.updatePropertyWithValue('last-modified', instant(now));
  return object.toString();
}

function setLink(vevent: ICAL.Component, link: string, oldLink: string | null): void {
  vevent.updatePropertyWithValue('location', link);
  vevent.updatePropertyWithValue('url', link);
  const description = String(vevent.getFirstPropertyValue('description') ?? '');
  if (description.includes(link)) return;
  const replaced =
    oldLink !== null && description.includes(oldLink)
      ? description.replaceAll(oldLink, () => link)
      : descriptionWithLink(description, link);
  vevent.updatePropertyWithValue('description', replaced);
}

const momentIsDate = (vevent: ICAL.Component) => vevent.getFirstProperty('dtstart')?.type === 'date';

/** Replaces the time, whatever its form: dates, local times, a duration. Keeps a time that already means the same instants. */
function setTime(object: ICAL.Component, vevent: ICAL.Component, time: Interval, zone: Zone): void {
  const before = timeOf(object, vevent, zone);
  const isDate = momentIsDate(vevent);
  if (!isDate && before?.start === time.start && before.end === time.end) return;
  for (const name of ['dtstart', 'dtend', 'duration']) vevent.removeAllProperties(name);
  vevent.addPropertyWithValue('dtstart', instant(time.start));
  vevent.addPropertyWithValue('dtend', instant(time.end));
}
