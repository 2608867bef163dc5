// Deleting a template: never while messages of it wait, unless they are to be cancelled first.
import type { Clock } from '../../base/clock.ts';
import { AppError, VendorError } from '../../base/errors.ts';
import { isUuid } from '../../base/ids.ts';
import type { Db } from '../../db/db.ts';
import { removalOf } from '../templates/status-events.ts';
import {
  deleteTemplates,
  endDeleting,
  findTemplate,
  lockTemplate,
  markDeleting,
  type TemplateRow,
} from '../templates/store.ts';
import { deleteAtPlatform, platformError, type SubmitDeps, templateNotFound } from '../templates/submit.ts';
import { publishChanges } from '../templates/sync.ts';
import { type FailDeps, failAndPublish } from './fail.ts';
import { ownErrors, state } from './message.ts';
import {
  findQueuedOfTemplate,
  isTemplateBeingCalled,
  isTemplateInUse,
  type TemplateKey,
} from './template-queue-store.ts';

export interface DeleteTemplateDeps extends SubmitDeps, FailDeps {
  db: Db;
  clock: Clock;
}

/** Queued messages are looked for so many at a time, and failed in smaller steps: other work has its turn in between. */
const foundAtOnce = 5_000;
const failedAtOnce = 1_000;
/** How long a request cancels and waits for calls under way, at most; well within the time that a deletion may take. */
const patienceMs = 45_000;
const lookEveryMs = 200;

const cancelled = {
  ...ownErrors.cancelled,
  message: 'The template was deleted before this message was sent.',
};

function inUse(message: string, retryAfterSeconds?: number): AppError {
  return new AppError('template_in_use', message, retryAfterSeconds ? { retryAfterSeconds } : {});
}

/**
 * Deletes a template: a draft here, any other at the platform first. 409 `template_in_use` while messages of it are
 * queued or being called; with `cancelQueued` they are failed with `cancelled` first. From the mark on no send of the
 * template is written and no message of it is called. What the platform refuses takes the mark back; where its outcome
 * is unknown, the mark stays until the template was read. Answers how many messages were cancelled.
 */
export async function deleteTemplate(
  deps: DeleteTemplateDeps,
  input: { accountId: string; templateId: string; cancelQueued: boolean },
): Promise<number> {
  const { accountId, templateId } = input;
  const found = isUuid(templateId) ? await findTemplate(deps.db, accountId, templateId) : undefined;
  if (!found) throw templateNotFound();
  const before = await beginDeleting(deps, { accountId, templateId: found.id }, input.cancelQueued);
  if (before.status === 'draft') return 0;
  const of = { accountId, templateId: before.id };
  const count = await emptyQueue(deps, of).catch(async (error: unknown) => {
    await takeBack(deps, before);
    throw error;
  });
  await deleteAtPlatform(deps, before)
    .catch(async (error: unknown) => {
      const isUnknown = error instanceof VendorError && error.outcome === 'unknown';
      await takeBack(deps, before, isUnknown);
      throw error;
    })
    .catch(platformError);
  await remove(deps, before);
  return count;
}

/** Removes a draft, or marks a template as being deleted if nothing of it waits or that is to be cancelled; answers what it was. */
async function beginDeleting(
  deps: DeleteTemplateDeps,
  of: TemplateKey,
  cancelQueued: boolean,
): Promise<TemplateRow> {
  const { before, leasedDeliveries } = await deps.hot.transaction().execute(async (tx) => {
    // waits for sends that are being written; those that come later see the mark
    const before = await lockTemplate(tx, of.templateId);
    if (!before) throw templateNotFound();
    if (before.status === 'draft') {
      await deleteTemplates(tx, [before.id]);
      return { before, leasedDeliveries: [] };
    }
    if (before.deleting_until && before.deleting_until.getTime() > deps.clock.now())
      throw new AppError('conflict', 'The template is being deleted at this moment.', {
        retryAfterSeconds: 5,
      });
    if (!cancelQueued && (await isTemplateInUse(tx, of)))
      throw inUse(
        'Messages of this template are queued. Wait until they are sent, cancel their sends, or delete it with cancelQueued=true.',
      );
    const after = await markDeleting(tx, before.id);
    return { before, leasedDeliveries: await publishChanges(deps, tx, [{ before, after, reason: null }]) };
  });
  deps.deliveries.offer(leasedDeliveries);
  return before;
}

/** Fails all queued messages of a marked template and waits for those being called, which may come back; answers how many it failed. */
async function emptyQueue(deps: DeleteTemplateDeps, of: TemplateKey): Promise<number> {
  const until = performance.now() + patienceMs;
  let count = 0;
  for (;;) {
    const queued = await findQueuedOfTemplate(deps.hot, of, foundAtOnce);
    for (let at = 0; at < queued.length; at += failedAtOnce) {
      const failures = queued.slice(at, at + failedAtOnce).map((key) => ({ ...key, error: cancelled }));
      count += await failAndPublish(deps, failures, [state.queued]);
    }
    if (queued.length === 0 && !(await isTemplateBeingCalled(deps.hot, of))) return count;
    if (performance.now() > until)
      throw inUse(
        `Messages of this template are still being sent or cancelled (${count} were cancelled). Repeat the request.`,
        10,
      );
    if (queued.length === 0) await deps.clock.sleep(lookEveryMs);
  }
}

/** The template is what it was before; or, where the platform may have deleted it, stays marked until it was read. */
async function takeBack(deps: DeleteTemplateDeps, before: TemplateRow, staysMarked = false): Promise<void> {
  const leasedDeliveries = await deps.db.transaction().execute(async (tx) => {
    const marked = await lockTemplate(tx, before.id);
    const after = await endDeleting(tx, before.id, staysMarked ? undefined : before);
    return publishChanges(deps, tx, marked && after ? [{ before: marked, after, reason: null }] : []);
  });
  deps.deliveries.offer(leasedDeliveries);
}

async function remove(deps: DeleteTemplateDeps, { id }: TemplateRow): Promise<void> {
  const leasedDeliveries = await deps.db.transaction().execute(async (tx) => {
    const removed = await deleteTemplates(tx, [id]);
    return publishChanges(deps, tx, removed.map(removalOf));
  });
  deps.deliveries.offer(leasedDeliveries);
}
