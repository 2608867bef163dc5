// Table sends: drafts that are made and sends that are changed.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import type { SendKey } from '../messages/sends-store.ts';
import { sendStageSql } from '../messages/sql-store.ts';
import type { NewSend } from '../sending/new-sends-store.ts';
import type { SharedContent } from '../template-content/recipient-content.ts';
import { ownProviderStatus } from '../templates/status.ts';
import { versionOf } from '../templates/store.ts';
import { timeToLive } from './conditions-store.ts';

/** What the recipients that are added get unless they have their own. */
export type Defaults = SharedContent & { metadata?: Record<string, string> | undefined };

export interface NewDraft extends Omit<NewSend, 'total' | 'listed'> {
  templateChangedAt: Date | null;
  sendAt: Date | null;
  expiresInSeconds: number;
  priority: number;
  defaults: Defaults;
}

/** Inserts a draft. Locks the sender and the template as a send does; false if either is gone or being deleted. */
export async function insertDraft(tx: Tx, draft: NewDraft): Promise<boolean> {
  const { rows } = await sql`
    with sender as (select id from senders where id = ${draft.senderId} for key share),
    template as (select id from templates where id = ${draft.templateId}
      and provider_status is distinct from ${ownProviderStatus.pendingDeletion} for key share)
    insert into sends (account_id, id, sender_id, template_id, template_name, language, total, name, listed, is_open, stage,
      send_at, priority, checked_version, expires_in, defaults, created_by)
    select ${draft.accountId}, ${draft.id}, sender.id, template.id, ${draft.templateName}, ${draft.language}, 0,
      ${draft.name ?? null}, true, true, 0, ${draft.sendAt}::timestamptz, ${draft.priority},
      ${versionOf(sql`${draft.templateChangedAt}::timestamptz`)}, ${draft.expiresInSeconds}, ${JSON.stringify(draft.defaults)}::jsonb,
      ${draft.createdBy ? JSON.stringify(draft.createdBy) : null}::jsonb
    from sender, template returning 1`.execute(tx);
  return rows.length > 0;
}

/** New values of a send; absent members stay. */
export interface SendChange {
  name?: string | null | undefined;
  senderId?: string | undefined;
  sendAt?: Date | null | undefined;
  expiresInSeconds?: number | undefined;
  defaults?: Defaults | undefined;
}

/** Changes a locked send. A scheduled one starts and expires by its new time. */
export async function updateSend(tx: Tx, of: SendKey, change: SendChange): Promise<void> {
  const has = (member: keyof SendChange) => change[member] !== undefined;
  await sql`
    update sends s set
      name = case when ${has('name')} then ${change.name ?? null}::text else s.name end,
      sender_id = case when ${has('senderId')} then ${change.senderId ?? null}::uuid else s.sender_id end,
      send_at = case when ${has('sendAt')} then ${change.sendAt ?? null}::timestamptz else s.send_at end,
      expires_in = case when ${has('expiresInSeconds')} then ${change.expiresInSeconds ?? null}::int else s.expires_in end,
      defaults = case when ${has('defaults')} then ${JSON.stringify(change.defaults ?? {})}::jsonb else s.defaults end,
      expires_at = case when ${has('sendAt')} and s.stage = ${sendStageSql.scheduled}
        -- a past time means now, as in a draft; a paused send without a time expires after its resumption
        then case when ${change.sendAt ?? null}::timestamptz is not null
          then greatest(${change.sendAt ?? null}::timestamptz, now()) + ${timeToLive} end
        else s.expires_at end
    where s.account_id = ${of.accountId} and s.id = ${of.sendId}`.execute(tx);
  // the worker looks at its time again
  if (has('sendAt')) await sql`update send_feeds set due_at = now() where send_id = ${of.sendId}`.execute(tx);
}

/** Locks a sender against removal until the transaction ends. */
export async function shareSender(tx: Tx | Db, senderId: string): Promise<void> {
  await sql`select from senders where id = ${senderId} for key share`.execute(tx);
}
