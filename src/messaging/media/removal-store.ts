// Queries for removing files and orphaned uploads.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import { isMediaId } from './media-id.ts';
import { mediaState } from './state.ts';
import type { MediaRow, ReadyMedia } from './store.ts';

const state = sqlConstants(mediaState);

/** Locks the account's file against sends that would use it; undefined if there is none. */
export async function lockMedia(
  tx: Tx,
  accountId: string,
  publicId: string,
): Promise<ReadyMedia | undefined> {
  if (!isMediaId(publicId)) return undefined;
  const { rows } = await sql<ReadyMedia>`
    select * from media where account_id = ${accountId} and public_id = ${publicId} and state = ${state.ready}
    for update`.execute(tx);
  return rows[0];
}

/** True while queued or dispatching messages need the file. Run it after `lockMedia`, as a separate statement. */
export async function isMediaInUse(tx: Tx, accountId: string, mediaId: string): Promise<boolean> {
  // all queued and dispatching messages have a due_at, and no others
  const { rows } = await sql`
    select 1 from messages
    where media_id = ${mediaId} and account_id = ${accountId} and due_at is not null
    union all
    select 1 from send_recipients where media_id = ${mediaId}
    union all
    select 1 from media f join sends s on s.account_id = f.account_id and s.is_open and s.defaults ->> 'mediaId' = f.public_id
    where f.id = ${mediaId}
    limit 1`.execute(tx);
  return rows.length > 0 || (await isInQueuedCard(tx, accountId, mediaId));
}

/** The same for files of cards, which no index has: reads the queue, but only of accounts with carousels. */
async function isInQueuedCard(tx: Tx, accountId: string, mediaId: string): Promise<boolean> {
  const card = JSON.stringify([{ header: { mediaId } }]);
  const { rows } = await sql`
    select 1 from accounts a where a.id = ${accountId} and exists (
      select from templates t where t.account_id = a.id and t.components @> '[{"type": "CAROUSEL"}]')
    and (exists (
      select from senders s cross join lateral (
        select from messages m
        where m.sender_id = s.id and m.priority = any('{0,1,2}') and m.due_at is not null
          and m.content -> 'cards' @> ${card}::jsonb limit 1) x
      where s.account_id = a.id)
    or exists (
      select from sends s join send_recipients r on r.send_id = s.id
      where s.account_id = a.id and s.is_open and r.content -> 'cards' @> ${card}::jsonb))`.execute(tx);
  return rows.length > 0;
}

/** Hides a file from callers; the worker removes its objects after `dueInSeconds`, unless they are gone by then. */
export async function markRemoving(db: Db | Tx, id: string, dueInSeconds: number): Promise<void> {
  await sql`
    update media set state = ${state.removing}, due_at = now() + ${dueInSeconds} * interval '1 second', attempts = 0
    where id = ${id}`.execute(db);
}

/** Deletes the row of a file whose objects were removed. */
export async function deleteMediaRow(db: Db, id: string): Promise<void> {
  await sql`delete from media where id = ${id}`.execute(db);
}

export type Leftover = MediaRow & { orphaned: boolean };

/**
 * Claims up to `limit` files whose lease expired: uploads whose process died (`orphaned`), and removals that are due. Each
 * is claimed again with increasing delays until its row is deleted.
 */
export async function claimLeftovers(db: Db, limit: number): Promise<Leftover[]> {
  const { rows } = await sql<Leftover>`
    update media m set state = ${state.removing},
      due_at = now() + least(60 * 2 ^ least(m.attempts, 6), 3600) * interval '1 second',
      attempts = least(m.attempts + 1, 1000)
    from (select id, state from media where due_at <= now() order by due_at limit ${limit}
      for update skip locked) due
    where m.id = due.id
    returning m.*, due.state in (${state.receiving}, ${state.registering}) as orphaned`.execute(db);
  return rows;
}
