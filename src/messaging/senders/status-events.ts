// Publishes `senders.status` events.
import type { Clock } from '../../base/clock.ts';
import { uuidv7 } from '../../base/ids.ts';
import type { Tx } from '../../db/db.ts';
import { eventBody, type LeasedDelivery, type PublishDeps, publish } from '../../webhooks/publish.ts';
import { listPaces } from './paces-store.ts';
import { senderItem } from './presenter.ts';
import { listStates } from './states-store.ts';
import type { SenderRow } from './store.ts';
import type { StatusChange } from './stored-checks.ts';
import { findReading } from './template-readings-store.ts';

export interface SenderEventDeps extends PublishDeps {
  clock: Clock;
  /** Our public URL without a trailing slash; known once the server listens. */
  publicUrl: () => string;
}

/**
 * Publishes what changed of a sender in the transaction that changed it, which holds the lock of its row. Pass the result
 * to `deliveries.offer` after the commit.
 */
export async function publishSenderChange(
  deps: SenderEventDeps,
  tx: Tx,
  row: SenderRow,
  changed: readonly StatusChange[],
): Promise<LeasedDelivery[]> {
  if (changed.length === 0) return [];
  const state = (await listStates(tx, [row.id])).get(row.id);
  const reading = await findReading(tx, {
    accountId: row.account_id,
    businessAccountId: row.business_account_id,
  });
  const now = deps.clock.now();
  const pace = (await listPaces(tx, [row.id])).get(row.id);
  const sender = senderItem(row, { state, reading, pace, publicUrl: deps.publicUrl() });
  const event = {
    accountId: row.account_id,
    subjectId: uuidv7(now),
    stage: 0,
    kind: 'senders.status' as const,
    messageId: null,
    body: eventBody('senders.status', now, { sender, changed }),
  };
  return publish(deps, tx, [event]);
}

/** A sender was halted, or resumed. */
export const statusChange = (to: 'active' | 'halted'): StatusChange => ({
  name: 'status',
  from: to === 'halted' ? 'active' : 'halted',
  to,
});

/** A sender whose replies continued has stopped those too. */
export const haltGrew: StatusChange = { name: 'haltedScope', from: 'templates', to: 'all' };
