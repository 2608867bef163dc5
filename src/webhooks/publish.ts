// The only door of this room for other rooms: publishing events in the caller's transaction, and seeing what became of them.
import type { DeliveryItem } from '../contract/webhooks.ts';
import type { Db, Tx } from '../db/db.ts';
import type { Deliveries } from './delivering/deliver.ts';
import type { Startable } from './delivering/delivery.ts';
import { eventBody, messageStatusBody } from './event.ts';
import { deliveriesOfSubject } from './history/history.ts';
import { insertDeliveries, type NewEvent } from './store.ts';

export { eventBody, messageStatusBody };

/**
 * An event of one account. For `messages.status`, `subjectId` is our message id and `stage` one of `stages` (3 sent,
 * 4 delivered, 5 read, 6 failed): each endpoint gets them in the order of their publishing. For every other kind a
 * fresh UUIDv7 and 0. `body` comes from `messageStatusBody` or `eventBody`.
 */
export type EventToPublish = NewEvent;

/** A delivery that is leased to this process and may start once the transaction that wrote it has committed. */
export type StartableDelivery = Startable;

export interface PublishDeps {
  deliveries: Pick<Deliveries, 'offer' | 'busyEndpoints'>;
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
): Promise<StartableDelivery[]> {
  if (events.length === 0) return [];
  const sorted = events.toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
  const bodies = new Map(sorted.map((event) => [key(event), event.body]));
  const started = await insertDeliveries(tx, sorted, deps.deliveries.busyEndpoints());
  const heads = new Map<string, Startable>();
  for (const { place, ...one } of started) {
    const delivery: Startable = { ...one, failedTries: 0, body: bodies.get(key(one)) ?? '' };
    const row = `${one.subjectId}/${one.endpointId}`;
    if (place === 1) heads.set(row, { ...delivery, followers: [] });
    else heads.get(row)?.followers?.push(delivery);
  }
  return [...heads.values()];
}

const key = (event: { subjectId: string; stage: number }): string => `${event.subjectId}/${event.stage}`;

/** The webhook deliveries of one message, in the order of their making. */
export async function deliveriesOf(db: Db, accountId: string, messageId: string): Promise<DeliveryItem[]> {
  return deliveriesOfSubject(db, accountId, messageId);
}
