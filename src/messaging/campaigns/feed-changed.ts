// Feeding a send whose template changed after its recipients were checked: each portion is checked again first.
import { publish } from '../../webhooks/publish.ts';
import type { FailDeps } from '../sending/fail.ts';
import { ownErrors, sortById, state } from '../sending/message.ts';
import { failMessages } from '../sending/messages-moves-store.ts';
import type { SendRow } from '../sending/sends-store.ts';
import { statusEvents } from '../sending/status-events.ts';
import { fits } from '../templates/fits.ts';
import { planOfRow } from '../templates/placeholders.ts';
import type { TemplateRow } from '../templates/store.ts';
import { lockPortion, movePortion } from './changed-feeds-store.ts';

/**
 * Moves up to `limit` recipients into the queue that fit the template, and fails the others of the portion as
 * `template_changed`, in one transaction. Returns how many recipients it took: 0 if the send may not be fed, or the
 * template changed since it was read.
 */
export async function feedChecked(
  deps: FailDeps,
  send: Pick<SendRow, 'account_id' | 'id'>,
  template: TemplateRow,
  limit: number,
): Promise<number> {
  const of = { accountId: send.account_id, sendId: send.id };
  const plan = planOfRow(template);
  const { taken, leasedDeliveries } = await deps.hot.transaction().execute(async (tx) => {
    const portion = await lockPortion(tx, of, template, limit);
    if (portion.length === 0) return { taken: 0, leasedDeliveries: [] };
    const misfits = portion.filter(({ content }) => !fits(plan, content));
    await movePortion(tx, of, portion, misfits);
    const failures = misfits.map(({ accountId, id }) => ({
      accountId,
      id,
      error: ownErrors.templateChanged,
    }));
    const moved = failures.length > 0 ? await failMessages(tx, sortById(failures), [state.queued]) : [];
    const leasedDeliveries = await publish(deps, tx, statusEvents(moved, deps.clock.now()));
    return { taken: portion.length, leasedDeliveries };
  });
  deps.deliveries.offer(leasedDeliveries);
  return taken;
}
