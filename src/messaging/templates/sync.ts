// The platform's templates to ours: a whole list at once, or one by one as its callbacks say.
import type { Clock } from '../../base/clock.ts';
import { VendorError } from '../../base/errors.ts';
import { uuidv7 } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { MessagingPlatform, PlatformTemplate, TemplateReport } from '../../ports/platform.ts';
import { type EventToPublish, eventBody, type PublishDeps, publish } from '../../webhooks/publish.ts';
import { type AccessDeps, senderAccess } from '../senders/access.ts';
import { type ReadingOf, wantReading } from '../senders/readings-store.ts';
import type { SenderRow } from '../senders/store.ts';
import { templateItem } from './item.ts';
import {
  changeTemplate,
  type DueTemplate,
  deleteTemplates,
  forgetSingleReads,
  lockByProviderId,
  lockPlatformTemplates,
  makeTemplateDue,
  releaseMessages,
  type TemplateRow,
  type TemplateValues,
  templateRead,
  upsertTemplates,
} from './store.ts';
import { statusOf } from './template.ts';

export interface SyncDeps extends AccessDeps, PublishDeps {
  db: Db;
  clock: Clock;
  log: Log;
  platform: Pick<MessagingPlatform, 'listTemplates' | 'readTemplate'>;
}

const writtenAtOnce = 500;
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

/** What a changed status brings about: messages held for the template go on once it is approved; the event says so. */
async function statusChanged(deps: { clock: Clock }, tx: Tx, row: TemplateRow): Promise<EventToPublish> {
  if (row.status === 'approved') await releaseMessages(tx, row.account_id, row.id);
  return statusEvent(deps, row);
}

/** The event that tells of a template's changed status. */
export function statusEvent(deps: { clock: Clock }, row: TemplateRow): EventToPublish {
  const now = deps.clock.now();
  return {
    accountId: row.account_id,
    subjectId: uuidv7(now),
    stage: 0,
    kind: 'templates.status',
    messageId: null,
    body: eventBody('templates.status', now, templateItem(row)),
  };
}

/** One of each name and language; the platform lists the newest first: made in reverse, our ids sort as its list does. */
function valuesOf(deps: { clock: Clock }, templates: PlatformTemplate[]): TemplateValues[] {
  const once = new Map(templates.toReversed().map((one) => [`${one.name} ${one.language}`, one]));
  return [...once.values()].map((template) => ({
    id: uuidv7(deps.clock.now()),
    template,
    status: statusOf(template.status),
  }));
}

/**
 * Reads every template of the sender's business account and makes our rows equal to them: new ones added, changed ones
 * written over, and those gone from the platform removed (but none that changed while the list was read). A changed
 * status is published. Answers how many there are, and how many calls of the platform that took. Throws VendorError if
 * the platform cannot be read; then nothing changed.
 */
export async function syncTemplates(
  deps: SyncDeps,
  row: SenderRow,
): Promise<{ count: number; calls: number }> {
  const begun = new Date(deps.clock.now());
  const { templates, calls } = await readAll(deps, row);
  const startable = await deps.db.transaction().execute(async (tx) => {
    const known = await lockPlatformTemplates(tx, row.account_id, row.business_account_id);
    const statusBefore = new Map(known.map((one) => [`${one.name} ${one.language}`, one.status]));
    const events: EventToPublish[] = [];
    const kept = new Set<string>();
    const values = valuesOf(deps, templates);
    for (let at = 0; at < values.length; at += writtenAtOnce) {
      const account = { accountId: row.account_id, businessAccountId: row.business_account_id };
      for (const written of await upsertTemplates(tx, account, values.slice(at, at + writtenAtOnce))) {
        kept.add(written.id);
        const before = statusBefore.get(`${written.name} ${written.language}`);
        if (before !== undefined && before !== written.status)
          events.push(await statusChanged(deps, tx, written));
      }
    }
    const gone = known.filter((one) => !kept.has(one.id) && one.updated_at < begun);
    await deleteTemplates(
      tx,
      gone.map((one) => one.id),
    );
    await forgetSingleReads(
      tx,
      { accountId: row.account_id, businessAccountId: row.business_account_id },
      begun,
    );
    return publish(deps, tx, events);
  });
  deps.deliveries.offer(startable);
  return { count: templates.length, calls };
}

/**
 * Applies what a callback said of templates, in the caller's transaction, for the business accounts that the
 * callback's signature speaks for. Answers the events to publish, and the lists that are to be read: those with a
 * template that we do not know, since the platform may be quicker than the answer to its submission. A template whose
 * text changed is made due to be read by itself.
 */
export async function applyTemplateReports(
  deps: { clock: Clock },
  tx: Tx,
  businessAccounts: { accountId: string; businessAccountId: string }[],
  reports: TemplateReport[],
): Promise<{ events: EventToPublish[]; toRead: ReadingOf[]; hasChanged: boolean }> {
  const events: EventToPublish[] = [];
  const toRead: ReadingOf[] = [];
  let hasChanged = false;
  for (const report of reports) {
    const readers = businessAccounts.filter((one) => one.businessAccountId === report.businessAccountId);
    if (readers.length === 0) continue;
    const rows = await lockByProviderId(tx, {
      ...report,
      // whoever signs for a business account in one account of ours may not change another account's templates
      accountIds: readers.map(({ accountId }) => accountId),
    });
    if (rows.length === 0) toRead.push(...readers);
    for (const row of rows) {
      const changed = await changeTemplate(tx, row.id, changeOf(report));
      if (changed.status !== row.status) events.push(await statusChanged(deps, tx, changed));
      if (report.componentsChanged) {
        await makeTemplateDue(tx, row.id);
        hasChanged = true;
      }
    }
  }
  return { events, toRead, hasChanged };
}

/** FLAGGED is a warning and changes no status. */
function changeOf(report: TemplateReport): Parameters<typeof changeTemplate>[2] {
  const status = report.status?.toUpperCase();
  return {
    ...(status === undefined || status === 'FLAGGED'
      ? {}
      : { status: statusOf(status), providerStatus: status, rejectedReason: report.reason ?? null }),
    ...(report.category === undefined ? {} : { category: report.category.toUpperCase() }),
    ...(report.qualityScore === undefined ? {} : { qualityScore: report.qualityScore }),
  };
}

/** Makes lists due after a callback that only said that something changed. */
export async function readAgain(db: Db, lists: ReadingOf[]): Promise<void> {
  for (const list of lists) await wantReading(db, list);
}

/** Reads one template again and writes over our row; its changed status is published. Throws the platform's VendorError. */
export async function syncTemplate(deps: SyncDeps, sender: SenderRow, template: DueTemplate): Promise<void> {
  const read = await deps.platform.readTemplate(senderAccess(deps, sender), template.provider_template_id);
  const startable = await deps.db.transaction().execute(async (tx) => {
    const account = { accountId: template.account_id, businessAccountId: sender.business_account_id };
    const [before] = await lockByProviderId(tx, {
      accountIds: [account.accountId],
      businessAccountId: account.businessAccountId,
      providerTemplateId: template.provider_template_id,
    });
    if (!before) return [];
    const [after] = await upsertTemplates(tx, account, valuesOf(deps, [read]));
    await templateRead(tx, template);
    if (!after || after.status === before.status) return [];
    return publish(deps, tx, [await statusChanged(deps, tx, after)]);
  });
  deps.deliveries.offer(startable);
}
