// Rows of bookings with a pending change (columns `wish…`): set, leased, applied or dropped.
import { sql } from 'kysely';
import type { Actor } from '../../audit/actor.ts';
import { bookingState, calendarState } from '../../contract/bookings.ts';
import type { Db, Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import { type BookingRow, bookingRow, pendingChange, type StoredBooking } from './booking.ts';
import { counting } from './booking-counts-store.ts';

const state = sqlConstants(bookingState);
const calendar = sqlConstants(calendarState);
const change = sqlConstants(pendingChange);
const noTime = sql`wish_starts_at = null, wish_ends_at = null, wish_timezone = null, wish_started_at = null`;

/** Sets the cancellation of a confirmed booking, leased for `leaseMs`. It replaces a pending move. */
export async function setPendingCancel(
  tx: Tx,
  id: string,
  { reason, actor }: { reason: string | null; actor: Actor },
  leaseMs: number,
): Promise<BookingRow> {
  const { rows } = await sql<StoredBooking>`
    /* setPendingCancel */ update bookings set wish = ${change.cancel}, wish_no = wish_no + 1, cancel_reason = ${reason},
      wish_actor = ${JSON.stringify(actor)}::jsonb, ${noTime}, attempts = 0, due_at = now() + ${leaseMs} * interval '1 millisecond'
    where id = ${id} and state = ${state.confirmed} returning *`.execute(tx);
  return bookingRow(rows[0] as StoredBooking);
}

/** Sets the move of a confirmed booking, leased for `leaseMs`. The caller occupies the new time. */
export async function setPendingMove(
  tx: Tx,
  id: string,
  to: { startsAt: Date; endsAt: Date; timezone: string; actor: Actor },
  leaseMs: number,
): Promise<BookingRow> {
  const { rows } = await sql<StoredBooking>`
    /* setPendingMove */ update bookings set wish = ${change.move}, wish_no = wish_no + 1, wish_starts_at = ${to.startsAt},
      wish_ends_at = ${to.endsAt}, wish_timezone = ${to.timezone}, wish_started_at = null,
      wish_actor = ${JSON.stringify(to.actor)}::jsonb, attempts = 0, due_at = now() + ${leaseMs} * interval '1 millisecond'
    where id = ${id} and state = ${state.confirmed} returning *`.execute(tx);
  return bookingRow(rows[0] as StoredBooking);
}

/** Leases a booking with a pending change for `leaseMs`. */
export async function leasePendingChange(tx: Tx, id: string, leaseMs: number): Promise<void> {
  await sql`
    update bookings set due_at = now() + ${leaseMs} * interval '1 millisecond'
    where id = ${id} and wish is not null`.execute(tx);
}

/** A pending change as it was read: `change_no` tells it from every later one. */
export type ChangeRef = Pick<BookingRow, 'id' | 'change_no'>;

/** Records that the calendar call of a move begins; false if the pending change is another one. */
export async function startMove(db: Db, { id, change_no }: ChangeRef): Promise<boolean> {
  const { rows } = await sql`
    /* startMove */ update bookings set wish_started_at = coalesce(wish_started_at, now())
    where id = ${id} and wish = ${change.move} and wish_no = ${change_no} returning 1`.execute(db);
  return rows.length === 1;
}

/** Gives the booking its pending time, which the calendar shows; undefined if the pending change is another one. */
export async function finishMove(tx: Tx, { id, change_no }: ChangeRef): Promise<BookingRow | undefined> {
  const update = sql`
    update bookings set starts_at = wish_starts_at, ends_at = wish_ends_at, timezone = wish_timezone, wish = null, wish_actor = null, ${noTime},
      hand = ${calendar.inStep}, hand_starts_at = null, hand_ends_at = null, hand_conflict = false, gone_at = null,
      due_at = null, attempts = 0
    where id = ${id} and state = ${state.confirmed} and wish = ${change.move} and wish_no = ${change_no}
    returning *`;
  const { rows } = await sql<StoredBooking>`/* finishMove */ ${counting('rescheduled', update)}`.execute(tx);
  return rows[0] && bookingRow(rows[0]);
}

/** Drops a pending change: the booking stays as it was. False if the pending change is another one. */
export async function clearPendingChange(tx: Tx, { id, change_no }: ChangeRef): Promise<boolean> {
  const { rows } = await sql`
    update bookings set wish = null, wish_actor = null, ${noTime}, due_at = null, attempts = 0
    where id = ${id} and state = ${state.confirmed} and wish_no = ${change_no} and wish is not null
    returning 1`.execute(tx);
  return rows.length === 1;
}

/** Confirmed → cancelled, once the event is deleted; undefined if the pending change is another one. */
export async function finishCancel(tx: Tx, { id, change_no }: ChangeRef): Promise<BookingRow | undefined> {
  const update = sql`
    update bookings set state = ${state.cancelled}, cancelled_at = now(), wish = null, wish_actor = null, gone_at = null, due_at = null,
      attempts = 0
    where id = ${id} and state = ${state.confirmed} and wish = ${change.cancel} and wish_no = ${change_no}
    returning *`;
  const { rows } = await sql<StoredBooking>`/* finishCancel */ ${counting('cancelled', update)}`.execute(tx);
  return rows[0] && bookingRow(rows[0]);
}
