// Creates the event of a held booking: busy check, insert, meeting link, confirmation; or compensation.
import { asciiEmail } from '../../base/email.ts';
import { AppError, VendorError } from '../../base/errors.ts';
import { bookingState } from '../../contract/bookings.ts';
import { freeKeysOf } from '../../db/idempotency-keys.ts';
import type { CalendarEvent } from '../../ports/calendar.ts';
import {
  calendarError,
  isAuthorizationRevoked,
  type LiveConnection,
  useCalendar,
} from '../calendar/connection.ts';
import { occupiedSpan, type RequestedDate, slotUnavailable, takenByBookings } from '../slots/available.ts';
import { freeStarts } from '../slots/engine.ts';
import type { Interval } from '../slots/wall-time.ts';
import { type BookingRow, eventText } from './booking.ts';
import { type BookingDeps, chosenEventId, eventRef, limitsUntil, newEventRef } from './booking-calendar.ts';
import type { BookingSteps } from './booking-steps.ts';
import { findBooking } from './bookings-store.ts';
import { compensate, endCompensation } from './compensate.ts';
import { changeEventId, deleteHold, startCompensation } from './holds-store.ts';
import { tracedConnection, traceStep } from './traced-steps.ts';

/** How long the provider may take to create a meeting before the booking gets the fallback link. */
const meetingMs = 3_000;
const meetingPollMs = 250;
/** When the worker first compensates what a request could not finish. */
const compensateAfterMs = 2_000;
const retryAfterMs = 500;

export type CreateEventDeps = BookingDeps & { bookings: BookingSteps };

/**
 * Creates the event of a new hold by `deadline`, on the connection of the hold, and returns the confirmed booking. Throws
 * 409 `slot_unavailable`, 409 `calendar_not_connected` or 502, leaving nothing behind. Throws 503 while the outcome is
 * unknown; the booking is then compensated.
 */
export async function createEvent(
  deps: CreateEventDeps,
  row: BookingRow,
  connection: LiveConnection | undefined,
  requested: RequestedDate,
  deadline: number,
): Promise<BookingRow> {
  if (!connection) return confirm(deps, row, { link: null, guestsInvited: false }, row.fallback_link);
  await checkFree(deps, connection, row, requested, deadline);
  if (!(await deps.bookings.startInsert(row.id))) throw bookingWasCompensated();
  // a compensation removes the event only if the insert began
  const started = { ...row, insert_started_at: new Date(deps.clock.now()) };
  const traced = tracedConnection(deps, connection, row.id);
  const event = await insert(deps, traced, started, requested.staff, deadline);
  return finishBooking(deps, traced, { ...started, event_id: event.eventId }, event, deadline);
}

/** Deletes a hold whose insert never began, and frees its keys. */
export async function discardHold(deps: BookingDeps, row: BookingRow): Promise<void> {
  await deps.db.transaction().execute(async (tx) => {
    if (await deleteHold(tx, row.id)) await freeKeysOf(tx, row.id);
  });
}

function bookingWasCompensated(): AppError {
  return new AppError(
    'provider_unavailable',
    'The booking took too long and is being rolled back. Try again in a moment.',
    { retryAfterSeconds: 5 },
  );
}

/** Checks the calendar live. The booking has no event yet, so all busy time counts. */
async function checkFree(
  deps: BookingDeps,
  connection: LiveConnection,
  row: BookingRow,
  requested: RequestedDate,
  deadline: number,
): Promise<void> {
  const start = row.starts_at.getTime();
  const span = occupiedSpan(requested) ?? { from: start, to: row.ends_at.getTime() };
  try {
    // concurrent requests share the calendar's call
    const read = { bookingId: row.id, name: 'call: read busy times', kind: 'client' } as const;
    const busy = await traceStep(deps, read, () => busyTimesUntil(deps, connection, span, deadline));
    if (freeStarts(requested.terms, [start], { busy, bookedStarts: [] }).length === 1) return;
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    if (isAuthorizationRevoked(error) || error.outcome === 'rejected') await discardHold(deps, row);
    else await startCompensation(deps.db, row.id, compensateAfterMs);
    throw calendarError(error);
  }
  await discardHold(deps, row);
  const taken = await takenByBookings(deps.db, requested);
  throw slotUnavailable(
    deps,
    requested,
    taken,
    { slot: start },
    'The calendar has become busy at that time. Choose another slot.',
  );
}

/** Retries during an outage for as long as the request may last. */
async function busyTimesUntil(
  deps: BookingDeps,
  connection: LiveConnection,
  span: Interval,
  deadline: number,
): Promise<Interval[]> {
  for (;;) {
    try {
      return await deps.busyTimes.read(connection, span, deadline - deps.clock.steady());
    } catch (error) {
      const outage =
        error instanceof VendorError && error.outcome !== 'rejected' && !isAuthorizationRevoked(error);
      if (!outage || deadline - deps.clock.steady() < 2 * retryAfterMs) throw error;
      await deps.clock.sleep(retryAfterMs);
    }
  }
}

/** Inserts the event. If the calendar rejects its id, another generation is tried, twice at most. */
async function insert(
  deps: BookingDeps,
  connection: LiveConnection,
  row: BookingRow,
  staff: RequestedDate['staff'],
  deadline: number,
): Promise<CalendarEvent> {
  try {
    return await insertAs(deps, connection, row, staff, deadline);
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    const idUsedUp = error.code === 'event_deleted' || error.code === 'event_id_taken';
    const generation = row.event_generation + 1;
    const id = chosenEventId(connection.calendar, row.id, generation);
    const next = { ...row, event_generation: generation, event_id: id };
    if (
      idUsedUp &&
      id !== null &&
      generation <= 2 &&
      (await changeEventId(deps.db, row.id, { id, generation }))
    ) {
      return insert(deps, connection, next, staff, deadline);
    }
    if (error.outcome === 'rejected') {
      // certainly not inserted: there is nothing to remove
      await endCompensation(deps, row);
    } else {
      await startCompensation(deps.db, row.id, compensateAfterMs);
    }
    throw idUsedUp ? bookingWasCompensated() : calendarError(error);
  }
}

async function insertAs(
  deps: BookingDeps,
  connection: LiveConnection,
  row: BookingRow,
  staff: RequestedDate['staff'],
  deadline: number,
): Promise<CalendarEvent> {
  const event = {
    ...newEventRef(row, connection.calendar),
    ...eventText(row, staff.name),
    start: row.starts_at.getTime(),
    end: row.ends_at.getTime(),
    timeZone: staff.timezone,
    guests: [{ email: asciiEmail(row.email), name: row.name ?? undefined }],
    meeting: connection.calendar.supports.meetings
      ? { kind: 'provider' as const, fallbackLink: row.fallback_link }
      : { kind: 'link' as const, link: row.fallback_link },
    notify: true,
  };
  return useCalendar(deps, connection, (calendar, credential) =>
    calendar.insertEvent(credential, event, limitsUntil(deps, deadline)),
  );
}

/** Confirms a booking whose event exists: meeting link first, then the row. */
export async function finishBooking(
  deps: CreateEventDeps,
  connection: LiveConnection,
  row: BookingRow,
  event: CalendarEvent,
  deadline: number,
): Promise<BookingRow> {
  try {
    const link = await meetingLink(deps, connection, row, event, deadline);
    return await confirm(deps, row, event, link);
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    await startCompensation(deps.db, row.id, compensateAfterMs);
    if (error.outcome === 'rejected')
      await compensate(deps, { ...row, state: bookingState.compensating }, deadline);
    throw calendarError(error);
  }
}

async function meetingLink(
  deps: BookingDeps,
  connection: LiveConnection,
  row: BookingRow,
  event: CalendarEvent,
  deadline: number,
): Promise<string> {
  const ref = eventRef(row, connection.calendar);
  const giveUpAt = Math.min(deadline, deps.clock.steady() + meetingMs);
  let { meeting } = event;
  while (meeting.status === 'pending' && deps.clock.steady() < giveUpAt) {
    await deps.clock.sleep(meetingPollMs);
    const seen = await useCalendar(deps, connection, (calendar, credential) =>
      calendar.getEvent(credential, ref, limitsUntil(deps, deadline, meetingMs)),
    );
    if (seen?.status !== 'live') {
      throw new VendorError('rejected', 'The event was deleted while its meeting was being created.', {
        code: 'event_deleted',
      });
    }
    meeting = seen.meeting;
  }
  if (meeting.status === 'ready') return meeting.link;
  await useCalendar(deps, connection, (calendar, credential) =>
    calendar.replaceMeeting(
      credential,
      { ...ref, link: row.fallback_link, notify: true },
      limitsUntil(deps, deadline),
    ),
  );
  return row.fallback_link;
}

async function confirm(
  deps: CreateEventDeps,
  row: BookingRow,
  event: Pick<CalendarEvent, 'link' | 'guestsInvited'>,
  meetingLink: string,
): Promise<BookingRow> {
  const confirmed = await deps.bookings.confirm({
    id: row.id,
    eventId: row.event_id,
    eventLink: event.link,
    meetingLink,
    guestInvited: event.guestsInvited,
  });
  if (confirmed) return confirmed;
  // a retry after a commit whose acknowledgement was lost finds the booking confirmed
  const found = await findBooking(deps.db, row.account_id, row.id);
  if (found?.state !== bookingState.confirmed) throw bookingWasCompensated();
  return found;
}
