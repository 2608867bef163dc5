// Application of template reports of the platform's callbacks to our rows.
import type { Clock } from '../../base/clock.ts';
import type { Db, Tx } from '../../db/db.ts';
import type { TemplateReport } from '../../ports/platform.ts';
import type { LeasedDelivery, PublishDeps } from '../../webhooks/publish.ts';
import { type ReadingKey, requestReading } from '../senders/template-readings-store.ts';
import type { TemplateChange } from './presenter.ts';
import { makeTemplatesDue } from './readings-store.ts';
import { templateStatus } from './status.ts';
import { publishChanges } from './status-events.ts';
import { changeTemplate, lockByProviderId, type TemplateRow } from './store.ts';

export interface AppliedReports {
  leasedDeliveries: LeasedDelivery[];
  /** Lists with an unknown template: a report may be faster than the response to the template's submission. */
  toRead: ReadingKey[];
  /** True if a template is due to be read alone, because a report did not contain its current content. */
  hasChanged: boolean;
}

/**
 * Applies reports in the caller's transaction, for the business accounts that the callback's signature covers, and
 * publishes each change of status, category and quality once. Callbacks are repeated for days and in any order (Cloud
 * API, "Webhooks overview"): if a report is older than the last applied one, or the template is being deleted, the
 * template is read again instead.
 */
export async function applyTemplateReports(
  deps: { clock: Clock } & PublishDeps,
  tx: Tx,
  businessAccounts: { accountId: string; businessAccountId: string }[],
  reports: TemplateReport[],
): Promise<AppliedReports> {
  const changes: TemplateChange[] = [];
  const toRead: ReadingKey[] = [];
  const toReadSingly: string[] = [];
  for (const report of reports) {
    const readers = businessAccounts.filter((one) => one.businessAccountId === report.businessAccountId);
    if (readers.length === 0) continue;
    const rows = await lockByProviderId(tx, {
      ...report,
      // a signature for one of our accounts must not change another account's templates
      accountIds: readers.map(({ accountId }) => accountId),
    });
    if (rows.length === 0) toRead.push(...readers);
    for (const before of rows) {
      if (isLate(report, before) || isBeingDeleted(before, deps.clock.now())) {
        toReadSingly.push(before.id);
        continue;
      }
      const after = await changeTemplate(tx, before.id, changeOf(report, before));
      changes.push({ before, after, reason: report.reason ?? null });
      if (report.mustRead) toReadSingly.push(before.id);
    }
  }
  await makeTemplatesDue(tx, toReadSingly);
  const leasedDeliveries = await publishChanges(deps, tx, changes);
  return { leasedDeliveries, toRead, hasChanged: toReadSingly.length > 0 };
}

/** True if a newer report was applied before. Times are whole seconds; within one, the order of arrival counts. */
const isLate = ({ timestamp }: TemplateReport, { reported_at }: TemplateRow): boolean =>
  timestamp !== null && reported_at !== null && timestamp * 1000 < reported_at.getTime();

/** During a deletion, nothing may approve the template again: new sends would be stored and fail. */
const isBeingDeleted = ({ deleting_until }: TemplateRow, now: number): boolean =>
  deleting_until !== null && deleting_until.getTime() > now;

/**
 * An approved template keeps its `providerStatus`: all words of approval mean the same, and a reading may have published
 * the approval before this report.
 */
function changeOf(report: TemplateReport, row: TemplateRow): Parameters<typeof changeTemplate>[2] {
  const { status } = report;
  const isStillApproved = status?.state === templateStatus.approved && row.status === templateStatus.approved;
  return {
    ...(status === undefined ? {} : { status: status.state, rejectedReason: report.reason ?? null }),
    ...(status === undefined || isStillApproved ? {} : { providerStatus: status.providerStatus }),
    ...(report.category === undefined ? {} : { category: report.category.toUpperCase(), nextCategory: null }),
    ...(report.nextCategory === undefined ? {} : { nextCategory: nextOf(report.nextCategory, row) }),
    ...(report.qualityScore === undefined ? {} : { qualityScore: report.qualityScore }),
    ...(report.timestamp === null ? {} : { reportedAt: new Date(report.timestamp * 1000) }),
  };
}

/** An announcement may come after the change. */
const nextOf = (
  { category, timestamp }: NonNullable<TemplateReport['nextCategory']>,
  row: TemplateRow,
): { category: string; at: Date | null } | null =>
  category === row.category ? null : { category, at: timestamp === null ? null : new Date(timestamp * 1000) };

/** Makes lists due to be read again. */
export async function requestReadings(db: Db, lists: ReadingKey[]): Promise<void> {
  for (const list of lists) await requestReading(db, list);
}
