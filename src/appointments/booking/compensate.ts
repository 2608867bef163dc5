// Compensates a booking that could not be completed: removes its event, and only then frees its time.
import { VendorError } from '../../base/errors.ts';
import { freeKeysOf } from '../../db/idempotency-keys.ts';
import { useCalendar } from '../calendar/connection.ts';
import { type BookingRow, retryDelayMs } from './booking.ts';
import { type BookingDeps, limitsUntil, newEventRef, reachCalendar } from './booking-calendar.ts';
import { finishCompensation, postpone, recordRemoval } from './bookings-store.ts';

/** After this long past its end, a booking whose calendar cannot be reached is no longer in anybody's way. */
const giveUpMs = 86_400_000;

/** Takes the event of an `undoing` booking away, as far as that can be done by `deadline`; true once it is undone. */
export async function compensate(deps: BookingDeps, row: BookingRow, deadline: number): Promise<boolean> {
  // before the mark of the first insert, there surely is no event
  if (row.provider === null || row.insert_started_at === null) return end(deps, row);
  const connection = await reachCalendar(deps, row);
  if (connection === 'none') {
    deps.log.warn({ bookingId: row.id, eventId: row.event_id }, 'booking.event_out_of_reach');
    return end(deps, row);
  }
  if (connection === 'dead') {
    if (row.ends_at.getTime() + giveUpMs < deps.clock.now()) return end(deps, row);
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
    if (removal.certain || row.removed_once) return end(deps, row);
    await recordRemoval(deps.db, row.id, removal.retryAfterMs);
    return false;
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    if (error.code === 'calendar_not_found') return end(deps, row);
    deps.log.warn({ err: error, bookingId: row.id, attempts: row.attempts }, 'booking.undo_failed');
    await postpone(deps.db, row.id, retryDelayMs(row.attempts));
    return false;
  }
}

async function end(deps: BookingDeps, row: BookingRow): Promise<boolean> {
  await deps.db.transaction().execute(async (tx) => {
    if (await finishCompensation(tx, row.id)) await freeKeysOf(tx, row.id);
  });
  deps.log.info({ bookingId: row.id, staffId: row.staff_id, state: 'undone' }, 'booking.settled');
  return true;
}
