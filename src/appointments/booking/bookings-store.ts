// Rows of bookings: find, list, lock, lease.
import { sql } from 'kysely';
import pg from 'pg';
import { emailSpellings } from '../../base/email.ts';
import type { Db, Tx } from '../../db/db.ts';
import { releaseKeysOf } from '../../db/idempotency-keys.ts';
import type { Interval } from '../slots/wall-time.ts';
import type { BookingRow } from './booking.ts';

/** True if a statement gave up waiting for a lock (lock_not_available): too many wanted it at once. */
export function isLockTimeout(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '55P03';
}

/**
 * Waits until no other transaction books with this staff member, or with anybody who shares the calendar; held to the end
 * of the transaction. The staff member comes first: whoever waits for a calendar holds nothing that others wait for with it.
 */
export async function lockStaffBookings(tx: Tx, staffId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${staffId}, 3))`.execute(tx);
  await sql`
    select pg_advisory_xact_lock(hashtextextended(calendar_key::text, 3)) from calendar_connections
    where staff_id = ${staffId} and calendar_key is not null`.execute(tx);
}

export interface StaffSettings {
  name: string;
  timezone: string;
  buffer_before_minutes: number;
  buffer_after_minutes: number;
  on_calendar_move: string;
  on_calendar_delete: string;
}

/** What bookings need to know of a staff member, removed ones too. */
export async function staffSettings(db: Db | Tx, staffId: string): Promise<StaffSettings> {
  return db
    .selectFrom('staff')
    .select([
      ...(['name', 'timezone', 'buffer_before_minutes', 'buffer_after_minutes'] as const),
      ...(['on_calendar_move', 'on_calendar_delete'] as const),
    ])
    .where('id', '=', staffId)
    .executeTakeFirstOrThrow();
}

export type NewHold = Pick<
  BookingRow,
  | 'id'
  | 'account_id'
  | 'staff_id'
  | 'starts_at'
  | 'ends_at'
  | 'timezone'
  | 'email'
  | 'phone_number'
  | 'name'
  | 'source'
  | 'answers'
  | 'provider'
  | 'calendar_id'
  | 'calendar_key'
  | 'event_id'
  | 'fallback_link'
  | 'created_at'
>;

/** Occupies time for a booking. */
export async function occupy(
  tx: Tx,
  booking: Pick<BookingRow, 'account_id' | 'staff_id' | 'id' | 'calendar_key'>,
  part: 'kept' | 'wished',
  { from, to }: Interval,
): Promise<void> {
  await sql`
    insert into occupancies (account_id, staff_id, calendar_key, booking_id, part, during)
    values (${booking.account_id}, ${booking.staff_id}, ${booking.calendar_key}, ${booking.id}, ${part},
      tstzrange(${new Date(from)}, ${new Date(to)}))`.execute(tx);
}

/** The account's booking with that id. */
export async function findBooking(
  db: Db | Tx,
  accountId: string,
  id: string,
): Promise<BookingRow | undefined> {
  const { rows } = await sql<BookingRow>`
    select * from bookings where account_id = ${accountId} and id = ${id}`.execute(db);
  return rows[0];
}

/** The booking with its row locked. */
export async function lockBooking(tx: Tx, id: string): Promise<BookingRow | undefined> {
  const { rows } = await sql<BookingRow>`select * from bookings where id = ${id} for update`.execute(tx);
  return rows[0];
}

/** Takes a new event id where the calendar will not take the old one; false if the booking is no longer held. */
export async function changeEventId(
  db: Db,
  id: string,
  event: { id: string; generation: number },
): Promise<boolean> {
  const { rows } = await sql`
    update bookings set event_id = ${event.id}, event_generation = ${event.generation}
    where id = ${id} and state = 'held' and event_generation = ${event.generation - 1} returning 1`.execute(
    db,
  );
  return rows.length === 1;
}

/** Deletes a hold for which no insert was ever begun; false if one was, or it is no longer held. */
export async function deleteHold(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await sql`
    delete from bookings where id = ${id} and state = 'held' and insert_started_at is null returning 1`.execute(
    tx,
  );
  return rows.length === 1;
}

/** Held → undoing; due after `dueMs`. */
export async function startCompensation(db: Db | Tx, id: string, dueMs: number): Promise<void> {
  await sql`
    update bookings set state = 'undoing', attempts = 0, due_at = now() + ${dueMs} * interval '1 millisecond'
    where id = ${id} and state = 'held'`.execute(db);
}

/** Notes that the event was taken away, and when to look whether one landed late. */
export async function recordRemoval(db: Db, id: string, lookAgainMs: number): Promise<void> {
  await sql`
    update bookings set removed_once = true, due_at = now() + ${lookAgainMs} * interval '1 millisecond'
    where id = ${id} and state = 'undoing'`.execute(db);
}

/** Held or undoing → undone, and its time is free. */
export async function finishCompensation(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await sql`
    update bookings set state = 'undone', due_at = null where id = ${id} and state in ('held', 'undoing')
    returning 1`.execute(tx);
  if (rows.length === 0) return false;
  await tx.deleteFrom('occupancies').where('booking_id', '=', id).execute();
  return true;
}

/** Looks at a booking again after `ms`, if it still needs to be looked at. */
export async function postpone(db: Db, id: string, ms: number): Promise<void> {
  await sql`
    update bookings set due_at = now() + ${ms} * interval '1 millisecond'
    where id = ${id} and due_at is not null`.execute(db);
}

/** Makes unsettled bookings due that nobody works on any more, and ends the leases of their keys. */
export async function releaseBookings(db: Db, ids: readonly string[]): Promise<void> {
  await sql`
    update bookings set due_at = least(due_at, now())
    where id = any(${ids}::uuid[]) and due_at is not null`.execute(db);
  await releaseKeysOf(db, ids);
}

/** Claims up to `limit` bookings that are due, oldest first, for `leaseMs`. */
export async function claimDue(db: Db, limit: number, leaseMs: number): Promise<BookingRow[]> {
  const { rows } = await sql<BookingRow>`
    update bookings set due_at = now() + ${leaseMs} * interval '1 millisecond',
      attempts = least(attempts + 1, 1000)
    where id in (select id from bookings where due_at <= now() order by due_at limit ${limit}
      for update skip locked)
    returning *`.execute(db);
  return rows;
}

/** Claims one booking whose lease has lapsed; undefined while somebody is at it, or nobody need be. */
export async function claimExpiredLease(
  db: Db,
  id: string,
  leaseMs: number,
): Promise<BookingRow | undefined> {
  const { rows } = await sql<BookingRow>`
    update bookings set due_at = now() + ${leaseMs} * interval '1 millisecond',
      attempts = least(attempts + 1, 1000)
    where id = ${id} and due_at <= now() returning *`.execute(db);
  return rows[0];
}

export interface BookingFilter {
  staffId?: string | undefined;
  state?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  email?: string | undefined;
  phoneDigits?: string | undefined;
}

/** Up to `limit` of the account's bookings, newest first, those made before the one with the id `before`. */
export async function listBookings(
  db: Db,
  accountId: string,
  filter: BookingFilter,
  window: { limit: number; before?: string | undefined },
): Promise<BookingRow[]> {
  let query = db.selectFrom('bookings').selectAll().where('account_id', '=', accountId);
  if (filter.staffId !== undefined) query = query.where('staff_id', '=', filter.staffId);
  if (filter.state !== undefined) query = query.where('state', '=', filter.state);
  if (filter.from !== undefined) query = query.where('starts_at', '>=', filter.from);
  if (filter.to !== undefined) query = query.where('starts_at', '<', filter.to);
  if (filter.email !== undefined)
    query = query.where(sql<boolean>`lower(email) = any(${emailSpellings(filter.email)}::text[])`);
  if (filter.phoneDigits !== undefined) query = query.where('phone_digits', '=', filter.phoneDigits);
  if (window.before !== undefined) query = query.where('id', '<', window.before);
  return (await query.orderBy('id', 'desc').limit(window.limit).execute()) as unknown as BookingRow[];
}
