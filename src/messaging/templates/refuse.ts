// A template that the platform refuses at sending (paused, disabled) stops being sendable until its next approval.
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../db/db.ts';
import { type PublishDeps, publish } from '../../webhooks/publish.ts';
import { makeSyncDue } from '../senders/store.ts';
import { changeTemplate, lockByName } from './store.ts';
import { statusEvent } from './sync.ts';

export interface RefuseDeps extends PublishDeps {
  db: Db;
  clock: Clock;
}

/** Marks the template as not approved, publishes that, and makes the platform's list due to be read. */
export async function markTemplateRefused(
  deps: RefuseDeps,
  template: { accountId: string; businessAccountId: string; name: string; language: string },
): Promise<void> {
  const startable = await deps.db.transaction().execute(async (tx) => {
    const row = await lockByName(tx, template);
    if (row?.status !== 'approved') return [];
    const changed = await changeTemplate(tx, row.id, { status: 'submitted', providerStatus: 'PAUSED' });
    return publish(deps, tx, [statusEvent(deps, changed)]);
  });
  deps.deliveries.offer(startable);
  await makeSyncDue(deps.db, template.accountId, template.businessAccountId);
}
