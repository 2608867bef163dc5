// Replays of one delivery, or of an endpoint's deliveries of a time range, and their progress.
import type { Clock } from '../../base/clock.ts';
import { AppError, invalidRequest } from '../../base/errors.ts';
import { uuidv7 } from '../../base/ids.ts';
import { uuidTime } from '../../base/uuid-time.ts';
import type { DeliveryItem, ReplayItem } from '../../contract/deliveries.ts';
import type { Db, Tx } from '../../db/db.ts';
import { inTransaction } from '../../db/transaction.ts';
import { getEndpoint } from '../endpoints/endpoint.ts';
import { endpointStatus } from '../endpoints/status.ts';
import type { EndpointRow } from '../endpoints/store.ts';
import { deliveryItem, deliveryNotFound, requireDelivery, statesOf, statusOf } from '../history/history.ts';
import { findReplay, insertReplay, listReplays, type ReplayRow, replayOne, replayStep } from './store.ts';

export interface ReplayDeps {
  db: Db;
  clock: Clock;
}

/** Replayed while the request waits. The worker replays the rest. */
const firstStep = 500;

function requireEnabled(endpoint: EndpointRow): void {
  if (endpoint.status !== endpointStatus.disabled) return;
  throw new AppError(
    'endpoint_disabled',
    `The endpoint is disabled (${endpoint.disabled_reason ?? 'no reason recorded'}). Set its status to active first, then replay.`,
  );
}

/** Makes one delivery pending again, under the same `webhook-id`; 409 `endpoint_disabled`. Leaves a running one as it is. */
export async function replayDelivery(
  deps: ReplayDeps,
  input: { accountId: string; id: string },
): Promise<DeliveryItem> {
  const { endpoint_id: endpointId } = await requireDelivery(deps.db, input.accountId, input.id);
  // repeated after a deadlock: an order of locks that suits every other statement is not possible in all cases
  await inTransaction(deps.db, async (tx) => {
    requireEnabled(await getEndpoint(tx, input.accountId, endpointId));
    if (!(await replayOne(tx, input.accountId, input.id))) throw deliveryNotFound();
  });
  return deliveryItem(await requireDelivery(deps.db, input.accountId, input.id));
}

/** The deliveries of an endpoint created in `[from, to)`, of one status or of all. */
interface ReplayRange {
  accountId: string;
  endpointId: string;
  from: Date;
  to: Date;
  status?: DeliveryItem['status'];
}

/** Starts a replay of deliveries. Throws 404, 400 for an empty range, and 409 `endpoint_disabled`. */
export async function replayRange(deps: ReplayDeps, input: ReplayRange): Promise<ReplayRow> {
  const id = uuidv7(deps.clock.now());
  return inTransaction(deps.db, async (tx) => {
    const endpoint = await getEndpoint(tx, input.accountId, input.endpointId);
    if (input.to <= input.from) throw invalidRequest([{ path: 'to', message: 'must be later than from' }]);
    requireEnabled(endpoint);
    return begin(tx, id, input);
  });
}

async function begin(tx: Tx, id: string, input: ReplayRange): Promise<ReplayRow> {
  await insertReplay(tx, { ...input, id, states: statesOf(input.status) });
  await replayStep(tx, id, firstStep);
  return findReplay(tx, id);
}

/** The endpoint's replays, newest first, or 404. */
export async function listEndpointReplays(
  db: Db,
  input: { accountId: string; endpointId: string; limit: number; before?: string },
): Promise<ReplayRow[]> {
  const { accountId, endpointId, ...page } = input;
  await getEndpoint(db, accountId, endpointId);
  return listReplays(db, endpointId, page);
}

/** A replay as the API lists it. */
export function replayItem(row: ReplayRow): ReplayItem {
  const reachedAtMs = Math.max(uuidTime(row.after_id).getTime(), row.from_at.getTime());
  return {
    _id: row.id,
    endpointId: row.endpoint_id,
    from: row.from_at.toISOString(),
    to: row.to_at.toISOString(),
    status: statusOf(row.states),
    replayed: row.replayed,
    reachedAt: row.finished_at ? row.to_at.toISOString() : new Date(reachedAtMs).toISOString(),
    finished: row.finished_at !== null,
    createdAt: row.created_at.toISOString(),
    finishedAt: row.finished_at?.toISOString() ?? null,
  };
}
