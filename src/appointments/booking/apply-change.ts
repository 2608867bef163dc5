// Applies a pending change to the calendar: deletes or moves the event, and only then frees the old time.
import { audit } from '../../audit/store.ts';
import { AppError, VendorError } from '../../base/errors.ts';
import { calendarNeed } from '../../contract/directory.ts';
import type { Tx } from '../../db/db.ts';
import { freeKeysOf } from '../../db/idempotency-keys.ts';
import {
  calendarError,
  isAuthorizationRevoked,
  type LiveConnection,
  liveConnection,
  notConnected,
  notUsable,
  useCalendar,
} from '../calendar/connection.ts';
import { findConnection, scheduleCalendarRead } from '../calendar/connections-store.ts';
import { staffSettings } from '../directory/store.ts';
import { type BookingRow, notChangeable, retryDelayMs } from './booking.ts';
import { type BookingDeps, eventRef, findBookingConnection, limitsUntil } from './booking-calendar.ts';
import { postpone } from './bookings-store.ts';
import { findPending, freePending, freeTime, keepPending } from './occupancies-store.ts';
import { clearPendingChange, finishCancel, finishMove, startMove } from './pending-changes-store.ts';
import { publishChange } from './publish-change.ts';
import { storeChangeResponse } from './stored-responses.ts';

function changeInProgress(): AppError {
  return new AppError(
    'provider_unavailable',
    'The calendar did not answer in time. The change is still in progress; check the booking in a moment.',
    { retryAfterSeconds: 10 },
  );
}

function changeAwaitsCalendar(): AppError {
  return notConnected(
    'The calendar is no longer connected. The change is stored and will be applied once the calendar is reconnected.',
  );
}

function inFormerCalendar(): AppError {
  return notConnected(
    'The event of this booking is in a calendar that is no longer connected, so it cannot be moved. Reconnect that calendar, or cancel the booking and book again.',
  );
}

function changedConcurrently(): AppError {
  return notChangeable('Another request changed this booking at the same time. Read the booking again.');
}

/** Drops the pending change, and frees the keys of the requests for it. */
const dropPendingChange = (deps: BookingDeps, row: BookingRow) =>
  deps.db.transaction().execute(async (tx) => {
    if (!(await clearPendingChange(tx, row))) return;
    await freePending(tx, row.id);
    await freeKeysOf(tx, row.id);
  });

/**
 * Deletes the event of a booking and returns the cancelled booking. A disconnected calendar keeps the event. Throws 502
 * (the booking is unchanged), 409 or 503 (the cancellation stays pending).
 */
export async function applyCancel(deps: BookingDeps, row: BookingRow, deadline: number): Promise<BookingRow> {
  const connection = row.provider === null ? 'none' : await findBookingConnection(deps, row);
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
    if (!finished) return undefined;
    await freeTime(tx, [row.id]);
    await auditChange(tx, row, 'booking.cancelled');
    await storeChangeResponse(tx, 'cancel', finished);
    return finished;
  });
  if (!cancelled) throw changedConcurrently();
  return cancelled;
}

/** Records who asked for a change, once it is made: the calendar may reject it. */
async function auditChange(tx: Tx, row: BookingRow, action: 'booking.cancelled' | 'booking.rescheduled') {
  const { account_id: accountId, id, pending_actor: actor } = row;
  // a process of an earlier version recorded the request
  if (actor !== null) await audit(tx, accountId, action, id, {}, actor);
}

/** After a failed call: a rejection drops the pending change and throws 502; otherwise the change stays pending. */
async function handleFailure(deps: BookingDeps, row: BookingRow, error: unknown): Promise<never> {
  if (!(error instanceof VendorError)) throw error;
  if (isAuthorizationRevoked(error)) throw changeAwaitsCalendar();
  if (error.outcome !== 'rejected') {
    await postpone(deps.db, row.id, retryDelayMs(row.attempts));
    throw changeInProgress();
  }
  await dropPendingChange(deps, row);
  throw calendarError(error);
}

/**
 * Moves the event of a booking to its pending time and returns the moved booking. Throws 409 `slot_unavailable` if the
 * calendar has become busy, 409 or 502 if it rejects the move (the booking is unchanged), and 503 if it does not answer
 * (the move stays pending).
 */
export async function applyMove(deps: BookingDeps, row: BookingRow, deadline: number): Promise<BookingRow> {
  if (row.provider === null) {
    await checkPresentCalendar(deps, row, deadline);
    return finish(deps, row);
  }
  const connection = await findBookingConnection(deps, row);
  if (typeof connection === 'string') {
    if (connection === 'dead' && row.pending_started_at !== null) throw changeAwaitsCalendar();
    await dropPendingChange(deps, row);
    throw connection === 'dead' ? notConnected() : inFormerCalendar();
  }
  try {
    if (row.pending_started_at !== null && (await isAtPendingTime(deps, connection, row, deadline)))
      return finish(deps, row);
    if (row.pending_started_at === null) await checkFree(deps, connection, row, deadline);
    if (!(await startMove(deps.db, row))) throw changedConcurrently();
    await moveEvent(deps, connection, row, deadline);
  } catch (error) {
    const isMissing = error instanceof VendorError && missingCodes.has(String(error.code));
    if (isMissing) {
      await dropPendingChange(deps, row);
      throw await eventMissing(deps, row);
    }
    if (isAuthorizationRevoked(error) && row.pending_started_at === null) {
      await dropPendingChange(deps, row);
      throw calendarError(error);
    }
    await handleFailure(deps, row, error);
  }
  return finish(deps, row);
}

/** 409 for a move of a booking whose event is missing; schedules a reading, which records all missing events. */
export async function eventMissing(deps: BookingDeps, row: BookingRow): Promise<AppError> {
  await scheduleCalendarRead(deps.db, row.staff_id, 0);
  return notChangeable(
    'The event of this booking was deleted in the calendar, so it cannot be moved. Cancel it and book again.',
  );
}

const missingCodes = new Set(['event_deleted', 'event_not_found']);

async function finish(deps: BookingDeps, row: BookingRow): Promise<BookingRow> {
  const moved = await publishChange(deps, 'appointments.rescheduled', 'api', async (tx) => {
    const finished = await finishMove(tx, row);
    if (!finished) return undefined;
    await keepPending(tx, row.id);
    await auditChange(tx, row, 'booking.rescheduled');
    await storeChangeResponse(tx, 'reschedule', finished);
    return finished;
  });
  if (!moved) throw changedConcurrently();
  return moved;
}

/** True if the event is already at the pending time. */
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
    throw new VendorError('rejected', 'The event no longer exists.', { code: 'event_deleted' });
  }
  return event.start === row.pending_starts_at?.getTime() && event.end === row.pending_ends_at?.getTime();
}

/** Checks the calendar that the staff member has now, for a booking without an event. Any rejection drops the pending change. */
async function checkPresentCalendar(deps: BookingDeps, row: BookingRow, deadline: number): Promise<void> {
  const staff = await staffSettings(deps.db, row.staff_id);
  if (staff.calendar === calendarNeed.none) return;
  const connection = await findConnection(deps.db, row.staff_id);
  const live = connection && liveConnection(deps, connection);
  if (!live) {
    await dropPendingChange(deps, row);
    throw notUsable(deps, connection);
  }
  try {
    await checkFree(deps, live, row, deadline);
  } catch (error) {
    if (isAuthorizationRevoked(error)) {
      await dropPendingChange(deps, row);
      throw calendarError(error);
    }
    await handleFailure(deps, row, error);
  }
}

/** Checks the calendar live, without the booking's own event. Busy time drops the pending change. */
async function checkFree(
  deps: BookingDeps,
  connection: LiveConnection,
  row: BookingRow,
  deadline: number,
): Promise<void> {
  const range = await findPending(deps.db, row.id);
  if (!range) throw changedConcurrently();
  const busy = await useCalendar(deps, connection, (calendar, credential) =>
    calendar.busyTimes(
      credential,
      {
        ...{ calendarIds: connection.busyCalendarIds, timeZone: connection.timeZone },
        ...{ ...range, except: row.provider === null ? undefined : eventRef(row, calendar) },
      },
      limitsUntil(deps, deadline),
    ),
  );
  if (!busy.some(({ start, end }) => start < range.to && end > range.from)) return;
  await dropPendingChange(deps, row);
  throw new AppError('slot_unavailable', 'The calendar has become busy at that time. Choose another slot.', {
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
        time: { start: row.pending_starts_at?.getTime() ?? 0, end: row.pending_ends_at?.getTime() ?? 0 },
        notify: true,
      },
      limitsUntil(deps, deadline),
    ),
  );
}
