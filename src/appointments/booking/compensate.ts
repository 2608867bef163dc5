// Compensates a booking that could not be completed: removes its event, and only then frees its time.
import { VendorError } from '../../base/errors.ts';
import { bookingState } from '../../contract/bookings.ts';
import { freeKeysOf } from '../../db/idempotency-keys.ts';
import { useCalendar } from '../calendar/connection.ts';
import { type BookingRow, retryDelayMs } from './booking.ts';
import { type BookingDeps, findBookingConnection, limitsUntil, newEventRef } from './booking-calendar.ts';
import { postpone } from './bookings-store.ts';
import { finishCompensation, recordRemoval } from './holds-store.ts';
import { freeTime } from './occupancies-store.ts';

/** The gateway gives up compensating a booking whose calendar stays unreachable this long after the booking's end. */
const giveUpMs = 86_400_000;

/** Removes the event of a compensating booking by `deadline`; true once the booking is compensated. */
export async function compensate(deps: BookingDeps, row: BookingRow, deadline: number): Promise<boolean> {
  // before the first insert begins, there is certainly no event
  if (row.provider === null || row.insert_started_at === null) return endCompensation(deps, row);
  const connection = await findBookingConnection(deps, row);
  if (connection === 'none') {
    deps.log.warn({ bookingId: row.id, eventId: row.event_id }, 'booking.event_unreachable');
    return endCompensation(deps, row);
  }
  if (connection === 'dead') {
    if (row.ends_at.getTime() + giveUpMs < deps.clock.now()) return endCompensation(deps, row);
    await postpone(deps.db, row.id, retryDelayMs(row.attempts));
    return false;
  }
  try {
    const removal = await useCalendar(deps, connection, (calendar, credential) =>
      calendar.removeForGood(
        credential,
        {
          ...newEventRef(row, calendar),
          start: row.starts_at.getTime(),
          end: row.ends_at.getTime(),
        },
        limitsUntil(deps, deadline),
      ),
    );
    if (removal.certain || row.removed_once) return endCompensation(deps, row);
    await recordRemoval(deps.db, row.id, removal.retryAfterMs);
    return false;
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    if (error.code === 'calendar_not_found') return endCompensation(deps, row);
    deps.log.warn({ err: error, bookingId: row.id, attempts: row.attempts }, 'booking.compensate_failed');
    await postpone(deps.db, row.id, retryDelayMs(row.attempts));
    return false;
  }
}

/** Records that a booking without an event is compensated, and frees its time and its keys. */
export async function endCompensation(deps: BookingDeps, row: BookingRow): Promise<true> {
  await deps.db.transaction().execute(async (tx) => {
    if (!(await finishCompensation(tx, row.id))) return;
    await freeTime(tx, [row.id]);
    await freeKeysOf(tx, row.id);
  });
  deps.log.info(
    { bookingId: row.id, staffId: row.staff_id, state: bookingState.compensated },
    'booking.compensated',
  );
  return true;
}
