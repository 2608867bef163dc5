// The statement that reads what slots and bookings of staff on dates depend on, except calendar busy times.
import { sql } from 'kysely';
import { bookingState, calendarState } from '../../contract/bookings.ts';
import { calendarNeed } from '../../contract/directory.ts';
import type { Db, Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import type { QuestionFields } from '../directory/staff.ts';
import type { ScheduleRow } from './schedule.ts';
import type { Interval } from './wall-time.ts';

const { held, confirmed } = sqlConstants(bookingState);
const { moved } = sqlConstants(calendarState);
const { required } = sqlConstants(calendarNeed);

/** A staff member and a date; `dayMs`: when the date begins in UTC, in epoch milliseconds. */
export interface DayQuery {
  accountId: string;
  staffId: string;
  dayMs: number;
}

export type SlotStaff = ScheduleRow & {
  id: string;
  account_id: string;
  name: string;
  active: boolean;
  calendar: string;
};

export interface SlotConnection {
  id: string;
  staff_id: string;
  staff_timezone: string;
  provider: string;
  credential: Buffer;
  calendar_id: string;
  calendar_key: string | null;
  busy_calendar_ids: string[];
  dead_at: Date | null;
  failure: string | null;
  /** True if a success was recorded within the last minute and no failure since. */
  use_recorded: boolean;
}

export interface StoredStaffDay {
  staff: SlotStaff;
  /** The calendar connection, dead or not. */
  connection: SlotConnection | undefined;
  /** In order. */
  questions: QuestionFields[];
  /** What bookings of the staff member, and of all who share the calendar, occupy around that date in any zone. */
  busy: Interval[];
  /** Starts (epoch milliseconds) of the bookings around that date that count towards the daily limit; none without a limit. */
  bookedStarts: number[];
}

type Row = SlotStaff &
  Omit<SlotConnection, 'id' | 'staff_id' | 'staff_timezone'> & {
    n: number;
    connection_id: string | null;
    questions: QuestionFields[] | null;
    busy_from: number[] | null;
    busy_to: number[] | null;
    booked: number[] | null;
  };

/**
 * Reads staff on dates, in one snapshot; undefined for a staff member that the account does not have. `lock` prevents
 * changes of the staff members until the transaction ends. It never waits: a staff member that another transaction is
 * changing is undefined too.
 *
 * Zones are up to 14 hours from UTC, so slots of a date start within 15 hours of it. The daily limit counts by the staff
 * member's local date, which reaches up to 25 hours further.
 */
export async function readStaffDays(
  db: Db | Tx,
  queries: readonly DayQuery[],
  { lock = false } = {},
): Promise<(StoredStaffDay | undefined)[]> {
  const { rows } = await sql<Row>`
    select x.n, s.id, s.account_id, s.name, s.active, s.calendar, s.timezone, s.slot_minutes, s.slot_step_minutes,
      s.buffer_before_minutes, s.buffer_after_minutes, s.minimum_notice_minutes, s.booking_window_days, s.daily_limit,
      s.weekly, s.overrides, c.id as connection_id, c.provider, c.credential, c.calendar_id, c.calendar_key, c.busy_calendar_ids,
      c.dead_at, c.failure, c.failure is null and c.last_synced_at > now() - interval '1 minute' as use_recorded,
      q.questions, o.busy_from, o.busy_to, b.booked
    from unnest(${queries.map((one) => one.accountId)}::uuid[], ${queries.map((one) => one.staffId)}::uuid[],
      ${queries.map((one) => new Date(one.dayMs))}::timestamptz[]) with ordinality as x(account_id, staff_id, day, n)
    join staff s on s.id = x.staff_id and s.account_id = x.account_id and s.deleted_at is null
    left join calendar_connections c on c.staff_id = s.id
    cross join lateral (
      select tstzrange(x.day - interval '15 hours' - s.buffer_before_minutes * interval '1 minute',
        x.day + interval '39 hours' + (s.slot_minutes + s.buffer_after_minutes) * interval '1 minute') as span) near
    left join lateral (
      select jsonb_agg(jsonb_build_object('id', f.id, 'question', f.question, 'question_type', f.question_type,
        'is_required', f.is_required, 'options', f.options, 'placeholder', f.placeholder) order by f.position)
        as questions
      from form_questions f where f.staff_id = s.id) q on true
    left join lateral (
      select array_agg((date_part('epoch', lower(u.during)) * 1000)::bigint) as busy_from,
        array_agg((date_part('epoch', upper(u.during)) * 1000)::bigint) as busy_to
      from (
        select during from occupancies
        where account_id = s.account_id and staff_id = s.id and during && near.span
        union all
        select during from occupancies
        where calendar_key = c.calendar_key and s.calendar = ${required} and staff_id <> s.id and during && near.span
          and exists (select from calendar_connections e where e.calendar_key = c.calendar_key and e.staff_id <> s.id)) u) o
      on true
    left join lateral (
      select array_agg((date_part('epoch', r.start) * 1000)::bigint) as booked from (
        select k.starts_at as start from bookings k
        where k.staff_id = s.id and k.state in (${held}, ${confirmed}) and k.starts_at >= x.day - interval '40 hours'
          and k.starts_at < x.day + interval '64 hours' and not (k.wish_starts_at is not null or k.hand = ${moved})
        union all
        select coalesce(k.wish_starts_at, k.hand_starts_at, k.starts_at) from bookings k
        where k.staff_id = s.id and k.state in (${held}, ${confirmed})
          and (k.wish_starts_at is not null or k.hand = ${moved})) r
      where s.daily_limit is not null) b on true
    ${lock ? sql`for share of s skip locked` : sql``}`.execute(db);
  const found = new Map(rows.map((row) => [row.n, staffDay(row)]));
  return queries.map((_, index) => found.get(index + 1));
}

function staffDay(row: Row): StoredStaffDay {
  const { n: _, connection_id, questions, busy_from, busy_to, booked, ...rest } = row;
  const { provider, credential, calendar_id, calendar_key, busy_calendar_ids, ...more } = rest;
  const { dead_at, failure, use_recorded, ...staff } = more;
  const calendar = { provider, credential, calendar_id, calendar_key, busy_calendar_ids };
  const connection = { ...calendar, dead_at, failure, use_recorded };
  return {
    staff,
    connection:
      connection_id === null
        ? undefined
        : { id: connection_id, staff_id: staff.id, staff_timezone: staff.timezone, ...connection },
    questions: questions ?? [],
    busy: (busy_from ?? []).map((from, index) => ({ from, to: busy_to?.[index] ?? from })),
    bookedStarts: booked ?? [],
  };
}
