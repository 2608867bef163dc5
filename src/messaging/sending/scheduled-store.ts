// Table send_recipients as the end of a send request: a send that is stored with all of its recipients kept apart until its time.
import { sql } from 'kysely';
import { arrayText } from '../../db/array-text.ts';
import type { Db, Tx } from '../../db/db.ts';
import { jsonLines } from '../../db/json-lines.ts';
import { sendStageSql } from '../messages/sql-store.ts';
import { ownProviderStatus } from '../templates/status.ts';
import { versionOf } from '../templates/store.ts';
import type { NewMessage, NewSend } from './new-sends-store.ts';

/** A message that is not in the queue yet. */
export type KeptMessage = Omit<NewMessage, 'dispatchMode'>;

/** The messages as rows `x (id, phone, name, content, media_id, metadata, position)`; the position counts from 1. */
export const keptRows = (messages: readonly KeptMessage[]) => sql`
  unnest(${arrayText(messages.map((one) => one.id))}::uuid[], ${messages.map((one) => one.phone)}::text[],
    ${messages.map((one) => one.name)}::text[], ${jsonLines(messages.map((one) => JSON.stringify(one.content)))}::jsonb[],
    ${arrayText(messages.map((one) => one.mediaId))}::uuid[],
    ${jsonLines(messages.map((one) => one.metadata && JSON.stringify(one.metadata)))}::jsonb[])
    with ordinality x(id, phone, name, content, media_id, metadata, position)`;

/**
 * Inserts a send that starts at `sendAt`, with its recipients and the worker's next step. Locks the sender against removal and
 * the template against deletion. Returns false and inserts nothing if either is gone or being deleted.
 */
export async function insertScheduledSend(
  db: Db | Tx,
  send: NewSend & { sendAt: Date },
  messages: readonly KeptMessage[],
  common: { priority: number; expiresInSeconds: number },
): Promise<boolean> {
  const { rows } = await sql`
    with sender as (select id from senders where id = ${send.senderId} for key share),
    template as (select id from templates where id = ${send.templateId}
      and provider_status is distinct from ${ownProviderStatus.pendingDeletion} for key share),
    s as (
      insert into sends (account_id, id, sender_id, template_id, template_name, language, total, name, listed, is_open, stage,
        send_at, priority, checked_version, expires_in, expires_at, first_recipient_id, last_recipient_id, created_by)
      select ${send.accountId}, ${send.id}, sender.id, template.id, ${send.templateName}, ${send.language}, ${send.total},
        ${send.name ?? null}, true, true, ${sendStageSql.scheduled}, ${send.sendAt}::timestamptz, ${common.priority}, ${versionOf(sql`${send.templateChangedAt ?? null}::timestamptz`)},
        ${common.expiresInSeconds}::int, ${send.sendAt}::timestamptz + ${common.expiresInSeconds} * interval '1 second',
        ${messages[0]?.id ?? null}::uuid, ${messages.at(-1)?.id ?? null}::uuid, ${send.createdBy ? JSON.stringify(send.createdBy) : null}::jsonb
      from sender, template returning account_id, id),
    feed as (insert into send_feeds (send_id, account_id, due_at) select id, account_id, ${send.sendAt}::timestamptz from s)
    insert into send_recipients (send_id, account_id, phone, id, name, content, media_id, metadata, position)
    select s.id, s.account_id, x.phone, x.id, x.name, x.content, x.media_id, x.metadata, x.position - 1
    from s, ${keptRows(messages)} returning 1`.execute(db);
  return rows.length > 0;
}
