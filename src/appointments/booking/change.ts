// Cancelling and rescheduling: the wish is written down with both times kept, then carried out.
import { AppError } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../db/db.ts';
import { retryTransient } from '../../db/failure.ts';
import { activeStaff, askedDate, takenByBookings } from '../slots/available.ts';
import { freeStarts, occupiedRange } from '../slots/engine.ts';
import { minuteMs } from '../slots/wall-time.ts';
import { type BookingRow, bookingNotFound, checkChangeable, notChangeable } from './booking.ts';
import { carryOutCancel, carryOutMove } from './carry-out.ts';
import { leaseWish, wishCancel, wishMove } from './changes-store.ts';
import { chosenStart, reserving, slotTaken } from './chosen-slot.ts';
import { leaseMs, requestMs, type SettleDeps } from './settle-deps.ts';
import { findBooking, lockBooking, lockStaffBookings, occupy } from './store.ts';

async function bookingOf(deps: SettleDeps, accountId: string, id: string): Promise<BookingRow> {
  const row = isUuid(id) ? await findBooking(deps.db, accountId, id) : undefined;
  if (!row) throw bookingNotFound();
  return row;
}

async function locked(tx: Tx, id: string): Promise<BookingRow> {
  const row = await lockBooking(tx, id);
  if (!row) throw bookingNotFound();
  return row;
}

/**
 * Cancels a booking: takes its event out of the calendar, then frees its time. A booking cancelled before is answered as
 * it is. Throws 404, 409, 502, and 503 while the cancellation is still under way.
 */
export async function cancelBooking(
  deps: SettleDeps,
  input: { accountId: string; bookingId: string; reason?: string | undefined },
): Promise<BookingRow> {
  const deadline = deps.clock.now() + requestMs;
  const { id } = await bookingOf(deps, input.accountId, input.bookingId);
  const row = await retryTransient(() =>
    deps.db.transaction().execute(async (tx) => {
      const found = await locked(tx, id);
      if (found.state === 'cancelled') return found;
      if (found.wish === 'cancel') {
        await leaseWish(tx, id, leaseMs);
        return found;
      }
      checkChangeable(found, deps.clock.now());
      return wishCancel(tx, id, input.reason ?? null, leaseMs);
    }),
  );
  if (row.state === 'cancelled') return row;
  try {
    return await carryOutCancel(deps, row, deadline);
  } catch (error) {
    // two requests may carry out the same wish at once: to both it is cancelled
    const now = await bookingOf(deps, input.accountId, id);
    if (now.state === 'cancelled') return now;
    throw error;
  }
}

/**
 * Moves a booking to another slot on offer to that staff member. Its old time stays occupied until the calendar shows
 * the new one. Throws 400, 404, 409, 502, and 503 while the move is still under way.
 */
export async function rescheduleBooking(
  deps: SettleDeps,
  input: {
    accountId: string;
    bookingId: string;
    date: string;
    from: string;
    to: string;
    timezone?: string | undefined;
  },
): Promise<BookingRow> {
  const deadline = deps.clock.now() + requestMs;
  const booking = await bookingOf(deps, input.accountId, input.bookingId);
  const staff = await activeStaff(deps.db, input.accountId, booking.staff_id);
  const asked = askedDate(deps, staff, input);
  checkChangeable(booking, deps.clock.now());
  const before = await takenByBookings(deps.db, asked, booking.id);
  const start = chosenStart(deps, asked, input, before);
  const to = {
    startsAt: new Date(start),
    endsAt: new Date(start + asked.terms.slotMinutes * minuteMs),
    timezone: asked.timezone,
  };
  const wished = await reserving(deps, asked, start, () =>
    deps.db.transaction().execute(async (tx) => {
      await lockStaffBookings(tx, staff.id);
      const row = await locked(tx, booking.id);
      checkChangeable(row, deps.clock.now());
      if (row.wish !== null) return repeated(tx, row, to);
      const taken = await takenByBookings(tx, asked, row.id);
      if (freeStarts(asked.terms, [start], taken).length === 0) {
        throw slotTaken(deps, asked, taken, start);
      }
      await occupy(tx, row, 'wished', occupiedRange(asked.terms, start));
      return wishMove(tx, row.id, to, leaseMs);
    }),
  );
  return carryOutMove(deps, wished, deadline);
}

/** The same move asked for again goes on; any other change has to wait for the one under way. */
async function repeated(tx: Tx, row: BookingRow, to: { startsAt: Date; endsAt: Date }): Promise<BookingRow> {
  const same =
    row.wish === 'move' &&
    row.wish_starts_at?.getTime() === to.startsAt.getTime() &&
    row.wish_ends_at?.getTime() === to.endsAt.getTime();
  if (!same) throw changeUnderWay();
  await leaseWish(tx, row.id, leaseMs);
  return row;
}

function changeUnderWay(): AppError {
  const { code, message } = notChangeable(
    'Another change of this booking is under way. Try again in a moment.',
  );
  return new AppError(code, message, { retryAfterSeconds: 5 });
}
