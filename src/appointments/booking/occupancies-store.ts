// Rows of the time that bookings occupy, buffers included: the current time, and the pending one of a move.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import type { Interval } from '../slots/wall-time.ts';
import { type BookingRow, occupancyPart } from './booking.ts';

const part = sqlConstants(occupancyPart);

/**
 * Occupies the pending time of a move. Violates `occupancies_apart` or `occupancies_calendar_apart` where another booking
 * has it.
 */
export async function occupyPending(
  tx: Tx,
  booking: Pick<BookingRow, 'account_id' | 'staff_id' | 'id' | 'calendar_key'>,
  { from, to }: Interval,
): Promise<void> {
  await sql`
    /* occupyPending */ insert into occupancies (account_id, staff_id, calendar_key, booking_id, part, during)
    values (${booking.account_id}, ${booking.staff_id}, ${booking.calendar_key}, ${booking.id}, ${part.pending},
      tstzrange(${new Date(from)}, ${new Date(to)}))`.execute(tx);
}

/** The pending time of a booking. */
export async function findPending(db: Db, bookingId: string): Promise<Interval | undefined> {
  const { rows } = await sql<Interval>`
    select (extract(epoch from lower(during)) * 1000)::bigint as "from",
      (extract(epoch from upper(during)) * 1000)::bigint as "to"
    from occupancies where booking_id = ${bookingId} and part = ${part.pending}`.execute(db);
  return rows[0];
}

/** The pending time becomes the current one, and frees the old one. */
export async function keepPending(tx: Tx, bookingId: string): Promise<void> {
  await sql`
    /* freeCurrent */ delete from occupancies where booking_id = ${bookingId} and part = ${part.current}`.execute(
    tx,
  );
  await sql`
    /* keepPending */ update occupancies set part = ${part.current} where booking_id = ${bookingId}`.execute(
    tx,
  );
}

/** Frees the pending time of a booking. */
export async function freePending(tx: Tx, bookingId: string): Promise<void> {
  await sql`delete from occupancies where booking_id = ${bookingId} and part = ${part.pending}`.execute(tx);
}

/**
 * Moves the current time of a booking. Violates `occupancies_apart` or `occupancies_calendar_apart` where another booking
 * has it.
 */
export async function moveOccupancy(tx: Tx, bookingId: string, { from, to }: Interval): Promise<void> {
  await sql`
    update occupancies set during = tstzrange(${new Date(from)}, ${new Date(to)})
    where booking_id = ${bookingId} and part = ${part.current}`.execute(tx);
}

/** Frees all time of bookings. */
export async function freeTime(tx: Tx, bookingIds: string[]): Promise<void> {
  await sql`
    /* freeTime */ delete from occupancies where booking_id = any(${bookingIds}::uuid[])`.execute(tx);
}
