// The check of queued messages after the components of their template changed. Until it is done, none of them is called.

import { lowestUuidAt, uuidTime } from '../../base/uuid-time.ts';
import type { Tx } from '../../db/db.ts';
import { type FailDeps, failAndPublish } from '../messages/fail.ts';
import { type MessageKey, ownErrors, state } from '../messages/message.ts';
import { fits } from '../template-content/fits.ts';
import { planOfRow } from '../template-content/placeholders.ts';
import type { TemplateRow } from '../templates/store.ts';
import { lockTemplateToRecheck, oldestOpenSend, recordRecheck, scanMessages } from './recheck-store.ts';

const scannedPerStep = 2_000;
const dayMs = 86_400_000;
/** The longest time to live of a message (30 days), and a day for clocks that differ. */
const queuedAtMostMs = 31 * dayMs;

/**
 * The worker's round: checks one step of one template. Messages that no longer fit fail as `template_changed`. Returns how
 * many messages it read, at least 1 if there was a template.
 */
export async function recheckMessages(deps: FailDeps): Promise<number> {
  const found = await deps.hot.transaction().execute(async (tx) => {
    const row = await lockTemplateToRecheck(tx);
    if (!row) return undefined;
    const plan = planOfRow(row);
    const after = row.recheck_after ?? (await startOf(tx, row, deps.clock.now()));
    const of = { accountId: row.account_id, templateId: row.id, after };
    const scanned = await scanMessages(tx, of, scannedPerStep);
    const misfits: MessageKey[] = scanned
      .filter(({ content }) => content !== null && !fits(plan, content))
      .map(({ accountId, id }) => ({ accountId, id }));
    // misfits fail before the step counts as done: after a crash it is repeated
    if (misfits.length === 0)
      await recordRecheck(tx, row.id, scanned.length < scannedPerStep ? null : (scanned.at(-1)?.id ?? null));
    return { misfits, count: scanned.length };
  });
  if (!found) return 0;
  const failures = found.misfits.map((key) => ({ ...key, error: ownErrors.templateChanged }));
  await failAndPublish(deps, failures, [state.queued]);
  return found.count + 1;
}

/** An id before those of all queued messages of the template. Ids of a campaign are as old as its recipients, which may be months. */
async function startOf(tx: Tx, { account_id: accountId, id }: TemplateRow, nowMs: number): Promise<string> {
  const sendId = await oldestOpenSend(tx, { accountId, templateId: id });
  const openSinceMs = sendId === undefined ? nowMs : uuidTime(sendId).getTime() - dayMs;
  return lowestUuidAt(new Date(Math.min(nowMs - queuedAtMostMs, openSinceMs)));
}
