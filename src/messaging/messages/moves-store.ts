// Table messages: state changes. Few statements with many rows each, entered by primary key.
import { sql } from 'kysely';
import { arrayText, textArray } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import { contentAfterwards, reportedError } from './codes-store.ts';
import { countedColumns, insertAcceptedCounts, insertFailedCounts } from './counts-store.ts';
import type { LeaseKey, MessageError, MessageKey, Move, StateNumber } from './message.ts';
import { accountIds, errorCodeSql, isCallable, messageIds, stageSql, stateSql } from './sql-store.ts';

/**
 * Moves queued messages to `dispatching`: the lock that prevents sending twice. Skips messages under another lease, whose
 * result could not be recorded, messages of halted senders, held templates, and paused or cancelled sends. Returns for each key whether it moved; only those may be called. The outcome is unknown
 * until it is recorded. Keeps `due_at`, so that the update is heap-only. Keys sorted by id.
 */
export async function beginDispatch(db: Db, keys: readonly LeaseKey[]): Promise<boolean[]> {
  const { rows } = await sql<{ no: number }>`
    /* beginDispatch */ update messages m set state = ${stateSql.dispatching}, attempts = m.attempts + 1
    from unnest(${accountIds(keys)}::uuid[], ${messageIds(keys)}::uuid[], ${keys.map((key) => key.lease)}::text[])
      with ordinality x(a, i, lease, no)
    where m.account_id = x.a and m.id = x.i and (m.due_at = x.lease::timestamptz) is true and ${isCallable}
    returning x.no::int`.execute(db);
  const begun: boolean[] = new Array(keys.length).fill(false);
  for (const { no } of rows) begun[no - 1] = true;
  return begun;
}

/** A message that may be dispatching: the response of the statement that began its dispatch was lost. */
export interface UncertainDispatch extends MessageKey {
  /** The lease under which it was to be called; null if the same lost statement wrote the lease. */
  lease: string | null;
}

/**
 * Returns messages to the queue that may be dispatching and were certainly not called. Safe to repeat: a later dispatch
 * has another lease, or a higher attempt number. Nor does it touch the first dispatch of a message whose insert began none (`begunByInsert`).
 */
export async function revertDispatch(db: Db, dispatches: readonly UncertainDispatch[]): Promise<void> {
  await sql`
    /* revertDispatch */ update messages m set state = ${stateSql.queued}, due_at = now()
    from unnest(${accountIds(dispatches)}::uuid[], ${messageIds(dispatches)}::uuid[], ${textArray(dispatches.map((one) => one.lease))}::text[]) x(a, i, lease)
    where m.account_id = x.a and m.id = x.i and m.state = ${stateSql.dispatching}
      and case when x.lease is null then m.attempts = 1 and m.leased_by < 0 else m.due_at = x.lease::timestamptz end`.execute(
    db,
  );
}

/** A message that the platform accepted. */
export interface AcceptedMessage extends MessageKey {
  /** The platform's reference. */
  messageRef: string;
}

/** Records accepted messages and removes their one-time codes. Never moves one back: its callback may have been faster. */
export async function recordAccepted(db: Db, accepted: readonly AcceptedMessage[]): Promise<void> {
  await sql`
    /* recordAccepted */ with accepted as (
      update messages m set state = greatest(m.state, ${stateSql.accepted}::smallint),
        wamid = coalesce(m.wamid, x.w), accepted_at = coalesce(m.accepted_at, now()), due_at = null, content = ${contentAfterwards},
        error = case when m.state < ${stateSql.failed} then null else m.error end
      from unnest(${accountIds(accepted)}::uuid[], ${messageIds(accepted)}::uuid[], ${textArray(accepted.map((one) => one.messageRef))}::text[]) x(a, i, w)
      where m.account_id = x.a and m.id = x.i
      returning ${countedColumns}, m.accepted_at)
    ${insertAcceptedCounts(accepted.length)}`.execute(db);
}

/** Locks a message, so that its acceptance waits for the end of the transaction. False if the platform has accepted it already. */
export async function lockUnaccepted(tx: Tx, { accountId, id }: MessageKey): Promise<boolean> {
  const { rows } = await sql<{ wamid: string | null }>`
    select wamid from messages where account_id = ${accountId} and id = ${id} for no key update`.execute(tx);
  return !rows[0]?.wamid;
}

/** A message that the platform certainly did not accept. */
export interface Retry extends MessageKey {
  delaySeconds: number;
  /** The platform's rejection. */
  error: MessageError | null;
  countsAttempt: boolean;
  /** The lease under which it was called. If known, only that dispatch is ended, so that the write is safe to repeat. */
  lease: string | null;
}

/**
 * Returns messages to the queue that the platform did not accept, due after `delaySeconds`; keeps the last rejection. Also
 * delays queued messages that are still under their lease.
 */
export async function recordRetry(db: Db, retries: readonly Retry[]): Promise<void> {
  await sql`
    /* recordRetry */ update messages m set state = ${stateSql.queued}, due_at = least(now() + x.delay * interval '1 second', greatest(m.expires_at, now())),
      error = coalesce(x.error, m.error), attempts = m.attempts - (m.state = ${stateSql.dispatching})::int + x.counts::int, leased_by = null
    from unnest(${accountIds(retries)}::uuid[], ${messageIds(retries)}::uuid[], ${arrayText(retries.map((one) => one.delaySeconds))}::float8[],
      ${retries.map((one) => (one.error ? JSON.stringify(one.error) : null))}::jsonb[],
      ${arrayText(retries.map((one) => one.countsAttempt))}::boolean[], ${textArray(retries.map((one) => one.lease))}::text[])
      x(a, i, delay, error, counts, lease)
    where m.account_id = x.a and m.id = x.i
      and (m.state = ${stateSql.dispatching} and (x.lease is null or m.due_at = x.lease::timestamptz)
        or m.state = ${stateSql.queued} and m.due_at = x.lease::timestamptz)`.execute(db);
}

/** A message after a move, with what its events need. Times are epoch seconds. */
export interface MovedMessage {
  /** The position of its move in the statement, from 1. */
  no: number;
  account_id: string;
  id: string;
  /** Of `messageKind`. */
  kind: number;
  /** Null: a reply. */
  send_id: string | null;
  sender_id: string;
  /** Null: addressed by `user_id`. */
  phone: string | null;
  user_id: string | null;
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
  /** Only of a failed message. */
  accepted_at: Date | null;
}

/** The columns of the CTE `moved` of failures: what `movedColumns` and the counts need. */
const returned = sql`x.no::int, m.id, m.kind, m.send_id, m.phone, m.user_id, m.wamid, m.metadata, m.error, m.state, m.was, m.emitted,
  m.accepted_at, m.sent_at, m.delivered_at, m.read_at, m.failed_at, ${countedColumns}`;

const seconds = (column: string) =>
  sql`floor(extract(epoch from ${sql.ref(`m.${column}`)}))::float8 as ${sql.ref(column)}`;

const movedColumns = sql`m.account_id, m.id, m.kind, m.send_id, m.sender_id, m.phone, m.user_id, m.wamid, m.metadata, m.error, m.state,
  m.was, m.emitted, ${seconds('sent_at')}, ${seconds('delivered_at')}, ${seconds('read_at')}, ${seconds('failed_at')},
  case when m.state = ${stateSql.failed} then m.accepted_at end as accepted_at`;

/** Fails those messages that are in one of the states `from`, and removes their one-time codes. Keys sorted by id. */
export async function failMessages(
  tx: Tx,
  failures: (MessageKey & { error: MessageError })[],
  from: readonly StateNumber[],
): Promise<MovedMessage[]> {
  const { rows } = await sql<MovedMessage>`
    /* failMessages */ with moved as (
      update messages m set state = ${stateSql.failed}, was = m.emitted,
        emitted = m.emitted | ${stageSql.failed}::smallint, error = x.error, failed_at = now(), due_at = null,
        content = ${contentAfterwards}
      from unnest(${accountIds(failures)}::uuid[], ${messageIds(failures)}::uuid[],
        ${failures.map((one) => JSON.stringify(one.error))}::jsonb[]) with ordinality x(a, i, error, no)
      where m.account_id = x.a and m.id = x.i and m.state = any(${[...from]}::smallint[])
      returning ${returned}),
    counted as (${insertFailedCounts})
    select m.no, ${movedColumns} from moved m`.execute(tx);
  return rows;
}

/** A message after a report, with what `movedChanges` needs. */
export interface ReportedMove extends MovedMessage {
  template_id: string | null;
  priority: number;
  /** When it failed, if the report replaced a failure or repeated it. */
  was_failed_at: number | null;
}

/**
 * Applies status reports, folded to one move per message and sorted by id; messages only move forward. A failure yields to
 * `delivered` and `read`, and, where the outcome was unknown, to any report. Removes one-time codes: the platform has the
 * message. Returns the messages that moved. The caller records their counts (`movedChanges`) in the same transaction.
 */
export async function applyMoves(tx: Tx, moves: Move[]): Promise<ReportedMove[]> {
  const { rows } = await sql<ReportedMove>`
    /* applyMoves */ update messages m set state = x.st, was = m.emitted, emitted = m.emitted | x.stages,
      implied = m.implied | (x.stages & ~m.emitted & ~x.reported)::smallint,
      wamid = coalesce(m.wamid, x.w), due_at = null, content = ${contentAfterwards},
      error = case when x.st = ${stateSql.failed} then coalesce(${reportedError}, m.error) end,
      price_category = coalesce(m.price_category, x.price), billable = coalesce(m.billable, x.billable),
      sent_at = coalesce(m.sent_at, to_timestamp(x.t3)), delivered_at = coalesce(m.delivered_at, to_timestamp(x.t4)),
      read_at = coalesce(m.read_at, to_timestamp(x.t5)),
      failed_at = case when x.st = ${stateSql.failed} then coalesce(m.failed_at, to_timestamp(x.t6)) end, was_failed_at = m.failed_at
    from unnest(${accountIds(moves)}::uuid[], ${messageIds(moves)}::uuid[], ${arrayText(moves.map((one) => one.state))}::smallint[],
      ${arrayText(moves.map((one) => one.stages))}::smallint[], ${arrayText(moves.map((one) => one.reported))}::smallint[],
      ${arrayText(moves.map((one) => one.sentAt))}::float8[], ${arrayText(moves.map((one) => one.deliveredAt))}::float8[],
      ${arrayText(moves.map((one) => one.readAt))}::float8[], ${arrayText(moves.map((one) => one.failedAt))}::float8[],
      ${moves.map((one) => (one.error ? JSON.stringify(one.error) : null))}::jsonb[],
      ${textArray(moves.map((one) => one.messageRef))}::text[], ${textArray(moves.map((one) => one.priceCategory))}::text[],
      ${arrayText(moves.map((one) => one.billable))}::boolean[])
      with ordinality x(a, i, st, stages, reported, t3, t4, t5, t6, error, w, price, billable, no)
    where m.account_id = x.a and m.id = x.i and case
      when m.state = ${stateSql.failed} then x.st in (${stateSql.delivered}, ${stateSql.read})
        or m.error ->> 'code' = ${errorCodeSql.outcomeUnknown}
      when x.st = ${stateSql.failed} then m.state < ${stateSql.delivered}
      else m.state < x.st end
    returning x.no::int, ${movedColumns}, m.template_id, m.priority, ${seconds('was_failed_at')}`.execute(tx);
  return rows;
}

/** Records prices whose reports moved no message: of several reports, any one has the price. A price that is known stays. */
export async function recordPrices(
  db: Db | Tx,
  prices: Pick<Move, 'accountId' | 'id' | 'priceCategory' | 'billable'>[],
): Promise<void> {
  await sql`
    /* recordPrices */ update messages m set price_category = coalesce(m.price_category, x.price), billable = coalesce(m.billable, x.billable)
    from unnest(${accountIds(prices)}::uuid[], ${messageIds(prices)}::uuid[], ${textArray(prices.map((one) => one.priceCategory))}::text[],
      ${arrayText(prices.map((one) => one.billable))}::boolean[]) x(a, i, price, billable)
    where m.account_id = x.a and m.id = x.i
      and (m.price_category is null and x.price is not null or m.billable is null and x.billable is not null)`.execute(
    db,
  );
}
