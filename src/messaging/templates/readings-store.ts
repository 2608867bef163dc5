// Queries of the platform's readings: templates that are due to be read alone, and drafts that no reading found.
import { sql } from 'kysely';
import type { Db, Tx } from '../../db/db.ts';
import { sqlConstants } from '../../db/sql-constants.ts';
import { templateStatus } from './status.ts';
import type { TemplateRow } from './store.ts';

const status = sqlConstants(templateStatus);

/** Makes templates due to be read alone, now. */
export async function makeTemplatesDue(tx: Tx, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`update templates set read_due_at = now() where id = any(${ids}::uuid[])`.execute(tx);
}

/** The database's time, which `updated_at` uses. */
export async function databaseTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() now`.execute(db);
  return (rows[0] as { now: Date }).now;
}

/** A template that is due to be read alone, and how many of its business account are. */
export type DueTemplate = TemplateRow & {
  business_account_id: string;
  provider_template_id: string;
  due_in_account: number;
};

/** Records that a template was read, unless it has become due again since its claim. */
export async function recordSingleRead(tx: Tx, template: DueTemplate): Promise<void> {
  await sql`
    update templates set read_due_at = null where id = ${template.id} and read_due_at = ${template.read_due_at}`.execute(
    tx,
  );
}

/** Claims up to `limit` templates that are due to be read alone, for a minute. */
export async function claimTemplatesToRead(db: Db, limit: number): Promise<DueTemplate[]> {
  const { rows } = await sql<DueTemplate>`
    update templates t set read_due_at = date_trunc('milliseconds', now()) + interval '1 minute' where id in (
      select id from templates where read_due_at <= now() and business_account_id is not null
        and provider_template_id is not null order by read_due_at limit ${limit} for update skip locked)
    returning t.*, (select count(*)::int from templates o where o.read_due_at is not null
      and o.account_id = t.account_id and o.business_account_id = t.business_account_id) due_in_account`.execute(
    db,
  );
  return rows;
}

/** Cancels reading templates alone, because their whole list was or will be read. */
export async function clearSingleReads(
  db: Db | Tx,
  of: { accountId: string; businessAccountId: string },
  dueBefore?: Date,
): Promise<void> {
  await sql`
    update templates set read_due_at = null where read_due_at < ${dueBefore ?? sql`'infinity'`}
      and account_id = ${of.accountId} and business_account_id = ${of.businessAccountId}`.execute(db);
}

/** Releases the expired leases of drafts that a reading did not find at the platform. */
export async function clearDraftLeases(tx: Tx, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update templates set deleting_until = null where id = any(${ids}::uuid[]) and status = ${status.draft}`.execute(
    tx,
  );
}
