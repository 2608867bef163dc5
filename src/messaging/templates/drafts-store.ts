// Rows of drafts, until their submission.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import { templateStatus } from './status.ts';
import type { TemplateRow } from './store.ts';

const status = sqlConstants(templateStatus);

/** Adds a draft; undefined if the account has a template of that name and language. */
export async function insertDraft(
  db: Db,
  draft: {
    id: string;
    accountId: string;
    businessAccountId: string | null;
    name: string;
    language: string;
    category: string;
    parameterFormat: 'positional' | 'named';
    components: unknown[];
    messageTtlSeconds: number | null;
  },
): Promise<TemplateRow | undefined> {
  const { rows } = await sql<TemplateRow>`
    insert into templates (id, account_id, business_account_id, name, language, category, status, parameter_format, components, message_ttl_seconds)
    values (${draft.id}, ${draft.accountId}, ${draft.businessAccountId}, ${draft.name}, ${draft.language},
      ${draft.category}, ${status.draft}, ${draft.parameterFormat}, ${JSON.stringify(draft.components)}::jsonb, ${draft.messageTtlSeconds})
    on conflict do nothing returning *`.execute(db);
  return rows[0];
}

/** Sets the business account of a draft without one, before its submission. */
export async function bindDraft(db: Db, id: string, businessAccountId: string): Promise<void> {
  await db
    .updateTable('templates')
    .set({ business_account_id: businessAccountId })
    .where('id', '=', id)
    .where('status', '=', templateStatus.draft)
    .where('business_account_id', 'is', null)
    .execute();
}

/**
 * Records the platform's response to the submission of a draft; undefined if it is no longer a draft. The template becomes
 * due to be read, because a report may have arrived before this row had the platform's id.
 */
export async function markSubmitted(
  tx: Db | Tx,
  id: string,
  response: {
    businessAccountId: string;
    providerTemplateId: string;
    providerStatus: string;
    status: string;
    category: string;
  },
): Promise<TemplateRow | undefined> {
  const { rows } = await sql<TemplateRow>`
    update templates set business_account_id = ${response.businessAccountId}, provider_template_id = ${response.providerTemplateId},
      provider_status = ${response.providerStatus}, status = ${response.status}, category = ${response.category},
      read_due_at = now(), updated_at = now()
    where id = ${id} and status = ${status.draft} returning *`.execute(tx);
  return rows[0];
}
