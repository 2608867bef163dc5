// What a send goes by, read in one statement: its template, and the number that would send it.
import { sql } from 'kysely';
import type { Db } from '../../db/db.ts';
import type { TemplateRow } from '../templates/store.ts';

/** Of a number, what a send needs to know. */
export interface ResolvedSender {
  id: string;
  business_account_id: string;
  messages_per_second: number;
  halted_at: Date | null;
}

export interface ResolvedTemplate {
  template: TemplateRow;
  sender: ResolvedSender | undefined;
}

/**
 * The account's template with the number of that id; without one, with the number that sends for the template's
 * business account: its default one, else its oldest. Undefined if there is no such template.
 */
export async function findTemplateWithSender(
  db: Db,
  accountId: string,
  templateId: string,
  senderId: string | undefined,
): Promise<ResolvedTemplate | undefined> {
  type Row = TemplateRow & {
    sender_id: string | null;
    sender_waba: string;
    sender_pace: number;
    sender_halted_at: Date | null;
  };
  const { rows } = await sql<Row>`
    select t.*, s.id as sender_id, s.business_account_id as sender_waba, s.messages_per_second as sender_pace,
      s.halted_at as sender_halted_at
    from templates t left join lateral (
      select id, business_account_id, messages_per_second, halted_at from senders n
      where n.account_id = t.account_id and case when ${senderId ?? null}::uuid is not null then n.id = ${senderId ?? null}::uuid
        else t.business_account_id is null or n.business_account_id = t.business_account_id end
      order by n.is_default desc, n.id limit 1) s on true
    where t.account_id = ${accountId} and t.id = ${templateId}`.execute(db);
  const row = rows[0];
  if (!row) return undefined;
  const { sender_id: id, sender_waba, sender_pace, sender_halted_at, ...template } = row;
  const sender = id !== null && {
    id,
    business_account_id: sender_waba,
    messages_per_second: sender_pace,
    halted_at: sender_halted_at,
  };
  return { template, sender: sender || undefined };
}
