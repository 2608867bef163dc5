// Removal of single rows that have ended, an account at a time, in steps of bounded size. Entered by key; locks in the order of keys.
import { sql } from 'kysely';
import { arrayText } from '../db/array-text.ts';
import type { Db, Tx } from '../db/db.ts';
import type { DeliveryKey } from '../webhooks/delivery/delivery.ts';
import { deliveryKeys } from '../webhooks/delivery/keys-store.ts';
import { isBookingExpired, isDeliveryExpired, isMessageExpired, isReceivedExpired } from './expired-store.ts';

/** A step through the rows of an account that began before a time, in the order of their ids. */
export interface Step {
  accountId: string;
  /** Rows that ended before this are removed. */
  before: Date;
  /** The last id of the previous step. */
  after: string;
  limit: number;
}

/** A row of a step. */
export interface Walked {
  id: string;
  /** It ended, and nothing needs it. */
  expired: boolean;
}

/** Reads messages. One stays while a delivery of it does, because their bodies are made from it. */
export async function readMessages(db: Db, step: Step): Promise<Walked[]> {
  const { rows } = await sql<Walked>`
    select m.id, ${isMessageExpired(step.before)} and not exists (select from deliveries d where d.subject_id = m.id) as expired
    from messages m where m.account_id = ${step.accountId} and m.id > ${step.after} and m.id < uuid7_floor(${step.before})
    order by m.id limit ${step.limit}::int`.execute(db);
  return rows;
}

/** Removes messages that are still expired, with what refers to them; returns how many. Ids sorted. */
export async function deleteMessages(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
  before: Date,
): Promise<number> {
  const { rows } = await sql<{ id: string; user_id: string | null }>`
    delete from messages m using unnest(${arrayText(ids)}::uuid[]) x(id)
    where m.account_id = ${accountId} and m.id = x.id and ${isMessageExpired(before)}
    returning m.id, m.user_id`.execute(tx);
  await sql`
    delete from resends where account_id = ${accountId} and message_id = any (${arrayText(rows.map(({ id }) => id))}::uuid[])`.execute(
    tx,
  );
  const byUser = rows.filter(({ user_id }) => user_id !== null);
  if (byUser.length > 0)
    await sql`
      delete from user_id_messages u using unnest(${byUser.map(({ user_id }) => user_id)}::text[],
        ${arrayText(byUser.map(({ id }) => id))}::uuid[]) x(user_id, id)
      where u.account_id = ${accountId} and u.user_id = x.user_id and u.message_id = x.id`.execute(tx);
  return rows.length;
}

/** A delivery of a step. */
export type WalkedDelivery = Walked & DeliveryKey;

/** Reads deliveries. */
export async function readDeliveries(db: Db, step: Step): Promise<WalkedDelivery[]> {
  const { rows } = await sql<WalkedDelivery>`
    select d.id, d.subject_id as "subjectId", d.endpoint_id as "endpointId", d.stage, ${isDeliveryExpired(step.before)} as expired
    from deliveries d where d.account_id = ${step.accountId} and d.id > ${step.after} and d.id < uuid7_floor(${step.before})
    order by d.id limit ${step.limit}::int`.execute(db);
  return rows;
}

const keysOf = (keys: readonly DeliveryKey[]) =>
  sql`unnest(${deliveryKeys(keys)}) x(subject_id, endpoint_id, stage)`;

/** Removes deliveries that are still expired, with their attempts; returns how many. Sorted by key. */
export async function deleteDeliveries(tx: Tx, keys: readonly DeliveryKey[], before: Date): Promise<number> {
  const { rows } = await sql<DeliveryKey>`
    delete from deliveries d using ${keysOf(keys)}
    where d.subject_id = x.subject_id and d.endpoint_id = x.endpoint_id and d.stage = x.stage and ${isDeliveryExpired(before)}
    returning d.subject_id as "subjectId", d.endpoint_id as "endpointId", d.stage`.execute(tx);
  await deleteAttempts(tx, rows);
  return rows.length;
}

/** Removes the attempts of deliveries. */
export async function deleteAttempts(tx: Db | Tx, keys: readonly DeliveryKey[]): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    delete from attempts a using ${keysOf(keys)}
    where a.subject_id = x.subject_id and a.endpoint_id = x.endpoint_id and a.stage = x.stage`.execute(tx);
}

/** Reads received messages. */
export async function readReceived(db: Db, step: Step): Promise<Walked[]> {
  const { rows } = await sql<Walked>`
    select m.id, ${isReceivedExpired(step.before)} as expired from received_messages m
    where m.account_id = ${step.accountId} and m.id > ${step.after} and m.id < uuid7_floor(${step.before})
    order by m.id limit ${step.limit}::int`.execute(db);
  return rows;
}

/** Removes received messages that are still expired; returns how many. Ids sorted. */
export async function deleteReceived(
  tx: Tx,
  accountId: string,
  ids: readonly string[],
  before: Date,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from received_messages m using unnest(${arrayText(ids)}::uuid[]) x(id)
    where m.account_id = ${accountId} and m.id = x.id and ${isReceivedExpired(before)}`.execute(tx);
  return Number(numAffectedRows ?? 0);
}

/** Removes the oldest entries of the audit log that are older than that; returns how many. */
export async function deleteAudit(db: Db, { accountId, before, limit }: Step): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from audit_log where account_id = ${accountId} and id in (
      select id from audit_log where account_id = ${accountId} and id < uuid7_floor(${before}) order by id limit ${limit}::int)`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}

/** Removes bookings whose appointment ended before that and of which nothing is pending; returns how many. */
export async function deleteBookings(db: Db, { accountId, before, limit }: Step): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from bookings b where b.id in (
      select b.id from staff s cross join lateral (
        select id from bookings b where b.staff_id = s.id and ${isBookingExpired(before)} order by b.starts_at limit ${limit}::int) b
      where s.account_id = ${accountId} limit ${limit}::int) and ${isBookingExpired(before)}`.execute(db);
  return Number(numAffectedRows ?? 0);
}

/** Removes the progress of old replays that ended; returns how many. */
export async function deleteReplays(db: Db, { accountId, before, limit }: Step): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from replays where id in (
      select r.id from endpoints e join replays r on r.endpoint_id = e.id
      where e.account_id = ${accountId} and r.finished_at < ${before} order by r.id limit ${limit}::int)`.execute(
    db,
  );
  return Number(numAffectedRows ?? 0);
}

/** Reads sends. One is expired if it is neither open nor has messages or recipients. */
export async function readSends(db: Db, step: Step): Promise<Walked[]> {
  const { rows } = await sql<Walked>`
    select s.id, not s.is_open and s.created_at < ${step.before} and coalesce(s.expires_at < ${step.before}, true)
      and not exists (select from messages m where m.send_id = s.id)
      and not exists (select from send_recipients r where r.send_id = s.id) as expired
    from sends s where s.account_id = ${step.accountId} and s.id > ${step.after} and s.id < uuid7_floor(${step.before})
    order by s.id limit ${step.limit}::int`.execute(db);
  return rows;
}

/** Removes sends that are not open; returns how many. */
export async function deleteSends(tx: Tx, accountId: string, ids: readonly string[]): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from sends where account_id = ${accountId} and id = any (${arrayText(ids)}::uuid[]) and not is_open`.execute(
    tx,
  );
  return Number(numAffectedRows ?? 0);
}

/** A delivery whose attempts are there. */
export type AttemptedDelivery = DeliveryKey & { isKept: boolean };

/** Deliveries that have attempts and began before that, and whether they still exist. In the order of their subjects. */
export async function readAttempted(
  db: Db,
  { before, after, limit }: Omit<Step, 'accountId'>,
): Promise<AttemptedDelivery[]> {
  const { rows } = await sql<AttemptedDelivery>`
    with a as materialized (
      select a.subject_id, a.endpoint_id, a.stage from attempts a
      where a.subject_id > ${after} and a.subject_id < uuid7_floor(${before}) order by a.subject_id limit ${limit}::int)
    select distinct a.subject_id as "subjectId", a.endpoint_id as "endpointId", a.stage, d.subject_id is not null as "isKept"
    from a left join deliveries d on d.subject_id = a.subject_id and d.endpoint_id = a.endpoint_id and d.stage = a.stage
    order by a.subject_id, a.endpoint_id, a.stage`.execute(db);
  return rows;
}
