// The platform's templates to ours: read whole on a timer and on demand, changed one by one by its callbacks.
import type { Clock } from '../../base/clock.ts';
import { VendorError } from '../../base/errors.ts';
import { uuidv7 } from '../../base/ids.ts';
import type { Log } from '../../base/log.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { MessagingPlatform, PlatformTemplate, TemplateReport } from '../../ports/platform.ts';
import { type EventToPublish, eventBody, type PublishDeps, publish } from '../../webhooks/publish.ts';
import { type AccessDeps, senderAccess } from '../senders/access.ts';
import { claimSyncDue, makeSyncDue, recordSync, type SenderRow } from '../senders/store.ts';
import { templateItem } from './item.ts';
import {
  changeTemplate,
  deleteTemplates,
  lockByProviderId,
  lockPlatformTemplates,
  releaseMessages,
  type TemplateRow,
  type TemplateValues,
  upsertTemplates,
} from './store.ts';
import { statusOf } from './template.ts';

export interface SyncDeps extends AccessDeps, PublishDeps {
  db: Db;
  clock: Clock;
  log: Log;
  platform: Pick<MessagingPlatform, 'listTemplates'>;
}

/** The platform allows 200 list calls an hour and business account; callbacks bring changes at once, so this is slow. */
const syncEverySeconds = 3600;
const retrySecondsMax = 900;
const writtenAtOnce = 500;
/** The platform allows 6,000 a business account: a list beyond this does not end. */
const templatesMax = 20_000;

async function readAll(deps: SyncDeps, row: SenderRow): Promise<PlatformTemplate[]> {
  const access = senderAccess(deps, row);
  const templates: PlatformTemplate[] = [];
  let after: string | undefined;
  do {
    const page = await deps.platform.listTemplates(access, after);
    templates.push(...page.templates);
    after = page.after;
    if (templates.length > templatesMax || (after !== undefined && page.templates.length === 0))
      throw new VendorError('unknown', 'the list of templates does not end');
  } while (after !== undefined);
  return templates;
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
 * status is published. Throws VendorError if the platform cannot be read; then nothing changed.
 */
export async function syncTemplates(deps: SyncDeps, row: SenderRow): Promise<{ count: number }> {
  const begun = new Date(deps.clock.now());
  const templates = await readAll(deps, row);
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
    return publish(deps, tx, events);
  });
  deps.deliveries.offer(startable);
  return { count: templates.length };
}

/** The doer's loop body: claims senders whose templates are due and reads them; answers how many it claimed. */
export async function syncDue(deps: SyncDeps, limit = 4): Promise<number> {
  const senders = await claimSyncDue(deps.db, limit);
  for (const sender of senders) {
    try {
      const { count } = await syncTemplates(deps, sender);
      await recordSync(deps.db, sender.id, { failure: null, dueInSeconds: syncEverySeconds });
      deps.log.info({ senderId: sender.id, count }, 'templates.synced');
    } catch (error) {
      // whatever one number's list did, the others that were claimed with it are read all the same
      const told = error instanceof VendorError ? error : undefined;
      const dueInSeconds =
        told?.retryAfterSeconds ?? Math.min(retrySecondsMax, 10 * 2 ** sender.sync_attempts);
      const failure = told?.message ?? 'The templates could not be kept; the log says why.';
      await recordSync(deps.db, sender.id, { failure, dueInSeconds });
      deps.log.warn({ senderId: sender.id, err: error, dueInSeconds }, 'templates.sync_failed');
    }
  }
  return senders.length;
}

/** Reads the templates of all the account's business accounts now, for a caller who waits. */
export async function syncNow(deps: SyncDeps, senders: SenderRow[]): Promise<{ count: number }> {
  const oneEach = new Map(senders.map((sender) => [sender.business_account_id, sender]));
  let count = 0;
  for (const sender of oneEach.values()) {
    const result = await syncTemplates(deps, sender);
    await recordSync(deps.db, sender.id, { failure: null, dueInSeconds: syncEverySeconds });
    count += result.count;
  }
  return { count };
}

/**
 * Applies what a callback said of templates, in the caller's transaction, for the business accounts that the
 * callback's signature speaks for. Answers the events to publish; a changed text makes the whole list due to be read,
 * and so does a template that we do not know, since the platform may be quicker than the answer to its submission.
 */
export async function applyTemplateReports(
  deps: { clock: Clock },
  tx: Tx,
  businessAccounts: { accountId: string; businessAccountId: string }[],
  reports: TemplateReport[],
): Promise<{ events: EventToPublish[]; toRead: { accountId: string; businessAccountId: string }[] }> {
  const events: EventToPublish[] = [];
  const toRead: { accountId: string; businessAccountId: string }[] = [];
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
        toRead.push({ accountId: row.account_id, businessAccountId: report.businessAccountId });
      }
    }
  }
  return { events, toRead };
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
export async function readAgain(
  db: Db,
  lists: { accountId: string; businessAccountId: string }[],
): Promise<void> {
  for (const { accountId, businessAccountId } of lists) await makeSyncDue(db, accountId, businessAccountId);
}
