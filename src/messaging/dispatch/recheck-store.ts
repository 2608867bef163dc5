// Templates whose queued messages are checked again, and these messages in steps.
import { sql } from 'kysely';
import { nilUuid } from '../../base/ids.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { FilledTemplate } from '../../ports/platform.ts';
import type { MessageKey } from '../messages/message.ts';
import { stateSql } from '../messages/sql-store.ts';
import type { TemplateRow } from '../templates/store.ts';

/**
 * Locks one template whose messages are being checked; undefined if there is none that is free. A transaction that stores
 * messages which were checked against earlier components has it locked for key share: the check waits for its commit.
 */
export async function lockTemplateToRecheck(tx: Tx): Promise<TemplateRow | undefined> {
  const { rows } = await sql<TemplateRow>`
    select * from templates where recheck_since is not null order by recheck_since limit 1
    for update skip locked`.execute(tx);
  return rows[0];
}

/** The id of the oldest send of a template of which recipients may be kept apart: the ids of its messages are later. */
export async function oldestOpenSend(
  tx: Tx,
  of: { accountId: string; templateId: string },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from sends where account_id = ${of.accountId} and is_open and template_id = ${of.templateId}
    order by account_id, id limit 1`.execute(tx);
  return rows[0]?.id;
}

/** A message of an account; `content` is null unless it is queued and of the template. */
export type ScannedMessage = MessageKey & { content: FilledTemplate | null };

/** Reads the account's next `limit` messages after `after`, by primary key. */
export async function scanMessages(
  db: Db | Tx,
  of: { accountId: string; templateId: string; after: string | null },
  limit: number,
): Promise<ScannedMessage[]> {
  const { rows } = await sql<ScannedMessage>`
    select account_id as "accountId", id,
      case when state = ${stateSql.queued} and template_id = ${of.templateId} then content end as content
    from messages where account_id = ${of.accountId} and id > ${of.after ?? nilUuid}::uuid
    order by account_id, id limit ${limit}`.execute(db);
  return rows;
}

/** Records how far the check has come; null: it is done, and the template's messages may be called. */
export async function recordRecheck(tx: Tx, templateId: string, after: string | null): Promise<void> {
  await sql`
    update templates set recheck_after = ${after}::uuid,
      recheck_since = case when ${after}::uuid is not null then recheck_since end
    where id = ${templateId}`.execute(tx);
}
