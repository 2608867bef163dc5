// Bringing the calendar in step with a wish: the event taken out, or moved; only then is the old time free.
import { AppError, VendorError } from '../../base/errors.ts';
import { freeKeysOf } from '../../db/idempotency-keys.ts';
import {
  calendarError,
  isDeadGrant,
  type LiveConnection,
  notConnected,
  useCalendar,
} from '../calendar/connection.ts';
import { type BookingRow, lookAgainMs, notChangeable } from './booking.ts';
import { dropWish, finishCancel, finishMove, startMove, wishedRange } from './changes-store.ts';
import { readAgainAfter } from './follow-store.ts';
import {
  eventRef,
  limitsUntil,
  reachCalendar,
  type SettleDeps,
  storeChangeAnswer,
  withEvent,
} from './settle-deps.ts';
import { postpone, staffFacts } from './store.ts';

function underWay(): AppError {
  return new AppError(
    'provider_unavailable',
    'The calendar did not answer in time. The change is still under way; look at the booking in a moment.',
    { retryAfterSeconds: 10 },
  );
}

function waitsForCalendar(): AppError {
  return notConnected(
    'The calendar is no longer connected. The change is noted, and is carried out once it is connected again.',
  );
}

function overtaken(): AppError {
  return notChangeable('This booking was changed by another request meanwhile. Look at it again.');
}

/** Gives the wish up; the keys of the requests that asked for it are free again. */
const drop = (deps: SettleDeps, row: BookingRow) =>
  deps.db.transaction().execute(async (tx) => {
    if (await dropWish(tx, row)) await freeKeysOf(tx, row.id);
  });

/**
 * Takes the event of a booking out of the calendar and answers the cancelled booking. A calendar that was disconnected
 * on purpose keeps its event. Throws 502 (the booking stays), 409 or 503 (the wish stays).
 */
export async function carryOutCancel(
  deps: SettleDeps,
  row: BookingRow,
  deadline: number,
): Promise<BookingRow> {
  const connection = row.provider === null ? 'none' : await reachCalendar(deps, row);
  if (connection === 'dead') throw waitsForCalendar();
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
      await failedChange(deps, row, error);
    }
  }
  const cancelled = await withEvent(deps, 'appointments.cancelled', 'api', async (tx) => {
    const finished = await finishCancel(tx, row);
    if (finished) await storeChangeAnswer(tx, 'cancel', finished);
    return finished;
  });
  if (!cancelled) throw overtaken();
  return cancelled;
}

/** After a failing call: refused → the wish is given up and 502 thrown; else the wish stays. */
async function failedChange(deps: SettleDeps, row: BookingRow, error: unknown): Promise<never> {
  if (!(error instanceof VendorError)) throw error;
  if (isDeadGrant(error)) throw waitsForCalendar();
  if (error.outcome !== 'refused') {
    await postpone(deps.db, row.id, lookAgainMs(row.attempts));
    throw underWay();
  }
  await drop(deps, row);
  throw calendarError(error);
}

/**
 * Moves the event of a booking to the time wished for and answers the booking as it is then. Throws 409
 * `slot_unavailable` where the calendar is busy by now, 409 or 502 where it will not (the booking stays as it was), and
 * 503 where it did not answer (the wish stays).
 */
export async function carryOutMove(deps: SettleDeps, row: BookingRow, deadline: number): Promise<BookingRow> {
  if (row.provider === null) return finish(deps, row);
  const connection = await reachCalendar(deps, row);
  if (typeof connection === 'string') {
    if (connection === 'dead' && row.wish_started_at !== null) throw waitsForCalendar();
    await drop(deps, row);
    throw notConnected();
  }
  try {
    if (row.wish_started_at !== null && (await isThere(deps, connection, row, deadline)))
      return finish(deps, row);
    if (row.wish_started_at === null) await checkFree(deps, connection, row, deadline);
    if (!(await startMove(deps.db, row))) throw overtaken();
    await update(deps, connection, row, deadline);
  } catch (error) {
    const gone = error instanceof VendorError && goneCodes.has(String(error.code));
    if (gone) {
      await drop(deps, row);
      throw await eventGone(deps, row);
    }
    if (isDeadGrant(error) && row.wish_started_at === null) {
      await drop(deps, row);
      throw calendarError(error);
    }
    await failedChange(deps, row, error);
  }
  return finish(deps, row);
}

/** 409 for a move of a booking whose event is gone; has the calendar read, which notes that with whatever else is gone. */
export async function eventGone(deps: SettleDeps, row: BookingRow): Promise<AppError> {
  await readAgainAfter(deps.db, row.staff_id, 0);
  return notChangeable('The event of this booking was deleted in the calendar, so it cannot be moved.');
}

const goneCodes = new Set(['event_deleted', 'event_not_found']);

async function finish(deps: SettleDeps, row: BookingRow): Promise<BookingRow> {
  const moved = await withEvent(deps, 'appointments.rescheduled', 'api', async (tx) => {
    const finished = await finishMove(tx, row);
    if (finished) await storeChangeAnswer(tx, 'reschedule', finished);
    return finished;
  });
  if (!moved) throw overtaken();
  return moved;
}

/** True if the calendar shows the event at the wished time already. */
async function isThere(
  deps: SettleDeps,
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
  deps: SettleDeps,
  connection: LiveConnection,
  row: BookingRow,
  deadline: number,
): Promise<void> {
  const range = await wishedRange(deps.db, row.id);
  if (!range) throw overtaken();
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
  await drop(deps, row);
  throw new AppError('slot_unavailable', 'The calendar is busy at that time by now. Choose another slot.', {
    extra: { alternatives: [] },
  });
}

async function update(
  deps: SettleDeps,
  connection: LiveConnection,
  row: BookingRow,
  deadline: number,
): Promise<void> {
  const staff = await staffFacts(deps.db, row.staff_id);
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
