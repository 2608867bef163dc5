// Rows of drafts, until their submission.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import { templateStatus } from '../templates/status.ts';
import type { TemplateRow } from '../templates/store.ts';

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

/** How long a submission may take from its start, or from its call; then another process may find out its result. */
const leaseSeconds = 120;
/** How long the platform may still carry out a call whose response was lost; readings that begin later show its result. */
export const settleSeconds = 30;

const until = (seconds: number) => sql`date_trunc('milliseconds', now()) + ${seconds} * interval '1 second'`;

/** A draft under the lease of its submission. */
export interface DraftLease {
  id: string;
  until: Date | null;
}

/** Leases a locked draft to its submission, and sets the business account of a draft without one. Throws 23505 if taken. */
export async function leaseDraft(tx: Tx, id: string, businessAccountId: string): Promise<TemplateRow> {
  const { rows } = await sql<TemplateRow>`
    update templates set business_account_id = coalesce(business_account_id, ${businessAccountId}),
      deleting_until = ${until(leaseSeconds)}
    where id = ${id} returning *`.execute(tx);
  return rows[0] as TemplateRow;
}

/** Renews the lease before the platform is called; undefined if it is no longer held. */
export async function renewDraftLease(db: Db, lease: DraftLease): Promise<Date | null | undefined> {
  const { rows } = await sql<{ deleting_until: Date | null }>`
    update templates set deleting_until = ${until(leaseSeconds)}
    where id = ${lease.id} and status = ${status.draft} and deleting_until = ${lease.until} returning deleting_until`.execute(
    db,
  );
  return rows[0]?.deleting_until;
}

/** Releases the lease of a submission that the platform did not take; if that is unknown, its result is read later. */
export async function endDraftLease(
  tx: Tx,
  lease: DraftLease,
  { isUnknown }: { isUnknown: boolean },
): Promise<void> {
  await sql`
    update templates set deleting_until = case when ${isUnknown}::bool then ${until(settleSeconds)} end
    where id = ${lease.id} and status = ${status.draft} and deleting_until = ${lease.until}`.execute(tx);
}

/**
 * Records the platform's response to the submission of a draft; undefined if its lease is no longer held. The template
 * becomes due to be read, because a report may have arrived before this row had the platform's id.
 */
export async function markSubmitted(
  tx: Db | Tx,
  lease: DraftLease,
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
      deleting_until = null, read_due_at = now(), updated_at = now()
    where id = ${lease.id} and status = ${status.draft} and deleting_until = ${lease.until} returning *`.execute(
    tx,
  );
  return rows[0];
}
