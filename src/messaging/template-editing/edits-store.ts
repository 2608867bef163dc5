// Rows of templates that are edited: drafts, and templates that the platform edits in the meantime.
import { sql } from 'kysely';
import type { Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import { templateStatus } from '../templates/status.ts';
import { startRecheck, type TemplateRow } from '../templates/store.ts';

const status = sqlConstants(templateStatus);

/** How long an edit may take; until then readings and reports do not change the template, then it is read again. */
const editSeconds = 120;

/** New values of a template; null keeps the old one, except for `messageTtlSeconds`. */
export interface EditedValues {
  components: unknown[];
  category: string;
  parameterFormat: 'positional' | 'named';
  messageTtlSeconds: number | null;
}

/** What an edit can change, as it is. */
export const valuesOf = (row: TemplateRow): EditedValues => ({
  components: row.components,
  category: row.category,
  parameterFormat: row.parameter_format,
  messageTtlSeconds: row.message_ttl_seconds,
});

/** Changes a locked draft. */
export async function changeDraft(tx: Tx, id: string, values: EditedValues): Promise<TemplateRow> {
  const { rows } = await sql<TemplateRow>`
    update templates set components = ${JSON.stringify(values.components)}::jsonb, category = ${values.category},
      parameter_format = ${values.parameterFormat}, message_ttl_seconds = ${values.messageTtlSeconds},
      components_changed_at = date_trunc('milliseconds', now()), updated_at = now()
    where id = ${id} returning *`.execute(tx);
  return rows[0] as TemplateRow;
}

/** Marks a template as being edited: it is not sent. If the process dies, it is read again after two minutes. */
export async function markEditing(tx: Tx, id: string): Promise<TemplateRow> {
  const { rows } = await sql<TemplateRow>`
    update templates set status = ${status.submitted}, updated_at = now(),
      deleting_until = date_trunc('milliseconds', now()) + ${editSeconds} * interval '1 second',
      read_due_at = now() + ${editSeconds} * interval '1 second'
    where id = ${id} returning *`.execute(tx);
  return rows[0] as TemplateRow;
}

/**
 * Records an edit that the platform took: the new values and the status of the review. `editedAt` are the edits that
 * count. Undefined if the template is no longer marked with `until`, because it was read in the meantime.
 */
export async function recordEdit(
  tx: Tx,
  of: { id: string; until: Date | null },
  edit: EditedValues & { status: string; providerStatus: string; editedAt: readonly Date[] },
): Promise<TemplateRow | undefined> {
  const { rows } = await sql<TemplateRow>`
    update templates set components = ${JSON.stringify(edit.components)}::jsonb, category = ${edit.category},
      parameter_format = ${edit.parameterFormat}, message_ttl_seconds = ${edit.messageTtlSeconds},
      status = ${edit.status}, provider_status = ${edit.providerStatus}, rejected_reason = null,
      edited_at = ${[...edit.editedAt]}::timestamptz[], deleting_until = null, read_due_at = now(), updated_at = now(),
      ${startRecheck}
    where id = ${of.id} and deleting_until = ${of.until} returning *`.execute(tx);
  return rows[0];
}

/**
 * Ends an edit that failed or whose outcome is unknown: the template is due to be read. `before` restores its earlier
 * status; without it, the template stays unsendable until it is read.
 */
export async function endEditing(
  tx: Tx,
  of: { id: string; until: Date | null },
  before: Pick<TemplateRow, 'status'> | undefined,
): Promise<TemplateRow | undefined> {
  const { rows } = await sql<TemplateRow>`
    update templates set status = coalesce(${before?.status ?? null}, status), deleting_until = null,
      read_due_at = now(), updated_at = now()
    where id = ${of.id} and deleting_until = ${of.until} returning *`.execute(tx);
  return rows[0];
}
