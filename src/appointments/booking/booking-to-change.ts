// The booking that a change names: found, brought up to date with its event, and locked.
import { isUuid } from '../../base/ids.ts';
import type { Tx } from '../../db/db.ts';
import { type BookingRow, bookingNotFound, isOver } from './booking.ts';
import type { BookingDeps } from './booking-calendar.ts';
import { findBooking, lockBooking } from './bookings-store.ts';
import { claimKey, type Key } from './idempotency.ts';
import { syncEvent } from './read-event.ts';
import { type ChangeOperation, storeChangeAnswer } from './stored-answers.ts';

export async function bookingOf(deps: BookingDeps, accountId: string, id: string): Promise<BookingRow> {
  const row = isUuid(id) ? await findBooking(deps.db, accountId, id) : undefined;
  if (!row) throw bookingNotFound();
  return row;
}

/** The booking. If it seems to have ended, its event is read first: staff may have moved it to a later time. */
export async function currentBooking(deps: BookingDeps, accountId: string, id: string): Promise<BookingRow> {
  const row = await bookingOf(deps, accountId, id);
  if (!isOver(row, deps.clock.now()) || (await syncEvent(deps, row)) !== 'recorded') return row;
  return bookingOf(deps, accountId, id);
}

export async function lockedBooking(tx: Tx, id: string): Promise<BookingRow> {
  const row = await lockBooking(tx, id);
  if (!row) throw bookingNotFound();
  return row;
}

/** Returns a booking that already is as requested, and stores that answer under the request's key. */
export async function alreadyDone(
  tx: Tx,
  operation: ChangeOperation,
  row: BookingRow,
  key: Key | undefined,
): Promise<BookingRow> {
  await claimKey(tx, key, row.id);
  if (key !== undefined) await storeChangeAnswer(tx, operation, row);
  return row;
}
