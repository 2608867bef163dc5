// Messages of one template that wait or are being called, as its deletion looks for them.
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import type { MessageKey } from './messages-moves-store.ts';

export interface TemplateKey {
  accountId: string;
  templateId: string;
}

/** Messages of the template that meet a condition, by way of the index of what is due. */
const waiting = (
  { accountId, templateId }: TemplateKey,
  condition: RawBuilder<unknown>,
  limit: number,
) => sql<MessageKey>`
    select x.account_id as "accountId", x.id from senders s cross join lateral (
      select m.account_id, m.id from messages m
      where m.sender_id = s.id and m.priority = any('{0,1,2}') and m.due_at is not null
        and m.template_id = ${templateId} and ${condition} limit ${limit}) x
    where s.account_id = ${accountId} limit ${limit}`;

/** Up to `limit` queued messages of a template, in the order of their ids; held ones too. */
export async function findQueuedOfTemplate(db: Db, of: TemplateKey, limit: number): Promise<MessageKey[]> {
  const { rows } = await waiting(of, sql`m.state = 0`, limit).execute(db);
  return rows.sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** A message that is being called: it may come back into the queue. One whose outcome is unknown has outlived its lease. */
const isBeingCalled = sql`(m.state = 1 and m.due_at > now())`;

/** True if messages of the template are queued or being called. */
export async function isTemplateInUse(tx: Tx, of: TemplateKey): Promise<boolean> {
  const { rows } = await waiting(of, sql`(m.state = 0 or ${isBeingCalled})`, 1).execute(tx);
  return rows.length > 0;
}

/** True if messages of the template are being called. */
export async function isTemplateBeingCalled(db: Db, of: TemplateKey): Promise<boolean> {
  const { rows } = await waiting(of, isBeingCalled, 1).execute(db);
  return rows.length > 0;
}
