// Table messages: removal of one-time codes from authentication messages that will not be sent again.
import { sql } from 'kysely';
import { nilUuid } from '../../base/ids.ts';
import type { Db, Tx } from '../../db/db.ts';
import { type MessageKey, sortById } from './message.ts';
import { authenticationSql, keyRows, leaseSecondsMax, stateSql } from './sql-store.ts';

/** The content of an authentication message without its code. */
const removed = sql`'{"body":[{"text":"••••"}],"buttons":[],"removed":true}'::jsonb`;

/** True if the code of `m` was removed, so that it can no longer be sent. */
export const isContentRemoved = sql<boolean>`(m.content ? 'removed')`;

/** The content of `m` after the platform accepted it or it failed: without the code, which is never sent again. */
export const contentAfterwards = sql`case when m.priority = ${authenticationSql} then ${removed} else m.content end`;

const withoutNumbers = (member: 'title' | 'message') =>
  sql`regexp_replace(x.error ->> ${sql.lit(member)}, '[0-9]{4,}', '••••', 'g')`;

/**
 * The error `x.error` of a report as stored for `m`. The text about an authentication message may repeat the code, so
 * numbers of four or more digits are masked.
 */
export const reportedError = sql`case when m.priority = ${authenticationSql} and x.error is not null
  then x.error || jsonb_build_object('title', ${withoutNumbers('title')}, 'message', ${withoutNumbers('message')})
  else x.error end`;

/**
 * Removes the codes of up to `limit` expired authentication messages that are queued or dispatching; `beginDispatch`
 * accepts none of them. Returns how many.
 */
export async function removeExpiredCodes(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update messages m set content = ${removed} from (
      select x.account_id, x.id from senders s cross join lateral (
        select m.account_id, m.id from messages m
        where m.sender_id = s.id and m.priority = ${authenticationSql} and m.due_at <= now() + ${leaseSecondsMax} * interval '1 second'
          and m.expires_at <= now() and m.state < ${stateSql.accepted} and not ${isContentRemoved}
        limit ${limit} for update of m skip locked) x
      limit ${limit}) x
    where m.account_id = x.account_id and m.id = x.id`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

/** Until then, processes of an earlier version may still be running. */
const secondSearchHours = 24;

/**
 * Removes the codes that earlier versions left in the next `limit` messages, by primary key. Searches the table twice, the
 * second time a day later, because processes of an earlier version may still run. Returns true when all is searched.
 */
export async function removeOldCodes(db: Db, limit: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const position = await sql<{ account_id: string; message_id: string; is_last: boolean }>`
      select account_id, message_id, is_last from old_codes where due_at <= now() for update skip locked`.execute(
      tx,
    );
    const [from] = position.rows;
    if (!from) {
      // done, or locked by another process, or not due yet
      const { rows } = await sql`select from old_codes`.execute(tx);
      return rows.length === 0;
    }
    const step = await sql<{ account_id: string; id: string; is_over: boolean }>`
      select account_id, id, priority = ${authenticationSql} and state > ${stateSql.dispatching} as is_over from messages
      where (account_id, id) > (${from.account_id}, ${from.message_id}) order by account_id, id limit ${limit}`.execute(
      tx,
    );
    const over = step.rows.filter(({ is_over }) => is_over);
    await removeCodes(
      tx,
      over.map(({ account_id: accountId, id }) => ({ accountId, id })),
    );
    const last = step.rows.at(-1);
    if (last)
      await sql`update old_codes set account_id = ${last.account_id}, message_id = ${last.id}`.execute(tx);
    else if (from.is_last) await sql`delete from old_codes`.execute(tx);
    else {
      await sql`
        update old_codes set account_id = ${nilUuid}, message_id = ${nilUuid}, is_last = true,
          due_at = now() + ${secondSearchHours} * interval '1 hour'`.execute(tx);
    }
    return last === undefined && from.is_last;
  });
}

async function removeCodes(tx: Tx, keys: readonly MessageKey[]): Promise<void> {
  if (keys.length === 0) return;
  await sql`
    update messages m set content = ${removed} from ${keyRows(sortById(keys))}
    where m.account_id = x.a and m.id = x.i and not ${isContentRemoved}`.execute(tx);
}
