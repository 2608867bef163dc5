// Rows of held bookings: inserted, started and confirmed in batches; compensated one by one.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import type { KeyOf } from '../../db/idempotency-keys.ts';
import type { Interval } from '../slots/wall-time.ts';
import type { BookingRow } from './booking.ts';
import type { NewHold } from './bookings-store.ts';

/**
 * Locks the bookings of those staff members with whom, and with whose calendar, no other transaction books at this moment;
 * held to the end of the transaction. Answers their calendars' keys. It never waits.
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
      left join staff s on s.id = x.id::uuid and s.calendar = 'required'
      left join calendar_connections c on c.staff_id = s.id) as asked`.execute(tx);
  return new Map(rows.filter(({ locked }) => locked).map(({ id, calendar_key }) => [id, calendar_key]));
}

/** A hold, the time it occupies, and the key that it answers. */
export interface KeyedHold {
  hold: NewHold;
  occupied: Interval;
  key: KeyOf & { fingerprint: Buffer };
}

/**
 * Adds held bookings with what they occupy and the keys that they answer, all leased for `leaseMs`. Answers those added:
 * one whose key is held by another booking is not. Violates `occupancies_apart` or
 * `occupancies_calendar_apart` where another stands.
 */
export async function insertHolds(
  tx: Tx,
  holds: readonly KeyedHold[],
  leaseMs: number,
): Promise<Map<string, BookingRow>> {
  const given = holds.map(({ hold, occupied, key }) => ({
    ...hold,
    occupied_from: new Date(occupied.from),
    occupied_to: new Date(occupied.to),
    operation: key.operation,
    key: key.key,
    fingerprint: `\\x${key.fingerprint.toString('hex')}`,
  }));
  const { rows } = await sql<BookingRow>`
    with given as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as x(id uuid, account_id uuid, staff_id uuid,
        starts_at timestamptz, ends_at timestamptz, timezone text, email text, phone_number text, name text, source text,
        answers jsonb, provider text, calendar_id text, calendar_key uuid, event_id text, fallback_link text, created_at timestamptz,
        occupied_from timestamptz, occupied_to timestamptz, operation text, key uuid, fingerprint bytea)),
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
      insert into bookings (id, account_id, staff_id, starts_at, ends_at, timezone, email, phone_number, name, source,
        answers, provider, calendar_id, calendar_key, event_id, fallback_link, created_at, state, due_at)
      select id, account_id, staff_id, starts_at, ends_at, timezone, email, phone_number, name, source,
        answers, provider, calendar_id, calendar_key, event_id, fallback_link, created_at, 'held',
        now() + ${leaseMs}::int * interval '1 millisecond'
      from given where id in (select subject_id from keyed)
      returning *),
    occupied as (
      insert into occupancies (account_id, staff_id, calendar_key, booking_id, part, during)
      select account_id, staff_id, calendar_key, id, 'kept', tstzrange(occupied_from, occupied_to)
      from given where id in (select id from held))
    select * from held`.execute(tx);
  return byId(rows);
}

/** Marks that their inserts begin, and renews the leases; those that are no longer held are left out. */
export async function startInserts(
  db: Db,
  ids: readonly string[],
  leaseMs: number,
): Promise<Map<string, BookingRow>> {
  const { rows } = await sql<BookingRow>`
    update bookings set insert_started_at = coalesce(insert_started_at, now()),
      due_at = now() + ${leaseMs}::int * interval '1 millisecond'
    where id = any(${[...ids]}::uuid[]) and state = 'held' returning *`.execute(db);
  return byId(rows);
}

export interface Confirmation {
  id: string;
  eventId: string | null;
  eventLink: string | null;
  meetingLink: string;
}

/** Held → confirmed; those no longer held are left out: what is being undone is confirmed by nobody. */
export async function confirmHolds(tx: Tx, given: readonly Confirmation[]): Promise<Map<string, BookingRow>> {
  const { rows } = await sql<BookingRow>`
    update bookings b set state = 'confirmed', event_id = x.event_id, event_link = x.event_link, meeting_link = x.meeting_link, due_at = null,
      attempts = 0
    from unnest(${given.map(({ id }) => id)}::uuid[], ${given.map(({ eventId }) => eventId)}::text[], ${given.map(({ eventLink }) => eventLink)}::text[],
      ${given.map(({ meetingLink }) => meetingLink)}::text[]) as x(id, event_id, event_link, meeting_link)
    where b.id = x.id and b.state = 'held' returning b.*`.execute(tx);
  return byId(rows);
}

const byId = (rows: BookingRow[]) => new Map(rows.map((row) => [row.id, row]));
