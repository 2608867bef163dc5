// Rows of bookings: find, list, lock, lease.
import { sql } from 'kysely';
import { bookingState } from '../../contract/bookings.ts';
import type { Db, Tx } from '../../db/db.ts';
import { isGatewayHeld } from '../../db/gateway-state.ts';
import { releaseKeysOf } from '../../db/idempotency-keys.ts';
import { type BookingRow, bookingRow, type StoredBooking } from './booking.ts';

/** The account's booking with that id. */
export async function findBooking(
  db: Db | Tx,
  accountId: string,
  id: string,
): Promise<BookingRow | undefined> {
  const { rows } = await sql<StoredBooking>`
    select * from bookings where account_id = ${accountId} and id = ${id}`.execute(db);
  return rows[0] && bookingRow(rows[0]);
}

/** Locks the booking. */
export async function lockBooking(tx: Tx, id: string): Promise<BookingRow | undefined> {
  const { rows } = await sql<StoredBooking>`select * from bookings where id = ${id} for update`.execute(tx);
  return rows[0] && bookingRow(rows[0]);
}

/** Locks bookings in the order of their ids. */
export async function lockBookings(tx: Tx, ids: string[]): Promise<BookingRow[]> {
  const { rows } = await sql<StoredBooking>`
    select * from bookings where id = any(${ids}::uuid[]) order by id for update`.execute(tx);
  return rows.map(bookingRow);
}

/** Makes an unfinished booking due after `ms`. */
export async function postpone(db: Db, id: string, ms: number): Promise<void> {
  await sql`
    update bookings set due_at = now() + ${ms} * interval '1 millisecond'
    where id = ${id} and due_at is not null`.execute(db);
}

/** Releases the leases of unfinished bookings and of their keys. */
export async function releaseBookings(db: Db, ids: readonly string[]): Promise<void> {
  await sql`
    update bookings set due_at = least(due_at, now())
    where id = any(${ids}::uuid[]) and due_at is not null`.execute(db);
  await releaseKeysOf(db, ids);
}

/** Leases up to `limit` due bookings for `leaseMs`, oldest first. */
export async function claimDue(db: Db, limit: number, leaseMs: number): Promise<BookingRow[]> {
  const { rows } = await sql<StoredBooking>`
    update bookings set due_at = now() + ${leaseMs} * interval '1 millisecond',
      attempts = least(attempts + 1, 1000)
    where id in (select id from bookings where due_at <= now() and not ${isGatewayHeld} order by due_at limit ${limit}
      for update skip locked)
    returning *`.execute(db);
  return rows.map(bookingRow);
}

/** Leases one booking whose lease has expired; undefined if it is leased or finished. */
export async function claimExpiredLease(
  db: Db,
  id: string,
  leaseMs: number,
): Promise<BookingRow | undefined> {
  const { rows } = await sql<StoredBooking>`
    update bookings set due_at = now() + ${leaseMs} * interval '1 millisecond',
      attempts = least(attempts + 1, 1000)
    where id = ${id} and due_at <= now() and not ${isGatewayHeld} returning *`.execute(db);
  return rows[0] && bookingRow(rows[0]);
}

/** The account's next confirmed bookings after `now`, by their start: a short index scan for each staff member. */
export async function listNextBookings(
  db: Db,
  accountId: string,
  { now, limit }: { now: Date; limit: number },
): Promise<BookingRow[]> {
  const { rows } = await sql<StoredBooking>`
    select b.* from staff s cross join lateral (
      select * from bookings o where o.staff_id = s.id and o.starts_at >= ${now} and o.state = ${sql.lit(bookingState.confirmed)}
      order by o.starts_at limit ${limit}) b
    where s.account_id = ${accountId} order by b.starts_at, b.id limit ${limit}`.execute(db);
  return rows.map(bookingRow);
}
