// Table messages by template: suspending messages of held templates, resuming them, and what a deletion has to wait for.
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { type MessageKey, sortById } from '../messages/message.ts';
import {
  accountIds,
  isCallable,
  isTemplateHeld,
  isUnwanted,
  keyRows,
  messageIds,
  stateSql,
} from '../messages/sql-store.ts';

/** Matches every priority. The index of due messages has the priority before the time, so it needs a condition on both. */
const anyPriority = sql`m.priority = any('{0,1,2}')`;

/** Returns for each key whether its message may still be called. */
export async function findStillCallable(db: Db, keys: readonly MessageKey[]): Promise<boolean[]> {
  const { rows } = await sql<{ no: number }>`
    select x.no::int from unnest(${accountIds(keys)}::uuid[], ${messageIds(keys)}::uuid[]) with ordinality x(a, i, no)
    join messages m on m.account_id = x.a and m.id = x.i where ${isCallable}`.execute(db);
  const callable: boolean[] = new Array(keys.length).fill(false);
  for (const { no } of rows) callable[no - 1] = true;
  return callable;
}

/** Finds the queued messages among these whose recipient opted out, sorted by id. */
export async function findOptedOut(db: Db, keys: readonly MessageKey[]): Promise<MessageKey[]> {
  const { rows } = await sql<MessageKey>`
    select m.account_id as "accountId", m.id from ${keyRows(keys)} join messages m on m.account_id = x.a and m.id = x.i
    where m.state = ${stateSql.queued} and ${isUnwanted}`.execute(db);
  return sortById(rows);
}

/**
 * Writes the rows of holds, `of` their template and account, sorted by template. Belongs to the transaction that suspends the messages: the row's
 * lock keeps `resumeMessages` from ending the hold in the meantime.
 */
export const insertHolds = (of: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  insert into template_holds (template_id, account_id) ${of} on conflict (template_id) do update set parked_at = now()`;

/**
 * Suspends queued messages of held templates until they expire or `resumeMessages` runs. Keys sorted by id.
 */
export async function suspendMessages(db: Db, keys: readonly MessageKey[]): Promise<void> {
  await sql`
    with holds as (${insertHolds(sql`
      select distinct m.template_id, m.account_id from ${keyRows(keys)} join messages m on m.account_id = x.a and m.id = x.i
      where ${isTemplateHeld(sql`m.template_id`)} order by 1`)})
    update messages m set due_at = m.expires_at, leased_by = null from ${keyRows(keys)}
    where m.account_id = x.a and m.id = x.i and m.state = ${stateSql.queued} and m.due_at < m.expires_at
      and ${isTemplateHeld(sql`m.template_id`)}`.execute(db);
}

/**
 * Resumes up to `limit` suspended messages of one template that is no longer held, or ends its hold if none is left.
 * Returns how many there were, 1 for the end of a hold, 0 if nothing is left to do. Leaves locked messages for later: a claim that has them may wait for
 * the hold.
 */
export async function resumeMessages(db: Db, limit: number): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const { rows } = await sql<{ template_id: string; account_id: string }>`
      select h.template_id, h.account_id from template_holds h where not ${isTemplateHeld(sql`h.template_id`)}
      limit 1 for update of h skip locked`.execute(tx);
    const [hold] = rows;
    if (!hold) return 0;
    const keys = await findSuspended(tx, hold, limit, sql`for update of m skip locked`);
    if (keys.length === 0) {
      if ((await findSuspended(tx, hold, 1)).length > 0) return 0;
      await sql`delete from template_holds where template_id = ${hold.template_id}`.execute(tx);
      return 1;
    }
    await sql`
      update messages m set due_at = now() from ${keyRows(keys)}
      where m.account_id = x.a and m.id = x.i and m.state = ${stateSql.queued} and m.due_at >= m.expires_at`.execute(
      tx,
    );
    return keys.length;
  });
}

/** Finds up to `limit` suspended messages of a template, sorted by id. */
async function findSuspended(
  tx: Tx,
  hold: { template_id: string; account_id: string },
  limit: number,
  lock: RawBuilder<unknown> = sql``,
): Promise<MessageKey[]> {
  const { rows } = await sql<MessageKey>`
    select x.account_id as "accountId", x.id from senders s cross join lateral (
      select m.account_id, m.id from messages m
      where m.sender_id = s.id and ${anyPriority} and m.due_at > now() and m.due_at >= m.expires_at
        and m.state = ${stateSql.queued} and m.template_id = ${hold.template_id} limit ${limit} ${lock}) x
    where s.account_id = ${hold.account_id} limit ${limit}`.execute(tx);
  return sortById(rows);
}

/** The key of a template. */
export interface TemplateKey {
  accountId: string;
  templateId: string;
}

/** Pending messages of the template that meet a condition, read by the index of due messages. */
const pending = (
  { accountId, templateId }: TemplateKey,
  condition: RawBuilder<unknown>,
  limit: number,
) => sql<MessageKey>`
    select x.account_id as "accountId", x.id from senders s cross join lateral (
      select m.account_id, m.id from messages m
      where m.sender_id = s.id and ${anyPriority} and m.due_at is not null
        and m.template_id = ${templateId} and ${condition} limit ${limit}) x
    where s.account_id = ${accountId} limit ${limit}`;

/** Finds up to `limit` queued messages of a template, suspended ones too, sorted by id. */
export async function findQueuedOfTemplate(db: Db, of: TemplateKey, limit: number): Promise<MessageKey[]> {
  const { rows } = await pending(of, sql`m.state = ${stateSql.queued}`, limit).execute(db);
  return sortById(rows);
}

/** True while the message may still return to the queue. After its lease its outcome is unknown, and it stays. */
const isBeingCalled = sql`(m.state = ${stateSql.dispatching} and m.due_at > now())`;

/** True if messages of the template are queued or being called. */
export async function isTemplateInUse(tx: Tx, of: TemplateKey): Promise<boolean> {
  const { rows } = await pending(of, sql`(m.state = ${stateSql.queued} or ${isBeingCalled})`, 1).execute(tx);
  return rows.length > 0;
}

/** True if a draft, scheduled or unfinished send names the template: its recipients are kept apart from the queue. */
export async function hasOpenSends(tx: Tx, { accountId, templateId }: TemplateKey): Promise<boolean> {
  const { rows } = await sql`
    select 1 from sends where account_id = ${accountId} and is_open and template_id = ${templateId} limit 1`.execute(
    tx,
  );
  return rows.length > 0;
}

/** Finds those of an account's templates whose messages are queued or being called, or that an open send names, in one pass of the queue. */
export async function findTemplatesInUse(
  tx: Tx,
  { accountId, templateIds }: { accountId: string; templateIds: readonly string[] },
): Promise<string[]> {
  const wanted = sql`any(${[...templateIds]}::uuid[])`;
  const { rows } = await sql<{ id: string }>`
    select x.template_id as id from senders s cross join lateral (
      select distinct m.template_id from messages m
      where m.sender_id = s.id and ${anyPriority} and m.due_at is not null and m.template_id = ${wanted}
        and (m.state = ${stateSql.queued} or ${isBeingCalled})) x
    where s.account_id = ${accountId}
    union select c.template_id from sends c where c.account_id = ${accountId} and c.is_open and c.template_id = ${wanted}`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

/** True if messages of the template are being called. */
export async function isTemplateBeingCalled(db: Db, of: TemplateKey): Promise<boolean> {
  const { rows } = await pending(of, isBeingCalled, 1).execute(db);
  return rows.length > 0;
}
