// Rows of sends and messages as the workers write them: few statements, many rows each, entered by primary key.
import { type RawBuilder, sql } from 'kysely';
import { arrayText } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { FilledTemplate } from '../../ports/platform.ts';
import { isCallable } from './conditions-store.ts';
import type { MessageError, Move } from './message.ts';
import { contentAfterwards, reportedError } from './messages-codes-store.ts';

/** A message as the worker needs it. */
export interface DueMessage {
  account_id: string;
  id: string;
  sender_id: string;
  template_name: string;
  language: string;
  phone: string;
  content: FilledTemplate;
  media_id: string | null;
  priority: number;
  attempts: number;
  /** The lease under which it is called: what `due_at` says, to the microsecond. Null where the writer was not told. */
  lease: string | null;
}

/** The rate of a number now: its own, or what throttling left of it, recovering by 5 % a second. */
const ratePerSecond = sql`least(per_second, coalesce(
  slowed_to * power(1.05, greatest(0, least(300, extract(epoch from now() - slowed_at)))), per_second))::float8`;

/** The number was slowed in the last so many seconds. A later instant (but for a transaction that began before) is from before a backward step of the clock. */
const slowedWithin = (seconds: number) =>
  sql`slowed_at between now() - ${seconds}::int * interval '1 second' and now() + interval '1 second'`;

/**
 * When the number's next slot comes. One that lies further ahead than its rate (1/s or more) and a throttling of 60 s
 * allow was reserved before the database's clock stepped back: it counts as now.
 */
const nextSlot = sql`case when tat <= now() + interval '2 seconds' or (tat <= now() + interval '62 seconds' and ${slowedWithin(62)})
  then greatest(tat, now()) else now() end`;

/** True if the number's next slot comes no sooner than in `seconds`, as after the platform throttled it. */
export const isSlowedFor = (senderId: RawBuilder<unknown>, seconds: number): RawBuilder<boolean> =>
  sql`((select ${nextSlot} > now() + ${seconds} * interval '1 second' from sender_paces
    where sender_id = ${senderId}) is true)`;

/**
 * Reserves up to `count` pace slots of a number that fall within `windowMs` from now (GCRA: one row, one short
 * transaction of its own; not waited for on the disk, since losing it in a crash costs no more than 100 ms of pace).
 * Answers how many and in how many milliseconds the first of them comes.
 */
export async function reservePace(
  db: Db,
  senderId: string,
  count: number,
  windowMs: number,
): Promise<{ granted: number; firstInMs: number }> {
  const { rows } = await sql<{ granted: number; first_in_ms: number }>`
    update sender_paces p set tat = x.next_slot + x.n * (interval '1 second' / x.rate)
    from (select sender_id, rate, next_slot, least(${count}::int, greatest(0, ceil(extract(epoch from
        now() + ${windowMs} * interval '1 millisecond' - next_slot) * rate)))::int n
      from (select sender_id, ${nextSlot} next_slot, ${ratePerSecond} rate from sender_paces where sender_id = ${senderId} for update) y) x,
      (select set_config('synchronous_commit', 'off', true)) relaxed
    where p.sender_id = x.sender_id and x.n > 0
    returning x.n granted,
      (extract(epoch from p.tat - x.n * (interval '1 second' / x.rate) - now()) * 1000)::float8 first_in_ms`.execute(
    db,
  );
  const row = rows[0];
  return row ? { granted: row.granted, firstInMs: row.first_in_ms } : { granted: 0, firstInMs: windowMs };
}

/**
 * The platform said that a number is too fast: its next slot is pushed at least `seconds` away, and its rate is
 * halved, once a second at most, since all calls that were under way are refused together.
 */
export async function slowPace(db: Db, senderId: string, seconds: number): Promise<void> {
  await sql`
    update sender_paces set tat = greatest(${nextSlot}, now() + ${seconds} * interval '1 second'),
      slowed_to = case when ${slowedWithin(1)} then slowed_to
        else greatest(1, ${ratePerSecond} / 2) end,
      slowed_at = case when ${slowedWithin(1)} then slowed_at else now() end
    where sender_id = ${senderId}`.execute(db);
}

export interface MessageKey {
  accountId: string;
  id: string;
}

const accounts = (keys: readonly MessageKey[]) => arrayText(keys.map((key) => key.accountId));
const ids = (keys: readonly MessageKey[]) => arrayText(keys.map((key) => key.id));

/**
 * Marks messages as about to be called: the lock that forbids doubling. None of a halted number, a held template or a
 * cancelled send is marked. Answers for each key whether it was marked, and only those may be called; from here on a message's outcome is unknown until it is recorded, for ten minutes from the
 * lapse of its lease, which stays as it is: so that this move is heap-only. Keys in the order of their ids.
 */
export async function beginDispatch(db: Db, keys: readonly MessageKey[]): Promise<boolean[]> {
  const { rows } = await sql<{ no: number }>`
    update messages m set state = 1, attempts = m.attempts + 1
    from unnest(${accounts(keys)}::uuid[], ${ids(keys)}::uuid[]) with ordinality x(a, i, no)
    where m.account_id = x.a and m.id = x.i and ${isCallable}
    returning x.no::int`.execute(db);
  const marked: boolean[] = new Array(keys.length).fill(false);
  for (const { no } of rows) marked[no - 1] = true;
  return marked;
}

/** A message that may be marked, though whoever marked it was not told. */
export interface UncertainDispatch extends MessageKey {
  /** The lease under which it was to be marked; null where that was written together with the mark, and not told either. */
  lease: string | null;
}

/**
 * Puts messages back that may be marked and surely were never called. May be repeated, since nobody else's mark is
 * met: whoever claims a message changes its lease, and a first mark that was taken back once is not its first again.
 */
export async function revertDispatch(db: Db, marks: readonly UncertainDispatch[]): Promise<void> {
  await sql`
    update messages m set state = 0, due_at = now()
    from unnest(${accounts(marks)}::uuid[], ${ids(marks)}::uuid[], ${marks.map((one) => one.lease)}::text[]) x(a, i, lease)
    where m.account_id = x.a and m.id = x.i and m.state = 1
      and case when x.lease is null then m.attempts = 1 else m.due_at = x.lease::timestamptz end`.execute(db);
}

/** Records what the platform took; a callback may have been quicker, so never backward. Removes one-time codes. */
export async function recordAccepted(db: Db, accepted: (MessageKey & { wamid: string })[]): Promise<void> {
  await sql`
    update messages m set state = greatest(m.state, 2::smallint), wamid = coalesce(m.wamid, x.w), accepted_at = now(),
      due_at = null, content = ${contentAfterwards}, error = case when m.state < 6 then null else m.error end
    from unnest(${accounts(accepted)}::uuid[], ${ids(accepted)}::uuid[], ${accepted.map((one) => one.wamid)}::text[]) x(a, i, w)
    where m.account_id = x.a and m.id = x.i`.execute(db);
}

/** A message that surely was not taken. */
export interface Retry extends MessageKey {
  delaySeconds: number;
  /** The platform's refusal. */
  error: MessageError | null;
  countsAttempt: boolean;
  /** The lease under which it was called: where it is known, only that call's mark is met, so that this may be repeated. */
  lease: string | null;
}

/**
 * Puts messages that surely were not taken back into the queue, due after `delaySeconds`; the last refusal is kept. Those
 * that were not even marked are put off under their lease.
 */
export async function recordRetry(db: Db, retries: readonly Retry[]): Promise<void> {
  await sql`
    update messages m set state = 0, due_at = least(now() + x.delay * interval '1 second', greatest(m.expires_at, now())),
      error = coalesce(x.error, m.error), attempts = m.attempts - m.state + x.counts::int, leased_by = null
    from unnest(${accounts(retries)}::uuid[], ${ids(retries)}::uuid[], ${arrayText(retries.map((one) => one.delaySeconds))}::float8[],
      ${retries.map((one) => (one.error ? JSON.stringify(one.error) : null))}::jsonb[],
      ${arrayText(retries.map((one) => one.countsAttempt))}::boolean[], ${retries.map((one) => one.lease)}::text[])
      x(a, i, delay, error, counts, lease)
    where m.account_id = x.a and m.id = x.i
      and (m.state = 1 and (x.lease is null or m.due_at = x.lease::timestamptz) or m.state = 0 and m.due_at = x.lease::timestamptz)`.execute(
    db,
  );
}

/** A message's row after a move, as the events need it. Times are epoch seconds. */
export interface MovedMessage {
  /** The place of its move among those asked for, from 1. */
  no: number;
  account_id: string;
  id: string;
  send_id: string;
  sender_id: string;
  phone: string;
  wamid: string | null;
  metadata: Record<string, string> | null;
  error: MessageError | null;
  state: number;
  was: number;
  emitted: number;
  sent_at: number | null;
  delivered_at: number | null;
  read_at: number | null;
  failed_at: number | null;
  /** Of one that failed. */
  accepted_at: Date | null;
}

const seconds = (column: string) =>
  sql`floor(extract(epoch from ${sql.ref(`m.${column}`)}))::float8 as ${sql.ref(column)}`;

const movedColumns = sql`x.no::int, m.account_id, m.id, m.send_id, m.sender_id, m.phone, m.wamid, m.metadata, m.error, m.state,
  m.was, m.emitted, ${seconds('sent_at')}, ${seconds('delivered_at')}, ${seconds('read_at')}, ${seconds('failed_at')},
  case when m.state = 6 then m.accepted_at end as accepted_at`;

/**
 * Fails messages that are in one of `from` states, and removes their one-time codes; answers those it failed. Keys in the
 * order of their ids.
 */
export async function failMessages(
  tx: Tx,
  failures: (MessageKey & { error: MessageError })[],
  from: number[],
): Promise<MovedMessage[]> {
  const { rows } = await sql<MovedMessage>`
    update messages m set state = 6, was = m.emitted, emitted = m.emitted | 8, error = x.error, failed_at = now(), due_at = null,
      content = ${contentAfterwards}
    from unnest(${accounts(failures)}::uuid[], ${ids(failures)}::uuid[],
      ${failures.map((one) => JSON.stringify(one.error))}::jsonb[]) with ordinality x(a, i, error, no)
    where m.account_id = x.a and m.id = x.i and m.state = any(${from}::smallint[])
    returning ${movedColumns}`.execute(tx);
  return rows;
}

/**
 * Moves messages forward by the platform's reports, one folded move a message, sorted by id. A failure gives way only
 * to a report of delivery or reading, or, where the outcome was unknown, to any. Removes one-time codes: what
 * the platform reports on, it took. Answers the rows that moved.
 */
export async function applyMoves(tx: Tx, moves: Move[]): Promise<MovedMessage[]> {
  const { rows } = await sql<MovedMessage>`
    update messages m set state = x.st, was = m.emitted, emitted = m.emitted | x.stages,
      implied = m.implied | (x.stages & ~m.emitted & ~x.reported)::smallint,
      wamid = coalesce(m.wamid, x.w), due_at = null, content = ${contentAfterwards},
      error = case when x.st = 6 then coalesce(${reportedError}, m.error) end,
      price_category = coalesce(m.price_category, x.price),
      sent_at = coalesce(m.sent_at, to_timestamp(x.t3)), delivered_at = coalesce(m.delivered_at, to_timestamp(x.t4)),
      read_at = coalesce(m.read_at, to_timestamp(x.t5)),
      failed_at = case when x.st = 6 then coalesce(m.failed_at, to_timestamp(x.t6)) end
    from unnest(${accounts(moves)}::uuid[], ${ids(moves)}::uuid[], ${arrayText(moves.map((one) => one.state))}::smallint[],
      ${arrayText(moves.map((one) => one.stages))}::smallint[], ${arrayText(moves.map((one) => one.reported))}::smallint[],
      ${arrayText(moves.map((one) => one.sentAt))}::float8[], ${arrayText(moves.map((one) => one.deliveredAt))}::float8[],
      ${arrayText(moves.map((one) => one.readAt))}::float8[], ${arrayText(moves.map((one) => one.failedAt))}::float8[],
      ${moves.map((one) => (one.error ? JSON.stringify(one.error) : null))}::jsonb[],
      ${moves.map((one) => one.wamid)}::text[], ${moves.map((one) => one.priceCategory)}::text[])
      with ordinality x(a, i, st, stages, reported, t3, t4, t5, t6, error, w, price, no)
    where m.account_id = x.a and m.id = x.i and case
      when m.state = 6 then x.st in (4, 5) or m.error ->> 'code' = '900001'
      when x.st = 6 then m.state < 4
      else m.state < x.st end
    returning ${movedColumns}`.execute(tx);
  return rows;
}

/** Of these keys, those that a row has. */
export async function existingMessages(db: Db | Tx, keys: MessageKey[]): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select m.id from unnest(${accounts(keys)}::uuid[], ${ids(keys)}::uuid[]) x(a, i)
    join messages m on m.account_id = x.a and m.id = x.i`.execute(db);
  return new Set(rows.map((row) => row.id));
}

/** Messages by the platform's id: the way back for reports that carry no id of ours. */
export async function findByWamid(
  db: Db | Tx,
  accountIds: string[],
  wamids: string[],
): Promise<{ account_id: string; id: string; wamid: string }[]> {
  const { rows } = await sql<{ account_id: string; id: string; wamid: string }>`
    select account_id, id, wamid from messages where wamid = any(${wamids}::text[]) and account_id = any(${accountIds}::uuid[])`.execute(
    db,
  );
  return rows;
}
