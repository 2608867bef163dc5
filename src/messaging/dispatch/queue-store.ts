// The account's queue of messages, for people.
import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import { stateSql } from '../messages/sql-store.ts';

export interface QueueSummary {
  /** Queued messages, up to the limit. */
  waiting: number;
  /** The oldest of them. */
  oldest_id: string | null;
}

/** Counts the account's queued messages, up to `limit`. */
export async function summarizeQueue(db: Db, accountId: string, limit: number): Promise<QueueSummary> {
  const { rows } = await sql<QueueSummary>`
    select count(*)::int as waiting, min(x.id::text) as oldest_id from (
      select m.id from senders s cross join lateral (
        select m.id from messages m
        where m.sender_id = s.id and m.priority = any('{0,1,2}') and m.due_at is not null and m.state = ${stateSql.queued}
        order by m.priority, m.due_at limit ${limit}) m
      where s.account_id = ${accountId} limit ${limit}) x`.execute(db);
  return rows[0] ?? { waiting: 0, oldest_id: null };
}
