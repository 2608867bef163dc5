// Cancels a booking: writes the cancellation as its pending change, then applies it.

import { currentActor } from '../../audit/actor.ts';
import { bookingState } from '../../contract/bookings.ts';
import { freeKeysOf } from '../../db/idempotency-keys.ts';
import { inTransaction } from '../../db/transaction.ts';
import { applyCancel } from './apply-change.ts';
import { type BookingRow, checkChangeable, leaseMs, pendingChange, requestTimeoutMs } from './booking.ts';
import type { BookingDeps } from './booking-calendar.ts';
import { alreadyDone, currentBooking, requireBooking, requireLockedBooking } from './booking-to-change.ts';
import { claimKey, type Key } from './idempotency.ts';
import { leasePendingChange, setPendingCancel } from './pending-changes-store.ts';

/**
 * Cancels a booking: deletes its event, then frees its time. Returns a cancelled booking unchanged. Throws 404, 409, 502,
 * and 503 while the cancellation is still in progress.
 */
export async function cancelBooking(
  deps: BookingDeps,
  input: { accountId: string; bookingId: string; reason?: string | null | undefined; key?: Key | undefined },
): Promise<BookingRow> {
  const deadline = deps.clock.steady() + requestTimeoutMs;
  const { id } = await currentBooking(deps, input.accountId, input.bookingId);
  const row = await inTransaction(deps.db, async (tx) => {
    const found = await requireLockedBooking(tx, id);
    if (found.state === bookingState.cancelled) return alreadyDone(tx, 'cancel', found, input.key);
    if (found.pending_change === pendingChange.cancel) {
      await claimKey(tx, input.key, id);
      await leasePendingChange(tx, id, leaseMs);
      return found;
    }
    checkChangeable(found, deps.clock.now());
    // the cancellation replaces a pending move, whose keys get no response
    await freeKeysOf(tx, id);
    await claimKey(tx, input.key, id);
    const by = { reason: input.reason ?? null, actor: currentActor() };
    return setPendingCancel(tx, id, by, leaseMs);
  });
  if (row.state === bookingState.cancelled) return row;
  try {
    return await applyCancel(deps, row, deadline);
  } catch (error) {
    // a concurrent request may have applied the same cancellation
    const now = await requireBooking(deps, input.accountId, id);
    if (now.state === bookingState.cancelled) return now;
    throw error;
  }
}
