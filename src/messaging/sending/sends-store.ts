// Writing a send: its row and those of its messages, in one statement.
import { sql } from 'kysely';
import { arrayText } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import { jsonLines } from '../../db/json-lines.ts';
import type { FilledTemplate } from '../../ports/platform.ts';
import { deletionWord } from '../templates/store.ts';
import { isSenderHalted, isTemplateHeld } from './conditions-store.ts';

export interface NewSend {
  accountId: string;
  id: string;
  senderId: string;
  templateId: string;
  templateName: string;
  language: string;
  total: number;
}

export interface NewMessage {
  id: string;
  phone: string;
  name: string | null;
  content: FilledTemplate;
  mediaId: string | null;
  metadata: Record<string, string> | null;
  /**
   * `due`: now, for whoever claims it; `leased` to the writer's process for 60 s; `marked` as about to be called by it as soon as
   * it is written, as by `markDispatching`.
   */
  dispatchMode: 'queued' | 'leased' | 'dispatching';
}

/** A send that was written. */
export interface InsertedSend {
  /** False if the number was halted, or the template held, meanwhile: then all are due, and none is leased or marked. */
  isOpen: boolean;
  /** The lease of those that were leased or marked; null if there are none. */
  lease: string | null;
}

/**
 * Writes a send and its messages in one statement. Together with the caller's key row this is the intent: once
 * committed, none is lost. The number is kept from being removed meanwhile, and the template from being deleted, which
 * looks for messages that wait; undefined, and nothing is written, if either is gone or is being deleted.
 */
export async function insertSend(
  db: Db | Tx,
  send: NewSend,
  messages: NewMessage[],
  common: { priority: number; expiresInSeconds: number; processId: number },
): Promise<InsertedSend | undefined> {
  const { rows } = await sql<{ n: number; is_open: boolean; lease: string | null }>`
    with sender as (select id from senders where id = ${send.senderId} for key share),
    template as (select id from templates where id = ${send.templateId}
      and provider_status is distinct from ${deletionWord} for key share),
    s as (
      insert into sends (account_id, id, sender_id, template_id, template_name, language, total)
      select ${send.accountId}, ${send.id}, sender.id, template.id, ${send.templateName}, ${send.language}, ${send.total}
      from sender, template returning account_id, id, sender_id, template_id),
    gate as (select not ${isSenderHalted(sql`s.sender_id`)} and not ${isTemplateHeld(sql`s.template_id`)} as is_open from s),
    written as (
      insert into messages (account_id, id, send_id, sender_id, template_id, phone, name, content, media_id, metadata,
        position, priority, state, attempts, due_at, leased_by, expires_at)
      select s.account_id, x.id, s.id, s.sender_id, s.template_id, x.phone, x.name, x.content, x.media_id,
        x.metadata, x.position - 1, ${common.priority}, (x.marked and is_open)::int, (x.marked and is_open)::int,
        now() + case when x.leased and is_open then interval '60 seconds' else interval '0' end, ${common.processId}::int,
        now() + ${common.expiresInSeconds} * interval '1 second'
      from s, gate, unnest(${arrayText(messages.map((one) => one.id))}::uuid[], ${messages.map((one) => one.phone)}::text[],
        ${messages.map((one) => one.name)}::text[], ${jsonLines(messages.map((one) => JSON.stringify(one.content)))}::jsonb[],
        ${arrayText(messages.map((one) => one.mediaId))}::uuid[],
        ${jsonLines(messages.map((one) => one.metadata && JSON.stringify(one.metadata)))}::jsonb[],
        ${arrayText(messages.map((one) => one.dispatchMode !== 'queued'))}::boolean[],
        ${arrayText(messages.map((one) => one.dispatchMode === 'dispatching'))}::boolean[])
        with ordinality x(id, phone, name, content, media_id, metadata, leased, marked, position)
      returning due_at)
    select count(*)::int n, (select is_open from gate) is_open,
      (max(due_at) filter (where due_at > now()))::text lease from written`.execute(db);
  const [row] = rows;
  return row && row.n > 0 ? { isOpen: row.is_open, lease: row.lease } : undefined;
}
