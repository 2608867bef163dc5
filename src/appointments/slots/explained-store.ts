// Table occupancies: which bookings take the times of a staff member.
import { sql } from 'kysely';
import { calendarNeed } from '../../contract/directory.ts';
import type { Db } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import type { Interval } from './wall-time.ts';

const { required } = sqlConstants(calendarNeed);

/** A range that a booking occupies with its buffers. */
export interface OccupiedRange extends Interval {
  /** Null if another account made the booking, in a shared calendar. */
  bookingId: string | null;
}

/** The ranges overlapping the interval that bookings of the staff member occupy, and of all who share the calendar. */
export async function bookingsWithin(
  db: Db,
  { accountId, staffId }: { accountId: string; staffId: string },
  { from, to }: Interval,
): Promise<OccupiedRange[]> {
  const overlaps = sql`o.during && tstzrange(${new Date(from)}, ${new Date(to)})`;
  const { rows } = await sql<OccupiedRange>`
    select case when o.account_id = ${accountId} then o.booking_id end as "bookingId",
      (extract(epoch from lower(o.during)) * 1000)::bigint as "from", (extract(epoch from upper(o.during)) * 1000)::bigint as "to"
    from (
      select * from occupancies o where o.account_id = ${accountId} and o.staff_id = ${staffId} and ${overlaps}
      union all
      select * from occupancies o
      where o.calendar_key = (select calendar_key from calendar_connections c join staff s on s.id = c.staff_id
          where c.staff_id = ${staffId} and s.calendar = ${required})
        and o.staff_id <> ${staffId} and ${overlaps}) o`.execute(db);
  return rows;
}
