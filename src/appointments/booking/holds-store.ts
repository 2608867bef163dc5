// Rows of held bookings: inserted, started and confirmed in batches; discarded or compensated one by one.
import { sql } from 'kysely';
import { bookingState } from '../../contract/bookings.ts';
import type { Db, Tx } from '../../db/db.ts';
import { isGatewayHeld } from '../../db/gateway-state.ts';
import type { RequestKey } from '../../db/idempotency-keys.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import type { Interval } from '../slots/wall-time.ts';
import { type BookingRow, bookingRow, occupancyPart, type StoredBooking } from './booking.ts';
import { counting } from './booking-counts-store.ts';

const state = sqlConstants(bookingState);
const part = sqlConstants(occupancyPart);

/** The columns of a booking that later steps fill, or the database. */
type LaterColumn =
  | 'state'
  | 'due_at'
  | 'attempts'
  | 'phone_digits'
  | 'event_generation'
  | 'event_link'
  | 'meeting_link'
  | 'guest_invited'
  | 'insert_started_at'
  | 'removed_once'
  | 'cancel_reason'
  | 'cancelled_at'
  | 'gone_at'
  | `wish${string}`
  | `hand${string}`;

/** A new booking: every column that a request fills. */
export type NewHold = { [K in keyof StoredBooking as K extends LaterColumn ? never : K]: StoredBooking[K] };

/** A hold, the time it occupies, and the key of its request. */
export interface KeyedHold {
  hold: NewHold;
  occupied: Interval;
  key: RequestKey;
}

/**
 * Inserts held bookings, the time they occupy and the keys of their requests, leased for `leaseMs`. Returns the inserted
 * ones: a hold whose key another booking has is skipped. Violates `occupancies_apart` or `occupancies_calendar_apart`
 * where time is taken.
 */
export async function insertHolds(
  tx: Tx,
  holds: readonly KeyedHold[],
  leaseMs: number,
): Promise<Map<string, BookingRow>> {
  const keys = holds.map(({ occupied, key }) => ({
    occupied_from: new Date(occupied.from),
    occupied_to: new Date(occupied.to),
    operation: key.operation,
    key: key.key,
    fingerprint: `\\x${key.fingerprint.toString('hex')}`,
  }));
  const columns = sql.join(Object.keys(holds[0]?.hold ?? {}).map((column) => sql.ref(column)));
  const { rows } = await sql<StoredBooking>`
    /* insertHolds */ with given as materialized (
      select * from rows from (
        jsonb_populate_recordset(null::bookings, ${JSON.stringify(holds.map(({ hold }) => hold))}::jsonb),
        jsonb_to_recordset(${JSON.stringify(keys)}::jsonb) as (occupied_from timestamptz, occupied_to timestamptz,
          operation text, key uuid, fingerprint bytea))),
    keyed as (
      insert into idempotency_keys as k (account_id, operation, key, fingerprint, subject_id, leased_until)
      select account_id, operation, key, fingerprint, id, now() + ${leaseMs}::int * interval '1 millisecond' from given
      order by account_id, operation, key
      on conflict (account_id, operation, key) do update
        set fingerprint = excluded.fingerprint, subject_id = excluded.subject_id, leased_until = excluded.leased_until,
            status = null, body = null, created_at = now()
        where k.created_at <= now() - interval '24 hours'
      returning subject_id),
    held as (
      insert into bookings (state, due_at, ${columns})
      select ${state.held}, now() + ${leaseMs}::int * interval '1 millisecond', ${columns}
      from given where id in (select subject_id from keyed)
      returning *),
    occupied as (
      insert into occupancies (account_id, staff_id, calendar_key, booking_id, part, during)
      select account_id, staff_id, calendar_key, id, ${part.current}, tstzrange(occupied_from, occupied_to)
      from given where id in (select id from held))
    select * from held`.execute(tx);
  return byId(rows);
}

/** Records that the event inserts begin, and renews the leases; returns the ids. Bookings that are no longer held are skipped. */
export async function startInserts(db: Db, ids: readonly string[], leaseMs: number): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    /* startInserts */ update bookings set insert_started_at = coalesce(insert_started_at, now()),
      due_at = now() + ${leaseMs}::int * interval '1 millisecond'
    where id = any(${[...ids]}::uuid[]) and state = ${state.held} and not ${isGatewayHeld} returning id`.execute(
    db,
  );
  return new Set(rows.map(({ id }) => id));
}

export interface Confirmation {
  id: string;
  eventId: string | null;
  eventLink: string | null;
  meetingLink: string;
  guestInvited: boolean | null;
}

/** Held → confirmed. Bookings that are no longer held are skipped: a compensating booking is never confirmed. */
export async function confirmHolds(tx: Tx, given: readonly Confirmation[]): Promise<Map<string, BookingRow>> {
  const update = sql`
    update bookings b set state = ${state.confirmed}, event_id = x.event_id, event_link = x.event_link,
      meeting_link = x.meeting_link, guest_invited = x.guest_invited, due_at = null, attempts = 0
    from unnest(${given.map(({ id }) => id)}::uuid[], ${given.map(({ eventId }) => eventId)}::text[],
      ${given.map(({ eventLink }) => eventLink)}::text[],
      ${given.map(({ meetingLink }) => meetingLink)}::text[],
      ${given.map(({ guestInvited }) => guestInvited)}::boolean[])
      as x(id, event_id, event_link, meeting_link, guest_invited)
    where b.id = x.id and b.state = ${state.held} returning b.*`;
  const { rows } = await sql<StoredBooking>`/* confirmHolds */ ${counting('booked', update)}`.execute(tx);
  return byId(rows);
}

const byId = (rows: StoredBooking[]) => new Map(rows.map((row) => [row.id, bookingRow(row)]));

/** Stores another event id after the calendar rejected the last one; false if the booking is no longer held. */
export async function changeEventId(
  db: Db,
  id: string,
  event: { id: string; generation: number },
): Promise<boolean> {
  const { rows } = await sql`
    update bookings set event_id = ${event.id}, event_generation = ${event.generation}
    where id = ${id} and state = ${state.held} and event_generation = ${event.generation - 1}
    returning 1`.execute(db);
  return rows.length === 1;
}

/** Deletes a hold whose insert never began; false if it began, or the booking is no longer held. */
export async function deleteHold(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await sql`
    /* deleteHold */ delete from bookings where id = ${id} and state = ${state.held} and insert_started_at is null
    returning 1`.execute(tx);
  return rows.length === 1;
}

/** Held → compensating, due after `dueMs`. */
export async function startCompensation(db: Db | Tx, id: string, dueMs: number): Promise<void> {
  await sql`
    /* startCompensation */ update bookings set state = ${state.compensating}, attempts = 0,
      due_at = now() + ${dueMs} * interval '1 millisecond'
    where id = ${id} and state = ${state.held}`.execute(db);
}

/** Records that the event was removed, due again after `retryAfterMs` in case a late insert brings it back. */
export async function recordRemoval(db: Db, id: string, retryAfterMs: number): Promise<void> {
  await sql`
    /* recordRemoval */ update bookings set removed_once = true, due_at = now() + ${retryAfterMs} * interval '1 millisecond'
    where id = ${id} and state = ${state.compensating}`.execute(db);
}

/** Held or compensating → compensated, and frees its time. */
export async function finishCompensation(tx: Tx, id: string): Promise<boolean> {
  const { rows } = await sql`
    /* finishCompensation */ update bookings set state = ${state.compensated}, due_at = null
    where id = ${id} and state in (${state.held}, ${state.compensating}) returning 1`.execute(tx);
  return rows.length === 1;
}
