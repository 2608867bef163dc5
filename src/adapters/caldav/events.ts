// Operations on events of bookings: one attempt each, safe to repeat.
import { VendorError } from '../../base/errors.ts';
import type { CalendarEvent, EventChange, EventRef, NewEvent } from '../../ports/calendar.ts';
import { eventUrlOf } from './busy-times.ts';
import { type CaldavAccount, calendarUrlOf } from './credential.ts';
import { type CallDeps, type DavResponse, failureOf, headerOf, isSuccess, send } from './dav-call.ts';
import { changedText, newEventText, readEvent, type TextChange } from './event-ics.ts';
import { readCalendarProperties, strongEtag } from './objects.ts';
import { namedZone, utc, type Zone } from './zones.ts';

/** The account, the limits and the current time of one attempt. */
export interface Attempt extends CallDeps {
  account: CaldavAccount;
  /** Epoch milliseconds. */
  now: number;
}

/** An event's file on the server. */
interface Stored {
  text: string;
  etag: string | null;
}

const contentType = 'text/calendar; charset=utf-8';
const maxRewrites = 4;

const urlOf = (attempt: Attempt, ref: EventRef) =>
  eventUrlOf(calendarUrlOf(attempt.account, ref.calendarId), ref.eventId);

const zoneFor = (attempt: Attempt, ref: EventRef): Zone =>
  namedZone(ref.timeZone ?? attempt.account.timeZone) ?? utc;

/** Reads an event; null if the server has none at its address. */
export async function getEvent(attempt: Attempt, ref: EventRef): Promise<CalendarEvent | null> {
  const stored = await fetchStored(attempt, urlOf(attempt, ref));
  return stored === null ? null : read(attempt, ref, stored);
}

async function fetchStored(attempt: Attempt, url: string): Promise<Stored | null> {
  const response = await send(attempt, attempt.account, { method: 'GET', url });
  if (response.status === 404 || response.status === 410) return null;
  if (!isSuccess(response.status)) throw failureOf(response);
  return { text: response.text, etag: strongEtag(headerOf(response, 'etag')) };
}

function read(attempt: Attempt, ref: EventRef, { text, etag }: Stored): CalendarEvent {
  return rejectUnreadable(() => readEvent(text, ref.eventId, etag, zoneFor(attempt, ref)));
}

function rejectUnreadable<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    const text = `The event cannot be read: ${(error as Error).message}.`;
    throw new VendorError('rejected', text, { code: 'event_unreadable', cause: error });
  }
}

/** Inserts the event under its file name (RFC 4791 section 5.3.2). If the name is in use, returns the booking's existing event. */
export async function insertEvent(attempt: Attempt, event: NewEvent<string>): Promise<CalendarEvent> {
  const url = urlOf(attempt, event);
  const text = newEventText(event, attempt.account.organizer, attempt.now);
  const response = await put(attempt, url, text, { 'if-none-match': '*' });
  if (response.status === 412) return existingEvent(attempt, event);
  if (!isSuccess(response.status)) throw await insertFailure(attempt, event, response);
  return eventAfterWrite(attempt, event, url, text, response);
}

const put = (attempt: Attempt, url: string, body: string, condition: Record<string, string>) =>
  send(attempt, attempt.account, {
    ...{ method: 'PUT', url, body },
    headers: { 'content-type': contentType, ...condition },
  });

/** The stored event. Without an ETag in the response it may differ from the request (RFC 4791 section 5.3.4), so it is read. */
async function eventAfterWrite(
  attempt: Attempt,
  ref: EventRef,
  url: string,
  text: string,
  response: DavResponse,
): Promise<CalendarEvent> {
  const etag = strongEtag(headerOf(response, 'etag'));
  const stored = etag === null ? await fetchStored(attempt, url) : { text, etag };
  if (stored === null) throw notVisible();
  return read(attempt, ref, stored);
}

function notVisible(): VendorError {
  return new VendorError('unknown', 'The event exists but is not visible.', { code: 'event_not_visible' });
}

/** The event that has the file name, if it belongs to this booking and is not cancelled. */
async function existingEvent(attempt: Attempt, event: NewEvent<string>): Promise<CalendarEvent> {
  const found = await getEvent(attempt, event);
  if (found === null) throw notVisible();
  if (found.bookingId !== event.bookingId) throw idTaken();
  if (found.status === 'deleted') throw eventDeleted();
  return found;
}

function idTaken(): VendorError {
  return new VendorError('rejected', 'Another event has this id.', {
    code: 'event_id_taken',
    title: 'Id taken',
  });
}

function eventDeleted(): VendorError {
  return new VendorError('rejected', 'The event was cancelled in the calendar.', {
    code: 'event_deleted',
    title: 'Event cancelled',
  });
}

/** Servers report a missing calendar as 403, 404 or 409. Reading the calendar shows whether it exists. */
async function insertFailure(
  attempt: Attempt,
  event: NewEvent<string>,
  response: DavResponse,
): Promise<VendorError> {
  const failure = failureOf(response);
  if (failure.outcome !== 'rejected' || response.status === 401) return failure;
  if (failure.code === 'no-uid-conflict') return idTaken();
  try {
    await readCalendarProperties(attempt, attempt.account, calendarUrlOf(attempt.account, event.calendarId));
    return failure;
  } catch (error) {
    return error instanceof VendorError && error.code === 'calendar_not_found' ? error : failure;
  }
}

/** Changes an event, only in the given version if there is one. */
export function updateEvent(attempt: Attempt, change: EventChange): Promise<CalendarEvent> {
  return rewrite(attempt, change, change, change.version);
}

/** Replaces the meeting link of an event, in whatever version. */
export function replaceMeeting(attempt: Attempt, ref: EventRef & { link: string }): Promise<CalendarEvent> {
  return rewrite(attempt, ref, { link: ref.link }, undefined);
}

/** Reads, changes and writes the event. Starts over, a few times, if the event was changed in between. */
async function rewrite(
  attempt: Attempt,
  ref: EventRef,
  change: TextChange,
  version: string | undefined,
): Promise<CalendarEvent> {
  const url = urlOf(attempt, ref);
  for (let round = 0; round < maxRewrites; round += 1) {
    const stored = await fetchStored(attempt, url);
    if (stored === null) throw eventNotFound();
    const current = read(attempt, ref, stored);
    if (current.status === 'deleted') throw eventDeleted();
    const zone = zoneFor(attempt, ref);
    const text = rejectUnreadable(() => changedText(stored.text, change, zone, attempt.now));
    if (text === null) return current;
    if (version !== undefined && version !== stored.etag) throw eventChanged();
    const response = await put(attempt, url, text, { 'if-match': stored.etag ?? '*' });
    if (isSuccess(response.status)) return eventAfterWrite(attempt, ref, url, text, response);
    if (response.status === 404 || response.status === 410) throw eventNotFound();
    if (response.status !== 412) throw failureOf(response);
  }
  if (version !== undefined) throw eventChanged();
  throw new VendorError('not_sent', 'The event was changed concurrently several times.', {
    code: 'event_busy',
  });
}

function eventNotFound(): VendorError {
  return new VendorError('rejected', 'The event does not exist.', { code: 'event_not_found', status: 404 });
}

function eventChanged(): VendorError {
  return new VendorError('rejected', 'The event was changed concurrently.', {
    code: 'event_changed',
    status: 412,
  });
}

/** Deletes the event; 404 and 410 count as done. The server notifies the guests if it had invited them. */
export async function deleteEvent(attempt: Attempt, ref: EventRef): Promise<void> {
  const response = await send(attempt, attempt.account, { method: 'DELETE', url: urlOf(attempt, ref) });
  if (!isSuccess(response.status) && response.status !== 404 && response.status !== 410)
    throw failureOf(response);
}
