// Endpoint maintenance in steps: dead-letter, recover, replay.
import { nilUuid } from '../../base/ids.ts';
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

/** Deliveries per step: one transaction locks them, and makes them due together. */
const stepSize = 500;
/** An endpoint with this many due deliveries pauses its recovery and replays until it catches up. */
const dueMax = 1_000;
const pageSize = 100;

/**
 * Performs one step of each maintenance and replay, each in its own transaction; processes share them. Logs a failing step, and retries it in the next
 * round. Returns how many deliveries were changed: 0 means that nothing can be done now.
 */
export async function maintainWebhooks(deps: MaintenanceDeps): Promise<number> {
  const maintained = await forEachPage(deps, findEndpointsToMaintain, async (tx, { id }) => {
    const maintenance = await lockMaintenance(tx, id);
    return maintenance === undefined ? 0 : maintenanceStep(deps, tx, maintenance);
  });
  const replays = await forEachPage(deps, findOpenReplays, async (tx, { id, endpointId }) =>
    (await hasCapacity(tx, endpointId, dueMax)) ? replayStep(tx, id, stepSize) : 0,
  );
  return maintained + replays;
}

/** Performs one step for every item, page by page, so that items without work do not hide the others. */
async function forEachPage<T extends { id: string }>(
  deps: MaintenanceDeps,
  find: (db: Db, page: { after: string; limit: number }) => Promise<T[]>,
  step: (tx: Tx, found: T) => Promise<number>,
): Promise<number> {
  let changed = 0;
  let after: string | undefined = nilUuid;
  while (after !== undefined) {
    const found: T[] = await find(deps.db, { after, limit: pageSize });
    for (const one of found) {
      try {
        changed += await deps.db.transaction().execute((tx) => step(tx, one));
      } catch (error) {
        deps.log.error({ err: error, found: one }, 'webhooks.maintenance_failed');
      }
    }
    after = found.length < pageSize ? undefined : found.at(-1)?.id;
  }
  return changed;
}

async function maintenanceStep(deps: MaintenanceDeps, tx: Tx, maintenance: Maintenance): Promise<number> {
  if (maintenance.deadReason !== null) {
    const deadLettered = await deadLetterDeliveries(tx, maintenance.id, maintenance.deadReason, stepSize);
    if (deadLettered === 0 && maintenance.deadLetteringEnds) await endDeadLettering(tx, maintenance.id);
    if (deadLettered > 0)
      deps.log.info(
        { endpointId: maintenance.id, count: deadLettered, reason: maintenance.deadReason },
        'webhooks.dead_lettered',
      );
    return deadLettered;
  }
  if (maintenance.recoveredAt === null || !(await hasCapacity(tx, maintenance.id, dueMax))) return 0;
  const { due, left } = await recoverDeliveries(tx, maintenance.id, maintenance.recoveredAt, stepSize);
  if (due === 0 && left === 0) await endRecovery(tx, maintenance.id);
  if (due > 0) deps.log.info({ endpointId: maintenance.id, count: due }, 'webhooks.recovered');
  return due;
}
