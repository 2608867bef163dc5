// What was queued in a restored backup: it may have been sent since.
import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import type { MessageKey } from '../messages/message.ts';
import { marketingSql, sendStageSql, stateSql } from '../messages/sql-store.ts';

/** Finds up to `limit` queued messages that were created before `before`. */
export async function findQueuedBefore(db: Db, before: Date, limit: number): Promise<MessageKey[]> {
  const { rows } = await sql<MessageKey>`
    select x.account_id as "accountId", x.id from senders s cross join lateral (
      select m.account_id, m.id from messages m
      where m.sender_id = s.id and m.priority = any('{0,1,2}') and m.due_at is not null
        and m.state = ${stateSql.queued} and m.id < uuid7_floor(${before}::timestamptz) limit ${limit}) x
    limit ${limit}`.execute(db);
  return rows;
}

/**
 * Pauses every send that is scheduled, has recipients that wait, or has queued marketing messages. Their messages leave the
 * queue as after a pause. Returns how many it paused.
 */
export async function pauseRestored(db: Db): Promise<number> {
  const { rows } = await sql`
    with marketing as (
      select distinct m.account_id, m.send_id from senders s join messages m on m.sender_id = s.id
      where m.priority = ${marketingSql} and m.due_at is not null and m.state = ${stateSql.queued} and m.send_id is not null),
    paused as (
      update sends s set paused_at = now(), paused_reason = 'restored', is_open = true,
        expires_at = coalesce(s.expires_at, now() + interval '1 day'), priority = coalesce(s.priority, ${marketingSql}::smallint)
      where s.stage in (${sendStageSql.scheduled}, ${sendStageSql.started}) and s.cancelled_at is null and s.paused_at is null and s.done_at is null
        and (s.is_open or exists (select from marketing q where q.account_id = s.account_id and q.send_id = s.id))
      returning s.account_id, s.id),
    fed as (
      insert into send_feeds (send_id, account_id, due_at) select id, account_id, now() from paused
      on conflict (send_id) do update set due_at = excluded.due_at)
    select 1 from paused`.execute(db);
  return rows.length;
}
