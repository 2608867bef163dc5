// Rows of bookings: lists for callers.
import { sql } from 'kysely';
import { emailSpellings } from '../../base/email.ts';
import type { Db } from '../../db/db.ts';
import { type BookingRow, bookingRow, type StoredBooking } from './booking.ts';

export interface BookingFilter {
  staffId?: string | undefined;
  state?: string | undefined;
  calendarState?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  email?: string | undefined;
  phoneDigits?: string | undefined;
}

/** The conditions of a filter on the table `bookings`, without the account. */
function matching(filter: BookingFilter) {
  const all = [
    filter.staffId !== undefined && sql`b.staff_id = ${filter.staffId}`,
    filter.state !== undefined && sql`b.state = ${filter.state}`,
    filter.calendarState !== undefined && sql`b.hand = ${filter.calendarState}`,
    filter.from !== undefined && sql`b.starts_at >= ${filter.from}`,
    filter.to !== undefined && sql`b.starts_at < ${filter.to}`,
    filter.email !== undefined && sql`lower(b.email) = any(${emailSpellings(filter.email)}::text[])`,
    filter.phoneDigits !== undefined && sql`b.phone_digits = ${filter.phoneDigits}`,
  ].filter((one) => one !== false);
  return sql.join([sql`true`, ...all], sql` and `);
}

/** Up to `limit` of the account's bookings, newest first, created before the booking `before`. */
export async function listBookings(
  db: Db,
  accountId: string,
  filter: BookingFilter,
  { limit, before }: { limit: number; before?: string | undefined },
): Promise<BookingRow[]> {
  const older = before === undefined ? sql`true` : sql`b.id < ${before}`;
  const { rows } = await sql<StoredBooking>`
    select b.* from bookings b where b.account_id = ${accountId} and ${older} and ${matching(filter)}
    order by b.id desc limit ${limit}`.execute(db);
  return rows.map(bookingRow);
}

/** A position in a list by start. */
export interface StartPosition {
  startsAt: Date;
  id: string;
}

/** Up to `limit` of the account's bookings by their start, after `after`: a short index scan for each staff member. */
export async function listBookingsByStart(
  db: Db,
  accountId: string,
  filter: BookingFilter,
  window: { limit: number; after?: StartPosition | undefined; isDescending: boolean },
): Promise<BookingRow[]> {
  const { limit, after, isDescending } = window;
  const direction = isDescending ? sql`desc` : sql`asc`;
  const beyond = isDescending ? sql`<` : sql`>`;
  const next = after
    ? sql`b.starts_at ${beyond}= ${after.startsAt} and (b.starts_at, b.id) ${beyond} (${after.startsAt}::timestamptz, ${after.id}::uuid)`
    : sql`true`;
  const ofStaff = filter.staffId === undefined ? sql`true` : sql`s.id = ${filter.staffId}`;
  const { rows } = await sql<StoredBooking>`
    select b.* from staff s cross join lateral (
      select * from bookings b where b.staff_id = s.id and ${next} and ${matching(filter)}
      order by b.starts_at ${direction}, b.id ${direction} limit ${limit}) b
    where s.account_id = ${accountId} and ${ofStaff}
    order by b.starts_at ${direction}, b.id ${direction} limit ${limit}`.execute(db);
  return rows.map(bookingRow);
}

/** The names of these staff members, also of deleted ones, by their id. */
export async function staffNames(db: Db, ids: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from staff where id = any(${[...new Set(ids)]}::uuid[])`.execute(db);
  return new Map(rows.map(({ id, name }) => [id, name]));
}
