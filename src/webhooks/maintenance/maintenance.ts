// What is left to do for whole endpoints, in steps: make dead what can no longer go out, bring back what waits, replay.
import type { Log } from '../../base/log.ts';
import type { Db, Tx } from '../../db/db.ts';
import { findOpenReplays, replayStep } from '../replay/store.ts';
import {
  deadLetterDeliveries,
  endDeadLettering,
  endRecovery,
  findEndpointsToMaintain,
  hasCapacity,
  lockMaintenance,
  type Maintenance,
  recoverDeliveries,
} from './store.ts';

export interface MaintenanceDeps {
  db: Db;
  log: Log;
}

/** Deliveries in one step: what one transaction locks, and how much comes due at once. */
const stepSize = 500;
/** An endpoint with this many due deliveries gets no more from recovery or replay until it has caught up. */
const dueMax = 1_000;
const pageSize = 100;
const beforeAll = '00000000-0000-0000-0000-000000000000';

/**
 * One step of every open chore and replay, each in a transaction of its own; several processes share them. One that
 * fails is logged and met again in the next round; it holds up no other. Answers how many deliveries were touched: 0
 * means that nothing can be done now.
 */
export async function maintainWebhooks(deps: MaintenanceDeps): Promise<number> {
  const maintained = await inTurn(deps, findEndpointsToMaintain, async (tx, { id }) => {
    const maintenance = await lockMaintenance(tx, id);
    return maintenance === undefined ? 0 : maintenanceStep(deps, tx, maintenance);
  });
  const replays = await inTurn(deps, findOpenReplays, async (tx, { id, endpointId }) =>
    (await hasCapacity(tx, endpointId, dueMax)) ? replayStep(tx, id, stepSize) : 0,
  );
  return maintained + replays;
}

/** Takes a step of all that is found, page by page, so that those who can do nothing now hide nobody behind them. */
async function inTurn<T extends { id: string }>(
  deps: MaintenanceDeps,
  find: (db: Db, page: { after: string; limit: number }) => Promise<T[]>,
  step: (tx: Tx, found: T) => Promise<number>,
): Promise<number> {
  let touched = 0;
  let after: string | undefined = beforeAll;
  while (after !== undefined) {
    const found: T[] = await find(deps.db, { after, limit: pageSize });
    for (const one of found) {
      try {
        touched += await deps.db.transaction().execute((tx) => step(tx, one));
      } catch (error) {
        deps.log.error({ err: error, found: one }, 'webhooks.chore_failed');
      }
    }
    after = found.length < pageSize ? undefined : found.at(-1)?.id;
  }
  return touched;
}

async function maintenanceStep(deps: MaintenanceDeps, tx: Tx, maintenance: Maintenance): Promise<number> {
  if (maintenance.deadReason !== null) {
    const deadLettered = await deadLetterDeliveries(tx, maintenance.id, maintenance.deadReason, stepSize);
    if (deadLettered === 0 && maintenance.deadLetteringEnds) await endDeadLettering(tx, maintenance.id);
    if (deadLettered > 0)
      deps.log.info(
        { endpointId: maintenance.id, count: deadLettered, reason: maintenance.deadReason },
        'webhooks.buried',
      );
    return deadLettered;
  }
  if (maintenance.recoveredAt === null || !(await hasCapacity(tx, maintenance.id, dueMax))) return 0;
  const { due, left } = await recoverDeliveries(tx, maintenance.id, maintenance.recoveredAt, stepSize);
  if (due === 0 && left === 0) await endRecovery(tx, maintenance.id);
  if (due > 0) deps.log.info({ endpointId: maintenance.id, count: due }, 'webhooks.brought_forward');
  return due;
}
