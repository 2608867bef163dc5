// The operations on one event: insert, get, patch, update, delete.
import { randomBytes } from 'node:crypto';
import { type Caller, calendarFor } from './access.ts';
import { meetingAfter, readMeeting } from './conference.ts';
import { spanOf } from './event-time.ts';
import { eventView } from './event-view.ts';
import { apiError } from './google-error.ts';
import { checkDescription, countInvitations, storedProperties } from './limits.ts';
import { checkRecurrence } from './recurrence.ts';
import type { EventBody, StoredEvent } from './resources.ts';
import { recordChange, type State, type StoredCalendar, sendMails, storeEvent } from './state.ts';

/** A call of an operation, with its parsed path and body. */
export interface ApiCall {
  state: State;
  caller: Caller;
  operation: string;
  calendarId: string;
  eventId: string;
  query: URLSearchParams;
  ifMatch: string | undefined;
  body: Record<string, unknown>;
}

export interface ApiResponse {
  status: number;
  body?: unknown;
}

const writable = [
  'summary',
  'description',
  'location',
  'start',
  'end',
  'attendees',
  'recurrence',
  'transparency',
  'visibility',
  'status',
  'eventType',
  'extendedProperties',
  'reminders',
] as const;

/** POST …/events. The caller may choose the id (base32hex); an id that was ever used in this calendar is 409. */
export function insertEvent(call: ApiCall): ApiResponse {
  const { state } = call;
  const calendar = calendarFor(state, call.caller, call.calendarId);
  sendUpdatesOf(call);
  const body = call.body as EventBody;
  const id = body.id ?? randomBytes(16).toString('hex').slice(0, 26);
  if (typeof id !== 'string' || !/^[a-v0-9]{5,1024}$/.test(id)) {
    throw apiError('invalid', { message: 'Invalid resource id value.' });
  }
  const event = newEvent(state, calendar, id, body);
  if (state.eventsOf(calendar.id).has(id)) throw apiError('duplicate');
  const meeting = meetingAfter(state, calendar, {}, body.conferenceData, conferenceVersion(call));
  countInvitations(state, body.attendees);
  const stored = storeEvent(state, calendar, { ...event, ...meeting });
  recordWrite(call, calendar, stored, 'invitation');
  return { status: 200, body: eventView(state, calendar, stored) };
}

/** An event from a client's body; checks its times and recurrence. */
export function newEvent(state: State, calendar: StoredCalendar, id: string, body: EventBody): StoredEvent {
  spanOf(body, calendar.timeZone);
  checkDescription(body.description);
  const series = body as EventBody & Pick<StoredEvent, 'start' | 'end'>;
  checkRecurrence(series, calendar.timeZone);
  return {
    ...pickWritable({ ...body, extendedProperties: storedProperties(body.extendedProperties) } as EventBody),
    ...guestsOf(body),
    id,
    status: body.status ?? 'confirmed',
    start: series.start,
    end: series.end,
    created: new Date(state.clock.now()).toISOString(),
    updated: '',
    etag: '',
    iCalUID: `${id}@google.com`,
    sequence: 0,
    organizer: { email: calendar.owner },
    changeNumber: 0,
  };
}

function guestsOf(body: EventBody): Pick<EventBody, 'attendees'> {
  if (body.attendees === undefined) return {};
  for (const guest of body.attendees) {
    // "must be a valid email address as per RFC5322": ASCII
    if (
      typeof guest.email !== 'string' ||
      !/^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/.test(guest.email)
    ) {
      throw apiError('invalid', { message: 'Invalid attendee email.' });
    }
  }
  return { attendees: body.attendees.map((guest) => ({ responseStatus: 'needsAction', ...guest })) };
}

function pickWritable(body: EventBody): Partial<StoredEvent> {
  const picked: Record<string, unknown> = {};
  for (const name of writable) if (body[name] !== undefined && body[name] !== null) picked[name] = body[name];
  return picked;
}

/** GET …/events/{eventId}; a deleted event has `status: cancelled`. */
export function getEvent(call: ApiCall): ApiResponse {
  const calendar = calendarFor(call.state, call.caller, call.calendarId);
  const event = readMeeting(call.state, calendar, existingEvent(call, calendar));
  return { status: 200, body: eventView(call.state, calendar, event) };
}

/** PATCH …/events/{eventId}: changes given fields only; null removes a field, lists are replaced. */
export function patchEvent(call: ApiCall): ApiResponse {
  return change(call, (calendar, before) => {
    const body = call.body as EventBody;
    checkDescription(body.description);
    const after: Record<string, unknown> = { ...before };
    for (const name of writable) {
      if (body[name] === null) delete after[name];
      else if (body[name] !== undefined) after[name] = body[name];
    }
    for (const end of ['start', 'end'] as const) {
      if (body[end]) after[end] = withoutNulls({ ...before[end], ...body[end] });
    }
    if (body.extendedProperties) {
      const given = storedProperties(body.extendedProperties);
      after.extendedProperties = mergedProperties(before.extendedProperties, given);
    }
    Object.assign(after, body.attendees === null ? {} : guestsOf(body));
    return withMeeting(call, calendar, before, after as unknown as StoredEvent, body);
  });
}

/** PUT …/events/{eventId}: replaces the whole event. */
export function updateEvent(call: ApiCall): ApiResponse {
  return change(call, (calendar, before) => {
    const body = call.body as EventBody;
    const { created, iCalUID, sequence } = before;
    const after = { ...newEvent(call.state, calendar, before.id, body), created, iCalUID, sequence };
    const requested = body.conferenceData ?? null;
    return withMeeting(call, calendar, before, after, { ...body, conferenceData: requested });
  });
}

function withoutNulls<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null)) as T;
}

function mergedProperties(
  before: EventBody['extendedProperties'],
  given: NonNullable<EventBody['extendedProperties']>,
): Record<string, Record<string, string>> {
  const merged: Record<string, Record<string, string>> = {};
  for (const part of ['private', 'shared'] as const) {
    const all = Object.entries({ ...before?.[part], ...given[part] });
    const kept = all.filter(([, value]) => value !== null);
    if (kept.length > 0) merged[part] = Object.fromEntries(kept);
  }
  return merged;
}

function withMeeting(
  call: ApiCall,
  calendar: StoredCalendar,
  before: StoredEvent,
  after: StoredEvent,
  body: EventBody,
): StoredEvent {
  const meeting = meetingAfter(call.state, calendar, before, body.conferenceData, conferenceVersion(call));
  countInvitations(call.state, body.attendees, before.attendees);
  const { conferenceData: _, hangoutLink: __, conferenceReads: ___, ...rest } = after;
  return { ...rest, ...meeting };
}

function change(
  call: ApiCall,
  next: (calendar: StoredCalendar, before: StoredEvent) => StoredEvent,
): ApiResponse {
  const { state } = call;
  const calendar = calendarFor(state, call.caller, call.calendarId);
  sendUpdatesOf(call);
  const before = existingEvent(call, calendar);
  if (before.status === 'cancelled') throw apiError('forbidden');
  checkMatch(call, before);
  const after = next(calendar, before);
  const moved = JSON.stringify([before.start, before.end]) !== JSON.stringify([after.start, after.end]);
  spanOf(after, calendar.timeZone);
  checkRecurrence(after, calendar.timeZone);
  const stored = storeEvent(state, calendar, { ...after, sequence: before.sequence + (moved ? 1 : 0) });
  recordWrite(call, calendar, stored, 'update');
  return { status: 200, body: eventView(state, calendar, stored) };
}

/** DELETE …/events/{eventId}: 204; a second time 410. The id cannot be used again. */
export function deleteEvent(call: ApiCall): ApiResponse {
  const calendar = calendarFor(call.state, call.caller, call.calendarId);
  sendUpdatesOf(call);
  const before = existingEvent(call, calendar);
  if (before.status === 'cancelled') throw apiError('deleted');
  checkMatch(call, before);
  const stored = storeEvent(call.state, calendar, { ...before, status: 'cancelled' });
  recordWrite(call, calendar, stored, 'cancellation');
  return { status: 204 };
}

function existingEvent(call: ApiCall, calendar: StoredCalendar): StoredEvent {
  const event = call.state.eventsOf(calendar.id).get(call.eventId);
  if (event === undefined) throw apiError('notFound');
  return event;
}

function checkMatch(call: ApiCall, event: StoredEvent): void {
  if (call.ifMatch !== undefined && call.ifMatch !== '*' && call.ifMatch !== event.etag) {
    throw apiError('conditionNotMet');
  }
}

function conferenceVersion(call: ApiCall): number {
  const version = call.query.get('conferenceDataVersion') ?? '0';
  if (version !== '0' && version !== '1') {
    throw apiError('invalid', { message: `Invalid value '${version}'. Allowed values: [0, 1]` });
  }
  return Number(version);
}

/** The parameter `sendUpdates`; throws 400 for another value than the API's. */
function sendUpdatesOf(call: ApiCall): string {
  const value = call.query.get('sendUpdates') ?? 'none';
  if (['all', 'externalOnly', 'none'].includes(value)) return value;
  throw apiError('invalid', {
    message: `Invalid value '${value}'. Allowed values: [all, externalOnly, none]`,
  });
}

function recordWrite(
  call: ApiCall,
  calendar: StoredCalendar,
  event: StoredEvent,
  kind: 'invitation' | 'update' | 'cancellation',
): void {
  const { state, operation, caller } = call;
  const sendUpdates = sendUpdatesOf(call);
  const where = { calendarId: calendar.id, eventId: event.id };
  recordChange(state, { operation, account: caller.account, ...where, sendUpdates });
  sendMails(state, calendar, event, kind, sendUpdates);
}
