// The operations on a booking's event: one attempt each, safe to repeat.
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
import { type ApiCall, type ClientDeps, callApi, eventPath, eventsPath } from './client.ts';
import { changeJson, newEventJson, readEvent, replacedMeetingJson, tombstoneJson } from './event-json.ts';
import { type Json, objectsOf, textOf } from './json.ts';

/** One attempt's surroundings: whose calendar, and how long. */
export interface Attempt {
  deps: ClientDeps;
  refreshToken: string;
  limits: AttemptLimits;
}

const call = async ({ deps, refreshToken, limits }: Attempt, what: ApiCall): Promise<Json> =>
  (await callApi(deps, refreshToken, what, limits)).json;

const mails = (notify: boolean) => ({ sendUpdates: notify ? 'all' : 'none' });

const statusOf = (error: unknown) => (error instanceof VendorError ? error.status : undefined);

export async function getEvent(attempt: Attempt, ref: EventRef): Promise<CalendarEvent | null> {
  try {
    const json = await call(attempt, { method: 'GET', path: eventPath(ref.calendarId, ref.eventId) });
    return readEvent(json, ref.timeZone ?? 'UTC');
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw error;
  }
}

/** Inserts the event. An id in use is checked, and a calendar without Meet gets the fallback link. */
export async function insertEvent(attempt: Attempt, event: NewEvent<string>): Promise<CalendarEvent> {
  try {
    return await postEvent(attempt, event, null);
  } catch (error) {
    if (statusOf(error) === 409) return ownEvent(attempt, event);
    if (event.meeting.kind !== 'provider' || !meetingRefused(error)) throw error;
  }
  try {
    return await postEvent(attempt, event, event.meeting.fallbackLink);
  } catch (error) {
    if (statusOf(error) === 409) return ownEvent(attempt, event);
    throw error;
  }
}

async function postEvent(
  attempt: Attempt,
  event: NewEvent<string>,
  fallbackLink: string | null,
): Promise<CalendarEvent> {
  const json = await call(attempt, {
    method: 'POST',
    path: eventsPath(event.calendarId),
    query: { conferenceDataVersion: '1', ...mails(event.notify) },
    json: newEventJson(event, fallbackLink),
  });
  const made = readEvent(json, event.timeZone);
  if (made.eventId !== event.eventId) throw await idNotKept(attempt, event, made.eventId);
  return made;
}

/** Without the id that was asked for, a repeat would make a second event: a server that does not keep it is of no use. */
async function idNotKept(attempt: Attempt, event: NewEvent<string>, eventId: string): Promise<VendorError> {
  if (eventId !== '') await deleteEvent(attempt, { ...event, eventId });
  return new VendorError('rejected', 'The calendar gave the event another id than the one asked for.', {
    code: 'event_id_not_kept',
    title: 'Id not kept',
  });
}

/** 400 "Invalid conference type value.": calendars and service accounts without Meet (google-api-nodejs-client 2387, 3197). */
function meetingRefused(error: unknown): boolean {
  return statusOf(error) === 400 && error instanceof VendorError && /conference/i.test(error.message);
}

/** After "the identifier already exists": the event, if it is this booking's and still there. */
async function ownEvent(attempt: Attempt, event: NewEvent<string>): Promise<CalendarEvent> {
  const found = await getEvent(attempt, event);
  if (found === null) {
    throw new VendorError('unknown', 'The event exists and cannot be seen yet.', {
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
  return new VendorError(
    'rejected',
    'The event was deleted in the calendar, and its id cannot be used again.',
    {
      code: 'event_deleted',
      title: 'Event deleted',
    },
  );
}

export async function updateEvent(attempt: Attempt, change: EventChange): Promise<CalendarEvent> {
  return patchEvent(attempt, change, changeJson(change), change.notify, change.version);
}

export async function replaceMeeting(
  attempt: Attempt,
  ref: EventRef & { link: string; notify: boolean },
): Promise<CalendarEvent> {
  return patchEvent(attempt, ref, replacedMeetingJson(ref.link), ref.notify, undefined);
}

async function patchEvent(
  attempt: Attempt,
  ref: EventRef,
  json: Json,
  notify: boolean,
  version: string | undefined,
): Promise<CalendarEvent> {
  try {
    const answer = await call(attempt, {
      method: 'PATCH',
      path: eventPath(ref.calendarId, ref.eventId),
      // 1, so that the meeting may be taken out; a patch that does not mention it leaves it as it is.
      query: { conferenceDataVersion: '1', ...mails(notify) },
      json,
      ifMatch: version,
    });
    return readEvent(answer, ref.timeZone ?? 'UTC');
  } catch (error) {
    throw await patchFailure(attempt, ref, error);
  }
}

/** Google answers 403 both for a deleted event and for a foreign one: only reading it tells them apart. */
async function patchFailure(attempt: Attempt, ref: EventRef, error: unknown): Promise<unknown> {
  const status = statusOf(error);
  if (status === 412) {
    return new VendorError('rejected', 'The event was changed concurrently.', {
      code: 'event_changed',
      status,
    });
  }
  if (status === 404) {
    return new VendorError('rejected', 'There is no such event.', { code: 'event_not_found', status });
  }
  if (status === 410) return eventDeleted();
  if (status !== 403 || !(error instanceof VendorError) || error.outcome !== 'rejected') return error;
  const found = await getEvent(attempt, ref);
  return found?.status === 'deleted' ? eventDeleted() : error;
}

/** 404 and 410 count as done. */
export async function deleteEvent(attempt: Attempt, ref: EventRef & { notify: boolean }): Promise<void> {
  const path = eventPath(ref.calendarId, ref.eventId);
  try {
    await call(attempt, { method: 'DELETE', path, query: mails(ref.notify) });
  } catch (error) {
    if (statusOf(error) !== 404 && statusOf(error) !== 410) throw error;
  }
}

/**
 * Takes the id by a tombstone, unless it is taken already, then deletes what has it. Google never gives an id twice,
 * so an insert that is still under way can only meet 409. Mails go out if the real event had invited guests.
 */
export async function removeForGood(
  attempt: Attempt,
  ref: EventRef & Interval & { bookingId: string },
): Promise<void> {
  try {
    await call(attempt, {
      method: 'POST',
      path: eventsPath(ref.calendarId),
      query: mails(false),
      json: tombstoneJson(ref.eventId, ref.bookingId, ref),
    });
  } catch (error) {
    // The calendar was deleted, and its events with it.
    if (statusOf(error) === 404) return;
    if (statusOf(error) !== 409) throw error;
  }
  await deleteEvent(attempt, { ...ref, notify: true });
}

/** One reading of what changed; a cursor that Google no longer takes is answered by a reading from the start. */
export async function changedEvents(
  attempt: Attempt,
  question: { calendarId: string; cursor: string | null; since: number },
): Promise<EventChanges> {
  const start = question.cursor === null ? startQuery(question.since) : { syncToken: question.cursor };
  const events: CalendarEvent[] = [];
  let pageToken: string | undefined;
  for (;;) {
    const query = { maxResults: '2500', ...start, ...(pageToken === undefined ? {} : { pageToken }) };
    let json: Json;
    try {
      json = await call(attempt, { method: 'GET', path: eventsPath(question.calendarId), query });
    } catch (error) {
      if (statusOf(error) !== 410 || question.cursor === null) throw error;
      return changedEvents(attempt, { ...question, cursor: null });
    }
    const zone = textOf(json.timeZone) ?? 'UTC';
    const read = objectsOf(json.items).map((item) => readEvent(item, zone));
    events.push(...read.filter((event) => event.bookingId !== null || event.status === 'deleted'));
    pageToken = textOf(json.nextPageToken);
    const cursor = textOf(json.nextSyncToken);
    if (cursor !== undefined) return { events, cursor, complete: question.cursor === null };
    if (pageToken === undefined)
      throw new VendorError('unknown', 'The list of events ended without a sync token.');
  }
}

function startQuery(since: number): Record<string, string> {
  return { timeMin: new Date(since).toISOString(), showDeleted: 'true' };
}
