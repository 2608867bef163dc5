// Creates the event of a held booking: busy check, insert, meeting link, confirmation; or compensation.
import { asciiEmail } from '../../base/email.ts';
import { AppError, VendorError } from '../../base/errors.ts';
import { freeKeysOf } from '../../db/idempotency-keys.ts';
import type { CalendarEvent } from '../../ports/calendar.ts';
import { calendarError, isDeadGrant, type LiveConnection, useCalendar } from '../calendar/connection.ts';
import { type AskedDate, reachOf, slotUnavailable, takenByBookings } from '../slots/available.ts';
import { freeStarts } from '../slots/engine.ts';
import type { Interval } from '../slots/wall-time.ts';
import { type BookingRow, eventText } from './booking.ts';
import { type BookingDeps, chosenEventId, eventRef, limitsUntil, newEventRef } from './booking-calendar.ts';
import type { BookingSteps } from './booking-steps.ts';
import {
  changeEventId,
  deleteHold,
  findBooking,
  finishCompensation,
  startCompensation,
} from './bookings-store.ts';
import { compensate } from './compensate.ts';

/** How long a meeting may take to be made before the fallback room is taken. */
const meetingMs = 3_000;
const meetingPollMs = 250;
/** When the worker first looks at what a request could not finish. */
const compensateAfterMs = 2_000;
const retryAfterMs = 500;

export type CreateEventDeps = BookingDeps & { bookings: BookingSteps };

/**
 * Brings a fresh hold into the calendar by `deadline`, over the connection that it was held with. Answers the confirmed
 * booking. Throws, with nothing left behind: 409 `slot_unavailable`, 409 `calendar_not_connected`, 502. Throws 503 where
 * the outcome is not known in time: then the booking is being undone.
 */
export async function createEvent(
  deps: CreateEventDeps,
  row: BookingRow,
  connection: LiveConnection | undefined,
  asked: AskedDate,
  deadline: number,
): Promise<BookingRow> {
  if (!connection) return confirm(deps, row, null, row.fallback_link);
  await checkFree(deps, connection, row, asked, deadline);
  const marked = await deps.bookings.startInsert(row.id);
  if (!marked) throw bookingWasCompensated();
  const event = await insert(deps, connection, marked, asked.staff, deadline);
  return finishBooking(deps, connection, { ...marked, event_id: event.eventId }, event, deadline);
}

/** Nothing was ever inserted: the hold goes as if it had never been. */
export async function discardHold(deps: BookingDeps, row: BookingRow): Promise<void> {
  await deps.db.transaction().execute(async (tx) => {
    if (await deleteHold(tx, row.id)) await freeKeysOf(tx, row.id);
  });
}

function bookingWasCompensated(): AppError {
  return new AppError(
    'provider_unavailable',
    'The booking took too long and is being undone. Try again in a moment.',
    { retryAfterSeconds: 5 },
  );
}

/** The calendar, asked anew; no event of this booking exists yet, so that everything busy counts. */
async function checkFree(
  deps: BookingDeps,
  connection: LiveConnection,
  row: BookingRow,
  asked: AskedDate,
  deadline: number,
): Promise<void> {
  const start = row.starts_at.getTime();
  const reach = reachOf(asked) ?? { from: start, to: row.ends_at.getTime() };
  try {
    const busy = await busyTimesUntil(deps, connection, reach, deadline);
    if (freeStarts(asked.terms, [start], { busy, bookedStarts: [] }).length === 1) return;
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    if (isDeadGrant(error) || error.outcome === 'refused') await discardHold(deps, row);
    else await startCompensation(deps.db, row.id, compensateAfterMs);
    throw calendarError(error);
  }
  await discardHold(deps, row);
  const taken = await takenByBookings(deps.db, asked);
  throw slotUnavailable(
    deps,
    asked,
    taken,
    { slot: start },
    'The calendar is busy at that time by now. Choose another slot.',
  );
}

/** An outage is waited out as long as the request may last. */
async function busyTimesUntil(
  deps: BookingDeps,
  connection: LiveConnection,
  reach: Interval,
  deadline: number,
): Promise<Interval[]> {
  for (;;) {
    try {
      return await deps.busyTimes.ask(connection, reach, deadline - deps.clock.steady());
    } catch (error) {
      const outage = error instanceof VendorError && error.outcome !== 'refused' && !isDeadGrant(error);
      if (!outage || deadline - deps.clock.steady() < 2 * retryAfterMs) throw error;
      await deps.clock.sleep(retryAfterMs);
    }
  }
}

/** The insert; an id that the calendar will not take gives way to the next generation, once. */
async function insert(
  deps: BookingDeps,
  connection: LiveConnection,
  row: BookingRow,
  staff: AskedDate['staff'],
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
    if (error.outcome === 'refused') {
      // the whole call says that nothing was done: there is nothing to take away
      await endCompensated(deps, row);
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
  staff: AskedDate['staff'],
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

async function endCompensated(deps: BookingDeps, row: BookingRow): Promise<void> {
  await deps.db.transaction().execute(async (tx) => {
    if (await finishCompensation(tx, row.id)) await freeKeysOf(tx, row.id);
  });
}

/** From an event that is there to the confirmed booking: the meeting link, then the row. */
export async function finishBooking(
  deps: CreateEventDeps,
  connection: LiveConnection,
  row: BookingRow,
  event: CalendarEvent,
  deadline: number,
): Promise<BookingRow> {
  try {
    const link = await meetingLink(deps, connection, row, event, deadline);
    return await confirm(deps, row, event.link, link);
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    await startCompensation(deps.db, row.id, compensateAfterMs);
    if (error.outcome === 'refused') await compensate(deps, { ...row, state: 'undoing' }, deadline);
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
      throw new VendorError('refused', 'The event was deleted while it was being made.', {
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
  eventLink: string | null,
  meetingLink: string,
): Promise<BookingRow> {
  const confirmed = await deps.bookings.confirm({
    id: row.id,
    eventId: row.event_id,
    eventLink,
    meetingLink,
  });
  if (confirmed) return confirmed;
  // a connection lost at the commit, and the confirmation tried again, finds its own work done
  const found = await findBooking(deps.db, row.account_id, row.id);
  if (found?.state !== 'confirmed') throw bookingWasCompensated();
  return found;
}
