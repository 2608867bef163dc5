// Queries for readings: when each business account's templates were read, and when they may be read again.
import { type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import type { DB } from '../../db/schema.ts';

export type ReadingRow = Selectable<DB['template_readings']>;

export interface ReadingKey {
  accountId: string;
  businessAccountId: string;
}

/** How long one reading may take; after that, another process may repeat it. */
const leaseSeconds = 300;

/** Adds the reading of a new business account, due now; an existing one becomes due as soon as it is allowed. */
export async function addReading(tx: Tx, of: ReadingKey): Promise<void> {
  await sql`
    insert into template_readings as r (account_id, business_account_id) values (${of.accountId}, ${of.businessAccountId})
    on conflict (account_id, business_account_id) do update
      set wanted_at = now(), due_at = least(r.due_at, greatest(now(), r.not_before))`.execute(tx);
}

/** Removes the readings of the account's business accounts that no longer have a sender. */
export async function removeReadings(tx: Tx, accountId: string): Promise<void> {
  await sql`
    delete from template_readings r where r.account_id = ${accountId} and not exists (
      select from senders s where s.account_id = r.account_id and s.business_account_id = r.business_account_id)`.execute(
    tx,
  );
}

/**
 * Makes a list due in some seconds, then as soon as it may be read again, and again if a reading begins before that.
 */
export async function requestLaterReading(tx: Tx, of: ReadingKey, seconds: number): Promise<void> {
  const at = sql`now() + ${seconds} * interval '1 second'`;
  await sql`
    update template_readings set wanted_at = ${at}, due_at = least(due_at, greatest(${at}, not_before))
    where account_id = ${of.accountId} and business_account_id = ${of.businessAccountId}`.execute(tx);
}

/**
 * Makes a list due as soon as it may be read again; without `of`, every list. Does not write if it is already due and
 * requested: all rejections of a campaign request the same reading.
 */
export async function requestReading(db: Db | Tx, of: ReadingKey | null): Promise<void> {
  await sql`
    update template_readings set wanted_at = now(), due_at = least(due_at, greatest(now(), not_before))
    where (${of === null}
      or (account_id = ${of?.accountId ?? null} and business_account_id = ${of?.businessAccountId ?? null}))
      and not coalesce(wanted_at > coalesce(begun_at, '-infinity') and due_at <= greatest(now(), not_before), false)`.execute(
    db,
  );
}

/** Makes a list that failed due now: its sender has a new credential. */
export async function retryReading(tx: Tx, of: ReadingKey): Promise<void> {
  await sql`
    update template_readings set attempts = 0, due_at = now(), not_before = now()
    where account_id = ${of.accountId} and business_account_id = ${of.businessAccountId} and failure is not null
      and ended_at >= begun_at`.execute(tx);
}

const begin = sql`due_at = now() + ${leaseSeconds} * interval '1 second',
  not_before = now() + ${leaseSeconds} * interval '1 second', begun_at = now()`;

/** Claims up to `limit` lists that are due. */
export async function claimDueReadings(db: Db, limit: number): Promise<ReadingRow[]> {
  const { rows } = await sql<ReadingRow>`
    update template_readings set ${begin} where (account_id, business_account_id) in (
      select account_id, business_account_id from template_readings where due_at <= now()
      order by due_at limit ${limit} for update skip locked)
    returning *`.execute(db);
  return rows;
}

/** Claims one list for a waiting caller; undefined if it may not be read yet. */
export async function claimReading(db: Db, of: ReadingKey): Promise<ReadingRow | undefined> {
  const { rows } = await sql<ReadingRow>`
    update template_readings set ${begin}
    where account_id = ${of.accountId} and business_account_id = ${of.businessAccountId} and not_before <= now()
    returning *`.execute(db);
  return rows[0];
}

/** Records a successful reading: the number of templates, and when the list may and will be read again. */
export async function recordReading(
  db: Db,
  of: ReadingKey,
  read: { count: number; notBeforeSeconds: number; dueInSeconds: number },
): Promise<ReadingRow | undefined> {
  const notBefore = sql`begun_at + ${read.notBeforeSeconds} * interval '1 second'`;
  const { rows } = await sql<ReadingRow>`
    update template_readings set failure = null, attempts = 0, read_at = now(), ended_at = now(),
      template_count = ${read.count}, not_before = ${notBefore},
      due_at = case when wanted_at > begun_at then greatest(now(), ${notBefore})
        else now() + ${read.dueInSeconds} * interval '1 second' end
    where account_id = ${of.accountId} and business_account_id = ${of.businessAccountId} returning *`.execute(
    db,
  );
  return rows[0];
}

/** Records a failed reading and when it is retried; nobody can read the list before that. */
export async function recordReadingFailure(
  db: Db,
  of: ReadingKey,
  failed: { failure: string; retryInSeconds: number },
): Promise<void> {
  await sql`
    update template_readings set failure = ${failed.failure}, attempts = least(attempts + 1, 100), ended_at = now(),
      not_before = now() + ${failed.retryInSeconds} * interval '1 second',
      due_at = now() + ${failed.retryInSeconds} * interval '1 second'
    where account_id = ${of.accountId} and business_account_id = ${of.businessAccountId}`.execute(db);
}

/** The readings of the account's business accounts. */
export async function listReadings(db: Db, accountId: string): Promise<ReadingRow[]> {
  const { rows } = await sql<ReadingRow>`
    select * from template_readings where account_id = ${accountId} order by business_account_id`.execute(db);
  return rows;
}

/** One reading, and whether it is in progress. */
export async function findReading(
  db: Db,
  of: ReadingKey,
): Promise<(ReadingRow & { under_way: boolean }) | undefined> {
  const { rows } = await sql<ReadingRow & { under_way: boolean }>`
    select *, begun_at is not null and coalesce(ended_at < begun_at, true) and due_at > now() as under_way
    from template_readings
    where account_id = ${of.accountId} and business_account_id = ${of.businessAccountId}`.execute(db);
  return rows[0];
}
