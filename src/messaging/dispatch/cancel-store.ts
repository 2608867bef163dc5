// Table send_cancellations: marks a send as cancelled, and the steps of its unfinished cancellation.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import type { SendKey } from '../messages/sends-store.ts';
import { stateSql } from '../messages/sql-store.ts';

/**
 * Marks a send as cancelled: none of its messages is called afterwards. Leases the cancellation for `leaseSeconds`. Recipients
 * that are kept apart are due for the worker.
 */
export async function beginCancel(
  db: Db | Tx,
  { accountId, sendId }: SendKey,
  leaseSeconds: number,
): Promise<void> {
  await sql`
    with cancelled as (
      update sends set cancelled_at = coalesce(cancelled_at, now())
      where account_id = ${accountId} and id = ${sendId} returning account_id, id, is_open),
    feed as (
      insert into send_feeds (send_id, account_id, due_at) select id, account_id, now() from cancelled where is_open
      on conflict (send_id) do update set due_at = excluded.due_at)
    insert into send_cancellations (account_id, send_id, due_at)
    select account_id, id, now() + ${leaseSeconds} * interval '1 second' from cancelled
    on conflict (account_id, send_id) do update set due_at = excluded.due_at`.execute(db);
}

/** Leases one unfinished cancellation for `leaseSeconds`; undefined if none is due. */
export async function claimCancellation(db: Db, leaseSeconds: number): Promise<SendKey | undefined> {
  const { rows } = await sql<SendKey>`
    update send_cancellations c set due_at = now() + ${leaseSeconds} * interval '1 second' from (
      select account_id, send_id from send_cancellations where due_at <= now() order by due_at limit 1
      for update skip locked) x
    where c.account_id = x.account_id and c.send_id = x.send_id
    returning c.account_id as "accountId", c.send_id as "sendId"`.execute(db);
  return rows[0];
}

/** Makes the cancellation due again after `seconds`. */
export async function delayCancellation(
  db: Db,
  { accountId, sendId }: SendKey,
  seconds: number,
): Promise<void> {
  await sql`
    update send_cancellations set due_at = now() + ${seconds} * interval '1 second'
    where account_id = ${accountId} and send_id = ${sendId}`.execute(db);
}

/** Ends the cancellation; false while a message of the send is queued, or dispatching and so may be queued again. */
export async function endCancellation(db: Db, { accountId, sendId }: SendKey): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from send_cancellations where account_id = ${accountId} and send_id = ${sendId} and not exists (
      select from messages where send_id = ${sendId} and account_id = ${accountId} and state in (${stateSql.queued}, ${stateSql.dispatching}))`.execute(
    db,
  );
  return numAffectedRows !== 0n;
}
