// A send with its progress, as the API returns it.
import type { Clock } from '../../base/clock.ts';
import type { Db } from '../../db/db.ts';
import { sendNotFound } from '../messages/find.ts';
import type { SendKey } from '../messages/sends-store.ts';
import { findProgress, rateSeconds } from './list-store.ts';
import { presentSendSummary } from './presenter.ts';

/** A send with its progress; 404 `send_not_found`. */
export async function sendSummaryOf(deps: { db: Db; clock: Clock }, { accountId, sendId }: SendKey) {
  const found = await findProgress(deps.db, accountId, sendId);
  if (!found) throw sendNotFound();
  const at = { nowMs: deps.clock.now(), windowSeconds: rateSeconds };
  return presentSendSummary(found.send, found.progress, at);
}
