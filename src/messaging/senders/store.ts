// Queries for senders, the messaging numbers.
import { type Insertable, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import type { DB } from '../../db/schema.ts';
import { insertState } from './states-store.ts';

export type SenderRow = Selectable<DB['senders']>;

/** Adds a sender with its pace and state. */
export async function insertSender(tx: Tx, sender: Insertable<DB['senders']>): Promise<SenderRow> {
  const row = await tx.insertInto('senders').values(sender).returningAll().executeTakeFirstOrThrow();
  await tx
    .insertInto('sender_paces')
    .values({ sender_id: row.id, per_second: row.messages_per_second })
    .execute();
  await insertState(tx, row.id);
  return row;
}

/** The account's sender with that id. */
export async function findSender(db: Db | Tx, accountId: string, id: string): Promise<SenderRow | undefined> {
  return db
    .selectFrom('senders')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Locks the account's sender against removal and against sends that are being stored. */
export async function lockSender(tx: Tx, accountId: string, id: string): Promise<SenderRow | undefined> {
  return tx
    .selectFrom('senders')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** Locks a sender against removal and changes. */
export async function lockSenderById(tx: Tx, id: string): Promise<SenderRow | undefined> {
  return tx.selectFrom('senders').selectAll().where('id', '=', id).forNoKeyUpdate().executeTakeFirst();
}

/** Records the platform's app of a sender. */
export async function recordAppId(db: Db, id: string, appId: string): Promise<void> {
  await db.updateTable('senders').set({ app_id: appId }).where('id', '=', id).execute();
}

/** The sender with that id in any account, for ids from our own rows. */
export async function findSenderById(db: Db | Tx, id: string): Promise<SenderRow | undefined> {
  return db.selectFrom('senders').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The default sender of a business account, else its oldest; without a business account, of the whole account. */
export async function findDefaultSender(
  db: Db | Tx,
  accountId: string,
  businessAccountId?: string,
): Promise<SenderRow | undefined> {
  let query = db.selectFrom('senders').selectAll().where('account_id', '=', accountId);
  if (businessAccountId !== undefined) query = query.where('business_account_id', '=', businessAccountId);
  return query.orderBy('is_default', 'desc').orderBy('id').limit(1).executeTakeFirst();
}

/** One page of the account's senders, oldest first, and their total. */
export async function listSenders(
  db: Db,
  accountId: string,
  window: { limit: number; offset: number },
): Promise<{ rows: SenderRow[]; total: number }> {
  const own = db.selectFrom('senders').where('account_id', '=', accountId);
  const rows = await own.selectAll().orderBy('id').limit(window.limit).offset(window.offset).execute();
  const { total } = await own.select((eb) => eb.fn.countAll<number>().as('total')).executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}

/** Serializes changes of the account's senders, so that it never has two default senders. */
export async function lockSendersOf(tx: Tx, accountId: string): Promise<void> {
  await sql`select from accounts where id = ${accountId} for no key update`.execute(tx);
}

/** Leaves the account without a default sender. */
export async function clearDefault(tx: Tx, accountId: string): Promise<void> {
  await tx
    .updateTable('senders')
    .set({ is_default: false })
    .where('account_id', '=', accountId)
    .where('is_default', '=', true)
    .execute();
}

export type SenderChange = Partial<
  Pick<
    SenderRow,
    | 'name'
    | 'access_token'
    | 'app_secret'
    | 'app_secret_hash'
    | 'verify_token'
    | 'messages_per_second'
    | 'follows_throughput'
    | 'app_id'
    | 'is_default'
    | 'display_phone'
  >
>;

/** Changes a sender and resumes it if it was halted. */
export async function updateSender(tx: Tx, id: string, change: SenderChange): Promise<SenderRow> {
  const row = await tx
    .updateTable('senders')
    .set({
      ...change,
      halted_at: null,
      halted_reason: null,
      halted_error: null,
      halt_spares_replies: false,
      resumed_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (change.messages_per_second !== undefined) {
    await tx
      .updateTable('sender_paces')
      .set({ per_second: change.messages_per_second })
      .where('sender_id', '=', id)
      .execute();
  }
  return row;
}

/** True if this sender has queued or dispatching messages, or a send that is not finished names it. */
export async function hasWaitingMessages(tx: Db | Tx, senderId: string): Promise<boolean> {
  const { rows } = await sql`
    (select 1 from messages where sender_id = ${senderId} and due_at is not null limit 1)
    union all
    (select 1 from senders n join sends s on s.account_id = n.account_id and s.is_open and s.sender_id = n.id
      where n.id = ${senderId} limit 1)`.execute(tx);
  return rows.length > 0;
}

/** Deletes a sender. */
export async function deleteSender(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('senders').where('id', '=', id).execute();
}

/** Why a sender is halted. */
export interface SenderHalt {
  reason: string;
  /** The platform's error. */
  error: object;
  /** Only templates wait; replies continue. */
  sparesReplies: boolean;
  /** The time of the error. */
  asOf: Date | null;
}

/**
 * Halts a sender: its queue waits until the sender is changed. Returns undefined without a change if it is already halted, unless replies
 * were spared and no longer are, or if it was changed since `asOf`.
 */
export async function haltSender(
  db: Db | Tx,
  id: string,
  { reason, error, sparesReplies, asOf }: SenderHalt,
): Promise<(SenderRow & { was_halted: boolean }) | undefined> {
  const { rows } = await sql<SenderRow & { was_halted: boolean }>`
    with before as (select halted_at from senders where id = ${id} for no key update)
    update senders set halted_at = now(), halted_reason = ${reason}, halted_error = ${JSON.stringify(error)}::jsonb,
      halt_spares_replies = ${sparesReplies}::boolean
    from before
    where id = ${id} and (senders.halted_at is null or (halt_spares_replies and not ${sparesReplies}::boolean))
      and (${asOf}::timestamptz is null or resumed_at is null or resumed_at < ${asOf}::timestamptz)
    returning senders.*, before.halted_at is not null as was_halted`.execute(db);
  return rows[0];
}

/** The ids of the account's senders with the same business account as this one, including itself, in order. */
export async function listBusinessSenders(db: Db, id: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select s.id from senders o
    join senders s on s.account_id = o.account_id and s.business_account_id = o.business_account_id
    where o.id = ${id} order by s.id`.execute(db);
  return rows.map((row) => row.id);
}

/** All senders of one platform app, by every form of the hash of its secret. */
export async function findSendersOfApp(db: Db, appSecretHashes: Buffer[]): Promise<SenderRow[]> {
  return db.selectFrom('senders').selectAll().where('app_secret_hash', 'in', appSecretHashes).execute();
}

/** The senders that can read a business account's templates, the likeliest to succeed first. */
export async function listReaders(
  db: Db,
  of: { accountId: string; businessAccountId: string },
): Promise<SenderRow[]> {
  return db
    .selectFrom('senders')
    .selectAll()
    .where('account_id', '=', of.accountId)
    .where('business_account_id', '=', of.businessAccountId)
    .orderBy(sql`halted_at is not null`)
    .orderBy('is_default', 'desc')
    .orderBy('id')
    .execute();
}

/** The columns of a sender that other resources return. */
export type SenderLabel = Pick<
  SenderRow,
  'id' | 'account_id' | 'business_account_id' | 'name' | 'display_phone' | 'is_default'
>;

/** The senders of these business accounts in these accounts, default senders first, then the oldest. */
export async function listSenderLabels(
  db: Db | Tx,
  of: { accountIds: string[]; businessAccountIds: string[] },
): Promise<SenderLabel[]> {
  if (of.businessAccountIds.length === 0) return [];
  return db
    .selectFrom('senders')
    .select(['id', 'account_id', 'business_account_id', 'name', 'display_phone', 'is_default'])
    .where('account_id', 'in', of.accountIds)
    .where('business_account_id', 'in', of.businessAccountIds)
    .orderBy('is_default', 'desc')
    .orderBy('id')
    .execute();
}

/**
 * The account's senders that can make a call for it, of one business account if given. The order: active ones, then
 * `firstId`, then those of its business account, then the default sender, then the oldest.
 */
export async function listCallers(
  db: Db,
  accountId: string,
  of: { firstId?: string | undefined; businessAccountId?: string | undefined } = {},
): Promise<SenderRow[]> {
  const { firstId = null, businessAccountId = null } = of;
  const { rows } = await sql<SenderRow>`
    select s.* from senders s left join senders f on f.account_id = s.account_id and f.id = ${firstId}::uuid
    where s.account_id = ${accountId}
      and (${businessAccountId}::text is null or s.business_account_id = ${businessAccountId}::text)
    order by s.halted_at is not null, s.id is not distinct from f.id desc,
      s.business_account_id is not distinct from f.business_account_id desc, s.is_default desc, s.id
    limit 20`.execute(db);
  return rows;
}

/** The account's halted senders, the oldest halt first. */
export async function listHaltedSenders(
  db: Db,
  accountId: string,
  limit: number,
): Promise<
  (Pick<SenderRow, 'id' | 'name' | 'display_phone' | 'halted_reason' | 'halted_error'> & {
    halted_at: Date;
  })[]
> {
  const { rows } = await sql<
    Pick<SenderRow, 'id' | 'name' | 'display_phone' | 'halted_reason' | 'halted_error'> & { halted_at: Date }
  >`
    select id, name, display_phone, halted_reason, halted_error, halted_at from senders
    where account_id = ${accountId} and halted_at is not null order by halted_at, id limit ${limit}`.execute(
    db,
  );
  return rows;
}
