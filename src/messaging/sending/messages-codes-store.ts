// One-time codes of authentication messages: removed from their rows as soon as nothing may send them any more.
import { sql } from 'kysely';
import { arrayText } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';

/** The content of an authentication message without its code. */
const removed = sql`'{"body":[{"text":"••••"}],"buttons":[],"removed":true}'::jsonb`;

/** True if the code of `m` was removed: it cannot be called any more. */
export const isContentRemoved = sql<boolean>`(m.content ? 'removed')`;

/**
 * What a statement writes as the content of `m` when it records that the platform took the message, or that it failed:
 * it is never called again. Priority 0 is authentication.
 */
export const contentAfterwards = sql`case when m.priority = 0 then ${removed} else m.content end`;

const withoutNumbers = (member: 'title' | 'message') =>
  sql`regexp_replace(x.error ->> ${sql.lit(member)}, '[0-9]{4,}', '••••', 'g')`;

/**
 * The error `x.error` of a report as it is kept of `m`. The text of one about an authentication message may repeat the
 * code, which is not known any more: numbers of four or more digits are left out of it.
 */
export const reportedError = sql`case when m.priority = 0 and x.error is not null
  then x.error || jsonb_build_object('title', ${withoutNumbers('title')}, 'message', ${withoutNumbers('message')})
  else x.error end`;

/** A lease is never longer, and what is put off is due when it expires at the latest. */
const aheadSecondsMax = 61;

/**
 * Removes the codes of up to `limit` authentication messages past their time to live that are queued or of an unknown
 * outcome: nothing marks them any more, whoever has them leased. Answers how many there were.
 */
export async function removeExpiredCodes(db: Db, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update messages m set content = ${removed} from (
      select x.account_id, x.id from senders s cross join lateral (
        select m.account_id, m.id from messages m
        where m.sender_id = s.id and m.priority = 0 and m.due_at <= now() + ${aheadSecondsMax} * interval '1 second'
          and m.expires_at <= now() and m.state < 2 and not ${isContentRemoved}
        limit ${limit} for update of m skip locked) x
      limit ${limit}) x
    where m.account_id = x.account_id and m.id = x.id`.execute(db);
  return Number(numAffectedRows ?? 0n);
}

const nil = '00000000-0000-0000-0000-000000000000';

/** By then, processes of an earlier version have been replaced. */
const searchedAgainHours = 24;

/**
 * One step over the messages that earlier versions ended: removes the codes of the next `limit` messages, in the order of
 * their keys. All are searched twice, the second time a day later, since processes of an earlier version may still run.
 * True when nothing is left to be searched, ever.
 */
export async function removeOldCodes(db: Db, limit: number): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const place = await sql<{ account_id: string; message_id: string; is_last: boolean }>`
      select account_id, message_id, is_last from old_codes where due_at <= now() for update skip locked`.execute(
      tx,
    );
    const [from] = place.rows;
    if (!from) {
      // done; or another process is at it; or it is not time yet
      const { rows } = await sql`select from old_codes`.execute(tx);
      return rows.length === 0;
    }
    const step = await sql<{ account_id: string; id: string; is_over: boolean }>`
      select account_id, id, priority = 0 and state > 1 as is_over from messages
      where (account_id, id) > (${from.account_id}, ${from.message_id}) order by account_id, id limit ${limit}`.execute(
      tx,
    );
    await removeCodes(
      tx,
      step.rows.filter(({ is_over }) => is_over),
    );
    const last = step.rows.at(-1);
    if (last)
      await sql`update old_codes set account_id = ${last.account_id}, message_id = ${last.id}`.execute(tx);
    else if (from.is_last) await sql`delete from old_codes`.execute(tx);
    else {
      await sql`
        update old_codes set account_id = ${nil}, message_id = ${nil}, is_last = true,
          due_at = now() + ${searchedAgainHours} * interval '1 hour'`.execute(tx);
    }
    return last === undefined && from.is_last;
  });
}

async function removeCodes(tx: Tx, keys: { account_id: string; id: string }[]): Promise<void> {
  if (keys.length === 0) return;
  const sorted = keys.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  await sql`
    update messages m set content = ${removed}
    from unnest(${arrayText(sorted.map((one) => one.account_id))}::uuid[], ${arrayText(sorted.map((one) => one.id))}::uuid[]) x(a, i)
    where m.account_id = x.a and m.id = x.i and not ${isContentRemoved}`.execute(tx);
}
