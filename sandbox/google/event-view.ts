// Events as the API returns them.
import { instantOf } from './event-time.ts';
import type { Attendee, EventTime, StoredEvent } from './resources.ts';
import type { State, StoredCalendar } from './state.ts';

/** The event resource; times carry the offset of the calendar's zone, as Google's do. */
export function eventView(
  state: State,
  calendar: StoredCalendar,
  event: StoredEvent,
): Record<string, unknown> {
  const { changeNumber: _, conferenceReads: __, ...shown } = event;
  return {
    kind: 'calendar#event',
    ...shown,
    htmlLink: `${state.url}/calendar/event?eid=${eventToken(calendar.id, event.id)}`,
    creator: { email: calendar.owner, self: true },
    organizer: { ...event.organizer, self: event.organizer.email === calendar.owner },
    ...(event.attendees === undefined ? {} : { attendees: guestsView(event.attendees, calendar.owner) }),
    start: timeView(event.start, calendar.timeZone),
    end: timeView(event.end, calendar.timeZone),
    reminders: event.reminders ?? { useDefault: true },
    eventType: event.eventType ?? 'default',
  };
}

function guestsView(attendees: Attendee[], owner: string): Attendee[] {
  return attendees.map((guest) => (guest.email === owner ? { ...guest, self: true } : guest));
}

/** A deleted event in a list: only the id is guaranteed. */
export function deletedView(event: StoredEvent): Record<string, unknown> {
  return { kind: 'calendar#event', id: event.id, status: 'cancelled', etag: event.etag };
}

/** The token in `htmlLink`: event id and calendar id. */
function eventToken(calendarId: string, eventId: string): string {
  return Buffer.from(`${eventId} ${calendarId}`).toString('base64url');
}

export function timeView(time: EventTime, calendarZone: string): EventTime {
  if (time.date !== undefined) return time;
  const dateTime = withOffset(instantOf(time, calendarZone), calendarZone);
  return { dateTime, timeZone: time.timeZone ?? calendarZone };
}

/** `2026-03-10T10:00:00-04:00`, or `…Z` in UTC. */
export function withOffset(instant: number, zone: string): string {
  if (zone === 'UTC') return new Date(instant).toISOString().replace('.000Z', 'Z');
  return Temporal.Instant.fromEpochMilliseconds(instant).toString({ timeZone: zone, smallestUnit: 'second' });
}
