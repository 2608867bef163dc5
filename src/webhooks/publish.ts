// The module's only entry for other modules: publishes events in the caller's transaction, and lists their deliveries.
import { uuidv7 } from '../base/ids.ts';
import type { Changes } from '../changes/changes.ts';
import type { Tx } from '../db/db.ts';
import type { CountChange } from '../statistics/count-store.ts';
import type { Deliveries } from './delivery/deliveries.ts';
import type { LeasedDelivery } from './delivery/delivery.ts';
import { bodyForm } from './delivery/derived-body.ts';
import { eventBody, eventBodyOf, messageStatusBody, replyStatusBody } from './delivery/event.ts';
import { lockDeliveries } from './delivery/locks-store.ts';
import { deliveriesOfSubject as deliveriesOf } from './history/history.ts';
import {
  type DeliveriesToInsert,
  deliveriesSql,
  type InsertedDelivery,
  insertDeliveries,
  type NewEvent,
  startedSql,
} from './publish-store.ts';

export type { DeliveriesToInsert, InsertedDelivery, LeasedDelivery };
export {
  deliveriesOf,
  deliveriesSql,
  eventBody,
  eventBodyOf,
  lockDeliveries,
  messageStatusBody,
  replyStatusBody,
  startedSql,
};

/** The form of a body that `messageStatusBody` made of what the message keeps; its delivery does not store it. */
export const messageStatusForm = bodyForm.messageStatus;

/**
 * An event of one account. For `messages.status` and `replies.status`, `subjectId` is our message id and `stage` a value of `stages`; endpoints receive the stages of
 * a message in the order in which they were published. For every other kind, `subjectId` is a UUIDv7 of the event and `stage` 0. `body` comes from
 * `messageStatusBody`, `replyStatusBody`, `eventBody` or `eventBodyOf`.
 */
export type EventToPublish = NewEvent;

export interface PublishDeps {
  /** Where changes are recorded for event streams. */
  changes?: Pick<Changes, 'note' | 'noteEvents'>;
  deliveries: Pick<Deliveries, 'offer' | 'busyEndpoints' | 'processId'>;
}

/**
 * Inserts the deliveries of events in the caller's transaction. Pass the returned ones to `deliveries.offer` after its commit; after a crash in
 * between, a claim brings them. `changes` of counts are recorded by the same statement. With `isLast`, nothing may follow in the
 * transaction: it is committed in the same round trip. The caller must hold the row locks of every subject: this keeps the stages of a message in order across processes.
 */
export async function publish(
  deps: PublishDeps,
  tx: Tx,
  events: readonly EventToPublish[],
  changes: readonly CountChange[] = [],
  isLast = false,
): Promise<LeasedDelivery[]> {
  if (events.length + changes.length === 0) return [];
  const { deliveries, leased } = prepareEvents(deps, events, changes);
  return leased(await insertDeliveries(tx, deliveries, isLast));
}

/** Events that are published by the statement that inserts their subjects. */
export interface PreparedEvents {
  /** For `deliveriesSql`. */
  deliveries: DeliveriesToInsert;
  /** Makes what `publish` returns of the deliveries that may start. */
  leased(rows: readonly InsertedDelivery[]): LeasedDelivery[];
}

/**
 * Prepares events for a statement that inserts their subjects and, with `deliveriesSql`, their deliveries: one round trip less than `publish`.
 * Nobody else can know a new subject, so there is no lock to wait for. All events have stage 0.
 */
export function prepareEvents(
  deps: PublishDeps,
  events: readonly EventToPublish[],
  changes: readonly CountChange[] = [],
): PreparedEvents {
  deps.changes?.noteEvents(events);
  const leaseId = uuidv7();
  const { processId } = deps.deliveries;
  const busyEndpointIds = deps.deliveries.busyEndpoints();
  return {
    deliveries: { events, busyEndpointIds, processId, changes, leaseId },
    leased: (rows) => leasedOf(rows, events, leaseId),
  };
}

/** The deliveries that this process attempts from memory, each with its later stages. */
function leasedOf(
  rows: readonly InsertedDelivery[],
  events: readonly EventToPublish[],
  leaseId: string,
): LeasedDelivery[] {
  const leased: LeasedDelivery[] = [];
  let endpointId = '';
  const lease = { id: leaseId, open: rows.length };
  for (const row of rows) {
    const { subjectId, stage, body } = events[row.no - 1] as EventToPublish;
    // share one string per endpoint: maps compare identical strings faster
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
      lease,
    };
    if (row.rank === 1) leased.push(delivery);
    else laterStagesOf(leased.at(-1)).push(delivery);
  }
  return leased;
}

function laterStagesOf(first: LeasedDelivery | undefined): LeasedDelivery[] {
  if (!first) throw new Error('A later stage was returned without its first stage.');
  first.laterStages ??= [];
  return first.laterStages;
}
