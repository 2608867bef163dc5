// Publishes operational events about webhook endpoints: what their changes left behind for it.
import type { Clock } from '../base/clock.ts';
import { uuidv7 } from '../base/ids.ts';
import type { Db, Tx } from '../db/db.ts';
import { eventBody } from './delivery/event.ts';
import { endpointItem } from './endpoints/presenter.ts';
import { countWaiting, findTarget } from './endpoints/store.ts';
import { findDeadToAnnounce, takeDead, takeEndpointChanges } from './operational-store.ts';
import { type EventToPublish, type LeasedDelivery, type PublishDeps, publish } from './publish.ts';

export interface OperationalDeps extends PublishDeps {
  db: Db;
  clock: Clock;
}

/** Changes of endpoints, and endpoints with dead deliveries, of one round. */
const changesMax = 100;
const endpointsMax = 20;

const eventOf = (
  accountId: string,
  endpointId: string,
  kind: EventToPublish['kind'],
  nowMs: number,
  body: string,
): EventToPublish => ({
  ...{ accountId, subjectId: uuidv7(nowMs), stage: 0, kind, messageId: null, body },
  exceptEndpointId: endpointId,
});

/** Publishes `endpoints.status` for recorded changes; returns how many there were, and deliveries to offer after the commit. */
async function announceChanges(deps: OperationalDeps, tx: Tx): Promise<[number, LeasedDelivery[]]> {
  const changes = await takeEndpointChanges(tx, changesMax);
  const events: EventToPublish[] = [];
  for (const { accountId, endpointId, from, to } of changes) {
    const row = await findTarget(tx, endpointId);
    if (!row) continue;
    const now = deps.clock.now();
    const changed = [{ name: 'status' as const, from, to }];
    const waiting = (await countWaiting(tx, [endpointId])).get(endpointId) ?? 0;
    const endpoint = endpointItem(row, waiting, now);
    const body = eventBody('endpoints.status', now, { endpoint, changed });
    events.push(eventOf(accountId, endpointId, 'endpoints.status', now, body));
  }
  return [changes.length, await publish(deps, tx, events)];
}

/** Publishes `deliveries.dead` for endpoints that had no such event for a minute. */
async function announceDead(deps: OperationalDeps, tx: Tx): Promise<[number, LeasedDelivery[]]> {
  const events: EventToPublish[] = [];
  const endpointIds = await findDeadToAnnounce(tx, endpointsMax);
  for (const endpointId of endpointIds) {
    const groups = await takeDead(tx, endpointId);
    const [first] = groups;
    if (!first) continue;
    const now = deps.clock.now();
    const times = groups.flatMap(({ from, to }) => [from.getTime(), to.getTime()]);
    const body = eventBody('deliveries.dead', now, {
      endpointId,
      count: groups.reduce((sum, { count }) => sum + count, 0),
      from: new Date(Math.min(...times)).toISOString(),
      to: new Date(Math.max(...times)).toISOString(),
      reasons: Object.fromEntries(groups.map(({ reason, count }) => [reason, count])),
    });
    events.push(eventOf(first.accountId, endpointId, 'deliveries.dead', now, body));
  }
  return [endpointIds.length, await publish(deps, tx, events)];
}

/** Publishes what is recorded, in two transactions; returns how much there was. After a crash, the rows are still there. */
export async function announceOperational(deps: OperationalDeps): Promise<number> {
  let total = 0;
  for (const announce of [announceChanges, announceDead]) {
    const [found, leased] = await deps.db.transaction().execute((tx) => announce(deps, tx));
    if (leased.length > 0) deps.deliveries.offer(leased);
    total += found;
  }
  return total;
}
