// The `templates.status` events of changed templates.
import type { Clock } from '../../base/clock.ts';
import { uuidv7 } from '../../base/ids.ts';
import type { Tx } from '../../db/db.ts';
import {
  type EventToPublish,
  eventBody,
  type LeasedDelivery,
  type PublishDeps,
  publish,
} from '../../webhooks/publish.ts';
import { listSenderLabels } from '../senders/store.ts';
import { insertTemplateChanges } from './changes-store.ts';
import { isReportable, type TemplateChange, templateChangeData } from './presenter.ts';
import { ownProviderStatus, templateStatus } from './status.ts';
import type { TemplateRow } from './store.ts';

/**
 * Records changes of status, category or quality score in the history of their templates, and returns their events. Publish them in the transaction that locked the rows
 * and changed them, so that no other process publishes the same change.
 */
export async function statusEvents(
  deps: { clock: Clock },
  tx: Tx,
  changes: readonly TemplateChange[],
): Promise<EventToPublish[]> {
  const reportable = changes.filter(isReportable);
  if (reportable.length === 0) return [];
  await insertTemplateChanges(tx, reportable, deps.clock.now());
  const senders = await listSenderLabels(tx, {
    accountIds: [...new Set(reportable.map(({ after }) => after.account_id))],
    businessAccountIds: [...new Set(reportable.flatMap(({ after }) => after.business_account_id ?? []))],
  });
  return reportable.map((change) => {
    const now = deps.clock.now();
    return {
      accountId: change.after.account_id,
      subjectId: uuidv7(now),
      stage: 0,
      kind: 'templates.status' as const,
      messageId: null,
      body: eventBody('templates.status', now, templateChangeData(change, senders)),
    };
  });
}

/** Publishes the changes. */
export async function publishChanges(
  deps: { clock: Clock } & PublishDeps,
  tx: Tx,
  changes: readonly TemplateChange[],
): Promise<LeasedDelivery[]> {
  return publish(deps, tx, await statusEvents(deps, tx, changes));
}

/** The change of a template that the platform no longer has. */
export function removalOf(row: TemplateRow): TemplateChange {
  const isKnown = row.provider_status === ownProviderStatus.deleted;
  const after: TemplateRow = isKnown
    ? row
    : { ...row, status: templateStatus.submitted, provider_status: ownProviderStatus.deleted };
  return { before: row, after, reason: null };
}
