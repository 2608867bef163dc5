// Queries for the states of senders: what the platform says of each number, and its checks.
import { type Selectable, sql } from 'kysely';
import { lowestUuidAt } from '../../base/uuid-time.ts';
import type { CheckStatus } from '../../contract/senders.ts';
import { arrayText } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { DB } from '../../db/schema.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import type { StoredCheck } from './stored-checks.ts';

const checkStatusSql = sqlConstants({ failed: 'failed' satisfies CheckStatus });

export type SenderStateRow = Omit<Selectable<DB['sender_states']>, 'checks'> & { checks: StoredCheck[] };

/** The states of these senders, by the sender's id. */
export async function listStates(
  db: Db | Tx,
  senderIds: readonly string[],
): Promise<Map<string, SenderStateRow>> {
  if (senderIds.length === 0) return new Map();
  const rows = await db.selectFrom('sender_states').selectAll().where('sender_id', 'in', senderIds).execute();
  return new Map(rows.map((row) => [row.sender_id, row as unknown as SenderStateRow]));
}

/** Adds the state of a new sender. */
export async function insertState(tx: Tx, senderId: string): Promise<void> {
  await tx.insertInto('sender_states').values({ sender_id: senderId }).execute();
}

/** What a run of the checks found out; null where nothing is known. */
export interface FoundState {
  verifiedName: string | null;
  qualityRating: string | null;
  messagingLimit: string | null;
  throughput: number | null;
  tokenExpiresAt: Date | null;
  checks: StoredCheck[];
}

/** Locks the state of a sender until the transaction ends; undefined if the sender was removed. */
export async function lockState(tx: Tx, senderId: string): Promise<SenderStateRow | undefined> {
  const row = await tx
    .selectFrom('sender_states')
    .selectAll()
    .where('sender_id', '=', senderId)
    .forUpdate()
    .executeTakeFirst();
  return row as unknown as SenderStateRow | undefined;
}

/** Stores what a run found and makes the next one due. Keeps what the run could not read. */
export async function updateState(
  tx: Tx,
  senderId: string,
  found: FoundState,
  dueInSeconds: number,
): Promise<void> {
  await sql`
    update sender_states set verified_name = coalesce(${found.verifiedName}, verified_name),
      quality_rating = coalesce(${found.qualityRating}, quality_rating),
      messaging_limit = coalesce(${found.messagingLimit}, messaging_limit),
      throughput = coalesce(${found.throughput}::int, throughput), token_expires_at = ${found.tokenExpiresAt}::timestamptz,
      checks = ${JSON.stringify(found.checks)}::jsonb, due_at = now() + ${dueInSeconds} * interval '1 second'
    where sender_id = ${senderId}`.execute(tx);
}

/** Sets the rate of a sender that follows the platform's throughput; leaves one alone whose account chose the rate. */
export async function followThroughput(tx: Tx, senderId: string, perSecond: number): Promise<void> {
  await sql`
    with followed as (
      update senders set messages_per_second = ${perSecond}::int
      where id = ${senderId} and follows_throughput and messages_per_second <> ${perSecond}::int returning id)
    update sender_paces p set per_second = ${perSecond}::int from followed where p.sender_id = followed.id`.execute(
    tx,
  );
}

/** Makes the checks of these senders due in so many seconds, if they are not due before. */
export async function makeChecksDue(db: Db, senderIds: readonly string[], inSeconds: number): Promise<void> {
  await sql`
    update sender_states set due_at = now() + ${inSeconds} * interval '1 second'
    where sender_id = any (${arrayText(senderIds)}::uuid[]) and due_at > now() + ${inSeconds} * interval '1 second'`.execute(
    db,
  );
}

/** Leases up to `limit` senders whose checks are due. */
export async function claimDueChecks(db: Db, limit: number, leaseSeconds: number): Promise<string[]> {
  const { rows } = await sql<{ sender_id: string }>`
    update sender_states set due_at = now() + ${leaseSeconds} * interval '1 second' where sender_id in (
      select sender_id from sender_states where due_at <= now() order by due_at limit ${limit}
      for update skip locked)
    returning sender_id`.execute(db);
  return rows.map((row) => row.sender_id);
}

/** Records that the platform verified a sender's callback address. */
export async function recordHandshake(db: Db, senderId: string): Promise<void> {
  await sql`update sender_states set handshake_at = now() where sender_id = ${senderId}`.execute(db);
}

/** Records when the last callbacks of these senders came, in epoch milliseconds. */
export async function recordCallbacks(db: Db, seen: ReadonlyMap<string, number>): Promise<void> {
  await sql`
    update sender_states s set last_callback_at = greatest(s.last_callback_at, to_timestamp(x.at / 1000.0))
    from unnest(${arrayText([...seen.keys()])}::uuid[], ${arrayText([...seen.values()])}::float8[]) x(id, at)
    where s.sender_id = x.id`.execute(db);
}

/** How many of the account's last messages are searched for reports. */
const searchedMessages = 500;

/**
 * When the oldest of the sender's last messages was accepted that has no report, if none of those after it has one; null
 * otherwise. Reads a bounded part of the account's messages of the last day.
 */
export async function findUnreported(
  db: Db,
  { accountId, senderId, now }: { accountId: string; senderId: string; now: number },
): Promise<Date | null> {
  const { rows } = await sql<{ since: Date | null }>`
    select case when not bool_or(x.has_report) then min(x.accepted_at) end as since from (
      select m.sender_id, m.accepted_at, coalesce(m.sent_at, m.delivered_at, m.read_at, m.failed_at) is not null as has_report from messages m
      where m.account_id = ${accountId} and m.id > ${lowestUuidAt(new Date(now - 24 * 3_600_000))}::uuid
      order by m.id desc limit ${searchedMessages}) x
    where x.sender_id = ${senderId} and x.accepted_at is not null`.execute(db);
  return rows[0]?.since ?? null;
}

/** A failed check. */
export interface FailedCheck {
  senderId: string;
  /** The sender's name. */
  sender: string;
  name: string;
  detail: string;
  fix: string | null;
  checkedAt: string;
}

/** The failed checks of the senders of one account, or of all, as the last runs stored them. */
export async function listFailedChecks(
  db: Db,
  { accountId = null, limit = null }: { accountId?: string | null; limit?: number | null } = {},
): Promise<FailedCheck[]> {
  const { rows } = await sql<FailedCheck>`
    select s.id as "senderId", s.name as sender, c.name, c.detail, c.fix, c."checkedAt"
    from sender_states x join senders s on s.id = x.sender_id
    cross join lateral jsonb_to_recordset(x.checks)
      as c(name text, status text, detail text, fix text, "checkedAt" text)
    where c.status = ${checkStatusSql.failed} and (${accountId}::uuid is null or s.account_id = ${accountId}::uuid)
    order by s.account_id, s.id limit ${limit}::int`.execute(db);
  return rows;
}
