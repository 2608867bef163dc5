// The only door of this room for other rooms: publishing events in the caller's transaction, and seeing what became of them.
import { uuidv7 } from '../base/ids.ts';
import type { DeliveryItem, SubscribableKind } from '../contract/webhooks.ts';
import type { Db, Tx } from '../db/db.ts';
import type { Deliveries as OpenDeliveries } from './delivering/deliver.ts';
import type { Startable } from './delivering/delivery.ts';
import { eventBody, type MessageStatus, messageStatusBody, stages } from './event.ts';
import { deliveriesOfSubject } from './history/history.ts';
import { insertDeliveries, type NewEvent } from './store.ts';

/** An event of one account, made by one of the functions below. */
export type EventToPublish = NewEvent;

/** A delivery that is leased to this process and may start once the transaction that wrote it has committed. */
export type StartableDelivery = Startable;

/** Where other rooms hand over what `publish` answered. */
export type Deliveries = Pick<OpenDeliveries, 'offer' | 'busyEndpoints'>;

/** A stage that a message reached. Receivers get a message's stages in the order in which they were published. */
export function messageStatusEvent(event: {
  accountId: string;
  status: MessageStatus;
  nowMs: number;
}): EventToPublish {
  const { accountId, status, nowMs } = event;
  return {
    accountId,
    subjectId: status.id,
    stage: stages[status.status],
    kind: 'messages.status',
    messageId: status.messageId,
    body: messageStatusBody(status, nowMs),
  };
}

/** Any other kind; `item` is what the API shows of its subject. */
export function itemEvent(event: {
  accountId: string;
  kind: Exclude<SubscribableKind, 'messages.status'>;
  item: unknown;
  nowMs: number;
}): EventToPublish {
  const { accountId, kind, item, nowMs } = event;
  const body = eventBody(kind, nowMs, item);
  return { accountId, subjectId: uuidv7(nowMs), stage: 0, kind, messageId: null, body };
}

/** `templates.status`: the template as the API shows it. */
export function templateStatusEvent(event: {
  accountId: string;
  item: unknown;
  nowMs: number;
}): EventToPublish {
  return itemEvent({ ...event, kind: 'templates.status' });
}

/**
 * Writes the deliveries of events in the caller's transaction, and answers those to hand to `deliveries.offer` after
 * its commit (after a crash in between, the claim brings them). Call it after the row locks of every subject are held:
 * that is what keeps the order of a message's stages across processes. `notTo`: endpoints whose new deliveries should
 * wait in the database (`deliveries.busyEndpoints()`).
 */
export async function publish(
  tx: Tx,
  events: readonly EventToPublish[],
  notTo: readonly string[] = [],
): Promise<StartableDelivery[]> {
  if (events.length === 0) return [];
  const sorted = events.toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
  const bodies = new Map(sorted.map((event) => [key(event), event.body]));
  const started = await insertDeliveries(tx, sorted, notTo);
  return started.map((delivery) => ({ ...delivery, failedTries: 0, body: bodies.get(key(delivery)) ?? '' }));
}

const key = (event: { subjectId: string; stage: number }): string => `${event.subjectId}/${event.stage}`;

/** The webhook deliveries of one message, in the order of their making. */
export async function deliveriesOf(db: Db, accountId: string, messageId: string): Promise<DeliveryItem[]> {
  return deliveriesOfSubject(db, accountId, messageId);
}
