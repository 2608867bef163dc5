// The statements that read what slots and bookings of staff on dates depend on, except calendar busy times.
import { sql } from 'kysely';
import { bookingState } from '../../contract/bookings.ts';
import { calendarNeed } from '../../contract/directory.ts';
import type { Db, Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import type { QuestionFields } from '../directory/staff.ts';
import type { DayWindow } from './day-window.ts';
import type { Move } from './engine.ts';
import type { ScheduleRow } from './schedule.ts';
import type { Interval } from './wall-time.ts';

const { held, confirmed } = sqlConstants(bookingState);
const { required } = sqlConstants(calendarNeed);

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
}

/** A staff member of an account. */
export interface StaffName {
  accountId: string;
  staffId: string;
}

/** The rows of a staff member that rarely change. */
export interface StoredStaff {
  /** Changes with each change of these rows. */
  version: string;
  staff: SlotStaff;
  /** The calendar connection, dead or not. */
  connection: SlotConnection | undefined;
}

/** What bookings take of a staff member around a date. */
export interface StoredTaken {
  /** Of the staff member's rows at that moment. */
  version: string;
  /** True if a successful use of the calendar was recorded within the last minute and no failure since. */
  isUseRecorded: boolean;
  /** In order; none unless requested. */
  questions: QuestionFields[];
  /** What bookings of the staff member, and of all who share the calendar, occupy in the window. */
  busy: Interval[];
  /** Starts (epoch milliseconds) of the bookings in the window that count towards the daily limit; none without a limit. */
  bookedStarts: number[];
  /** All pending moves; none without a limit. */
  moves: Move[];
}

export interface TakenQuery extends StaffName {
  window: DayWindow;
  withQuestions: boolean;
}

/**
 * The transactions that wrote the two rows. A transaction id is used once, unless the server restarts with an older state of
 * the database, or after four billion others.
 */
const version = sql`concat_ws('/', s.xmin, c.xmin, date_part('epoch', pg_postmaster_start_time()))`;

/** Tells the starts of bookings that are being moved from the others. */
export function countedStarts(starts: readonly number[], pending: readonly (number | null)[]) {
  const counted: { bookedStarts: number[]; moves: Move[] } = { bookedStarts: [], moves: [] };
  starts.forEach((start, index) => {
    const to = pending[index] ?? null;
    if (to === null) counted.bookedStarts.push(start);
    else counted.moves.push([start, to]);
  });
  return counted;
}

/** Reads staff members with their calendar connections; undefined for one that the account does not have. */
export async function readStaff(
  db: Db | Tx,
  queries: readonly StaffName[],
): Promise<(StoredStaff | undefined)[]> {
  type Row = SlotStaff &
    Omit<SlotConnection, 'id' | 'staff_id' | 'staff_timezone'> & {
      n: number;
      version: string;
      connection_id: string | null;
    };
  const { rows } = await sql<Row>`
    select x.n, ${version} as version, s.id, s.account_id, s.name, s.active, s.calendar, s.timezone, s.slot_minutes,
      s.slot_step_minutes, s.buffer_before_minutes, s.buffer_after_minutes, s.minimum_notice_minutes,
      s.booking_window_days, s.daily_limit, s.weekly, s.overrides, c.id as connection_id, c.provider, c.credential,
      c.calendar_id, c.calendar_key, c.busy_calendar_ids, c.dead_at, c.failure
    from unnest(${queries.map((one) => one.accountId)}::uuid[], ${queries.map((one) => one.staffId)}::uuid[])
      with ordinality as x(account_id, staff_id, n)
    join staff s on s.id = x.staff_id and s.account_id = x.account_id and s.deleted_at is null
    left join calendar_connections c on c.staff_id = s.id`.execute(db);
  const found = new Map(
    rows.map((row): [number, StoredStaff] => {
      const { n, version, connection_id, ...rest } = row;
      const { provider, credential, calendar_id, calendar_key, busy_calendar_ids, ...more } = rest;
      const { dead_at, failure, ...staff } = more;
      const calendar = {
        provider,
        credential,
        calendar_id,
        calendar_key,
        busy_calendar_ids,
        dead_at,
        failure,
      };
      const owner = { staff_id: staff.id, staff_timezone: staff.timezone };
      const connection = connection_id === null ? undefined : { id: connection_id, ...owner, ...calendar };
      return [n, { version, staff, connection }];
    }),
  );
  return queries.map((_, index) => found.get(index + 1));
}

const times = (instants: number[]) => sql`${instants}::float8[]`;

/**
 * Reads what bookings take of staff members, with the versions of their rows, in one snapshot; undefined for a staff member that the
 * account does not have. `lock` prevents changes of the staff members until the transaction ends. It never waits: a staff
 * member that another transaction is changing is undefined too.
 */
export async function readTaken(
  db: Db | Tx,
  queries: readonly TakenQuery[],
  { lock = false } = {},
): Promise<(StoredTaken | undefined)[]> {
  interface Row {
    n: number;
    version: string;
    use_recorded: boolean | null;
    questions: QuestionFields[] | null;
    busy_from: number[] | null;
    busy_to: number[] | null;
    booked: number[] | null;
    pending: (number | null)[] | null;
  }
  const windows = queries.map(({ window }) => window);
  const { rows } = await sql<Row>`
    select x.n, ${version} as version,
      c.failure is null and c.last_synced_at > now() - interval '1 minute' as use_recorded,
      q.questions, o.busy_from, o.busy_to, b.booked, b.pending
    from unnest(${queries.map((one) => one.accountId)}::uuid[], ${queries.map((one) => one.staffId)}::uuid[],
      ${queries.map((one) => one.withQuestions)}::boolean[],
      ${times(windows.map(({ occupied }) => occupied.from))}, ${times(windows.map(({ occupied }) => occupied.to))},
      ${times(windows.map(({ counted }) => counted.from))}, ${times(windows.map(({ counted }) => counted.to))})
      with ordinality as x(account_id, staff_id, with_questions, occupied_from, occupied_to, counted_from, counted_to, n)
    join staff s on s.id = x.staff_id and s.account_id = x.account_id and s.deleted_at is null
    left join calendar_connections c on c.staff_id = s.id
    cross join lateral (
      select tstzrange(to_timestamp(x.occupied_from / 1000), to_timestamp(x.occupied_to / 1000)) as span) near
    left join lateral (
      select jsonb_agg(jsonb_build_object('id', f.id, 'question', f.question, 'question_type', f.question_type,
        'is_required', f.is_required, 'options', f.options, 'placeholder', f.placeholder) order by f.position)
        as questions
      from form_questions f where x.with_questions and f.staff_id = s.id) q on true
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
      select array_agg((date_part('epoch', r.start) * 1000)::bigint) as booked,
        array_agg((date_part('epoch', r.pending) * 1000)::bigint) as pending
      from (
        select k.starts_at as start, null::timestamptz as pending from bookings k
        where k.staff_id = s.id and k.state in (${held}, ${confirmed})
          and k.starts_at >= to_timestamp(x.counted_from / 1000) and k.starts_at < to_timestamp(x.counted_to / 1000)
          and k.wish_starts_at is null
        union all
        select k.starts_at, k.wish_starts_at from bookings k
        where k.staff_id = s.id and k.state in (${held}, ${confirmed}) and k.wish_starts_at is not null) r
      where s.daily_limit is not null) b on true
    ${lock ? sql`for share of s skip locked` : sql``}`.execute(db);
  const found = new Map(
    rows.map((row): [number, StoredTaken] => {
      const { busy_from, busy_to } = row;
      const busy = (busy_from ?? []).map((from, index) => ({ from, to: busy_to?.[index] ?? from }));
      const counted = countedStarts(row.booked ?? [], row.pending ?? []);
      const taken = { questions: row.questions ?? [], busy, ...counted };
      return [row.n, { version: row.version, isUseRecorded: row.use_recorded === true, ...taken }];
    }),
  );
  return queries.map((_, index) => found.get(index + 1));
}
