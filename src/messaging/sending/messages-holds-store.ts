// Messages of held templates, parked so that no claim passes over them, and made due again when the hold ends.
import { sql } from 'kysely';
import { arrayText } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import { isCallable, isTemplateHeld } from './conditions-store.ts';
import type { MessageKey } from './messages-moves-store.ts';

/** Of these keys, for each whether its message may still be called: what waits for its turn is looked at once more. */
export async function findStillCallable(db: Db, keys: readonly MessageKey[]): Promise<boolean[]> {
  const { rows } = await sql<{ no: number }>`
    select x.no::int from unnest(${arrayText(keys.map((key) => key.accountId))}::uuid[],
      ${arrayText(keys.map((key) => key.id))}::uuid[]) with ordinality x(a, i, no)
    join messages m on m.account_id = x.a and m.id = x.i where ${isCallable}`.execute(db);
  const callable: boolean[] = new Array(keys.length).fill(false);
  for (const { no } of rows) callable[no - 1] = true;
  return callable;
}

/**
 * Parks queued messages whose template is held: nobody looks at them again before they expire, or until `unpark`. Keys in
 * the order of their ids. The row of the hold is written in the same commit and locks out `unpark`, so that none is
 * parked after the last look at them.
 */
export async function suspendMessages(db: Db, keys: readonly MessageKey[]): Promise<void> {
  const named = sql`unnest(${arrayText(keys.map((key) => key.accountId))}::uuid[],
    ${arrayText(keys.map((key) => key.id))}::uuid[]) x(a, i)`;
  await sql`
    with holds as (
      insert into template_holds (template_id, account_id)
      select distinct m.template_id, m.account_id from ${named} join messages m on m.account_id = x.a and m.id = x.i
      where ${isTemplateHeld(sql`m.template_id`)} order by 1
      on conflict (template_id) do update set parked_at = now())
    update messages m set due_at = m.expires_at, leased_by = null from ${named}
    where m.account_id = x.a and m.id = x.i and m.state = 0 and m.due_at < m.expires_at
      and ${isTemplateHeld(sql`m.template_id`)}`.execute(db);
}

/**
 * Makes up to `limit` parked messages due, of one template that is held no more; the hold ends when none is left.
 * Answers how many there were, or 1 for the end of a hold; 0: nothing is to be done.
 */
export async function resumeMessages(db: Db, limit: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ template_id: string; account_id: string }>`
      select h.template_id, h.account_id from template_holds h where not ${isTemplateHeld(sql`h.template_id`)}
      limit 1 for update of h skip locked`.execute(tx);
    const [hold] = rows;
    if (!hold) return 0;
    const keys = await findParked(tx, hold, limit);
    if (keys.length === 0) {
      await sql`delete from template_holds where template_id = ${hold.template_id}`.execute(tx);
      return 1;
    }
    await sql`
      update messages m set due_at = now()
      from unnest(${arrayText(keys.map((key) => key.accountId))}::uuid[], ${arrayText(keys.map((key) => key.id))}::uuid[]) x(a, i)
      where m.account_id = x.a and m.id = x.i and m.state = 0 and m.due_at >= m.expires_at`.execute(tx);
    return keys.length;
  });
}

/** Up to `limit` parked messages of a template, in the order of their ids. */
async function findParked(
  tx: Tx,
  hold: { template_id: string; account_id: string },
  limit: number,
): Promise<MessageKey[]> {
  const { rows } = await sql<MessageKey>`
    select x.account_id as "accountId", x.id from senders s cross join lateral (
      select m.account_id, m.id from messages m
      where m.sender_id = s.id and m.priority = any('{0,1,2}') and m.due_at > now() and m.due_at >= m.expires_at
        and m.state = 0 and m.template_id = ${hold.template_id} limit ${limit}) x
    where s.account_id = ${hold.account_id} limit ${limit}`.execute(tx);
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}
