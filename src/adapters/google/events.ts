// Operations on events of bookings: one attempt each, safe to repeat.
import { VendorError } from '../../base/errors.ts';
import type { AttemptLimits } from '../../base/retry.ts';
import type {
  CalendarEvent,
  EventChange,
  EventChanges,
  EventRef,
  Interval,
  NewEvent,
} from '../../ports/calendar.ts';
import { type ApiCall, type ClientDeps, callApi, eventPath, eventsPath, primary } from './client.ts';
import {
  changeJson,
  firstKnownZone,
  newEventJson,
  readEvent,
  replacedMeetingJson,
  tombstoneJson,
} from './event-json.ts';
import { type Json, objectsOf, textOf } from './json.ts';

/** The account and the limits of one attempt. */
export interface Attempt {
  deps: ClientDeps;
  refreshToken: string;
  accountEmail: string | null;
  limits: AttemptLimits;
}

const call = async ({ deps, refreshToken, limits }: Attempt, what: ApiCall): Promise<Json> =>
  (await callApi(deps, refreshToken, what, limits)).json;

/** Makes a call that answers with an event. An answer without an id says nothing about the event: the call may have happened. */
async function callForEvent(attempt: Attempt, what: ApiCall, timeZone = 'UTC'): Promise<CalendarEvent> {
  const event = readEvent(await call(attempt, what), timeZone);
  if (event.eventId !== '') return event;
  throw new VendorError('unknown', 'The response is not an event.', { code: 'unreadable_answer' });
}

const notifyQuery = (notify: boolean) => ({ sendUpdates: notify ? 'all' : 'none' });

const statusOf = (error: unknown) => (error instanceof VendorError ? error.status : undefined);

/** Reads an event; null if the calendar has never had it. */
export async function getEvent(attempt: Attempt, ref: EventRef): Promise<CalendarEvent | null> {
  try {
    const path = eventPath(ref.calendarId, ref.eventId);
    return await callForEvent(attempt, { method: 'GET', path }, ref.timeZone);
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw isOwn(attempt, ref.calendarId) ? error : foreignCalendar(error);
  }
}

const isOwn = ({ accountEmail }: Attempt, calendarId: string) =>
  calendarId === primary || calendarId === accountEmail;

/** The granted scope covers calendars that the account owns, so its lack for another one says nothing about the connection. */
function foreignCalendar(error: unknown): unknown {
  if (!(error instanceof VendorError) || error.code !== 'scope_missing') return error;
  return new VendorError(
    'rejected',
    'The account does not own this calendar, so its events cannot be read.',
    {
      code: 'calendar_not_found',
      title: 'Calendar not owned',
      status: 403,
    },
  );
}

/**
 * Inserts the event. If the id is in use, returns the booking's existing event. Without Meet, inserts the fallback link; at
 * Google's limit of invitations, leaves out the guests.
 */
export async function insertEvent(
  attempt: Attempt,
  event: NewEvent<string>,
  fallbackLink: string | null = null,
): Promise<CalendarEvent> {
  try {
    return await postEvent(attempt, event, fallbackLink);
  } catch (error) {
    if (statusOf(error) === 409) return existingEvent(attempt, event);
    const { meeting, guests } = event;
    if (fallbackLink === null && meeting.kind === 'provider' && isMeetingRejected(error))
      return insertEvent(attempt, event, meeting.fallbackLink);
    if (guests.length === 0 || !isUsageLimit(error)) throw error;
    return insertEvent(attempt, { ...event, guests: [] }, fallbackLink);
  }
}

async function postEvent(
  attempt: Attempt,
  event: NewEvent<string>,
  fallbackLink: string | null,
): Promise<CalendarEvent> {
  const insert = {
    method: 'POST' as const,
    path: eventsPath(event.calendarId),
    query: { conferenceDataVersion: '1', ...notifyQuery(event.notify) },
    json: newEventJson(event, fallbackLink),
  };
  const inserted = await callForEvent(attempt, insert, event.timeZone);
  if (inserted.eventId !== event.eventId) throw await idReplaced(attempt, event, inserted.eventId);
  return inserted;
}

/** The server chose another id. A repeated insert would then create a second event, so the event is deleted. */
async function idReplaced(attempt: Attempt, event: NewEvent<string>, eventId: string): Promise<VendorError> {
  await deleteEvent(attempt, { ...event, eventId });
  return new VendorError('rejected', 'The calendar did not use the requested event id.', {
    code: 'event_id_not_kept',
    title: 'Id not kept',
  });
}

/** Calendars without Meet return 400 "Invalid conference type value." (google-api-nodejs-client 2387, 3197). */
function isMeetingRejected(error: unknown): boolean {
  return statusOf(error) === 400 && error instanceof VendorError && /conference/i.test(error.message);
}

/**
 * An account that invited too many people outside its organization cannot write events with guests for hours, not even without
 * mails, but others (support.google.com/a/answer/2905486; inovex/CalendarSync 280, issuetracker.google.com 141704931).
 */
const isUsageLimit = (error: unknown): boolean =>
  statusOf(error) === 403 && error instanceof VendorError && error.code === 'quotaExceeded';

/** The event that has the id, if it belongs to this booking and is not deleted. */
async function existingEvent(attempt: Attempt, event: NewEvent<string>): Promise<CalendarEvent> {
  const found = await getEvent(attempt, event);
  if (found === null) {
    throw new VendorError('unknown', 'The event exists but is not visible yet.', {
      code: 'event_not_visible',
    });
  }
  if (found.status === 'deleted') throw eventDeleted();
  if (found.bookingId !== event.bookingId) {
    throw new VendorError('rejected', 'Another event has this id.', {
      code: 'event_id_taken',
      title: 'Id taken',
    });
  }
  return found;
}

function eventDeleted(): VendorError {
  return new VendorError('rejected', 'The event was deleted in the calendar, and its id cannot be reused.', {
    code: 'event_deleted',
    title: 'Event deleted',
  });
}

/** Changes an event, only in the given version if there is one. */
export async function updateEvent(attempt: Attempt, change: EventChange): Promise<CalendarEvent> {
  return patchEvent(attempt, change, changeJson(change), change.notify, change.version);
}

/** Replaces the meeting link of an event, in whatever version. */
export async function replaceMeeting(
  attempt: Attempt,
  ref: EventRef & { link: string; notify: boolean },
): Promise<CalendarEvent> {
  return patchEvent(attempt, ref, replacedMeetingJson(ref.link), ref.notify, undefined);
}

async function patchEvent(
  attempt: Attempt,
  ref: EventRef,
  patch: Json,
  notify: boolean,
  version: string | undefined,
): Promise<CalendarEvent> {
  try {
    const change = {
      method: 'PATCH' as const,
      path: eventPath(ref.calendarId, ref.eventId),
      // 1 allows removing the meeting; a patch that does not mention the meeting keeps it
      query: { conferenceDataVersion: '1', ...notifyQuery(notify) },
      json: patch,
      ifMatch: version,
    };
    return await callForEvent(attempt, change, ref.timeZone);
  } catch (error) {
    throw await patchFailure(attempt, ref, error);
  }
}

/** Google returns 403 for deleted events and for events of others. Reading the event shows which it is. */
async function patchFailure(attempt: Attempt, ref: EventRef, error: unknown): Promise<unknown> {
  const status = statusOf(error);
  if (status === 412) {
    return new VendorError('rejected', 'The event was changed concurrently.', {
      code: 'event_changed',
      status,
    });
  }
  if (status === 404) {
    return new VendorError('rejected', 'The event does not exist.', { code: 'event_not_found', status });
  }
  if (status === 410) return eventDeleted();
  if (status !== 403 || !(error instanceof VendorError) || error.outcome !== 'rejected') return error;
  const found = await getEvent(attempt, ref);
  return found?.status === 'deleted' ? eventDeleted() : error;
}

/** Deletes the event; 404 and 410 count as done. */
export async function deleteEvent(attempt: Attempt, ref: EventRef & { notify: boolean }): Promise<void> {
  const path = eventPath(ref.calendarId, ref.eventId);
  try {
    await call(attempt, { method: 'DELETE', path, query: notifyQuery(ref.notify) });
  } catch (error) {
    if (statusOf(error) !== 404 && statusOf(error) !== 410) throw error;
  }
}

/**
 * Inserts a tombstone, then deletes the event that has the id. Google never reuses an id, so an insert still in flight gets
 * 409. Google notifies the guests if it had invited them.
 */
export async function removeForGood(
  attempt: Attempt,
  ref: EventRef & Interval & { bookingId: string },
): Promise<void> {
  try {
    await call(attempt, {
      method: 'POST',
      path: eventsPath(ref.calendarId),
      query: notifyQuery(false),
      json: tombstoneJson(ref.eventId, ref.bookingId, ref),
    });
  } catch (error) {
    // the calendar was deleted with its events
    if (statusOf(error) === 404) return;
    if (statusOf(error) !== 409) throw error;
  }
  await deleteEvent(attempt, { ...ref, notify: true });
}

/** Reads the changes since the cursor; a full reading if there is none, or if Google no longer accepts it. */
export async function changedEvents(
  attempt: Attempt,
  request: { calendarId: string; cursor: string | null; since: number; timeZone?: string | undefined },
): Promise<EventChanges> {
  const start = request.cursor === null ? startQuery(request.since) : { syncToken: request.cursor };
  const events: CalendarEvent[] = [];
  let pageToken: string | undefined;
  for (;;) {
    const query = { maxResults: '2500', ...start, ...(pageToken === undefined ? {} : { pageToken }) };
    let json: Json;
    try {
      json = await call(attempt, { method: 'GET', path: eventsPath(request.calendarId), query });
    } catch (error) {
      if (statusOf(error) !== 410 || request.cursor === null) throw error;
      return changedEvents(attempt, { ...request, cursor: null });
    }
    const zone = firstKnownZone([textOf(json.timeZone), request.timeZone]);
    const read = objectsOf(json.items).map((item) => readEvent(item, zone));
    events.push(...read.filter((event) => event.bookingId !== null || event.status === 'deleted'));
    pageToken = textOf(json.nextPageToken);
    const cursor = textOf(json.nextSyncToken);
    if (cursor !== undefined) return { events, cursor, complete: request.cursor === null };
    if (pageToken === undefined)
      throw new VendorError('unknown', 'The list of events ended without a sync token.');
  }
}

function startQuery(since: number): Record<string, string> {
  return { timeMin: new Date(since).toISOString(), showDeleted: 'true' };
}
