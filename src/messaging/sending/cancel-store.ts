// Rows of sends that are being cancelled: noted with the cancellation, gone when nothing of the send is queued any more.
import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import type { MessageKey } from './messages-moves-store.ts';

export interface SendKey {
  accountId: string;
  sendId: string;
}

/** Notes that a send was cancelled: from here on nothing of it is called. Its queue is the caller's for `leaseSeconds`. */
export async function beginCancel(
  db: Db,
  { accountId, sendId }: SendKey,
  leaseSeconds: number,
): Promise<void> {
  await sql`
    with cancelled as (
      update sends set cancelled_at = coalesce(cancelled_at, now())
      where account_id = ${accountId} and id = ${sendId} returning account_id, id)
    insert into send_cancellations (account_id, send_id, due_at)
    select account_id, id, now() + ${leaseSeconds} * interval '1 second' from cancelled
    on conflict (account_id, send_id) do update set due_at = excluded.due_at`.execute(db);
}

/** Up to `limit` queued messages of a send, in the order of their ids. */
export async function findQueuedOfSend(
  db: Db,
  { accountId, sendId }: SendKey,
  limit: number,
): Promise<MessageKey[]> {
  const { rows } = await sql<MessageKey>`
    select account_id as "accountId", id from messages
    where send_id = ${sendId} and account_id = ${accountId} and state = 0 limit ${limit}`.execute(db);
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Claims one send whose cancellation goes on, for `leaseSeconds`. */
export async function claimCancellation(db: Db, leaseSeconds: number): Promise<SendKey | undefined> {
  const { rows } = await sql<SendKey>`
    update send_cancellations c set due_at = now() + ${leaseSeconds} * interval '1 second' from (
      select account_id, send_id from send_cancellations where due_at <= now() order by due_at limit 1
      for update skip locked) x
    where c.account_id = x.account_id and c.send_id = x.send_id
    returning c.account_id as "accountId", c.send_id as "sendId"`.execute(db);
  return rows[0];
}

/** The cancellation goes on in so many seconds. */
export async function delayCancellation(
  db: Db,
  { accountId, sendId }: SendKey,
  seconds: number,
): Promise<void> {
  await sql`
    update send_cancellations set due_at = now() + ${seconds} * interval '1 second'
    where account_id = ${accountId} and send_id = ${sendId}`.execute(db);
}

/** Ends the cancellation; false if a message of the send is queued or being called, and may come back into the queue. */
export async function endCancellation(db: Db, { accountId, sendId }: SendKey): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from send_cancellations where account_id = ${accountId} and send_id = ${sendId} and not exists (
      select from messages where send_id = ${sendId} and account_id = ${accountId} and state in (0, 1))`.execute(
    db,
  );
  return numAffectedRows !== 0n;
}
