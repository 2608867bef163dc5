// Rows that slots depend on: schedules, and the times that bookings take.
import { sql } from 'kysely';
import { bookingState } from '../../contract/bookings.ts';
import { calendarNeed } from '../../contract/directory.ts';
import type { Db, Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import type { ScheduleRow } from './schedule.ts';
import type { Interval } from './wall-time.ts';

const { held, confirmed } = sqlConstants(bookingState);
const { required } = sqlConstants(calendarNeed);

/** Replaces the schedule of the account's staff member; false if there is none. */
export async function updateSchedule(
  db: Db,
  accountId: string,
  staffId: string,
  schedule: ScheduleRow,
): Promise<boolean> {
  const changed = await db
    .updateTable('staff')
    .set({
      ...schedule,
      weekly: JSON.stringify(schedule.weekly),
      overrides: JSON.stringify(schedule.overrides),
    })
    .where('account_id', '=', accountId)
    .where('id', '=', staffId)
    .where('deleted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return changed !== undefined;
}

/**
 * The ranges overlapping the interval that bookings occupy: those of the staff member and of all who share the calendar.
 * The booking `except` does not count. `calendarKey`: a booking's calendar, if it may not be the staff member's present one.
 */
export async function occupiedWithin(
  db: Db | Tx,
  of: {
    accountId: string;
    staffId: string;
    except?: string | undefined;
    calendarKey?: string | null | undefined;
  },
  { from, to }: Interval,
): Promise<Interval[]> {
  const overlaps = sql`during && tstzrange(${new Date(from)}, ${new Date(to)})
    and booking_id is distinct from ${of.except ?? null}::uuid`;
  const calendarKey = of.calendarKey
    ? sql`${of.calendarKey}::uuid`
    : sql`(select calendar_key from calendar_connections c join staff s on s.id = c.staff_id
          where c.staff_id = ${of.staffId} and s.calendar = ${required})`;
  const { rows } = await sql<Interval>`
    select (extract(epoch from lower(during)) * 1000)::bigint as "from",
      (extract(epoch from upper(during)) * 1000)::bigint as "to"
    from (
      select during from occupancies
      where account_id = ${of.accountId} and staff_id = ${of.staffId} and ${overlaps}
      union all
      select during from occupancies
      where calendar_key = ${calendarKey} and staff_id <> ${of.staffId} and ${overlaps}) as taken`.execute(
    db,
  );
  return rows;
}

/**
 * Starts of the bookings that count towards a daily limit, held and confirmed, in the interval; and of every pending move, the present
 * and the pending one.
 */
export async function bookedStartsWithin(
  db: Db | Tx,
  of: { staffId: string; except?: string | undefined },
  { from, to }: Interval,
): Promise<{ start: number; pending: number | null }[]> {
  const { rows } = await sql<{ start: number; pending: number | null }>`
    select (extract(epoch from start) * 1000)::bigint as start, (extract(epoch from pending) * 1000)::bigint as pending
    from (
      select id, starts_at as start, null::timestamptz as pending from bookings
      where staff_id = ${of.staffId} and state in (${held}, ${confirmed}) and starts_at >= ${new Date(from)}
        and starts_at < ${new Date(to)} and wish_starts_at is null
      union all
      select id, starts_at, wish_starts_at from bookings
      where staff_id = ${of.staffId} and state in (${held}, ${confirmed}) and wish_starts_at is not null) as booked
    where id is distinct from ${of.except ?? null}::uuid`.execute(db);
  return rows;
}
