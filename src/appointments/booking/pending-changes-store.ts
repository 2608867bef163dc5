// Rows of bookings with a pending change: set, applied or dropped.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import type { Interval } from '../slots/wall-time.ts';
import type { BookingRow } from './booking.ts';

/** Writes the wish to cancel a confirmed booking, leased for `leaseMs`. */
export async function setPendingCancel(
  tx: Tx,
  id: string,
  reason: string | null,
  leaseMs: number,
): Promise<BookingRow> {
  const { rows } = await sql<BookingRow>`
    update bookings set wish = 'cancel', wish_no = wish_no + 1, cancel_reason = ${reason},
      wish_starts_at = null, wish_ends_at = null, wish_timezone = null, wish_started_at = null,
      attempts = 0, due_at = now() + ${leaseMs} * interval '1 millisecond'
    where id = ${id} and state = 'confirmed' returning *`.execute(tx);
  return rows[0] as BookingRow;
}

/** Writes the wish to move a confirmed booking, leased for `leaseMs`; the time itself is occupied by `occupy`. */
export async function setPendingMove(
  tx: Tx,
  id: string,
  to: { startsAt: Date; endsAt: Date; timezone: string },
  leaseMs: number,
): Promise<BookingRow> {
  const { rows } = await sql<BookingRow>`
    update bookings set wish = 'move', wish_no = wish_no + 1, wish_starts_at = ${to.startsAt},
      wish_ends_at = ${to.endsAt}, wish_timezone = ${to.timezone}, wish_started_at = null,
      attempts = 0, due_at = now() + ${leaseMs} * interval '1 millisecond'
    where id = ${id} and state = 'confirmed' returning *`.execute(tx);
  return rows[0] as BookingRow;
}

/** Takes over the settling of a wish that is under way for `leaseMs`. */
export async function leasePendingChange(tx: Tx, id: string, leaseMs: number): Promise<void> {
  await sql`
    update bookings set due_at = now() + ${leaseMs} * interval '1 millisecond'
    where id = ${id} and wish is not null`.execute(tx);
}

/** Marks that the calendar is about to be told of a move; false if the wish is another by now. */
export async function startMove(db: Db, row: Pick<BookingRow, 'id' | 'wish_no'>): Promise<boolean> {
  const { rows } = await sql`
    update bookings set wish_started_at = coalesce(wish_started_at, now())
    where id = ${row.id} and wish = 'move' and wish_no = ${row.wish_no} returning 1`.execute(db);
  return rows.length === 1;
}

/** The calendar shows the wished time: it is the booking's now, and the old one is free. */
export async function finishMove(
  tx: Tx,
  row: Pick<BookingRow, 'id' | 'wish_no'>,
): Promise<BookingRow | undefined> {
  const { rows } = await sql<BookingRow>`
    update bookings set starts_at = wish_starts_at, ends_at = wish_ends_at, timezone = wish_timezone,
      wish = null, wish_starts_at = null, wish_ends_at = null, wish_timezone = null, wish_started_at = null,
      hand = 'in_step', hand_starts_at = null, hand_ends_at = null, hand_conflict = false, gone_at = null,
      due_at = null, attempts = 0
    where id = ${row.id} and state = 'confirmed' and wish = 'move' and wish_no = ${row.wish_no}
    returning *`.execute(tx);
  if (!rows[0]) return undefined;
  await sql`delete from occupancies where booking_id = ${row.id} and part = 'kept'`.execute(tx);
  await sql`update occupancies set part = 'kept' where booking_id = ${row.id}`.execute(tx);
  return rows[0];
}

/** Gives a wish up: the booking stays as it was, and the wished time is free. False if it is another wish by now. */
export async function clearPendingChange(tx: Tx, row: Pick<BookingRow, 'id' | 'wish_no'>): Promise<boolean> {
  const { rows } = await sql`
    update bookings set wish = null, wish_starts_at = null, wish_ends_at = null, wish_timezone = null,
      wish_started_at = null, due_at = null, attempts = 0
    where id = ${row.id} and state = 'confirmed' and wish_no = ${row.wish_no} and wish is not null
    returning 1`.execute(tx);
  if (rows.length === 0) return false;
  await sql`delete from occupancies where booking_id = ${row.id} and part = 'wished'`.execute(tx);
  return true;
}

/** The calendar shows the event no longer: confirmed → cancelled, and its time is free. */
export async function finishCancel(
  tx: Tx,
  row: Pick<BookingRow, 'id' | 'wish_no'>,
): Promise<BookingRow | undefined> {
  const { rows } = await sql<BookingRow>`
    update bookings set state = 'cancelled', cancelled_at = now(), wish = null, gone_at = null, due_at = null, attempts = 0
    where id = ${row.id} and state = 'confirmed' and wish = 'cancel' and wish_no = ${row.wish_no}
    returning *`.execute(tx);
  if (!rows[0]) return undefined;
  await tx.deleteFrom('occupancies').where('booking_id', '=', row.id).execute();
  return rows[0];
}

/** The time that a booking is being moved to, buffers included. */
export async function pendingMoveRange(db: Db, bookingId: string): Promise<Interval | undefined> {
  const { rows } = await sql<Interval>`
    select (extract(epoch from lower(during)) * 1000)::bigint as "from",
      (extract(epoch from upper(during)) * 1000)::bigint as "to"
    from occupancies where booking_id = ${bookingId} and part = 'wished'`.execute(db);
  return rows[0];
}
