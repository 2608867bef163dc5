// Tables templates and senders as a send reads them: the template that it names, with the sender that would send it.
import { type RawBuilder, sql } from 'kysely';
import { arrayText } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { TemplateRow } from '../templates/store.ts';

/** The sender's columns that a send needs. */
export interface ResolvedSender {
  id: string;
  business_account_id: string;
  messages_per_second: number;
  halted_at: Date | null;
}

/** A template with the sender that would send it. */
export interface ResolvedTemplate {
  template: TemplateRow;
  sender: ResolvedSender | undefined;
  /** Of both rows: another one after each change. */
  versions: { template: string; sender: string | null };
  /** The account has opt-outs of erased people. */
  hasErased: boolean;
}

/** What a send names: a template of the account, and perhaps the sender. */
export interface TemplateAsked {
  accountId: string;
  templateId: string;
  senderId: string | undefined;
}

/** The name of what a request asks for: equal requests have the same. */
export const nameOf = (one: TemplateAsked): string => `${one.accountId} ${one.templateId} ${one.senderId}`;

/** True if the account has opt-outs of erased people. */
const hasErased = (accountId: RawBuilder<unknown>) =>
  sql`exists (select from erased_opt_outs e where e.account_id = ${accountId})`;

/** True if the sender `n` may send the template `t`. */
const isOfTemplate = sql`(t.business_account_id is null or n.business_account_id = t.business_account_id)`;
const senderOrder = sql`n.is_default desc, n.id`;

/**
 * True if the row `a` of a send would get its sender again: it names none, was read for an earlier send, and the account has no other
 * choice since for the template `t`. Its opt-outs of erased people make every send read again.
 */
export const isStillChosen: RawBuilder<boolean> = sql`(a.template_version is null or not ${hasErased(sql`a.account_id`)} and (a.names_sender
    or a.sender_id = (select n.id from senders n where n.account_id = a.account_id and ${isOfTemplate} order by ${senderOrder} limit 1)))`;

/**
 * Finds the templates of many requests, in their order, each with the sender that the request names; without one, the default
 * sender of the template's business account, else its oldest. Undefined if there is no such template. Equal requests share a row.
 */
export async function findTemplatesWithSenders(
  db: Db | Tx,
  asked: readonly TemplateAsked[],
): Promise<(ResolvedTemplate | undefined)[]> {
  type Row = TemplateRow & {
    no: number;
    sender_id: string | null;
    sender_waba: string;
    sender_pace: number;
    sender_halted_at: Date | null;
    sender_version: string | null;
    template_version: string;
    has_erased: boolean;
  };
  const distinct = [...new Map(asked.map((one) => [nameOf(one), one])).values()];
  const { rows } = await sql<Row>`
    select x.no::int, t.*, s.id as sender_id, s.business_account_id as sender_waba, s.messages_per_second as sender_pace,
      s.halted_at as sender_halted_at, s.version as sender_version, t.xmin::text as template_version, ${hasErased(sql`x.account_id`)} as has_erased
    from unnest(${arrayText(distinct.map((one) => one.accountId))}::uuid[], ${arrayText(distinct.map((one) => one.templateId))}::uuid[],
      ${arrayText(distinct.map((one) => one.senderId ?? null))}::uuid[]) with ordinality x(account_id, template_id, sender_id, no)
    join templates t on t.account_id = x.account_id and t.id = x.template_id
    left join lateral (
      select id, business_account_id, messages_per_second, halted_at, n.xmin::text as version from senders n
      where n.account_id = t.account_id and case when x.sender_id is not null then n.id = x.sender_id
        else ${isOfTemplate} end
      order by ${senderOrder} limit 1) s on true`.execute(db);
  const found = new Map<string, ResolvedTemplate>();
  for (const {
    no,
    sender_id: id,
    sender_waba,
    sender_pace,
    sender_halted_at,
    sender_version,
    template_version,
    has_erased: hasErased,
    ...template
  } of rows) {
    const sender = id !== null && {
      id,
      business_account_id: sender_waba,
      messages_per_second: sender_pace,
      halted_at: sender_halted_at,
    };
    found.set(nameOf(distinct[no - 1] as TemplateAsked), {
      template,
      versions: { template: template_version, sender: sender_version },
      sender: sender || undefined,
      hasErased,
    });
  }
  return asked.map((one) => found.get(nameOf(one)));
}

/** Finds the template of one request. */
export async function findTemplateWithSender(
  db: Db | Tx,
  asked: TemplateAsked,
): Promise<ResolvedTemplate | undefined> {
  return (await findTemplatesWithSenders(db, [asked]))[0];
}
