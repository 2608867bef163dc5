// A booking that is being undone: its event taken away for good, and only then its time free.
import { VendorError } from '../../base/errors.ts';
import { freeKeysOf } from '../../db/idempotency-keys.ts';
import { useCalendar } from '../calendar/connection.ts';
import { type BookingRow, lookAgainMs } from './booking.ts';
import { eventRef, limitsUntil, reachCalendar, type SettleDeps } from './settle-deps.ts';
import { finishUndoing, markRemoved, postpone } from './store.ts';

/** After this long past its end, a booking whose calendar cannot be reached is no longer in anybody's way. */
const giveUpMs = 86_400_000;

/** Takes the event of an `undoing` booking away, as far as that can be done by `deadline`; true once it is undone. */
export async function undo(deps: SettleDeps, row: BookingRow, deadline: number): Promise<boolean> {
  // before the mark of the first insert, there surely is no event
  if (row.provider === null || row.insert_started_at === null) return finish(deps, row);
  const connection = await reachCalendar(deps, row);
  if (connection === 'none') {
    deps.log.warn({ bookingId: row.id, eventId: row.event_id }, 'booking.event_out_of_reach');
    return finish(deps, row);
  }
  if (connection === 'dead') {
    if (row.ends_at.getTime() + giveUpMs < deps.clock.now()) return finish(deps, row);
    await postpone(deps.db, row.id, lookAgainMs(row.attempts));
    return false;
  }
  try {
    const removal = await useCalendar(deps, connection, (calendar, credential) =>
      calendar.removeForGood(
        credential,
        {
          ...eventRef(row, calendar),
          bookingId: row.id,
          start: row.starts_at.getTime(),
          end: row.ends_at.getTime(),
        },
        limitsUntil(deps, deadline),
      ),
    );
    if (removal.certain || row.removed_once) return finish(deps, row);
    await markRemoved(deps.db, row.id, removal.lookAgainAfterMs);
    return false;
  } catch (error) {
    if (!(error instanceof VendorError)) throw error;
    if (error.code === 'calendar_not_found') return finish(deps, row);
    deps.log.warn({ err: error, bookingId: row.id, attempts: row.attempts }, 'booking.undo_failed');
    await postpone(deps.db, row.id, lookAgainMs(row.attempts));
    return false;
  }
}

async function finish(deps: SettleDeps, row: BookingRow): Promise<boolean> {
  await deps.db.transaction().execute(async (tx) => {
    if (await finishUndoing(tx, row.id)) await freeKeysOf(tx, row.id);
  });
  deps.log.info({ bookingId: row.id, staffId: row.staff_id, state: 'undone' }, 'booking.settled');
  return true;
}
