// Queries for templates.
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import type { DB } from '../../db/schema.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import type { PlatformTemplate, TemplateComponent } from '../../ports/platform.ts';
import { ownProviderStatus, stoppedProviderStatus, type TemplateStatus, templateStatus } from './status.ts';
import { keepVersions } from './versions-store.ts';

const status = sqlConstants(templateStatus);

export type TemplateRow = Omit<Selectable<DB['templates']>, 'components' | 'parameter_format' | 'status'> & {
  components: TemplateComponent[];
  parameter_format: 'positional' | 'named';
  status: TemplateStatus;
};

export interface TemplateFilter {
  status?: string | undefined;
  category?: string | undefined;
  language?: string | undefined;
  search?: string | undefined;
  businessAccountId?: string | undefined;
}

/** What a change of the components sets: no message of the template is called until all were checked again. */
export const startRecheck = sql`components_changed_at = date_trunc('milliseconds', now()), components_since = now(), recheck_since = now(), recheck_after = null`;

/** The version of the components of the template `t`: another one after each change. */
export const versionOf = (changedAt: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`coalesce(${changedAt}, '-infinity'::timestamptz)`;

/** Starts the check of queued messages of templates whose components changed. */
export async function recheckTemplates(tx: Tx, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`update templates set ${startRecheck} where id = any(${ids}::uuid[])`.execute(tx);
}

/** A LIKE pattern for texts that contain this text. */
const likePart = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** One page of the account's matching templates, newest first, and their total. */
export async function listTemplates(
  db: Db,
  accountId: string,
  filter: TemplateFilter,
  window: { limit: number; offset: number },
): Promise<{ rows: TemplateRow[]; total: number }> {
  let matching = db.selectFrom('templates').where('account_id', '=', accountId);
  if (filter.status) matching = matching.where('status', '=', filter.status);
  if (filter.category) matching = matching.where('category', '=', filter.category);
  if (filter.language) matching = matching.where('language', '=', filter.language);
  if (filter.businessAccountId)
    matching = matching.where('business_account_id', '=', filter.businessAccountId);
  if (filter.search) matching = matching.where('name', 'ilike', likePart(filter.search));
  const rows = await matching
    .selectAll()
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(window.limit)
    .offset(window.offset)
    .execute();
  const { total } = await matching
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows: rows as unknown as TemplateRow[], total: Number(total) };
}

/** The account's template with that id. */
export async function findTemplate(
  db: Db | Tx,
  accountId: string,
  id: string,
): Promise<TemplateRow | undefined> {
  const row = await db
    .selectFrom('templates')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row as unknown as TemplateRow | undefined;
}

/** Locks the template with that id against changes and against sends that are being stored. */
export async function lockTemplate(tx: Tx, id: string): Promise<TemplateRow | undefined> {
  const row = await tx
    .selectFrom('templates')
    .selectAll()
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  return row as unknown as TemplateRow | undefined;
}

/** Locks the templates of a business account, including drafts, in the order of their ids. */
export async function lockTemplates(
  tx: Tx,
  of: { accountId: string; businessAccountId: string },
): Promise<TemplateRow[]> {
  const rows = await tx
    .selectFrom('templates')
    .selectAll()
    .where('account_id', '=', of.accountId)
    .where('business_account_id', '=', of.businessAccountId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return rows as unknown as TemplateRow[];
}

/** Locks the templates of these accounts with that id of the platform. */
export async function lockByProviderId(
  tx: Tx,
  of: { accountIds: string[]; businessAccountId: string; providerTemplateId: string },
): Promise<TemplateRow[]> {
  const rows = await tx
    .selectFrom('templates')
    .selectAll()
    .where('account_id', 'in', of.accountIds)
    .where('business_account_id', '=', of.businessAccountId)
    .where('provider_template_id', '=', of.providerTemplateId)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
  return rows as unknown as TemplateRow[];
}

/** True if the template of that name and language exists and is approved. */
export async function isApproved(
  db: Db,
  of: { accountId: string; businessAccountId: string; name: string; language: string },
): Promise<boolean> {
  const { rows } = await sql`
    select 1 from templates where account_id = ${of.accountId} and business_account_id = ${of.businessAccountId}
      and name = ${of.name} and language = ${of.language} and status = ${status.approved}`.execute(db);
  return rows.length === 1;
}

/** Locks the template of that name and language of a business account. */
export async function lockByName(
  tx: Tx,
  of: { accountId: string; businessAccountId: string; name: string; language: string },
): Promise<TemplateRow | undefined> {
  const row = await tx
    .selectFrom('templates')
    .selectAll()
    .where('account_id', '=', of.accountId)
    .where('business_account_id', '=', of.businessAccountId)
    .where('name', '=', of.name)
    .where('language', '=', of.language)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row as unknown as TemplateRow | undefined;
}

export interface TemplateValues {
  id: string;
  template: PlatformTemplate;
}

/**
 * Inserts the platform's templates of a business account, or updates the rows with the same names and languages; at most
 * one of each. An approved template keeps its `provider_status`: lists always have the platform's first word of
 * approval, and reports others. A draft that the platform has is no longer being submitted. Returns the rows in any order.
 */
export async function upsertTemplates(
  tx: Tx,
  account: { accountId: string; businessAccountId: string },
  values: TemplateValues[],
): Promise<TemplateRow[]> {
  const of = <T>(pick: (template: PlatformTemplate) => T) => values.map(({ template }) => pick(template));
  const { rows } = await sql<TemplateRow>`
    insert into templates (id, account_id, business_account_id, provider_template_id, name, language, category, status,
      provider_status, parameter_format, components, quality_score, rejected_reason, message_ttl_seconds)
    select x.id, ${account.accountId}, ${account.businessAccountId}, x.provider_id, x.name, x.language, x.category,
      x.status, x.provider_status, x.format, x.components, x.quality, x.reason, x.ttl
    from unnest(${values.map(({ id }) => id)}::uuid[], ${of((one) => one.providerTemplateId)}::text[],
      ${of((one) => one.name)}::text[], ${of((one) => one.language)}::text[], ${of((one) => one.category)}::text[],
      ${of((one) => one.state)}::text[], ${of((one) => one.providerStatus)}::text[],
      ${of((one) => one.parameterFormat)}::text[], ${of((one) => JSON.stringify(one.components))}::jsonb[],
      ${of((one) => one.qualityScore)}::text[], ${of((one) => one.rejectedReason)}::text[],
      ${of((one) => one.messageTtlSeconds)}::int[])
      x(id, provider_id, name, language, category, status, provider_status, format, components, quality, reason, ttl)
    on conflict (account_id, business_account_id, name, language) do update set
      provider_template_id = excluded.provider_template_id, category = excluded.category, status = excluded.status,
      provider_status = case when templates.status = ${status.approved} and excluded.status = ${status.approved}
        then templates.provider_status else excluded.provider_status end,
      parameter_format = excluded.parameter_format,
      message_ttl_seconds = excluded.message_ttl_seconds,
      next_category = case when templates.category = excluded.category then templates.next_category end,
      next_category_at = case when templates.category = excluded.category then templates.next_category_at end,
      components = excluded.components, quality_score = excluded.quality_score,
      deleting_until = case when templates.status <> ${status.draft} then templates.deleting_until end,
      rejected_reason = excluded.rejected_reason, updated_at = now()
    returning *`.execute(tx);
  return rows;
}

/** The account's templates that the platform rejected, paused or disabled, or no longer has, newest first. */
export async function listStoppedTemplates(
  db: Db,
  accountId: string,
  limit: number,
): Promise<Pick<TemplateRow, 'id' | 'name' | 'language' | 'provider_status' | 'rejected_reason'>[]> {
  return db
    .selectFrom('templates')
    .select(['id', 'name', 'language', 'provider_status', 'rejected_reason'])
    .where('account_id', '=', accountId)
    .where('status', '=', templateStatus.submitted)
    .where('provider_status', 'in', Object.values(stoppedProviderStatus))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Changes a template as the platform reported; absent members stay. */
export async function changeTemplate(
  tx: Tx,
  id: string,
  change: {
    status?: string;
    providerStatus?: string;
    category?: string;
    nextCategory?: { category: string; at: Date | null } | null;
    qualityScore?: string | null;
    rejectedReason?: string | null;
    reportedAt?: Date;
  },
): Promise<TemplateRow> {
  const row = await tx
    .updateTable('templates')
    .set({
      ...(change.status === undefined ? {} : { status: change.status }),
      ...(change.providerStatus === undefined ? {} : { provider_status: change.providerStatus }),
      ...(change.category === undefined ? {} : { category: change.category }),
      ...(change.nextCategory === undefined
        ? {}
        : {
            next_category: change.nextCategory?.category ?? null,
            next_category_at: change.nextCategory?.at ?? null,
          }),
      ...(change.qualityScore === undefined ? {} : { quality_score: change.qualityScore }),
      ...(change.rejectedReason === undefined ? {} : { rejected_reason: change.rejectedReason }),
      ...(change.reportedAt === undefined ? {} : { reported_at: change.reportedAt }),
      updated_at: sql<Date>`now()`,
    })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  return row as unknown as TemplateRow;
}

/** How long a deletion may take; until then readings do not change the template, then it is read again. */
const deletionSeconds = 120;

/** Marks a template as being deleted. If the process dies, the template is read again after two minutes. */
export async function markDeleting(tx: Tx, id: string): Promise<TemplateRow> {
  const { rows } = await sql<TemplateRow>`
    update templates set status = ${status.submitted}, provider_status = ${ownProviderStatus.pendingDeletion}, updated_at = now(),
      deleting_until = now() + ${deletionSeconds} * interval '1 second',
      read_due_at = now() + ${deletionSeconds} * interval '1 second'
    where id = ${id} returning *`.execute(tx);
  return rows[0] as TemplateRow;
}

/**
 * Ends a deletion that failed or whose outcome is unknown: the template is due to be read. `before` restores its earlier
 * status. Undefined if it is no longer being deleted.
 */
export async function endDeleting(
  tx: Tx,
  id: string,
  before: Pick<TemplateRow, 'status' | 'provider_status'> | undefined,
): Promise<TemplateRow | undefined> {
  const { rows } = await sql<TemplateRow>`
    update templates set status = coalesce(${before?.status ?? null}, status), read_due_at = now(), updated_at = now(),
      deleting_until = null, provider_status = case when ${before !== undefined} then ${before?.provider_status ?? null} else provider_status end
    where id = ${id} and provider_status = ${ownProviderStatus.pendingDeletion} returning *`.execute(tx);
  return rows[0];
}

/** Deletes templates and returns their rows. Keeps their components, with which messages are shown. */
export async function deleteTemplates(tx: Db | Tx, ids: string[]): Promise<TemplateRow[]> {
  if (ids.length === 0) return [];
  const rows = (await tx
    .deleteFrom('templates')
    .where('id', 'in', ids)
    .returningAll()
    .execute()) as unknown as TemplateRow[];
  await keepVersions(tx, rows);
  return rows;
}
