// Advisory locks on the bookings of a staff member and of a calendar.
import { sql } from 'kysely';
import { calendarNeed } from '../../contract/directory.ts';
import type { Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';

const { required } = sqlConstants(calendarNeed);

/**
 * Locks the bookings of a staff member and of their calendar until the end of the transaction. Waits for other
 * transactions that hold these locks. The staff member comes first: a transaction that waits for a calendar then blocks
 * no other staff member.
 */
export async function lockStaffBookings(tx: Tx, staffId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${staffId}, 3))`.execute(tx);
  await sql`
    select pg_advisory_xact_lock(hashtextextended(calendar_key::text, 3)) from calendar_connections
    where staff_id = ${staffId} and calendar_key is not null`.execute(tx);
}

/**
 * Like `lockStaffBookings`, for many staff members and without waiting. Returns the calendar keys of those whose locks were
 * free.
 */
export async function tryLockStaffBookings(
  tx: Tx,
  staffIds: readonly string[],
): Promise<Map<string, string | null>> {
  const { rows } = await sql<{ id: string; calendar_key: string | null; locked: boolean }>`
    select id, calendar_key, pg_try_advisory_xact_lock(hashtextextended(id, 3))
      and (calendar_key is null or pg_try_advisory_xact_lock(hashtextextended(calendar_key::text, 3))) as locked
    from (
      select x.id, c.calendar_key from unnest(${[...staffIds]}::text[]) as x(id)
      left join staff s on s.id = x.id::uuid and s.calendar = ${required}
      left join calendar_connections c on c.staff_id = s.id) as asked`.execute(tx);
  return new Map(rows.filter(({ locked }) => locked).map(({ id, calendar_key }) => [id, calendar_key]));
}
