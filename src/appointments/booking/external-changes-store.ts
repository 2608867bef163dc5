// Rows of calendar readings, and of bookings whose events were moved or deleted externally.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { type ConnectionRow, connectionColumns } from '../calendar/connections-store.ts';
import type { Interval } from '../slots/wall-time.ts';
import type { BookingRow } from './booking.ts';

/** A booking whose event is gone is cancelled once a second question, so much later at least, finds it gone too. */
export const recheckMissingAfterMs = 60_000;

/** Claims up to `limit` connections whose events are due to be read, for `againMs`. */
export async function claimCalendarReads(db: Db, limit: number, againMs: number): Promise<ConnectionRow[]> {
  const { rows } = await sql<ConnectionRow>`
    update calendar_connections set changes_due_at = now() + ${againMs} * interval '1 millisecond'
    where id in (select id from calendar_connections where dead_at is null and changes_due_at <= now()
      order by changes_due_at limit ${limit} for update skip locked)
    returning ${connectionColumns}`.execute(db);
  return rows;
}

/** Notes up to where the events of a connection have been read. */
export async function saveCursor(db: Db, connectionId: string, cursor: string): Promise<void> {
  await sql`
    update calendar_connections set changes_cursor = ${cursor} where id = ${connectionId}`.execute(db);
}

/** Has a staff member's calendar read again after `ms`. */
export async function scheduleCalendarRead(db: Db, staffId: string, ms: number): Promise<void> {
  await sql`
    update calendar_connections set changes_due_at = now() + ${ms} * interval '1 millisecond'
    where staff_id = ${staffId}`.execute(db);
}

/** A staff member's calendar. What was booked before calendars had keys is found by its name alone. */
export type OwnCalendar = Pick<ConnectionRow, 'staff_id' | 'provider' | 'calendar_id' | 'calendar_key'>;

const inCalendar = (of: OwnCalendar) => sql`staff_id = ${of.staff_id} and state = 'confirmed'
  and provider = ${of.provider} and calendar_id = ${of.calendar_id}
  and coalesce(calendar_key, ${of.calendar_key}::uuid) is not distinct from ${of.calendar_key}::uuid`;

/** Confirmed bookings in a calendar whose events are among `eventIds`. */
export async function bookingsOfEvents(db: Db, of: OwnCalendar, eventIds: string[]): Promise<BookingRow[]> {
  const { rows } = await sql<BookingRow>`
    select * from bookings where event_id = any(${eventIds}::text[]) and ${inCalendar(of)} order by id`.execute(
    db,
  );
  return rows;
}

/**
 * Up to `limit` confirmed bookings in a calendar that end after `since` and whose events are not among `eventIds`. In a
 * calendar that was never read before, only those that are known for sure to be in it.
 */
export async function bookingsWithoutEvents(
  db: Db,
  of: OwnCalendar & Pick<ConnectionRow, 'changes_cursor'>,
  since: Date,
  eventIds: string[],
  limit: number,
): Promise<BookingRow[]> {
  const { rows } = await sql<BookingRow>`
    select * from bookings where ${inCalendar(of)} and hand <> 'deleted' and ends_at > ${since}
      and event_id <> all(${eventIds}::text[]) and (calendar_key is not null or ${of.changes_cursor !== null})
    order by starts_at limit ${limit}`.execute(db);
  return rows;
}

/**
 * Up to `limit` bookings in a calendar that have to be looked at again: those whose events were found gone long enough ago,
 * and those whose events were moved onto another booking, which may have gone since.
 */
export async function bookingsToRecheck(
  db: Db,
  of: OwnCalendar,
  now: Date,
  limit: number,
): Promise<BookingRow[]> {
  const { rows } = await sql<BookingRow>`
    select * from bookings where ${inCalendar(of)}
      and gone_at <= now() - ${recheckMissingAfterMs} * interval '1 millisecond'
    union all
    select * from bookings where ${inCalendar(of)} and hand = 'moved' and hand_conflict and hand_ends_at > ${now}
    order by starts_at limit ${limit}`.execute(db);
  return rows;
}

/** Bookings with their rows locked, in the order of their ids. */
export async function lockBookings(tx: Tx, ids: string[]): Promise<BookingRow[]> {
  const { rows } = await sql<BookingRow>`
    select * from bookings where id = any(${ids}::uuid[]) order by id for update`.execute(tx);
  return rows;
}

/** How many confirmed bookings of a staff member end after `now`, but for those that are known to be gone from the calendar. */
export async function countFutureBookings(tx: Tx, staffId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from bookings where staff_id = ${staffId} and state = 'confirmed' and hand <> 'deleted'
      and coalesce(hand_ends_at, ends_at) > ${now}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/**
 * Notes what was done to a booking's event in the calendar; with `startsAt` and `endsAt` the booking follows it there. Every
 * note counts as a wish: a reading that is older than another one's note, or than a change of ours, is not noted.
 */
export async function recordExternalChange(
  tx: Tx,
  id: string,
  hand: {
    startsAt: Date;
    endsAt: Date;
    state: 'in_step' | 'moved';
    movedTo: { from: Date; to: Date } | null;
    conflict: boolean;
  },
): Promise<BookingRow | undefined> {
  const { rows } = await sql<BookingRow>`
    update bookings set starts_at = ${hand.startsAt}, ends_at = ${hand.endsAt}, hand = ${hand.state},
      hand_starts_at = ${hand.movedTo?.from ?? null}, hand_ends_at = ${hand.movedTo?.to ?? null},
      hand_conflict = ${hand.conflict}, gone_at = null, wish_no = wish_no + 1
    where id = ${id} returning *`.execute(tx);
  return rows[0];
}

/** Notes that the events of `ids` are gone; those of `toCancel` are looked for once more, to cancel their bookings. */
export async function recordMissingEvents(tx: Tx, ids: string[], toCancel: string[]): Promise<void> {
  await sql`
    update bookings set hand = 'deleted', hand_starts_at = null, hand_ends_at = null, hand_conflict = false,
      wish_no = wish_no + 1, gone_at = case when id = any(${toCancel}::uuid[]) then clock_timestamp() end
    where id = any(${ids}::uuid[])`.execute(tx);
}

/** Leaves bookings whose events are gone to whoever decides. */
export async function keepBookings(tx: Tx, ids: string[]): Promise<void> {
  await sql`update bookings set gone_at = null where id = any(${ids}::uuid[])`.execute(tx);
}

/** Leaves all of a staff member's bookings that wait for the second question to whoever decides; answers their ids. */
export async function keepBookingsOfStaff(tx: Tx, staffId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update bookings set gone_at = null where staff_id = ${staffId} and gone_at is not null returning id`.execute(
    tx,
  );
  return rows.map(({ id }) => id).sort();
}

/** Locks a connection; true if too many bookings vanished from its calendar within the last `ms`. */
export async function lockMassDeletion(tx: Tx, connectionId: string, ms: number): Promise<boolean> {
  const { rows } = await sql<{ suspect: boolean }>`
    select coalesce(bookings_missing_at > now() - ${ms} * interval '1 millisecond', false) as suspect
    from calendar_connections where id = ${connectionId} for update`.execute(tx);
  return rows[0]?.suspect ?? false;
}

/** Notes that too many bookings vanished from the calendar of a connection at this moment. */
export async function markMassDeletion(tx: Tx, connectionId: string): Promise<void> {
  await sql`
    update calendar_connections set bookings_missing_at = now() where id = ${connectionId}`.execute(tx);
}

/** Confirmed → cancelled for bookings whose events were first found gone long enough ago, and their time is free. */
export async function cancelMissingBookings(tx: Tx, ids: string[]): Promise<BookingRow[]> {
  const { rows } = await sql<BookingRow>`
    update bookings set state = 'cancelled', cancelled_at = now(), gone_at = null, due_at = null, attempts = 0
    where id = any(${ids}::uuid[]) and state = 'confirmed' and wish is null and hand = 'deleted'
      and gone_at <= now() - ${recheckMissingAfterMs} * interval '1 millisecond'
    returning *`.execute(tx);
  await sql`
    delete from occupancies where booking_id = any(${rows.map(({ id }) => id)}::uuid[])`.execute(tx);
  return rows;
}

/**
 * Moves the time that a booking occupies. Violates `occupancies_apart` or `occupancies_calendar_apart` where another
 * stands.
 */
export async function moveOccupancy(tx: Tx, bookingId: string, { from, to }: Interval): Promise<void> {
  await sql`
    update occupancies set during = tstzrange(${new Date(from)}, ${new Date(to)})
    where booking_id = ${bookingId} and part = 'kept'`.execute(tx);
}
