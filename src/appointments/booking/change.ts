// Cancelling and rescheduling: the wish is written down with both times kept, then carried out.
import { AppError } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../db/db.ts';
import { retryTransient } from '../../db/failure.ts';
import { freeKeysOf } from '../../db/idempotency-keys.ts';
import { staffNotFound } from '../directory/staff.ts';
import { findStaff } from '../directory/store.ts';
import { type AskedDate, askedDate, takenByBookings } from '../slots/available.ts';
import { freeStarts, occupiedRange } from '../slots/engine.ts';
import { minuteMs } from '../slots/wall-time.ts';
import { catchUpWithEvent } from './ask-event.ts';
import { type BookingRow, bookingNotFound, checkChangeable, isAt, isOver, notChangeable } from './booking.ts';
import { carryOutCancel, carryOutMove, eventGone } from './carry-out.ts';
import { leaseWish, wishCancel, wishMove } from './changes-store.ts';
import { chosenStart, namesTime, reserving, slotTaken } from './chosen-slot.ts';
import { claimKey, type Key } from './repeats.ts';
import {
  type ChangeOperation,
  leaseMs,
  requestMs,
  type SettleDeps,
  storeChangeAnswer,
} from './settle-deps.ts';
import { findBooking, lockBooking, lockStaffBookings, occupy } from './store.ts';

async function bookingOf(deps: SettleDeps, accountId: string, id: string): Promise<BookingRow> {
  const row = isUuid(id) ? await findBooking(deps.db, accountId, id) : undefined;
  if (!row) throw bookingNotFound();
  return row;
}

/** The booking. One that is over as far as we know has the time that its event has at this moment: that is what counts. */
async function presentBooking(deps: SettleDeps, accountId: string, id: string): Promise<BookingRow> {
  const row = await bookingOf(deps, accountId, id);
  if (!isOver(row, deps.clock.now()) || (await catchUpWithEvent(deps, row)) !== 'noted') return row;
  return bookingOf(deps, accountId, id);
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
  input: { accountId: string; bookingId: string; reason?: string | null | undefined; key?: Key | undefined },
): Promise<BookingRow> {
  const deadline = deps.clock.steady() + requestMs;
  const { id } = await presentBooking(deps, input.accountId, input.bookingId);
  const row = await retryTransient(() =>
    deps.db.transaction().execute(async (tx) => {
      const found = await locked(tx, id);
      if (found.state === 'cancelled') return settled(tx, 'cancel', found, input.key);
      if (found.wish === 'cancel') {
        await claimKey(tx, input.key, id);
        await leaseWish(tx, id, leaseMs);
        return found;
      }
      checkChangeable(found, deps.clock.now());
      // a move under way gives way to the cancellation: its keys get no answer
      await freeKeysOf(tx, id);
      await claimKey(tx, input.key, id);
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

/** Answers a booking that already is as the request wants it, and keeps that answer under the request's key. */
async function settled(
  tx: Tx,
  operation: ChangeOperation,
  row: BookingRow,
  key: Key | undefined,
): Promise<BookingRow> {
  await claimKey(tx, key, row.id);
  if (key !== undefined) await storeChangeAnswer(tx, operation, row);
  return row;
}

/**
 * Moves a booking to another slot on offer, also with a staff member who is inactive by now. Its old time stays occupied
 * until the calendar shows the new one. A move to the time that it has changes nothing and tells nobody. Throws 400, 404,
 * 409, 502, and 503 while the move is still under way.
 */
export async function rescheduleBooking(
  deps: SettleDeps,
  input: {
    accountId: string;
    bookingId: string;
    date: string;
    from: string;
    to: string;
    timezone?: string | null | undefined;
    key?: Key | undefined;
  },
): Promise<BookingRow> {
  const deadline = deps.clock.steady() + requestMs;
  const booking = await presentBooking(deps, input.accountId, input.bookingId);
  const staff = await findStaff(deps.db, input.accountId, booking.staff_id);
  if (!staff) throw staffNotFound();
  const asked = askedDate(deps, staff, input);
  checkChangeable(booking, deps.clock.now());
  const to = await wantedTime(deps, asked, booking, input);
  const start = to.startsAt.getTime();
  // it stays where it is only if its event is still there
  if (isAt(booking, to) && (await catchUpWithEvent(deps, booking)) === 'gone')
    throw await eventGone(deps, booking);
  const wished = await reserving(deps, asked, start, () =>
    deps.db.transaction().execute(async (tx) => {
      await lockStaffBookings(tx, staff.id);
      const row = await locked(tx, booking.id);
      checkChangeable(row, deps.clock.now());
      if (isAt(row, to)) return settled(tx, 'reschedule', row, input.key);
      if (row.wish !== null) return repeated(tx, row, to, input.key);
      const taken = await takenByBookings(tx, asked, row.id);
      if (freeStarts(asked.terms, [start], taken).length === 0) {
        throw slotTaken(deps, asked, taken, start);
      }
      await claimKey(tx, input.key, row.id);
      await occupy(tx, row, 'wished', occupiedRange(asked.terms, start));
      return wishMove(tx, row.id, to, leaseMs);
    }),
  );
  if (wished.wish === null) return wished;
  try {
    return await carryOutMove(deps, wished, deadline);
  } catch (error) {
    // the worker or a twin may have carried it out in the meantime: then it is done
    const now = await bookingOf(deps, input.accountId, booking.id);
    if (now.state === 'confirmed' && now.wish_no === wished.wish_no && isAt(now, to)) return now;
    throw error;
  }
}

interface Time {
  startsAt: Date;
  endsAt: Date;
  timezone: string;
}

/** The time that a move asks for: the one that the booking has, or that of a slot on offer; 409 otherwise. */
async function wantedTime(
  deps: SettleDeps,
  asked: AskedDate,
  booking: BookingRow,
  named: { from: string; to: string },
): Promise<Time> {
  const { timezone } = asked;
  const present = { startsAt: booking.starts_at, endsAt: booking.ends_at, timezone };
  if (isAt(booking, present) && namesTime(asked, named, present)) return present;
  const before = await takenByBookings(deps.db, asked, booking.id);
  const start = chosenStart(deps, asked, named, before);
  const endsAt = new Date(start + asked.terms.slotMinutes * minuteMs);
  return { startsAt: new Date(start), endsAt, timezone };
}

/** The same move asked for again goes on; any other change has to wait for the one under way. */
async function repeated(tx: Tx, row: BookingRow, to: Time, key: Key | undefined): Promise<BookingRow> {
  const same =
    row.wish === 'move' &&
    row.wish_starts_at?.getTime() === to.startsAt.getTime() &&
    row.wish_ends_at?.getTime() === to.endsAt.getTime();
  if (!same) throw changeUnderWay();
  await claimKey(tx, key, row.id);
  await leaseWish(tx, row.id, leaseMs);
  return row;
}

function changeUnderWay(): AppError {
  const { code, message } = notChangeable(
    'Another change of this booking is under way. Try again in a moment.',
  );
  return new AppError(code, message, { retryAfterSeconds: 5 });
}
