// The response bodies of bookings and their changes, as bytes: stored under an Idempotency-Key and sent again to repeats.
import type { Tx } from '../../db/db.ts';
import { storeKeyAnswer } from '../../db/idempotency-keys.ts';
import { ok } from '../../http/reply.ts';
import type { BookingRow } from './booking.ts';
import { bookAnswer, bookingItem } from './presenter.ts';

/** The response body of a booking request, the same for every repeat. */
export function bookAnswerJson(row: BookingRow): string {
  return JSON.stringify(ok('The appointment is booked.', bookAnswer(row)));
}

/** The operations on bookings in idempotency keys. */
export type ChangeOperation = 'cancel' | 'reschedule';

const changeMessages: Record<ChangeOperation, string> = {
  cancel: 'The booking is cancelled.',
  reschedule: 'The booking has the requested time.',
};

/** The response body of a change request, the same for every repeat. */
export function changeAnswerJson(operation: ChangeOperation, row: BookingRow): string {
  return JSON.stringify(ok(changeMessages[operation], bookingItem(row)));
}

/**
 * Stores the answer of a finished change for every key that asked for it, in the transaction that finishes it. Only the
 * pending change of a booking has unanswered keys: a replaced change frees its keys.
 */
export async function storeChangeAnswer(tx: Tx, operation: ChangeOperation, row: BookingRow): Promise<void> {
  const answer = { status: 200, body: changeAnswerJson(operation, row) };
  await storeKeyAnswer(tx, row.id, answer);
}
