// Response bodies of bookings and their changes, stored under an Idempotency-Key and returned again to repeated requests.
import type { Tx } from '../../db/db.ts';
import { recordKeyResponse } from '../../db/idempotency-keys.ts';
import { ok } from '../../http/reply.ts';
import type { BookingRow } from './booking.ts';
import { bookedAppointment, bookingItem } from './presenter.ts';

/** By row, because the body is first stored and then sent. Rows are never changed. */
const bookResponses = new WeakMap<BookingRow, string>();

/** The response body of a booking request, the same for every repeat. */
export function bookResponseJson(row: BookingRow): string {
  const known = bookResponses.get(row);
  if (known !== undefined) return known;
  const body = JSON.stringify(ok('The appointment is booked.', bookedAppointment(row)));
  bookResponses.set(row, body);
  return body;
}

/** The operations on bookings in idempotency keys. */
export type ChangeOperation = 'cancel' | 'reschedule';

const changeMessages: Record<ChangeOperation, string> = {
  cancel: 'The booking is cancelled.',
  reschedule: 'The booking has the requested time.',
};

/** The response body of a change request, the same for every repeat. */
export function changeResponseJson(operation: ChangeOperation, row: BookingRow): string {
  return JSON.stringify(ok(changeMessages[operation], bookingItem(row)));
}

/**
 * Stores the response of a finished change for every key that requested it, in the transaction that finishes it. Only the
 * pending change of a booking has keys without a response: a replaced change frees its keys.
 */
export async function storeChangeResponse(
  tx: Tx,
  operation: ChangeOperation,
  row: BookingRow,
): Promise<void> {
  const response = { status: 200, body: changeResponseJson(operation, row) };
  await recordKeyResponse(tx, row.id, response);
}
