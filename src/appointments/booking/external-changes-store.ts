// Rows of bookings whose events were moved or deleted externally (columns `hand…`, `gone_at`).
import { sql } from 'kysely';
import { bookingState, calendarState } from '../../contract/bookings.ts';
import type { Db, Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import type { ConnectionRow } from '../calendar/connections-store.ts';
import { type BookingRow, bookingRow, type CalendarState, type StoredBooking } from './booking.ts';
import { counting } from './booking-counts-store.ts';

const state = sqlConstants(bookingState);
const calendar = sqlConstants(calendarState);

/** A booking is cancelled once a second check, at least this much later, finds its event missing again. */
export const recheckMissingAfterMs = 60_000;

/** A staff member's calendar. Bookings made before calendars had keys are matched by its id alone. */
export type OwnCalendar = Pick<ConnectionRow, 'staff_id' | 'provider' | 'calendar_id' | 'calendar_key'>;

const heldOrConfirmed = sql`${state.held}, ${state.confirmed}`;
const inCalendar = (of: OwnCalendar, states = sql`${state.confirmed}`) => sql`
  staff_id = ${of.staff_id} and state in (${states}) and provider = ${of.provider} and calendar_id = ${of.calendar_id}
  and coalesce(calendar_key, ${of.calendar_key}::uuid) is not distinct from ${of.calendar_key}::uuid`;

/** Held and confirmed bookings in a calendar whose events are among `eventIds`. */
export async function bookingsOfEvents(db: Db, of: OwnCalendar, eventIds: string[]): Promise<BookingRow[]> {
  const { rows } = await sql<StoredBooking>`
    select * from bookings where event_id = any(${eventIds}::text[])
      and ${inCalendar(of, heldOrConfirmed)} order by id`.execute(db);
  return rows.map(bookingRow);
}

/**
 * Up to `limit` confirmed bookings in a calendar that end after `since` and whose events are not among `eventIds`. On the
 * first reading of a calendar, only those that are certainly in it.
 */
export async function bookingsWithoutEvents(
  db: Db,
  of: OwnCalendar & Pick<ConnectionRow, 'changes_cursor'>,
  since: Date,
  eventIds: string[],
  limit: number,
): Promise<BookingRow[]> {
  const { rows } = await sql<StoredBooking>`
    select * from bookings where ${inCalendar(of)} and hand <> ${calendar.deleted} and ends_at > ${since}
      and event_id <> all(${eventIds}::text[]) and (calendar_key is not null or ${of.changes_cursor !== null})
    order by starts_at limit ${limit}`.execute(db);
  return rows.map(bookingRow);
}

/**
 * The last `limit` held and confirmed bookings in a calendar whose events were inserted since its last reading and are not among
 * `eventIds`: some calendars do not report an event that was deleted before any reading showed it.
 */
export async function bookingsInsertedUnseen(
  db: Db,
  of: OwnCalendar & Pick<ConnectionRow, 'changes_read_at'>,
  since: Date,
  eventIds: string[],
  limit: number,
): Promise<BookingRow[]> {
  const { rows } = await sql<StoredBooking>`
    select * from bookings where ${inCalendar(of, heldOrConfirmed)}
      and insert_started_at > ${of.changes_read_at} and hand <> ${calendar.deleted}
      and event_id <> all(${eventIds}::text[]) and ends_at > ${since} and starts_at > ${since}::timestamptz - interval '2 days'
    order by insert_started_at desc limit ${limit}`.execute(db);
  return rows.map(bookingRow);
}

/**
 * Up to `limit` bookings in a calendar to check again: those whose events went missing long enough ago, and those whose
 * events were moved onto another booking, which may be gone by now.
 */
export async function bookingsToRecheck(
  db: Db,
  of: OwnCalendar,
  now: Date,
  limit: number,
): Promise<BookingRow[]> {
  const { rows } = await sql<StoredBooking>`
    select * from bookings where ${inCalendar(of)}
      and gone_at <= now() - ${recheckMissingAfterMs} * interval '1 millisecond'
    union all
    select * from bookings where ${inCalendar(of)} and hand = ${calendar.moved} and hand_conflict
      and hand_ends_at > ${now}
    order by starts_at limit ${limit}`.execute(db);
  return rows.map(bookingRow);
}

/** The number of confirmed bookings of a staff member that end after `now`, without those whose events are missing. */
export async function countFutureBookings(tx: Tx, staffId: string, now: Date): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from bookings where staff_id = ${staffId} and state = ${state.confirmed}
      and hand <> ${calendar.deleted} and coalesce(hand_ends_at, ends_at) > ${now}`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Where the event of a booking is, and the booking's own time. */
export interface ExternalChange {
  startsAt: Date;
  endsAt: Date;
  state: Exclude<CalendarState, 'deleted'>;
  /** The event's time where the booking does not follow it. */
  movedTo: { from: Date; to: Date } | null;
  conflict: boolean;
  /** The booking's own time changes. */
  isRescheduled: boolean;
}

/** Records an external change. It takes a new `change_no`, so that older readings and changes are dropped. */
export async function recordExternalChange(
  tx: Tx,
  id: string,
  change: ExternalChange,
): Promise<BookingRow | undefined> {
  const record = sql`
    update bookings set starts_at = ${change.startsAt}, ends_at = ${change.endsAt}, hand = ${change.state},
      hand_starts_at = ${change.movedTo?.from ?? null}, hand_ends_at = ${change.movedTo?.to ?? null},
      hand_conflict = ${change.conflict}, gone_at = null, wish_no = wish_no + 1
    where id = ${id} returning *`;
  const { rows } = await sql<StoredBooking>`
    ${change.isRescheduled ? counting('rescheduled', record) : record}`.execute(tx);
  return rows[0] && bookingRow(rows[0]);
}

/** Records that events are missing. Those of `toCancel` are checked a second time, to cancel their bookings. */
export async function recordMissingEvents(tx: Tx, ids: string[], toCancel: string[]): Promise<void> {
  await sql`
    update bookings set hand = ${calendar.deleted}, hand_starts_at = null, hand_ends_at = null,
      hand_conflict = false, wish_no = wish_no + 1,
      gone_at = case when id = any(${toCancel}::uuid[]) then clock_timestamp() end
    where id = any(${ids}::uuid[])`.execute(tx);
}

/** Keeps bookings whose events are missing: a person decides. */
export async function keepBookings(tx: Tx, ids: string[]): Promise<void> {
  await sql`update bookings set gone_at = null where id = any(${ids}::uuid[])`.execute(tx);
}

/** Keeps all bookings of a staff member that await the second check, and returns their ids. */
export async function keepBookingsOfStaff(tx: Tx, staffId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update bookings set gone_at = null where staff_id = ${staffId} and gone_at is not null returning id`.execute(
    tx,
  );
  return rows.map(({ id }) => id).sort();
}

/** Confirmed → cancelled for bookings whose events went missing long enough ago. */
export async function cancelMissingBookings(tx: Tx, ids: string[]): Promise<BookingRow[]> {
  const update = sql`
    update bookings set state = ${state.cancelled}, cancelled_at = now(), gone_at = null, due_at = null, attempts = 0
    where id = any(${ids}::uuid[]) and state = ${state.confirmed} and wish is null and hand = ${calendar.deleted}
      and gone_at <= now() - ${recheckMissingAfterMs} * interval '1 millisecond'
    returning *`;
  const { rows } = await sql<StoredBooking>`${counting('cancelled', update)}`.execute(tx);
  return rows.map(bookingRow);
}
