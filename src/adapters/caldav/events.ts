// The operations on a booking's event: one attempt each, safe to repeat.
import { VendorError } from '../../base/errors.ts';
import type { CalendarEvent, EventChange, EventRef, NewEvent } from '../../ports/calendar.ts';
import { eventUrlOf } from './busy-times.ts';
import { type CaldavAccount, calendarUrlOf } from './credential.ts';
import { type DavAnswer, failureOf, headerOf, isDone, send, type Wire } from './dav-call.ts';
import { changedText, newEventText, readEvent, type TextChange } from './event-ics.ts';
import { calendarFacts, strongEtag } from './objects.ts';
import { namedZone, utc, type Zone } from './zones.ts';

/** One attempt's surroundings: whose calendar, how long, and what time it is. */
export interface Attempt extends Wire {
  account: CaldavAccount;
  /** Epoch milliseconds. */
  now: number;
}

/** An event's file as the server has it. */
interface Stored {
  text: string;
  etag: string | null;
}

const contentType = 'text/calendar; charset=utf-8';
const maxRounds = 4;

const urlOf = (attempt: Attempt, ref: EventRef) =>
  eventUrlOf(calendarUrlOf(attempt.account, ref.calendarId), ref.eventId);

const zoneFor = (attempt: Attempt, ref: EventRef): Zone =>
  namedZone(ref.timeZone ?? attempt.account.timeZone) ?? utc;

export async function getEvent(attempt: Attempt, ref: EventRef): Promise<CalendarEvent | null> {
  const stored = await fetchStored(attempt, urlOf(attempt, ref));
  return stored === null ? null : read(attempt, ref, stored);
}

async function fetchStored(attempt: Attempt, url: string): Promise<Stored | null> {
  const answer = await send(attempt, attempt.account, { method: 'GET', url });
  if (answer.status === 404 || answer.status === 410) return null;
  if (!isDone(answer.status)) throw failureOf(answer);
  return { text: answer.text, etag: strongEtag(headerOf(answer, 'etag')) };
}

function read(attempt: Attempt, ref: EventRef, { text, etag }: Stored): CalendarEvent {
  return understood(() => readEvent(text, ref.eventId, etag, zoneFor(attempt, ref)));
}

function understood<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    const text = `The event cannot be read: ${(error as Error).message}.`;
    throw new VendorError('rejected', text, { code: 'event_unreadable', cause: error });
  }
}

/** Inserts the event under its file name (RFC 4791 section 5.3.2). A name in use is checked. */
export async function insertEvent(attempt: Attempt, event: NewEvent<string>): Promise<CalendarEvent> {
  const url = urlOf(attempt, event);
  const text = newEventText(event, attempt.account.organizer, attempt.now);
  const answer = await put(attempt, url, text, { 'if-none-match': '*' });
  if (answer.status === 412) return ownEvent(attempt, event);
  if (!isDone(answer.status)) throw await insertFailure(attempt, event, answer);
  return written(attempt, event, url, text, answer);
}

const put = (attempt: Attempt, url: string, body: string, condition: Record<string, string>) =>
  send(attempt, attempt.account, {
    ...{ method: 'PUT', url, body },
    headers: { 'content-type': contentType, ...condition },
  });

/** Only a tag in the answer promises that the event was stored as it was written (RFC 4791 section 5.3.4). */
async function written(
  attempt: Attempt,
  ref: EventRef,
  url: string,
  text: string,
  answer: DavAnswer,
): Promise<CalendarEvent> {
  const etag = strongEtag(headerOf(answer, 'etag'));
  const stored = etag === null ? await fetchStored(attempt, url) : { text, etag };
  if (stored === null) throw notVisible();
  return read(attempt, ref, stored);
}

function notVisible(): VendorError {
  return new VendorError('unknown', 'The event exists and cannot be seen.', { code: 'event_not_visible' });
}

/** The event with that name, if it is this booking's and not cancelled. */
async function ownEvent(attempt: Attempt, event: NewEvent<string>): Promise<CalendarEvent> {
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

/** Servers report a missing calendar as 403, 404 or 409: only reading the calendar tells. */
async function insertFailure(
  attempt: Attempt,
  event: NewEvent<string>,
  answer: DavAnswer,
): Promise<VendorError> {
  const failure = failureOf(answer);
  if (failure.outcome !== 'rejected' || answer.status === 401) return failure;
  if (failure.code === 'no-uid-conflict') return idTaken();
  try {
    await calendarFacts(attempt, attempt.account, calendarUrlOf(attempt.account, event.calendarId));
    return failure;
  } catch (error) {
    return error instanceof VendorError && error.code === 'calendar_not_found' ? error : failure;
  }
}

export function updateEvent(attempt: Attempt, change: EventChange): Promise<CalendarEvent> {
  return rewrite(attempt, change, change, change.version);
}

export function replaceMeeting(attempt: Attempt, ref: EventRef & { link: string }): Promise<CalendarEvent> {
  return rewrite(attempt, ref, { link: ref.link }, undefined);
}

/** Reads the event, changes it and writes it back if it is still as it was read; else from the start, a few times. */
async function rewrite(
  attempt: Attempt,
  ref: EventRef,
  change: TextChange,
  version: string | undefined,
): Promise<CalendarEvent> {
  const url = urlOf(attempt, ref);
  for (let round = 0; round < maxRounds; round += 1) {
    const stored = await fetchStored(attempt, url);
    if (stored === null) throw eventNotFound();
    const current = read(attempt, ref, stored);
    if (current.status === 'deleted') throw eventDeleted();
    const zone = zoneFor(attempt, ref);
    const text = understood(() => changedText(stored.text, change, zone, attempt.now));
    if (text === null) return current;
    if (version !== undefined && version !== stored.etag) throw eventChanged();
    const answer = await put(attempt, url, text, { 'if-match': stored.etag ?? '*' });
    if (isDone(answer.status)) return written(attempt, ref, url, text, answer);
    if (answer.status === 404 || answer.status === 410) throw eventNotFound();
    if (answer.status !== 412) throw failureOf(answer);
  }
  if (version !== undefined) throw eventChanged();
  throw new VendorError('not_sent', 'The event is being changed by others all the time.', {
    code: 'event_busy',
  });
}

function eventNotFound(): VendorError {
  return new VendorError('rejected', 'There is no such event.', { code: 'event_not_found', status: 404 });
}

function eventChanged(): VendorError {
  return new VendorError('rejected', 'The event was changed concurrently.', {
    code: 'event_changed',
    status: 412,
  });
}

/** 404 and 410 count as done. Guests hear of it from the server, if it invited them. */
export async function deleteEvent(attempt: Attempt, ref: EventRef): Promise<void> {
  const answer = await send(attempt, attempt.account, { method: 'DELETE', url: urlOf(attempt, ref) });
  if (!isDone(answer.status) && answer.status !== 404 && answer.status !== 410) throw failureOf(answer);
}
