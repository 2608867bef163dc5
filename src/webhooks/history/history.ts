// Deliveries as the API shows them: items, attempts, and the states behind each status.
import type { Cipher } from '../../base/cipher.ts';
import { AppError } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import { uuidTime } from '../../base/uuid-time.ts';
import type { DeliveryDetail, DeliveryItem } from '../../contract/deliveries.ts';
import type { Db } from '../../db/db.ts';
import { deliveryState, pendingStates, stageNameOf } from '../delivery/delivery.ts';
import { sentRequest } from './sent-request.ts';
import {
  type DeliveryRow,
  findDelivery,
  findSigner,
  listAttempts,
  listDeliveriesOfSubject,
  type WholeDeliveryRow,
} from './store.ts';

const states: Record<DeliveryItem['status'], readonly number[]> = {
  pending: Object.values(pendingStates),
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

/** The 404 of a delivery. */
export function deliveryNotFound(): AppError {
  return new AppError('delivery_not_found', 'There is no such delivery in this account.');
}

/** A delivery as the API lists it. */
export function deliveryItem(row: DeliveryRow): DeliveryItem {
  return {
    _id: row.id,
    endpointId: row.endpoint_id,
    event: row.kind,
    stage: stageNameOf(row.stage) ?? null,
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
    createdAt: uuidTime(row.id).toISOString(),
    deliveredAt: row.delivered_at?.toISOString() ?? null,
  };
}

/** The account's delivery, or 404. */
export async function requireDelivery(db: Db, accountId: string, id: string): Promise<WholeDeliveryRow> {
  const row = isUuid(id) ? await findDelivery(db, accountId, id) : undefined;
  if (!row) throw deliveryNotFound();
  return row;
}

/** The account's delivery with its exact bytes and every attempt, or 404. */
export async function getDelivery(
  { db, cipher }: { db: Db; cipher: Cipher },
  accountId: string,
  id: string,
): Promise<DeliveryDetail> {
  const row = await requireDelivery(db, accountId, id);
  const endpoint = await findSigner(db, accountId, row.endpoint_id);
  if (!endpoint) throw deliveryNotFound();
  const sent = { id: row.id, body: row.body, isErased: isErased(row.body) };
  const requestOf = (at: Date, durationMs: number | null, timestampSeconds: number | null) =>
    sentRequest(cipher, endpoint, sent, { endedAtMs: at.getTime(), durationMs, timestampSeconds });
  const log = (await listAttempts(db, row)).map((attempt) => ({
    number: attempt.no,
    at: attempt.at.toISOString(),
    statusCode: attempt.status,
    failure: attempt.failure,
    durationMs: attempt.ms,
    answer: attempt.answer,
    detail: attempt.detail,
    request: requestOf(attempt.at, attempt.ms, attempt.signed_at),
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
      request: requestOf(row.delivered_at, row.last_ms, null),
    });
  }
  return { ...deliveryItem(row), body: row.body, attemptLog: log };
}

/** Whether the person of the event was erased: its body is no longer what was sent. */
function isErased(body: string): boolean {
  const { data } = JSON.parse(body) as { data?: { erased?: unknown; recipientPhone?: unknown } };
  return data?.erased === true || data?.recipientPhone === '';
}

/** The deliveries of one message, oldest first. */
export async function deliveriesOfSubject(
  db: Db,
  accountId: string,
  subjectId: string,
): Promise<DeliveryItem[]> {
  return (await listDeliveriesOfSubject(db, accountId, subjectId)).map(deliveryItem);
}
