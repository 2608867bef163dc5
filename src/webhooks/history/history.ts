// Deliveries as the API shows them: items, attempts, and the states behind each status.
import { AppError } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { DeliveryDetail, DeliveryItem } from '../../contract/deliveries.ts';
import type { Db } from '../../db/db.ts';
import { deliveryState } from '../delivery/delivery.ts';
import { type DeliveryRow, findDelivery, listAttempts, listDeliveriesOfSubject } from './store.ts';

const states: Record<DeliveryItem['status'], readonly number[]> = {
  pending: [deliveryState.ready, deliveryState.waiting, deliveryState.retrying],
  delivered: [deliveryState.delivered],
  dead: [deliveryState.dead],
};

/** The states of a status; without one, all states. */
export function statesOf(status: DeliveryItem['status'] | undefined): readonly number[] {
  return status === undefined ? Object.values(states).flat() : states[status];
}

/** The status of these states; null for all states. */
export function statusOf(found: readonly number[]): DeliveryItem['status'] | null {
  const names = Object.keys(states) as DeliveryItem['status'][];
  return (
    names.find(
      (name) => states[name].length === found.length && states[name].every((state) => found.includes(state)),
    ) ?? null
  );
}

export function deliveryNotFound(): AppError {
  return new AppError('delivery_not_found', 'There is no such delivery in this account.');
}

/** The creation time in a UUIDv7, in milliseconds since the epoch. */
export const createdAtMs = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

export function deliveryItem(row: DeliveryRow): DeliveryItem {
  return {
    _id: row.id,
    endpointId: row.endpoint_id,
    event: row.kind,
    messageId: row.message_id,
    status:
      row.state === deliveryState.delivered
        ? 'delivered'
        : row.state === deliveryState.dead
          ? 'dead'
          : 'pending',
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at?.toISOString() ?? null,
    lastStatusCode: row.last_status,
    lastFailure: row.last_failure,
    createdAt: new Date(createdAtMs(row.id)).toISOString(),
    deliveredAt: row.delivered_at?.toISOString() ?? null,
  };
}

/** The account's delivery with its exact bytes and every attempt, or 404. */
export async function getDelivery(db: Db, accountId: string, id: string): Promise<DeliveryDetail> {
  const row = isUuid(id) ? await findDelivery(db, accountId, id) : undefined;
  if (!row) throw deliveryNotFound();
  const log = (await listAttempts(db, row)).map((attempt) => ({
    number: attempt.no,
    at: attempt.at.toISOString(),
    statusCode: attempt.status,
    failure: attempt.failure,
    durationMs: attempt.ms,
    answer: attempt.answer,
    detail: attempt.detail,
  }));
  if (row.state === deliveryState.delivered && row.delivered_at) {
    log.push({
      number: row.attempts,
      at: row.delivered_at.toISOString(),
      statusCode: row.last_status,
      failure: null,
      durationMs: row.last_ms,
      answer: row.last_answer,
      detail: null,
    });
  }
  return { ...deliveryItem(row), body: row.body, attemptLog: log };
}

/** The deliveries of one message, oldest first. */
export async function deliveriesOfSubject(
  db: Db,
  accountId: string,
  subjectId: string,
): Promise<DeliveryItem[]> {
  return (await listDeliveriesOfSubject(db, accountId, subjectId)).map(deliveryItem);
}
