// Moves a booking: writes the move as its pending change, with both times occupied, then applies it.
import { currentActor } from '../../audit/actor.ts';
import { bookingState } from '../../contract/bookings.ts';
import type { Tx } from '../../db/db.ts';
import { requireStaff } from '../directory/find-staff.ts';
import { type RequestedDate, requestedDate, takenByBookings } from '../slots/available.ts';
import { freeStarts, occupiedRange } from '../slots/engine.ts';
import { minuteMs } from '../slots/wall-time.ts';
import { applyMove, eventMissing } from './apply-change.ts';
import {
  type BookingRow,
  changeRetrySeconds,
  checkChangeable,
  isAt,
  leaseMs,
  notChangeable,
  pendingChange,
  requestTimeoutMs,
} from './booking.ts';
import type { BookingDeps } from './booking-calendar.ts';
import { alreadyDone, currentBooking, requireBooking, requireLockedBooking } from './booking-to-change.ts';
import { chosenStart, namesTime, slotTaken, withReservationErrors } from './chosen-slot.ts';
import { claimKey, type Key } from './idempotency.ts';
import { lockStaffBookings } from './locks-store.ts';
import { occupyPending } from './occupancies-store.ts';
import { leasePendingChange, setPendingMove } from './pending-changes-store.ts';
import { syncEvent } from './read-event.ts';

/**
 * Moves a booking to another open slot, even if its staff member is inactive. The old time stays occupied until the
 * calendar shows the new one. A move to the present time changes nothing and emits no event. Throws 400, 404, 409, 502,
 * and 503 while the move is still in progress.
 */
export async function rescheduleBooking(
  deps: BookingDeps,
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
  const deadline = deps.clock.steady() + requestTimeoutMs;
  const booking = await currentBooking(deps, input.accountId, input.bookingId);
  const staff = await requireStaff(deps.db, input.accountId, booking.staff_id);
  const requested = requestedDate(deps, staff, input);
  checkChangeable(booking, deps.clock.now());
  const to = await requestedTime(deps, requested, booking, input);
  const start = to.startsAt.getTime();
  // it keeps its time only if its event still exists
  if (isAt(booking, to) && (await syncEvent(deps, booking)) === 'missing')
    throw await eventMissing(deps, booking);
  const pending = await withReservationErrors(deps, requested, start, () =>
    deps.db.transaction().execute(async (tx) => {
      await lockStaffBookings(tx, staff.id);
      const row = await requireLockedBooking(tx, booking.id);
      checkChangeable(row, deps.clock.now());
      if (isAt(row, to)) return alreadyDone(tx, 'reschedule', row, input.key);
      if (row.pending_change !== null) return resumeMove(tx, row, to, input.key);
      const taken = await takenByBookings(tx, requested, row.id);
      if (freeStarts(requested.terms, [start], taken).length === 0) {
        throw slotTaken(deps, requested, taken, start);
      }
      await claimKey(tx, input.key, row.id);
      await occupyPending(tx, row, occupiedRange(requested.terms, start));
      return setPendingMove(tx, row.id, { ...to, actor: currentActor() }, leaseMs);
    }),
  );
  if (pending.pending_change === null) return pending;
  try {
    return await applyMove(deps, pending, deadline);
  } catch (error) {
    // the worker or a concurrent request may have applied the same move
    const now = await requireBooking(deps, input.accountId, booking.id);
    if (now.state === bookingState.confirmed && now.change_no === pending.change_no && isAt(now, to))
      return now;
    throw error;
  }
}

interface Time {
  startsAt: Date;
  endsAt: Date;
  timezone: string;
}

/** The requested time: the booking's present one, or that of an open slot; 409 otherwise. */
async function requestedTime(
  deps: BookingDeps,
  requested: RequestedDate,
  booking: BookingRow,
  named: { from: string; to: string },
): Promise<Time> {
  const { timezone } = requested;
  const present = { startsAt: booking.starts_at, endsAt: booking.ends_at, timezone };
  if (isAt(booking, present) && namesTime(requested, named, present)) return present;
  const before = await takenByBookings(deps.db, requested, booking.id);
  const start = chosenStart(deps, requested, named, before);
  const endsAt = new Date(start + requested.terms.slotMinutes * minuteMs);
  return { startsAt: new Date(start), endsAt, timezone };
}

/** Continues the same pending move; 409 for another one. */
async function resumeMove(tx: Tx, row: BookingRow, to: Time, key: Key | undefined): Promise<BookingRow> {
  const same =
    row.pending_change === pendingChange.move &&
    row.pending_starts_at?.getTime() === to.startsAt.getTime() &&
    row.pending_ends_at?.getTime() === to.endsAt.getTime();
  if (!same) throw otherChangeInProgress();
  await claimKey(tx, key, row.id);
  await leasePendingChange(tx, row.id, leaseMs);
  return row;
}

const otherChangeInProgress = () =>
  notChangeable('Another change of this booking is in progress. Try again in a moment.', changeRetrySeconds);
