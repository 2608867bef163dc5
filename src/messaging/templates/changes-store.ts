// Table template_changes: the history of templates.
import { sql } from 'kysely';
import { maxUuid, uuidv7 } from '../../base/ids.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { TemplateChange } from './presenter.ts';

/** Records changes in the transaction that makes them. */
export async function insertTemplateChanges(
  tx: Tx,
  changes: readonly TemplateChange[],
  nowMs: number,
): Promise<void> {
  const rows = changes.map(({ before, after, reason }) => ({
    ...{ account_id: after.account_id, template_id: after.id, id: uuidv7(nowMs) },
    ...{ status: after.status, provider_status: after.provider_status, category: after.category },
    ...{ quality_score: after.quality_score, reason },
    previous: {
      status: before.status,
      providerStatus: before.provider_status,
      category: before.category,
      qualityScore: before.quality_score,
    },
  }));
  await sql`
    insert into template_changes (account_id, template_id, id, status, provider_status, category, quality_score, previous, reason)
    select account_id, template_id, id, status, provider_status, category, quality_score, previous, reason
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) x(account_id uuid, template_id uuid, id uuid, status text, provider_status text,
      category text, quality_score text, previous jsonb, reason text)`.execute(tx);
}

/** What of a template the platform changes. */
export interface TemplateFacts {
  status: string;
  providerStatus: string | null;
  category: string;
  qualityScore: string | null;
}

export interface TemplateChangeRow {
  id: string;
  status: string;
  provider_status: string | null;
  category: string;
  quality_score: string | null;
  previous: TemplateFacts;
  reason: string | null;
}

/** Lists up to `limit` changes of a template, newest first. */
export async function listTemplateChanges(
  db: Db,
  { accountId, templateId }: { accountId: string; templateId: string },
  { beforeId = maxUuid, limit }: { beforeId?: string | undefined; limit: number },
): Promise<TemplateChangeRow[]> {
  const { rows } = await sql<TemplateChangeRow>`
    select id, status, provider_status, category, quality_score, previous, reason from template_changes
    where account_id = ${accountId} and template_id = ${templateId} and id < ${beforeId}
    order by id desc limit ${limit}`.execute(db);
  return rows;
}
