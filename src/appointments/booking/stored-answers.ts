// The response bodies of bookings and their changes, as bytes: stored under an Idempotency-Key and sent again to repeats.
import type { Tx } from '../../db/db.ts';
import { storeKeyAnswer } from '../../db/idempotency-keys.ts';
import { ok } from '../../http/reply.ts';
import type { BookingRow } from './booking.ts';
import { bookAnswer, bookingItem } from './presenter.ts';

/** The exact bytes that a booking's request is answered with, now and whenever it is repeated. */
export function bookAnswerJson(row: BookingRow): string {
  return JSON.stringify(ok('The appointment is booked.', bookAnswer(row)));
}

/** The operations that change a booking, as idempotency keys name them. */
export type ChangeOperation = 'cancel' | 'reschedule';

const changeMessages: Record<ChangeOperation, string> = {
  cancel: 'The booking is cancelled.',
  reschedule: 'The booking has the requested time.',
};

/** The exact bytes that a change's request is answered with, now and whenever it is repeated. */
export function changeAnswerJson(operation: ChangeOperation, row: BookingRow): string {
  return JSON.stringify(ok(changeMessages[operation], bookingItem(row)));
}

/**
 * Stores the answer of a finished change for every key that asked for it, in the transaction that finishes it. A booking
 * has unanswered keys only for its pending change: one that gives way to another frees its keys.
 */
export async function storeChangeAnswer(tx: Tx, operation: ChangeOperation, row: BookingRow): Promise<void> {
  const answer = { status: 200, body: changeAnswerJson(operation, row) };
  await storeKeyAnswer(tx, row.id, answer);
}
