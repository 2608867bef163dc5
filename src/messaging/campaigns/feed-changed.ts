// Feeding a send whose template changed after its recipients were checked: each portion is checked again first.
import type { Tracing } from '../../ports/tracing.ts';
import { publish } from '../../webhooks/publish.ts';
import type { FailDeps } from '../messages/fail.ts';
import { ownErrors, sortById, state } from '../messages/message.ts';
import { failMessages } from '../messages/moves-store.ts';
import type { SendRow } from '../messages/sends-store.ts';
import { statusEvents } from '../messages/status-events.ts';
import { traceFeed } from '../messages/traced-steps.ts';
import { fits } from '../template-content/fits.ts';
import { planOfRow } from '../template-content/placeholders.ts';
import type { TemplateRow } from '../templates/store.ts';
import { lockPortion, movePortion } from './changed-feeds-store.ts';
import { wasDraft } from './state.ts';

/**
 * Moves up to `limit` recipients into the queue that fit the template, and fails the others of the portion as
 * `template_changed`, in one transaction. Returns how many recipients it took: 0 if the send may not be fed, or the
 * template changed since it was read.
 */
export async function feedChecked(
  deps: FailDeps & { tracing?: Tracing | undefined },
  send: Pick<SendRow, 'account_id' | 'id' | 'defaults'>,
  template: TemplateRow,
  limit: number,
): Promise<number> {
  const of = { accountId: send.account_id, sendId: send.id };
  const plan = planOfRow(template);
  const startMs = Date.now();
  const { portion, leasedDeliveries } = await deps.hot.transaction().execute(async (tx) => {
    const portion = await lockPortion(tx, of, template, limit);
    if (portion.length === 0) return { portion, leasedDeliveries: [] };
    const misfits = portion.filter(({ content }) => !fits(plan, content));
    await movePortion(tx, of, portion, misfits);
    const failures = misfits.map(({ accountId, id }) => ({
      accountId,
      id,
      error: ownErrors.templateChanged,
    }));
    const moved = failures.length > 0 ? await failMessages(tx, sortById(failures), [state.queued]) : [];
    const leasedDeliveries = await publish(deps, tx, statusEvents(moved, deps.clock.now()));
    return { portion, leasedDeliveries };
  });
  deps.deliveries.offer(leasedDeliveries);
  if (deps.tracing && portion.length > 0) {
    const first = portion.filter(({ wasQueued }) => wasDraft(send) && !wasQueued);
    traceFeed(deps.tracing, send.id, {
      count: portion.length,
      firstIds: first.map(({ id }) => id),
      startMs,
    });
  }
  return portion.length;
}
