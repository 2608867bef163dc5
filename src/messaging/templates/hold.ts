// A template that the platform refuses at sending (paused, disabled) is held until its next approval.
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../db/db.ts';
import { type PublishDeps, publish } from '../../webhooks/publish.ts';
import { requestReading } from '../senders/template-readings-store.ts';
import { statusEvents } from './status-events.ts';
import { changeTemplate, isApproved, lockByName } from './store.ts';

export interface HoldTemplateDeps extends PublishDeps {
  db: Db;
  clock: Clock;
}

/** What the codes by which the platform refuses a template say of its status; the others leave it as it was read. */
const statusOfCode: Record<number, string> = { 132015: 'PAUSED', 132016: 'DISABLED' };

/**
 * Marks the template as not approved for the reason of `error`, which holds its queued messages; publishes that, and
 * makes the platform's list due to be read. Of many refusals the first changes the row; those after it only read it.
 */
export async function holdRejectedTemplate(
  deps: HoldTemplateDeps,
  template: { accountId: string; businessAccountId: string; name: string; language: string },
  error: { code: number; title: string },
): Promise<void> {
  if (!(await isApproved(deps.db, template))) return;
  const startable = await deps.db.transaction().execute(async (tx) => {
    const row = await lockByName(tx, template);
    if (row?.status !== 'approved') return [];
    const providerStatus = statusOfCode[error.code];
    const reason = `${error.code} ${error.title}`;
    const changed = await changeTemplate(tx, row.id, {
      status: 'submitted',
      ...(providerStatus === undefined ? {} : { providerStatus }),
      rejectedReason: reason,
    });
    return publish(deps, tx, await statusEvents(deps, tx, [{ before: row, after: changed, reason }]));
  });
  deps.deliveries.offer(startable);
  await requestReading(deps.db, template);
}
