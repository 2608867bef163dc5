// The `templates.status` events of templates whose provider status, category or quality score changed.
import type { Clock } from '../../base/clock.ts';
import { uuidv7 } from '../../base/ids.ts';
import type { Tx } from '../../db/db.ts';
import { type EventToPublish, eventBody } from '../../webhooks/publish.ts';
import { listSenderLabels } from '../senders/store.ts';
import { isReportable, type TemplateChange, templateChangeData } from './presenter.ts';
import { ownProviderStatus, templateStatus } from './status.ts';
import type { TemplateRow } from './store.ts';

/**
 * The events to publish in the transaction that makes these changes, with the rows locked from before the change: then
 * whoever sees the same change later finds the row as it already is, and reports nothing. Changes of nothing else than
 * the three are left out.
 */
export async function statusEvents(
  deps: { clock: Clock },
  tx: Tx,
  changes: readonly TemplateChange[],
): Promise<EventToPublish[]> {
  const reportable = changes.filter(isReportable);
  if (reportable.length === 0) return [];
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

/** The change of a template that no longer exists at the platform. */
export function removalOf(row: TemplateRow): TemplateChange {
  const isKnown = row.provider_status === ownProviderStatus.deleted;
  const after: TemplateRow = isKnown
    ? row
    : { ...row, status: templateStatus.submitted, provider_status: ownProviderStatus.deleted };
  return { before: row, after, reason: null };
}
