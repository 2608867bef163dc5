// Tables send_feeds, send_recipients and messages: the steps by which a send enters the queue and leaves it.
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { isGatewayHeld } from '../../db/gateway-state.ts';
import { insertQueuedCounts } from '../messages/counts-store.ts';
import type { MessageError, MessageKey } from '../messages/message.ts';
import type { SendKey, SendRow } from '../messages/sends-store.ts';
import {
  isOptedOut,
  isSenderHalted,
  isTemplateHeld,
  keyRows,
  sendStageSql,
  stateSql,
} from '../messages/sql-store.ts';
import { isOfVersion, queuedOf } from './conditions-store.ts';

/** A claimed feed. */
export interface Feed extends SendKey {
  /** The value of `due_at` that identifies the lease. */
  lease: string;
}

/** Leases the feed that is due for the longest time; undefined if none is due. */
export async function claimFeed(
  db: Db,
  { leaseSeconds, processId }: { leaseSeconds: number; processId: number },
): Promise<Feed | undefined> {
  const { rows } = await sql<Feed>`
    update send_feeds f set due_at = now() + ${leaseSeconds} * interval '1 second', leased_by = ${processId} from (
      select send_id from send_feeds where due_at <= now() and not ${isGatewayHeld} order by due_at limit 1 for update skip locked) x
    where f.send_id = x.send_id
    returning f.account_id as "accountId", f.send_id as "sendId", f.due_at::text as lease`.execute(db);
  return rows[0];
}

/** Makes a feed due after `seconds`, or at the end of the send's time to live. No effect if a request made it due since the claim. */
export async function delayFeed(db: Db, feed: Feed, next: { seconds: number } | { at: Date }): Promise<void> {
  const at = 'at' in next ? sql`${next.at}::timestamptz` : sql`now() + ${next.seconds} * interval '1 second'`;
  await sql`
    update send_feeds set due_at = ${at}, leased_by = null where send_id = ${feed.sendId} and due_at = ${feed.lease}::timestamptz`.execute(
    db,
  );
}

/** Releases the leases of ended processes; returns how many. */
export async function releaseFeedsOfProcesses(tx: Tx, processIds: readonly number[]): Promise<number> {
  const { numAffectedRows } = await sql`
    update send_feeds f set due_at = now(), leased_by = null from (
      select send_id from send_feeds where due_at > now() and leased_by = any (${[...processIds]}::int[]) for update skip locked) x
    where f.send_id = x.send_id`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** Every priority up to that of the send: the index of due messages has the priority before the time. */
const upTo = (priority: RawBuilder<unknown>) => sql`any((array[0, 1, 2]::smallint[])[1:${priority} + 1])`;

/** The messages of a sender that a count reads. */
const scannedMax = 60_000;

/** The queued and dispatching messages of the sender of `s` with its priority or a more urgent one, at most `scannedMax`. */
const queueOfSender = sql`(
  select m.send_id, m.due_at from messages m
  where m.sender_id = s.sender_id and m.priority = ${upTo(sql`coalesce(s.priority, 2)`)} and m.due_at is not null
  limit ${scannedMax})`;

/**
 * Ends the feed of a started or cancelled send of which nothing waits, is queued or is being dispatched; returns whether it
 * ended. One statement, so that no recipient can move in between.
 */
export async function endFeed(db: Db, feed: Feed): Promise<boolean> {
  const { rows } = await sql`
    /* endFeed */ with ended as (
      update sends s set is_open = false, done_at = case when s.cancelled_at is null then now() end
      where s.account_id = ${feed.accountId} and s.id = ${feed.sendId}
        and (s.stage = ${sendStageSql.started} or s.cancelled_at is not null or s.expires_at <= now())
        and not exists (select from send_recipients r where r.send_id = s.id)
        and (s.cancelled_at is not null or (
          select count(*) < ${scannedMax} and count(*) filter (where q.send_id = s.id) = 0 from ${queueOfSender} q))
      returning s.id)
    delete from send_feeds f using ended where f.send_id = ended.id returning 1`.execute(db);
  return rows.length > 0;
}

/** What may be fed. */
export interface Room {
  /** How many more messages of the send may enter the queue; 0 while its sender is halted or its template held. */
  room: number;
  /** False if its recipients must be checked against the template first: it changed, or they never were. */
  fits: boolean;
}

/** What the queue may have of a send: messages in all, and as many that are due as the number sends in these seconds. */
export interface QueueLimit {
  messages: number;
  dueSeconds: number;
}

/**
 * Finds what may be fed of a send. Messages that wait for a retry or a report count as messages, but are not due: they delay nobody.
 */
export async function findRoom(
  db: Db,
  { accountId, sendId }: SendKey,
  { messages, dueSeconds }: QueueLimit,
): Promise<Room> {
  const { rows } = await sql<Room>`
    /* findRoom */ select case when ${isSenderHalted(sql`s.sender_id`)} or ${isTemplateHeld(sql`s.template_id`)} then 0
      else (select case when count(*) = ${scannedMax} then 0
        else greatest(0, least(${messages}::int - count(*) filter (where q.send_id = s.id),
          ceil(${dueSeconds}::float8 * coalesce((select n.messages_per_second from senders n where n.id = s.sender_id), 1))::int
            - count(*) filter (where q.send_id = s.id and q.due_at <= now()))) end from ${queueOfSender} q) end::int as room,
      (select ${isOfVersion} from templates t where t.id = s.template_id) is not false as fits
    from sends s where s.account_id = ${accountId} and s.id = ${sendId}`.execute(db);
  return rows[0] ?? { room: 0, fits: true };
}

/** Starts a scheduled send whose time has come, or pauses it if its template changed. */
export async function startScheduled(db: Db, { accountId, sendId }: SendKey): Promise<void> {
  await sql`
    update sends s set
      stage = case when x.fits then ${sendStageSql.started} else ${sendStageSql.scheduled} end, started_at = case when x.fits then now() end,
      paused_at = case when not x.fits then now() end,
      paused_reason = case when not x.fits then 'template_changed' end
    from (
      select s.id, ${isOfVersion} as fits from sends s left join templates t on t.id = s.template_id
      where s.account_id = ${accountId} and s.id = ${sendId}) x
    where s.account_id = ${accountId} and s.id = x.id and s.stage = ${sendStageSql.scheduled} and s.send_at <= now()
      and (s.upload_until is null or s.upload_until <= now())
      and s.paused_at is null and s.cancelled_at is null`.execute(db);
}

/** A recipient's columns in `messages`; `due_at` differs. */
export const messageColumns = sql`account_id, id, send_id, sender_id, template_id, phone, name, content, media_id, metadata, position,
  priority, attempts, error, expires_at, due_at`;
export const recipientValues = sql`send.account_id, m.id, send.id, send.sender_id, send.template_id, m.phone, m.name, m.content,
  m.media_id, m.metadata, m.position, coalesce(send.priority, 2), m.attempts, m.error`;

/** Takes up to `limit` recipients of `send`, in the order in which they were added, out of `send_recipients`. */
const taken = (limit: number) => sql`
  picked as (
    select r.send_id, r.phone from send cross join lateral (
      select q.send_id, q.phone from send_recipients q where q.send_id = send.id order by q.id limit ${limit}
      for update skip locked) r),
  moved as (
    delete from send_recipients r using picked p where r.send_id = p.send_id and r.phone = p.phone returning r.*)`;

/** Counts the recipients of the CTE `moved` as queued messages, without those that a pause had returned. */
export const counted = sql`
  counted as (${insertQueuedCounts(sql`(
    select send.account_id, send.sender_id, send.template_id, coalesce(send.priority, 2) as priority
    from moved, send where not moved.was_queued)`)})`;

/** What one step moved. */
export interface FedRecipients {
  count: number;
  /** Those of them who opted out: no claim finds their messages, which are failed in the same transaction. */
  optedOut: string[];
  /** The messages that were never in the queue before, if they were asked for. */
  firstIds: string[];
}

/** The send, if it is started, neither paused nor cancelled, and not expired. Locked, so that a pause waits, or is seen. */
export const startedSend = ({ accountId, sendId }: SendKey) => sql`
  select s.* from sends s where s.account_id = ${accountId} and s.id = ${sendId} and s.stage = ${sendStageSql.started}
    and s.paused_at is null and s.cancelled_at is null and s.expires_at > now() for share`;

/**
 * Moves up to `limit` recipients of a send into the queue, if it is started, neither paused nor cancelled, and not expired, and
 * its recipients were checked against the template as it is. Locks the template, so that the check after a change waits for
 * the move. `withIds`: also returns the messages that were never in the queue before.
 */
export async function feedRecipients(
  tx: Tx | Db,
  of: SendKey,
  limit: number,
  withIds = false,
): Promise<FedRecipients> {
  const firstIds = withIds
    ? sql`(select coalesce(jsonb_agg(id) filter (where not was_queued), '[]') from moved)`
    : sql`'[]'::jsonb`;
  const { rows } = await sql<FedRecipients>`
    /* feedRecipients */ with started as (${startedSend(of)}),
    template as (
      select t.id, t.components_changed_at from started s, templates t where t.id = s.template_id for key share of t),
    send as (select s.* from started s left join template t on true where t.id is null or ${isOfVersion}),
    ${taken(limit)},
    written as (
      insert into messages (${messageColumns})
      select ${recipientValues}, send.expires_at,
        case when not ${isOptedOut(sql`m.account_id`, sql`m.phone`, sql`coalesce(send.priority, 2)`)} then now() end
      from moved m, send returning id, due_at),
    ${counted}
    select count(*)::int count, coalesce(jsonb_agg(id) filter (where due_at is null), '[]') "optedOut",
      ${firstIds} "firstIds" from written`.execute(tx);
  return rows[0] ?? { count: 0, optedOut: [], firstIds: [] };
}

/** A recipient whose message was written to be failed in the same transaction. */
export interface EndedRecipient extends Pick<SendRow, 'cancelled_at'> {
  accountId: string;
  id: string;
  /** The platform's last rejection. */
  error: MessageError | null;
}

/**
 * Writes up to `limit` recipients of a cancelled or expired send as messages that no claim finds, to be failed in `tx`. Returns
 * them in the order of their ids.
 */
export async function endRecipients(
  tx: Tx,
  { accountId, sendId }: SendKey,
  limit: number,
): Promise<EndedRecipient[]> {
  const { rows } = await sql<EndedRecipient>`
    /* endRecipients */ with send as (
      select s.* from sends s where s.account_id = ${accountId} and s.id = ${sendId}
        and (s.cancelled_at is not null or s.expires_at <= now()) for share),
    ${taken(limit)},
    written as (
      insert into messages (${messageColumns}) select ${recipientValues}, coalesce(send.expires_at, now()), null::timestamptz
      from moved m, send returning account_id, id, error),
    ${counted}
    select w.account_id as "accountId", w.id, w.error, send.cancelled_at from written w, send order by w.id`.execute(
    tx,
  );
  return rows;
}

/**
 * Moves up to `limit` queued messages of a paused or scheduled send out of the queue. Skips messages whose dispatch is being begun. Returns
 * how many moved. Locks them in a statement of its own: see "Rules of the hot tables" on locks and partitions.
 */
export async function returnMessages(db: Db, send: SendKey, limit: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const locked = await lockQueued(tx, send, limit);
    if (locked.length > 0) await moveBack(tx, locked);
    return locked.length;
  });
}

/** Locks up to `limit` queued messages of a paused or scheduled send, and the send, so that a resume or start waits. */
export async function lockQueued(
  tx: Tx,
  { accountId, sendId }: SendKey,
  limit: number,
): Promise<MessageKey[]> {
  const { rows } = await sql<MessageKey>`
    with send as (
      select s.* from sends s where s.account_id = ${accountId} and s.id = ${sendId}
        and (s.paused_at is not null or s.stage = ${sendStageSql.scheduled}) and s.cancelled_at is null for share)
    select r.account_id as "accountId", r.id from send cross join lateral (
      select m.account_id, m.id from messages m
      where m.sender_id = send.sender_id and m.priority = send.priority and m.due_at is not null and (m.send_id = send.id) is true
        and m.state = ${stateSql.queued} and m.expires_at > now()
      order by m.due_at limit ${limit} for update skip locked) r`.execute(tx);
  return rows;
}

/** Moves locked messages to `send_recipients`. */
export async function moveBack(tx: Tx, keys: readonly MessageKey[]): Promise<void> {
  await sql`
    /* returnMessages */ with moved as (
      delete from messages m using ${keyRows(keys)} where m.account_id = x.a and m.id = x.i returning m.*)
    insert into send_recipients (send_id, account_id, phone, id, name, content, media_id, metadata, position, attempts, error, was_queued)
    select send_id, account_id, phone, id, name, content, media_id, metadata, position, attempts, error, true from moved`.execute(
    tx,
  );
}

/** True if messages of the send are queued or being dispatched. */
export async function hasQueued(
  db: Db | Tx,
  send: Pick<SendRow, 'account_id' | 'id' | 'sender_id'>,
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${queuedOf({
      sender_id: sql`${send.sender_id}`,
      id: sql`${send.id}`,
      account_id: sql`${send.account_id}`,
    })} limit 1`.execute(db);
  return rows.length > 0;
}

/** True if recipients of the send are kept apart from the queue. */
export async function hasKept(db: Db | Tx, sendId: string): Promise<boolean> {
  const { rows } = await sql`select 1 from send_recipients where send_id = ${sendId} limit 1`.execute(db);
  return rows.length > 0;
}
