// Rows of messages as a queue: what is due, what nobody can know any more, what expired.
import { sql } from 'kysely';
import { arrayText } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import { outageSince } from './callback-uptime-store.ts';
import type { Completion } from './completion-waiters.ts';
import { isSenderHalted, isTemplateHeld } from './conditions-store.ts';
import type { MessageError } from './message.ts';
import { isContentRemoved } from './messages-codes-store.ts';
import { type DueMessage, isSlowedFor, type MessageKey } from './messages-moves-store.ts';

export type ClaimedMessage = DueMessage & {
  /** Its send was cancelled while it was being called, and the platform did not take it. */
  cancelled: boolean;
  /** Its time to live has passed; or had passed before the database's clock stepped back, so that its code is gone. */
  expired: boolean;
  /** The platform's last refusal. */
  error: MessageError | null;
};

/** Of all numbers together; those whose lanes are full by it are passed over in the next round. */
const claimedAtOnceMax = 5_000;

export interface Claim {
  claimed: ClaimedMessage[];
  /** Due messages of templates that are held: not claimed, to be parked; in the order of their ids. */
  held: MessageKey[];
}

/**
 * Claims due messages for a process, for 60 s: up to `perSender` of every number that is not halted and not in `busySenders`, in the
 * order of priority, so that neither a campaign of one number delays another nor marketing an authentication code. Sends
 * are joined to what was claimed, never before: the planner of a small database would read an account's sends, and all
 * their messages, for each message claimed (seen: 20 seconds a claim).
 */
export async function claimDue(
  db: Db,
  perSender: number,
  busySenders: string[],
  processId: number,
): Promise<Claim> {
  type Row = ClaimedMessage & { held: boolean };
  const { rows } = await sql<Row>`
    with picked as (
      select x.*, x.is_live and ${isTemplateHeld(sql`x.template_id`)} as is_held from senders s cross join lateral (
        select m.account_id, m.id, m.template_id, m.expires_at > now() as is_live from messages m
        where m.sender_id = s.id and m.due_at <= now() and m.state = 0
          and (m.priority = 0 or not s.id = any(${busySenders}::uuid[]))
        order by m.priority, m.due_at limit ${perSender} for update of m skip locked) x
      where s.halted_at is null
      limit ${claimedAtOnceMax}),
    claimed as (
      update messages m set due_at = now() + interval '60 seconds', leased_by = ${processId}
      from picked p where m.account_id = p.account_id and m.id = p.id and not p.is_held
      returning m.account_id, m.id, m.send_id, m.sender_id, m.phone, m.content, m.media_id, m.priority, m.attempts,
        m.due_at::text lease, m.expires_at <= now() or ${isContentRemoved} expired, m.error)
    select c.account_id, c.id, c.sender_id, s.template_name, s.language, c.phone, c.content, c.media_id, c.priority,
      c.attempts, c.lease, s.cancelled_at is not null cancelled, c.expired, c.error, false held
    from claimed c cross join lateral (
      select template_name, language, cancelled_at from sends where account_id = c.account_id and id = c.send_id limit 1) s
    union all
    select p.account_id, p.id, null, null, null, null, null, null, null, null, null, null, null, null, true
    from picked p where p.is_held`.execute(db);
  return {
    claimed: rows.filter(({ held }) => !held),
    held: rows
      .filter(({ held }) => held)
      .map(({ account_id: accountId, id }) => ({ accountId, id }))
      .sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

/** Gives claimed messages back at once, for whoever is next. */
export async function releaseLeases(db: Db, keys: MessageKey[]): Promise<void> {
  await sql`
    update messages m set due_at = now()
    from unnest(${arrayText(keys.map((key) => key.accountId))}::uuid[], ${arrayText(keys.map((key) => key.id))}::uuid[]) x(a, i)
    where m.account_id = x.a and m.id = x.i and m.state = 0`.execute(db);
}

/**
 * Up to `limit` marked messages of which nobody heard in the ten minutes after their lease, not counting the time that
 * callbacks could not be taken.
 */
export async function findOverdue(db: Db, limit: number): Promise<MessageKey[]> {
  const { rows } = await sql<MessageKey>`
    select x.account_id as "accountId", x.id from senders s cross join lateral (
      select m.account_id, m.id from messages m
      where m.sender_id = s.id and m.due_at <= now() - interval '10 minutes' and m.state = 1
        and m.due_at <= now() - interval '10 minutes' - ${outageSince(sql`m.due_at`)} limit ${limit}) x
    order by x.id limit ${limit}`.execute(db);
  return rows;
}

/** Up to `limit` queued messages past their time to live that no claim brings soon, with their last refusal. */
export async function findExpired(
  db: Db,
  limit: number,
): Promise<(MessageKey & { lastError: MessageError | null })[]> {
  const { rows } = await sql<MessageKey & { lastError: MessageError | null }>`
    select x.account_id as "accountId", x.id, x.error as "lastError" from senders s cross join lateral (
      select m.account_id, m.id, m.error from messages m
      where m.sender_id = s.id and m.due_at <= now() and m.state = 0 and m.expires_at <= now() limit ${limit}) x
    order by x.id limit ${limit}`.execute(db);
  return rows;
}

/** How many messages of the account wait, counted up to `limit`. */
export async function countQueued(db: Db, accountId: string, limit: number): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int n from (select 1 from senders s join messages m on m.sender_id = s.id
      where s.account_id = ${accountId} and m.due_at is not null limit ${limit}) x`.execute(db);
  return rows[0]?.n ?? 0;
}

/** Slots are taken some 100 ms ahead: only a next slot later than this says that the number was slowed down. */
const leastSlowedSeconds = 1;

/** Longer than any lease: a queued message that is due later than this is put off, not in somebody's hands. */
const leaseSecondsMax = 61;

/**
 * Of these messages, the outcomes that are known; and as `queued` those of which none can come within `seconds`: their
 * number is halted or slowed down, their template held, or they are put off for longer than that.
 */
export async function findCompletions(
  db: Db,
  accountId: string,
  ids: string[],
  seconds: number,
): Promise<Completion[]> {
  const { rows } = await sql<Completion>`
    select m.id, m.state, m.wamid, m.error from unnest(${arrayText(ids.map(() => accountId))}::uuid[], ${arrayText(ids)}::uuid[]) x(a, i)
    join messages m on m.account_id = x.a and m.id = x.i
    where m.state > 1 or (m.state = 0 and (${isSenderHalted(sql`m.sender_id`)} or ${isTemplateHeld(sql`m.template_id`)}
      or ${isSlowedFor(sql`m.sender_id`, Math.max(leastSlowedSeconds, seconds))}
      or m.due_at > now() + ${Math.max(leaseSecondsMax, seconds)} * interval '1 second'))`.execute(db);
  return rows;
}

/**
 * Releases what processes had leased whose sessions have ended, for whoever claims next; answers how many. What they had
 * marked stays: it may have been called.
 */
export async function releaseMessagesOfProcesses(tx: Tx, processIds: readonly number[]): Promise<number> {
  const { numAffectedRows } = await sql`
    update messages m set due_at = now()
    from (
      select l.account_id, l.id from senders s cross join lateral (
        select account_id, id from messages
        where sender_id = s.id and due_at > now() and state = 0 and leased_by = any (${[...processIds]}::int[])
        for update skip locked) l) x
    where m.account_id = x.account_id and m.id = x.id`.execute(tx);
  return Number(numAffectedRows ?? 0);
}
