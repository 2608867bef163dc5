// The only door of this room for other rooms: publishing events in the caller's transaction, and seeing what became of them.
import type { DeliveryItem } from '../contract/deliveries.ts';
import type { Db, Tx } from '../db/db.ts';
import type { LeasedDelivery } from './delivery/delivery.ts';
import type { Deliveries } from './delivery/queue.ts';
import { eventBody, messageStatusBody } from './event.ts';
import { deliveriesOfSubject } from './history/history.ts';
import { insertDeliveries, type NewEvent } from './publish-store.ts';

export type { LeasedDelivery };
export { eventBody, messageStatusBody };

/**
 * An event of one account. For `messages.status`, `subjectId` is our message id and `stage` one of `stages` (3 sent,
 * 4 delivered, 5 read, 6 failed): each endpoint gets them in the order of their publishing. For every other kind a
 * fresh UUIDv7 and 0. `body` comes from `messageStatusBody` or `eventBody`.
 */
export type EventToPublish = NewEvent;

export interface PublishDeps {
  deliveries: Pick<Deliveries, 'offer' | 'busyEndpoints' | 'processId'>;
}

/**
 * Writes the deliveries of events in the caller's transaction, and answers those to hand to `deliveries.offer` after
 * its commit (after a crash in between, the claim brings them). Call it after the row locks of every subject are held:
 * that is what keeps the order of a message's stages across processes.
 */
export async function publish(
  deps: PublishDeps,
  tx: Tx,
  events: readonly EventToPublish[],
): Promise<LeasedDelivery[]> {
  if (events.length === 0) return [];
  const heads: LeasedDelivery[] = [];
  let endpointId = '';
  const { deliveries } = deps;
  for (const row of await insertDeliveries(tx, events, deliveries.busyEndpoints(), deliveries.processId)) {
    const { subjectId, stage, body } = events[row.no - 1] as EventToPublish;
    // one text for an endpoint, not one for each of its rows: whoever looks it up by that text finds it sooner
    if (row.endpointId !== endpointId) endpointId = row.endpointId;
    const { id, version, failures } = row;
    const delivery: LeasedDelivery = {
      id,
      subjectId,
      endpointId,
      stage,
      body,
      failedAttempts: 0,
      version,
      failures,
    };
    if (row.place === 1) heads.push(delivery);
    else laterStagesOf(heads.at(-1)).push(delivery);
  }
  return heads;
}

function laterStagesOf(head: LeasedDelivery | undefined): LeasedDelivery[] {
  if (!head) throw new Error('a delivery that follows came without the one that it follows');
  head.laterStages ??= [];
  return head.laterStages;
}

/** The webhook deliveries of one message, in the order of their making. */
export async function deliveriesOf(db: Db, accountId: string, messageId: string): Promise<DeliveryItem[]> {
  return deliveriesOfSubject(db, accountId, messageId);
}
