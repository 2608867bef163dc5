// The hold of a template that the platform rejects at sending (paused, disabled), until its next approval.
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../db/db.ts';
import type { MessagingPlatform } from '../../ports/platform.ts';
import { type PublishDeps, publish } from '../../webhooks/publish.ts';
import { requestReading } from '../senders/template-readings-store.ts';
import { templateStatus } from './status.ts';
import { statusEvents } from './status-events.ts';
import { changeTemplate, isApproved, lockByName } from './store.ts';

export interface HoldTemplateDeps extends PublishDeps {
  db: Db;
  clock: Clock;
  platform: Pick<MessagingPlatform, 'templateStatusOf'>;
}

/**
 * Holds a template that the platform rejected with `error`: it is no longer approved, so its queued messages wait. The
 * change is published, and the platform's list is read again. Only the first of many rejections writes.
 */
export async function holdRejectedTemplate(
  deps: HoldTemplateDeps,
  template: { accountId: string; businessAccountId: string; name: string; language: string },
  error: { code: number; title: string },
): Promise<void> {
  if (!(await isApproved(deps.db, template))) return;
  const leasedDeliveries = await deps.db.transaction().execute(async (tx) => {
    const row = await lockByName(tx, template);
    if (row?.status !== templateStatus.approved) return [];
    const providerStatus = deps.platform.templateStatusOf(error);
    const reason = `${error.code} ${error.title}`;
    const changed = await changeTemplate(tx, row.id, {
      status: templateStatus.submitted,
      ...(providerStatus === undefined ? {} : { providerStatus }),
      rejectedReason: reason,
    });
    return publish(deps, tx, await statusEvents(deps, tx, [{ before: row, after: changed, reason }]));
  });
  deps.deliveries.offer(leasedDeliveries);
  await requestReading(deps.db, template);
}
