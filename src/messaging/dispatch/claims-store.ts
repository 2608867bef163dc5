// Table messages as a queue: claims, leases, and messages that expired or stayed unknown.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { isGatewayHeld } from '../../db/gateway-state.ts';
import { isContentRemoved } from '../messages/codes-store.ts';
import type { Completion } from '../messages/completion-waiters.ts';
import type { LeasedMessage, LeaseKey, MessageError, MessageKey } from '../messages/message.ts';
import {
  accountIds,
  authenticationSql,
  isReply,
  isSenderHalted,
  isTemplateHeld,
  keyRows,
  leaseSecondsMax,
  marketingSql,
  messageIds,
  messageLease,
  replySql,
  sendStageSql,
  stateSql,
} from '../messages/sql-store.ts';
import { outageSince } from '../status-reports/callback-uptime-store.ts';
import { insertHolds } from './holds-store.ts';
import { isSlowedFor } from './paces-store.ts';

/** A claimed message, and whether it must be failed instead of called. */
export type ClaimedMessage = LeasedMessage & {
  /** Its send was cancelled while it was dispatching, and the platform did not accept it. */
  cancelled: boolean;
  /** Its send is paused, or resumes at its time: it stays leased until the worker moves it out of the queue. */
  paused: boolean;
  /** Its time to live ended, or had ended before the database's clock stepped back, so that its code was removed. */
  expired: boolean;
  /** The platform's last rejection. */
  error: MessageError | null;
};

/** The limit for all senders together. The next round skips senders whose queues are full. */
const claimedMax = 5_000;

/** The result of a claim. */
export interface Claim {
  claimed: ClaimedMessage[];
  /** How many due messages of held templates were suspended instead. */
  suspended: number;
}

/**
 * Leases due messages to a process for 60 s: up to `perSender` of each sender that is not halted, the most urgent first; of
 * senders whose templates are halted only replies; of `busySenders` only one-time codes. So no campaign delays another sender, and no
 * marketing message delays a one-time code. Joins sends, which replies do not have, after the claim: in one step, a small database read all messages per claimed message
 * (20 s a claim). Suspends messages of held templates instead, as `suspendMessages` does: their hold is written in the same transaction. The update is no CTE:
 * see "Rules of the hot tables" on locks and partitions.
 */
export async function claimDue(
  db: Db,
  perSender: number,
  busySenders: string[],
  processId: number,
): Promise<Claim> {
  type Row = ClaimedMessage & { held: boolean };
  const { rows } = await sql<Row>`
    /* claimDue */ with picked as (
      select x.*, x.is_live and ${isTemplateHeld(sql`x.template_id`)} as is_held from senders s cross join lateral (
        select m.account_id, m.id, m.send_id, m.template_id, m.expires_at > now() as is_live from messages m
        where m.sender_id = s.id and m.due_at <= now() and m.state = ${stateSql.queued}
          and m.priority <= case when s.id = any(${busySenders}::uuid[]) then ${authenticationSql}
            when s.halted_at is not null then ${replySql} else ${marketingSql} end
          and (s.halted_at is null or ${isReply})
        order by m.priority, m.due_at limit ${perSender} for update of m skip locked) x
      where (s.halted_at is null or s.halt_spares_replies) and not ${isGatewayHeld}
      limit ${claimedMax}),
    holds as (${insertHolds(sql`select distinct template_id, account_id from picked where is_held order by 1`)})
    update messages m set due_at = case when p.is_held then m.expires_at else now() + ${messageLease} end,
      leased_by = case when p.is_held then null else ${processId}::int end
    from picked p left join lateral (
      select template_name, language, cancelled_at, paused_at, stage from sends where account_id = p.account_id and id = p.send_id limit 1) s on true
    where m.account_id = p.account_id and m.id = p.id
    returning m.account_id, m.id, m.sender_id, s.template_name, s.language, m.phone, m.user_id, m.content, m.media_id, m.priority,
      m.attempts, m.due_at::text lease, s.cancelled_at is not null cancelled, s.paused_at is not null or s.stage = ${sendStageSql.scheduled} paused,
      m.expires_at <= now() or ${isContentRemoved} expired, m.error, p.is_held held`.execute(db);
  const claimed = rows.filter(({ held }) => !held);
  return { claimed, suspended: rows.length - claimed.length };
}

/** Releases these leases of messages: they are due immediately, for any process. Leaves messages under another lease alone. */
export async function releaseLeases(db: Db, keys: readonly LeaseKey[]): Promise<void> {
  await sql`
    update messages m set due_at = now()
    from unnest(${accountIds(keys)}::uuid[], ${messageIds(keys)}::uuid[], ${keys.map((key) => key.lease)}::text[]) x(a, i, lease)
    where m.account_id = x.a and m.id = x.i and (m.due_at = x.lease::timestamptz) is true and m.state = ${stateSql.queued}`.execute(
    db,
  );
}

/**
 * Finds up to `limit` dispatching messages without a result or report for ten minutes after their lease ended, not counting
 * the time in which no callback could be received.
 */
export async function findOverdue(db: Db, limit: number): Promise<MessageKey[]> {
  const { rows } = await sql<MessageKey>`
    select x.account_id as "accountId", x.id from senders s cross join lateral (
      select m.account_id, m.id from messages m
      where m.sender_id = s.id and m.due_at <= now() - interval '10 minutes' and m.state = ${stateSql.dispatching}
        and m.due_at <= now() - interval '10 minutes' - ${outageSince(sql`m.due_at`)} limit ${limit}) x
    order by x.id limit ${limit}`.execute(db);
  return rows;
}

/** Finds up to `limit` queued messages past their time to live, with their last rejection. */
export async function findExpired(
  db: Db,
  limit: number,
): Promise<(MessageKey & { lastRejection: MessageError | null })[]> {
  const { rows } = await sql<MessageKey & { lastRejection: MessageError | null }>`
    select x.account_id as "accountId", x.id, x.error as "lastRejection" from senders s cross join lateral (
      select m.account_id, m.id, m.error from messages m
      where m.sender_id = s.id and m.due_at <= now() and m.state = ${stateSql.queued} and m.expires_at <= now() limit ${limit}) x
    order by x.id limit ${limit}`.execute(db);
  return rows;
}

/** Slots are reserved about 100 ms ahead, so a next slot after this shows that the sender was throttled. */
const throttledFromSeconds = 1;

/**
 * Returns the completed messages; and, as `queued`, those that cannot complete within `seconds`: the sender is halted or
 * throttled, the template held, or the retry later than that.
 */
export async function findCompletions(
  db: Db,
  accountId: string,
  ids: string[],
  seconds: number,
): Promise<Completion[]> {
  const { rows } = await sql<Completion>`
    select m.id, m.state, m.wamid, m.error from ${keyRows(ids.map((id) => ({ accountId, id })))}
    join messages m on m.account_id = x.a and m.id = x.i
    where m.state > ${stateSql.dispatching} or (m.state = ${stateSql.queued} and (${isSenderHalted(sql`m.sender_id`, isReply)} or ${isTemplateHeld(sql`m.template_id`)}
      or ${isSlowedFor(sql`m.sender_id`, Math.max(throttledFromSeconds, seconds))}
      or m.due_at > now() + ${Math.max(leaseSecondsMax, seconds)} * interval '1 second'))`.execute(db);
  return rows;
}

/**
 * Releases the leases of ended processes; returns how many. Leaves dispatching messages alone: they may have been called.
 */
export async function releaseMessagesOfProcesses(tx: Tx, processIds: readonly number[]): Promise<number> {
  const { numAffectedRows } = await sql`
    update messages m set due_at = now()
    from (
      select l.account_id, l.id from senders s cross join lateral (
        select account_id, id from messages
        where sender_id = s.id and due_at > now() and state = ${stateSql.queued} and leased_by = any (${[...processIds]}::int[])
        for update skip locked) l) x
    where m.account_id = x.account_id and m.id = x.id`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
