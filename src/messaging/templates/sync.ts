// The copy of the platform's templates to our rows: a whole list, or one changed template.
import { audit } from '../../audit/store.ts';
import type { Clock } from '../../base/clock.ts';
import { uuidv7 } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { MessagingPlatform, PlatformTemplate } from '../../ports/platform.ts';
import type { PublishDeps } from '../../webhooks/publish.ts';
import { type AccessDeps, senderAccess } from '../senders/access.ts';
import type { SenderRow } from '../senders/store.ts';
import { shapeOf } from '../template-content/fits.ts';
import type { TemplateChange } from './presenter.ts';
import { readTemplateList } from './read-list.ts';
import {
  clearDraftLeases,
  clearSingleReads,
  type DueTemplate,
  databaseTime,
  makeTemplatesDue,
  recordSingleRead,
} from './readings-store.ts';
import { ownProviderStatus, templateStatus } from './status.ts';
import { publishChanges, removalOf } from './status-events.ts';
import {
  changeTemplate,
  deleteTemplates,
  lockByProviderId,
  lockTemplates,
  recheckTemplates,
  type TemplateRow,
  type TemplateValues,
  upsertTemplates,
} from './store.ts';
import { submissionOf } from './submission.ts';
import { keepVersions } from './versions-store.ts';

export interface SyncDeps extends AccessDeps, PublishDeps {
  db: Db;
  clock: Clock;
  log: Log;
  /** Wakes the worker that lets messages of held templates continue. */
  nudgeQueue: () => void;
  platform: Pick<MessagingPlatform, 'listTemplates' | 'readTemplate'>;
  /** Finds those of these templates that queued messages or open sends need. */
  templatesInUse: (tx: Tx, of: { accountId: string; templateIds: readonly string[] }) => Promise<string[]>;
}

const rowsPerStatement = 500;

/** One template of each name and language, oldest first: the reverse of the platform's list, so that our ids sort by age. */
function valuesOf(deps: { clock: Clock }, templates: PlatformTemplate[]): TemplateValues[] {
  const once = new Map(templates.toReversed().map((one) => [`${one.name} ${one.language}`, one]));
  return [...once.values()].map((template) => ({
    id: uuidv7(deps.clock.now()),
    template,
  }));
}

/**
 * True if a template was being deleted or edited when the reading began, so that the reading may be outdated. A draft that
 * the reading shows was submitted, whoever records that first.
 */
const isBeingDeleted = (begun: Date) => (row: TemplateRow) =>
  row.status !== templateStatus.draft && row.deleting_until !== null && row.deleting_until > begun;

/** True if the submission of this draft ended without a known result before the reading began. */
const wasSubmitted = (begun: Date) => (row: TemplateRow) =>
  row.status === templateStatus.draft && row.deleting_until !== null && row.deleting_until <= begun;

const nameOf = (row: Pick<TemplateRow, 'name' | 'language'>) => `${row.name} ${row.language}`;

/**
 * Reads every template of the sender's business account and makes our rows equal: adds new ones, overwrites changed ones
 * and removes missing ones, unless their messages wait (`removeMissing`). A row that changed during the reading is newer than the list, so its template is read alone
 * instead. Publishes changes of status, category and quality. Returns the numbers of templates and of platform calls.
 * Throws VendorError, without any change, if the platform cannot be read.
 */
export async function syncTemplates(
  deps: SyncDeps,
  sender: SenderRow,
): Promise<{ count: number; calls: number }> {
  const begun = await databaseTime(deps.db);
  const { templates, calls } = await readTemplateList(deps, senderAccess(deps, sender));
  const account = { accountId: sender.account_id, businessAccountId: sender.business_account_id };
  const leasedDeliveries = await deps.db.transaction().execute(async (tx) => {
    const known = await lockTemplates(tx, account);
    const newer = known.filter((one) => one.status !== templateStatus.draft && one.updated_at >= begun);
    const newerNames = new Set([...newer, ...known.filter(isBeingDeleted(begun))].map(nameOf));
    const values = valuesOf(deps, templates).filter(({ template }) => !newerNames.has(nameOf(template)));
    const changes = await overwrite(tx, account, known, values);
    await auditDrafts(tx, changes, deps.clock.now());
    const listed = new Set(templates.map(nameOf));
    const gone = known.filter(
      (one) =>
        one.status !== templateStatus.draft && !listed.has(nameOf(one)) && !newerNames.has(nameOf(one)),
    );
    await removeMissing(deps, tx, account.accountId, gone);
    const missing = known.filter((one) => wasSubmitted(begun)(one) && !listed.has(nameOf(one)));
    await clearDraftLeases(
      tx,
      missing.map((one) => one.id),
    );
    await clearSingleReads(tx, account, begun);
    await makeTemplatesDue(
      tx,
      newer.filter((one) => !isBeingDeleted(begun)(one)).map((one) => one.id),
    );
    return publishChanges(deps, tx, [...changes, ...gone.map(removalOf)]);
  });
  deps.deliveries.offer(leasedDeliveries);
  deps.nudgeQueue();
  return { count: templates.length, calls };
}

/**
 * Removes templates that the platform no longer has. One whose messages are queued or to be queued stays, as deleted: they wait for its return until
 * they expire or are cancelled. Without it, each of them would be called, to be rejected.
 */
async function removeMissing(
  deps: SyncDeps,
  tx: Tx,
  accountId: string,
  gone: readonly TemplateRow[],
): Promise<void> {
  const templateIds = gone.map(({ id }) => id);
  const inUse = new Set(
    templateIds.length > 0 ? await deps.templatesInUse(tx, { accountId, templateIds }) : [],
  );
  await deleteTemplates(
    tx,
    templateIds.filter((id) => !inUse.has(id)),
  );
  const deleted = { status: templateStatus.submitted, providerStatus: ownProviderStatus.deleted };
  for (const { id, provider_status: word } of gone)
    if (inUse.has(id) && word !== deleted.providerStatus) await changeTemplate(tx, id, deleted);
}

/** Overwrites rows with the platform's templates and returns the changes of rows that existed before. */
async function overwrite(
  tx: Tx,
  account: { accountId: string; businessAccountId: string },
  known: TemplateRow[],
  values: TemplateValues[],
): Promise<TemplateChange[]> {
  const before = new Map(known.map((one) => [nameOf(one), one]));
  const changes: TemplateChange[] = [];
  const changed: TemplateRow[] = [];
  for (let at = 0; at < values.length; at += rowsPerStatement) {
    for (const after of await upsertTemplates(tx, account, values.slice(at, at + rowsPerStatement))) {
      const old = before.get(nameOf(after));
      if (old && shapeOf(old) !== shapeOf(after)) changed.push(old);
      const isSameStatus = old?.provider_status === after.provider_status;
      if (old) changes.push({ before: old, after, reason: isSameStatus ? null : after.rejected_reason });
    }
  }
  // in this transaction: no message is called between the change and its check
  await keepVersions(tx, changed);
  await recheckTemplates(
    tx,
    changed.map(({ id }) => id),
  );
  return changes;
}

/**
 * Records drafts that became the platform's template of that name: as submitted if a submission of theirs has no recorded result,
 * else as overwritten, because their texts are gone.
 */
async function auditDrafts(tx: Tx, changes: readonly TemplateChange[], nowMs: number): Promise<void> {
  for (const { before, after } of changes) {
    const { id, account_id: accountId, status } = before;
    if (status !== templateStatus.draft) continue;
    const { name: providerTemplateName, language } = after;
    const shown = { providerTemplateName, language, status: after.status };
    const action = submissionOf(before, nowMs) === 'none' ? 'template.overwritten' : 'template.submitted';
    await audit(tx, accountId, action, id, shown);
  }
}

/** Reads one template and overwrites our row, unless it changed since; publishes the change. Throws VendorError. */
export async function syncTemplate(deps: SyncDeps, sender: SenderRow, template: DueTemplate): Promise<void> {
  const begun = await databaseTime(deps.db);
  const read = await deps.platform.readTemplate(senderAccess(deps, sender), template.provider_template_id);
  const account = { accountId: template.account_id, businessAccountId: sender.business_account_id };
  const leasedDeliveries = await deps.db.transaction().execute(async (tx) => {
    const [before] = await lockByProviderId(tx, {
      accountIds: [account.accountId],
      businessAccountId: account.businessAccountId,
      providerTemplateId: template.provider_template_id,
    });
    if (!before) return [];
    // the response may be older than our row: the lease of the claim repeats the reading in a minute
    if (before.updated_at >= begun || isBeingDeleted(begun)(before)) return [];
    const changes = await overwrite(tx, account, [before], valuesOf(deps, [read]));
    await recordSingleRead(tx, template);
    return publishChanges(deps, tx, changes);
  });
  deps.deliveries.offer(leasedDeliveries);
  deps.nudgeQueue();
}
