// Applies a pending change to the calendar: deletes or moves the event, and only then frees the old time.
import { AppError, VendorError } from '../../base/errors.ts';
import { freeKeysOf } from '../../db/idempotency-keys.ts';
import {
  calendarError,
  isDeadGrant,
  type LiveConnection,
  notConnected,
  useCalendar,
} from '../calendar/connection.ts';
import { type BookingRow, notChangeable, retryDelayMs } from './booking.ts';
import { type BookingDeps, eventRef, limitsUntil, reachCalendar } from './booking-calendar.ts';
import { postpone, staffSettings } from './bookings-store.ts';
import { scheduleCalendarRead } from './external-changes-store.ts';
import {
  clearPendingChange,
  finishCancel,
  finishMove,
  pendingMoveRange,
  startMove,
} from './pending-changes-store.ts';
import { publishChange } from './publish-change.ts';
import { storeChangeAnswer } from './stored-answers.ts';

function changeInProgress(): AppError {
  return new AppError(
    'provider_unavailable',
    'The calendar did not answer in time. The change is still under way; look at the booking in a moment.',
    { retryAfterSeconds: 10 },
  );
}

function changeAwaitsCalendar(): AppError {
  return notConnected(
    'The calendar is no longer connected. The change is noted, and is carried out once it is connected again.',
  );
}

function changedConcurrently(): AppError {
  return notChangeable('This booking was changed by another request meanwhile. Look at it again.');
}

/** Gives the wish up; the keys of the requests that asked for it are free again. */
const dropPendingChange = (deps: BookingDeps, row: BookingRow) =>
  deps.db.transaction().execute(async (tx) => {
    if (await clearPendingChange(tx, row)) await freeKeysOf(tx, row.id);
  });

/**
 * Takes the event of a booking out of the calendar and answers the cancelled booking. A calendar that was disconnected
 * on purpose keeps its event. Throws 502 (the booking stays), 409 or 503 (the wish stays).
 */
export async function applyCancel(deps: BookingDeps, row: BookingRow, deadline: number): Promise<BookingRow> {
  const connection = row.provider === null ? 'none' : await reachCalendar(deps, row);
  if (connection === 'dead') throw changeAwaitsCalendar();
  if (connection !== 'none') {
    try {
      await useCalendar(deps, connection, (calendar, credential) =>
        calendar.deleteEvent(
          credential,
          { ...eventRef(row, calendar), notify: true },
          limitsUntil(deps, deadline),
        ),
      );
    } catch (error) {
      await handleFailure(deps, row, error);
    }
  }
  const cancelled = await publishChange(deps, 'appointments.cancelled', 'api', async (tx) => {
    const finished = await finishCancel(tx, row);
    if (finished) await storeChangeAnswer(tx, 'cancel', finished);
    return finished;
  });
  if (!cancelled) throw changedConcurrently();
  return cancelled;
}

/** After a failing call: refused → the wish is given up and 502 thrown; else the wish stays. */
async function handleFailure(deps: BookingDeps, row: BookingRow, error: unknown): Promise<never> {
  if (!(error instanceof VendorError)) throw error;
  if (isDeadGrant(error)) throw changeAwaitsCalendar();
  if (error.outcome !== 'refused') {
    await postpone(deps.db, row.id, retryDelayMs(row.attempts));
    throw changeInProgress();
  }
  await dropPendingChange(deps, row);
  throw calendarError(error);
}

/**
 * Moves the event of a booking to the time wished for and answers the booking as it is then. Throws 409
 * `slot_unavailable` where the calendar is busy by now, 409 or 502 where it will not (the booking stays as it was), and
 * 503 where it did not answer (the wish stays).
 */
export async function applyMove(deps: BookingDeps, row: BookingRow, deadline: number): Promise<BookingRow> {
  if (row.provider === null) return finish(deps, row);
  const connection = await reachCalendar(deps, row);
  if (typeof connection === 'string') {
    if (connection === 'dead' && row.wish_started_at !== null) throw changeAwaitsCalendar();
    await dropPendingChange(deps, row);
    throw notConnected();
  }
  try {
    if (row.wish_started_at !== null && (await isAtPendingTime(deps, connection, row, deadline)))
      return finish(deps, row);
    if (row.wish_started_at === null) await checkFree(deps, connection, row, deadline);
    if (!(await startMove(deps.db, row))) throw changedConcurrently();
    await moveEvent(deps, connection, row, deadline);
  } catch (error) {
    const gone = error instanceof VendorError && goneCodes.has(String(error.code));
    if (gone) {
      await dropPendingChange(deps, row);
      throw await eventGone(deps, row);
    }
    if (isDeadGrant(error) && row.wish_started_at === null) {
      await dropPendingChange(deps, row);
      throw calendarError(error);
    }
    await handleFailure(deps, row, error);
  }
  return finish(deps, row);
}

/** 409 for a move of a booking whose event is gone; has the calendar read, which notes that with whatever else is gone. */
export async function eventGone(deps: BookingDeps, row: BookingRow): Promise<AppError> {
  await scheduleCalendarRead(deps.db, row.staff_id, 0);
  return notChangeable('The event of this booking was deleted in the calendar, so it cannot be moved.');
}

const goneCodes = new Set(['event_deleted', 'event_not_found']);

async function finish(deps: BookingDeps, row: BookingRow): Promise<BookingRow> {
  const moved = await publishChange(deps, 'appointments.rescheduled', 'api', async (tx) => {
    const finished = await finishMove(tx, row);
    if (finished) await storeChangeAnswer(tx, 'reschedule', finished);
    return finished;
  });
  if (!moved) throw changedConcurrently();
  return moved;
}

/** True if the calendar shows the event at the wished time already. */
async function isAtPendingTime(
  deps: BookingDeps,
  connection: LiveConnection,
  row: BookingRow,
  deadline: number,
): Promise<boolean> {
  const event = await useCalendar(deps, connection, (calendar, credential) =>
    calendar.getEvent(credential, eventRef(row, calendar), limitsUntil(deps, deadline)),
  );
  if (event?.status !== 'live') {
    throw new VendorError('refused', 'The event is no longer there.', { code: 'event_deleted' });
  }
  return event.start === row.wish_starts_at?.getTime() && event.end === row.wish_ends_at?.getTime();
}

/** The calendar, asked anew for everything but our own event; busy: the wish is given up. */
async function checkFree(
  deps: BookingDeps,
  connection: LiveConnection,
  row: BookingRow,
  deadline: number,
): Promise<void> {
  const range = await pendingMoveRange(deps.db, row.id);
  if (!range) throw changedConcurrently();
  const busy = await useCalendar(deps, connection, (calendar, credential) =>
    calendar.busyTimes(
      credential,
      {
        ...{ calendarIds: connection.busyCalendarIds, timeZone: connection.timeZone },
        ...{ ...range, except: eventRef(row, calendar) },
      },
      limitsUntil(deps, deadline),
    ),
  );
  if (!busy.some(({ start, end }) => start < range.to && end > range.from)) return;
  await dropPendingChange(deps, row);
  throw new AppError('slot_unavailable', 'The calendar is busy at that time by now. Choose another slot.', {
    extra: { alternatives: [] },
  });
}

async function moveEvent(
  deps: BookingDeps,
  connection: LiveConnection,
  row: BookingRow,
  deadline: number,
): Promise<void> {
  const staff = await staffSettings(deps.db, row.staff_id);
  await useCalendar(deps, connection, (calendar, credential) =>
    calendar.updateEvent(
      credential,
      {
        ...eventRef(row, calendar),
        timeZone: staff.timezone,
        time: { start: row.wish_starts_at?.getTime() ?? 0, end: row.wish_ends_at?.getTime() ?? 0 },
        notify: true,
      },
      limitsUntil(deps, deadline),
    ),
  );
}
