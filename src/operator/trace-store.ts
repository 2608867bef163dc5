// Statements of the timelines of operators: everything the database knows of one id, in whatever account.
import { sql } from 'kysely';
import type { Db } from '../db/db.ts';

export type TracedKind = 'message' | 'send' | 'delivery' | 'booking';

export interface Traced {
  kind: TracedKind;
  id: string;
  accountId: string;
  account: string;
}

/** What has this UUID: one probe of a primary key or index for each account. */
export async function findTraced(db: Db, id: string): Promise<Traced | undefined> {
  const { rows } = await sql<Traced>`
    select x.kind, ${id}::uuid::text as id, a.id as "accountId", a.name as account from accounts a cross join lateral (
      (select 'message' as kind from messages m where m.account_id = a.id and m.id = ${id}::uuid)
      union all (select 'send' from sends s where s.account_id = a.id and s.id = ${id}::uuid)
      union all (select 'booking' from bookings b where b.id = ${id}::uuid and b.account_id = a.id)
      union all (select 'delivery' from deliveries d where d.account_id = a.id and d.id = ${id}::uuid limit 1)) x
    limit 1`.execute(db);
  return rows[0];
}

/** The message with this id of the platform. */
export async function findTracedByReference(db: Db, wamid: string): Promise<Traced | undefined> {
  const { rows } = await sql<Traced>`
    select 'message' as kind, m.id, a.id as "accountId", a.name as account from messages m join accounts a on a.id = m.account_id
    where m.wamid = ${wamid} limit 1`.execute(db);
  return rows[0];
}

export interface TracedMessage {
  id: string;
  send_id: string | null;
  sender_id: string;
  sender: string | null;
  template: string | null;
  phone: string | null;
  state: number;
  attempts: number;
  wamid: string | null;
  error: { code: number; title: string; message: string } | null;
  leased_by: number | null;
  due_at: Date | null;
  expires_at: Date;
  accepted_at: Date | null;
  sent_at: Date | null;
  delivered_at: Date | null;
  read_at: Date | null;
  failed_at: Date | null;
  was_failed_at: Date | null;
  resent_as: string | null;
  resend_of: string | null;
}

/** Messages of an account: the one with this id, or the first of the send with it. */
export async function traceMessages(
  db: Db,
  accountId: string,
  of: { id: string } | { sendId: string },
  limit: number,
): Promise<TracedMessage[]> {
  const which = 'id' in of ? sql`m.id = ${of.id}::uuid` : sql`m.send_id = ${of.sendId}::uuid`;
  const { rows } = await sql<TracedMessage>`
    select m.id, m.send_id, m.sender_id, (select name from senders where id = m.sender_id) as sender,
      (select s.template_name || ' ' || s.language from sends s where s.account_id = m.account_id and s.id = m.send_id) as template,
      m.phone, m.state, m.attempts, m.wamid, m.error, m.leased_by, m.due_at, m.expires_at, m.accepted_at, m.sent_at, m.delivered_at,
      m.read_at, m.failed_at, m.was_failed_at,
      (select r.new_id from resends r where r.account_id = m.account_id and r.message_id = m.id) as resent_as,
      (select r.message_id from resends r where r.account_id = m.account_id and r.new_id = m.id) as resend_of
    from messages m where m.account_id = ${accountId} and ${which} order by m.id limit ${limit}::int`.execute(
    db,
  );
  return rows;
}

export interface TracedSend {
  id: string;
  name: string | null;
  template_name: string;
  language: string;
  sender_id: string;
  total: number;
  created_at: Date;
  send_at: Date | null;
  started_at: Date | null;
  paused_at: Date | null;
  paused_reason: string | null;
  cancelled_at: Date | null;
  done_at: Date | null;
  expires_at: Date | null;
}

/** A send. */
export async function traceSend(db: Db, accountId: string, id: string): Promise<TracedSend | undefined> {
  const { rows } = await sql<TracedSend>`
    select id, name, template_name, language, sender_id, total, created_at, send_at, started_at, paused_at, paused_reason,
      cancelled_at, done_at, expires_at from sends where account_id = ${accountId} and id = ${id}`.execute(
    db,
  );
  return rows[0];
}

/** How many of the first `limit` messages of a send are in each state. */
export async function countStates(
  db: Db,
  accountId: string,
  sendId: string,
  limit: number,
): Promise<{ state: number; count: number }[]> {
  const { rows } = await sql<{ state: number; count: number }>`
    select x.state, count(*)::int as count from (
      select state from messages where send_id = ${sendId} and account_id = ${accountId} limit ${limit}::int) x
    group by x.state order by x.state`.execute(db);
  return rows;
}

export interface TracedBooking {
  id: string;
  staff: string | null;
  state: string;
  wish: string | null;
  provider: string | null;
  event_id: string | null;
  attempts: number;
  starts_at: Date;
  ends_at: Date;
  created_at: Date;
  insert_started_at: Date | null;
  wish_started_at: Date | null;
  cancelled_at: Date | null;
  cancel_reason: string | null;
  gone_at: Date | null;
  due_at: Date | null;
}

/** A booking. */
export async function traceBooking(
  db: Db,
  accountId: string,
  id: string,
): Promise<TracedBooking | undefined> {
  const { rows } = await sql<TracedBooking>`
    select b.id, (select name from staff where id = b.staff_id) as staff, b.state, b.wish, b.provider, b.event_id, b.attempts, b.starts_at,
      b.ends_at, b.created_at, b.insert_started_at, b.wish_started_at, b.cancelled_at, b.cancel_reason, b.gone_at, b.due_at
    from bookings b where b.id = ${id} and b.account_id = ${accountId}`.execute(db);
  return rows[0];
}

export interface TracedDelivery {
  id: string;
  subject_id: string;
  endpoint_id: string;
  url: string | null;
  stage: number;
  kind: string | null;
  state: number;
  attempts: number;
  due_at: Date | null;
  leased_by: number | null;
  last_status: number | null;
  last_failure: string | null;
  last_ms: number | null;
  last_attempt_at: Date | null;
  delivered_at: Date | null;
}

/** Deliveries in which one searches for those of a booking: the account's next ones after it was made. */
const searchedMax = 20_000;

/** Deliveries of a message, of a booking (of the events that name it), or the one with an id. */
export async function traceDeliveries(
  db: Db,
  accountId: string,
  of: { subjectId: string } | { id: string } | { bookingId: string },
): Promise<TracedDelivery[]> {
  const from =
    'subjectId' in of
      ? sql`(select * from deliveries where subject_id = ${of.subjectId}::uuid and account_id = ${accountId})`
      : 'id' in of
        ? sql`(select * from deliveries where account_id = ${accountId} and id = ${of.id}::uuid)`
        : sql`(select * from (select * from deliveries where account_id = ${accountId} and id >= ${of.bookingId}::uuid order by id limit ${searchedMax}::int) x
            where x.kind like 'appointments.%' and strpos(x.body, ${of.bookingId}) > 0)`;
  const { rows } = await sql<TracedDelivery>`
    select d.id, d.subject_id, d.endpoint_id, substring(e.url from '^https?://[^?#]+') as url, d.stage, d.kind, d.state, d.attempts, d.due_at,
      d.leased_by, d.last_status, d.last_failure, d.last_ms, d.last_attempt_at, d.delivered_at
    from ${from} d left join endpoints e on e.id = d.endpoint_id order by d.id`.execute(db);
  return rows;
}

export interface TracedAttempt {
  endpoint_id: string;
  stage: number;
  no: number;
  at: Date;
  status: number | null;
  failure: string | null;
  ms: number | null;
  detail: string | null;
}

/** The recorded attempts of a subject, which are the failed ones. */
export async function traceAttempts(db: Db, subjectId: string): Promise<TracedAttempt[]> {
  const { rows } = await sql<TracedAttempt>`
    select endpoint_id, stage, no, at, status, failure, ms, detail from attempts
    where subject_id = ${subjectId} order by at, no`.execute(db);
  return rows;
}

export interface TracedChange {
  at: Date;
  action: string;
  actor_kind: string;
  actor_name: string | null;
}

/** The audit log of a subject. */
export async function traceChanges(db: Db, accountId: string, subjectId: string): Promise<TracedChange[]> {
  const { rows } = await sql<TracedChange>`
    select at, action, actor_kind, actor_name from audit_log
    where account_id = ${accountId} and subject_id = ${subjectId} order by at, id`.execute(db);
  return rows;
}
