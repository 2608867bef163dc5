// The booking of a change request: finds it, reads its event if it seems over, and locks it.
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../db/db.ts';
import { type BookingRow, bookingNotFound, isOver } from './booking.ts';
import type { BookingDeps } from './booking-calendar.ts';
import { findBooking, lockBooking } from './bookings-store.ts';
import { claimKey, type Key } from './idempotency.ts';
import { syncEvent } from './read-event.ts';
import { type ChangeOperation, storeChangeResponse } from './stored-responses.ts';

/** The account's booking; throws 404 if there is none. */
export async function requireBooking(deps: BookingDeps, accountId: string, id: string): Promise<BookingRow> {
  const row = isUuid(id) ? await findBooking(deps.db, accountId, id) : undefined;
  if (!row) throw bookingNotFound();
  return row;
}

/** The booking. If it seems to have ended, its event is read first: staff may have moved it to a later time. */
export async function currentBooking(deps: BookingDeps, accountId: string, id: string): Promise<BookingRow> {
  const row = await requireBooking(deps, accountId, id);
  if (!isOver(row, deps.clock.now()) || (await syncEvent(deps, row)) !== 'recorded') return row;
  return requireBooking(deps, accountId, id);
}

/** Locks the booking; throws 404 if it was deleted. */
export async function requireLockedBooking(tx: Tx, id: string): Promise<BookingRow> {
  const row = await lockBooking(tx, id);
  if (!row) throw bookingNotFound();
  return row;
}

/** Returns a booking that already is as requested, and stores the response under the request's key. */
export async function alreadyDone(
  tx: Tx,
  operation: ChangeOperation,
  row: BookingRow,
  key: Key | undefined,
): Promise<BookingRow> {
  await claimKey(tx, key, row.id);
  if (key !== undefined) await storeChangeResponse(tx, operation, row);
  return row;
}
