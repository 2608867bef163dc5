// The platform's templates to ours: a whole list at once, or one that its callbacks said has changed.
import type { Clock } from '../../base/clock.ts';
import { VendorError } from '../../base/errors.ts';
import { uuidv7 } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { MessagingPlatform, PlatformTemplate } from '../../ports/platform.ts';
import { type LeasedDelivery, type PublishDeps, publish } from '../../webhooks/publish.ts';
import { type AccessDeps, senderAccess } from '../senders/access.ts';
import type { SenderRow } from '../senders/store.ts';
import type { TemplateChange } from './presenter.ts';
import {
  clearSingleReads,
  type DueTemplate,
  databaseTime,
  makeTemplatesDue,
  recordSingleRead,
} from './single-reads-store.ts';
import { templateStatus } from './status.ts';
import { removalOf, statusEvents } from './status-events.ts';
import {
  deleteTemplates,
  lockByProviderId,
  lockTemplates,
  type TemplateRow,
  type TemplateValues,
  upsertTemplates,
} from './store.ts';

export interface SyncDeps extends AccessDeps, PublishDeps {
  db: Db;
  clock: Clock;
  log: Log;
  /** Tells the worker that messages of templates may go on. */
  nudgeQueue: () => void;
  platform: Pick<MessagingPlatform, 'listTemplates' | 'readTemplate'>;
}

const rowsPerStatement = 500;
/** The platform allows 6,000 a business account: a list beyond this does not end. */
const templatesMax = 20_000;

async function readAll(deps: SyncDeps, row: SenderRow) {
  const access = senderAccess(deps, row);
  const templates: PlatformTemplate[] = [];
  let after: string | undefined;
  let calls = 0;
  do {
    const page = await deps.platform.listTemplates(access, after);
    calls += 1;
    templates.push(...page.templates);
    after = page.after;
    if (templates.length > templatesMax || (after !== undefined && page.templates.length === 0))
      throw new VendorError('unknown', 'the list of templates does not end');
  } while (after !== undefined);
  return { templates, calls };
}

/** One of each name and language; the platform lists the newest first: made in reverse, our ids sort as its list does. */
function valuesOf(deps: { clock: Clock }, templates: PlatformTemplate[]): TemplateValues[] {
  const once = new Map(templates.toReversed().map((one) => [`${one.name} ${one.language}`, one]));
  return [...once.values()].map((template) => ({
    id: uuidv7(deps.clock.now()),
    template,
  }));
}

/** Publishes what changed. */
export async function publishChanges(
  deps: { clock: Clock } & PublishDeps,
  tx: Tx,
  changes: readonly TemplateChange[],
): Promise<LeasedDelivery[]> {
  return publish(deps, tx, await statusEvents(deps, tx, changes));
}

/** True of a template whose deletion was under way when a reading began: what is read of it says nothing. */
const isBeingDeleted = (begun: Date) => (row: TemplateRow) =>
  row.deleting_until !== null && row.deleting_until > begun;

const nameOf = (row: Pick<TemplateRow, 'name' | 'language'>) => `${row.name} ${row.language}`;

/**
 * Reads every template of the sender's business account and makes our rows equal to them: new ones added, changed ones
 * written over, and those gone from the platform removed; but none that changed while the list was read, which is older
 * than they are: those are read by themselves. Changes of status, category and quality are published. Answers how many
 * there are, and how many calls of the platform that took. Throws VendorError if the platform cannot be read; then
 * nothing changed.
 */
export async function syncTemplates(
  deps: SyncDeps,
  sender: SenderRow,
): Promise<{ count: number; calls: number }> {
  const begun = await databaseTime(deps.db);
  const { templates, calls } = await readAll(deps, sender);
  const account = { accountId: sender.account_id, businessAccountId: sender.business_account_id };
  const leasedDeliveries = await deps.db.transaction().execute(async (tx) => {
    const known = await lockTemplates(tx, account);
    const newer = known.filter((one) => one.status !== templateStatus.draft && one.updated_at >= begun);
    const newerNames = new Set([...newer, ...known.filter(isBeingDeleted(begun))].map(nameOf));
    const values = valuesOf(deps, templates).filter(({ template }) => !newerNames.has(nameOf(template)));
    const changes = await overwrite(tx, account, known, values);
    const listed = new Set(templates.map(nameOf));
    const gone = known.filter(
      (one) =>
        one.status !== templateStatus.draft && !listed.has(nameOf(one)) && !newerNames.has(nameOf(one)),
    );
    await deleteTemplates(
      tx,
      gone.map((one) => one.id),
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

/** Writes what the platform says over the rows known before; answers what that changed in them. */
async function overwrite(
  tx: Tx,
  account: { accountId: string; businessAccountId: string },
  known: TemplateRow[],
  values: TemplateValues[],
): Promise<TemplateChange[]> {
  const before = new Map(known.map((one) => [nameOf(one), one]));
  const changes: TemplateChange[] = [];
  for (let at = 0; at < values.length; at += rowsPerStatement) {
    for (const after of await upsertTemplates(tx, account, values.slice(at, at + rowsPerStatement))) {
      const old = before.get(nameOf(after));
      const isSameStatus = old?.provider_status === after.provider_status;
      if (old) changes.push({ before: old, after, reason: isSameStatus ? null : after.rejected_reason });
    }
  }
  return changes;
}

/**
 * Reads one template again and writes over our row, unless that changed since; what changed is published. Throws the
 * platform's VendorError.
 */
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
    // what was read may be older than our row: it is read again in a minute, when the claim's lease lapses
    if (before.updated_at >= begun || isBeingDeleted(begun)(before)) return [];
    const changes = await overwrite(tx, account, [before], valuesOf(deps, [read]));
    await recordSingleRead(tx, template);
    return publishChanges(deps, tx, changes);
  });
  deps.deliveries.offer(leasedDeliveries);
  deps.nudgeQueue();
}
