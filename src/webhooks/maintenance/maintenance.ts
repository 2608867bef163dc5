// What is left to do for whole endpoints, in steps: make dead what can no longer go out, bring back what waits, replay.
import type { Log } from '../../base/log.ts';
import type { Db, Tx } from '../../db/db.ts';
import { findOpenReplays, replayStep } from '../replay/store.ts';
import {
  buryDeliveries,
  type Chore,
  endBurial,
  endRecovery,
  findChores,
  hasRoom,
  lockChore,
  recoverDeliveries,
} from './store.ts';

export interface ChoresDeps {
  db: Db;
  log: Log;
}

/** Deliveries in one step: what one transaction locks, and how much comes due at once. */
const stepSize = 500;
/** An endpoint with this many due deliveries gets no more from recovery or replay until it has caught up. */
const mostDue = 1_000;
const pageSize = 100;
const beforeAll = '00000000-0000-0000-0000-000000000000';

/**
 * One step of every open chore and replay, each in a transaction of its own; several processes share them. One that
 * fails is logged and met again in the next round; it holds up no other. Answers how many deliveries were touched: 0
 * means that nothing can be done now.
 */
export async function doWebhookChores(deps: ChoresDeps): Promise<number> {
  const chores = await inTurn(deps, findChores, async (tx, { id }) => {
    const chore = await lockChore(tx, id);
    return chore === undefined ? 0 : choreStep(deps, tx, chore);
  });
  const replays = await inTurn(deps, findOpenReplays, async (tx, { id, endpointId }) =>
    (await hasRoom(tx, endpointId, mostDue)) ? replayStep(tx, id, stepSize) : 0,
  );
  return chores + replays;
}

/** Takes a step of all that is found, page by page, so that those who can do nothing now hide nobody behind them. */
async function inTurn<T extends { id: string }>(
  deps: ChoresDeps,
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

async function choreStep(deps: ChoresDeps, tx: Tx, chore: Chore): Promise<number> {
  if (chore.buryAs !== null) {
    const buried = await buryDeliveries(tx, chore.id, chore.buryAs, stepSize);
    if (buried === 0 && chore.buryEnds) await endBurial(tx, chore.id);
    if (buried > 0)
      deps.log.info({ endpointId: chore.id, count: buried, reason: chore.buryAs }, 'webhooks.buried');
    return buried;
  }
  if (chore.recoveredAt === null || !(await hasRoom(tx, chore.id, mostDue))) return 0;
  const { due, left } = await recoverDeliveries(tx, chore.id, chore.recoveredAt, stepSize);
  if (due === 0 && left === 0) await endRecovery(tx, chore.id);
  if (due > 0) deps.log.info({ endpointId: chore.id, count: due }, 'webhooks.brought_forward');
  return due;
}
