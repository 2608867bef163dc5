// Queries for files that nothing refers to.
import { sql } from 'kysely';
import { arrayText } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import { mediaState } from './state.ts';
import type { ReadyMedia } from './store.ts';

const state = sqlConstants(mediaState);

/** `used_at` is exact to a day. */
const unusedSince = (before: Date) =>
  sql`(m.created_at < ${before} and m.used_at < ${before}::timestamptz - interval '1 day')`;

/**
 * Files that were uploaded before that and that no message has used since, by id, and whether a draft template has one of them as a
 * sample.
 */
export async function listUnused(
  db: Db,
  of: { accountId: string; before: Date; after: string; limit: number },
): Promise<{ id: string; isSample: boolean }[]> {
  const { rows } = await sql<{ id: string; isSample: boolean }>`
    select m.id, exists (select from templates t where t.account_id = m.account_id and t.status = 'draft'
      and position(m.public_id in t.components::text) > 0) as "isSample"
    from media m where m.account_id = ${of.accountId} and m.state = ${state.ready} and m.id > ${of.after}
      and ${unusedSince(of.before)}
    order by m.id limit ${of.limit}::int`.execute(db);
  return rows;
}

/**
 * The files that messages of the account name which began before that. Others name none that is unused. Reads those messages: few are
 * left of that time.
 */
export async function findNamed(db: Db, accountId: string, before: Date): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select distinct f.id::text as id from messages m cross join lateral (
      select m.media_id as id union all
      select (card -> 'header' ->> 'mediaId')::uuid from jsonb_array_elements(coalesce(m.content -> 'cards', '[]')) card) f
    where m.account_id = ${accountId} and m.id < uuid7_floor(${before}) and f.id is not null
      and (m.media_id is not null or m.content ? 'cards')`.execute(db);
  return new Set(rows.map(({ id }) => id));
}

/** Locks a file against sends that would use it; undefined if it was used in the meantime. */
export async function lockUnused(tx: Tx, id: string, before: Date): Promise<ReadyMedia | undefined> {
  const { rows } = await sql<ReadyMedia>`
    select * from media m where m.id = any (${arrayText([id])}::uuid[]) and m.state = ${state.ready} and ${unusedSince(before)}
    for update`.execute(tx);
  return rows[0];
}
