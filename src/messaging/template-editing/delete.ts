// Deletion of a template: rejected while its messages are queued, unless they are to be cancelled first.
import { audit } from '../../audit/store.ts';
import { AppError, VendorError } from '../../base/errors.ts';
import type { Db } from '../../db/db.ts';
import { hasOpenSends, isTemplateInUse, type TemplateKey } from '../dispatch/holds-store.ts';
import type { FailDeps } from '../messages/fail.ts';
import { requestReading } from '../senders/template-readings-store.ts';
import { requireTemplate, templateNotFound } from '../templates/find.ts';
import { ownProviderStatus } from '../templates/status.ts';
import { publishChanges, removalOf } from '../templates/status-events.ts';
import {
  deleteTemplates,
  endDeleting,
  lockTemplate,
  markDeleting,
  type TemplateRow,
} from '../templates/store.ts';
import { requireNoSubmission } from '../templates/submission.ts';
import { emptyQueue, inUse } from './empty-queue.ts';
import { deleteAtPlatform, platformError, type SubmitDeps } from './platform-calls.ts';
import { readUnknownSubmission } from './submit-draft.ts';

export interface TemplateEditingDeps extends SubmitDeps, FailDeps {
  db: Db;
}

/**
 * Deletes a template, at the platform first unless it is a draft. 409 `template_in_use` while its messages are queued or
 * in flight; `cancelQueued` cancels queued ones first. Once it is marked as being deleted, no send of it starts. A rejection
 * by the platform removes the mark; after an unknown outcome the mark stays until the template is read. Returns how many
 * messages were cancelled; and the business account whose template stays, because the account has no sender of it left.
 */
export async function deleteTemplate(
  deps: TemplateEditingDeps,
  input: { accountId: string; templateId: string; cancelQueued: boolean },
): Promise<{ cancelled: number; staysAt?: string | null }> {
  const { accountId, templateId } = input;
  const found = await requireTemplate(deps.db, accountId, templateId);
  await readUnknownSubmission(deps, found);
  const before = await beginDeleting(deps, { accountId, templateId: found.id }, input.cancelQueued);
  if (before.status === 'draft') return { cancelled: 0 };
  const of = { accountId, templateId: before.id };
  const cancelled = await emptyQueue(
    deps,
    of,
    'The template was deleted before this message was sent.',
  ).catch(async (error: unknown) => {
    await restore(deps, before);
    throw error;
  });
  // a reading found that the platform no longer has it
  const isMissing = before.provider_status === ownProviderStatus.deleted;
  const isGone = await (isMissing ? Promise.resolve(true) : deleteAtPlatform(deps, before))
    .catch(async (error: unknown) => {
      const isUnknown = error instanceof VendorError && error.outcome === 'unknown';
      await restore(deps, before, isUnknown);
      throw isUnknown ? error : await perhapsDeleted(deps, before, error);
    })
    .catch(platformError);
  await remove(deps, before);
  return { cancelled, ...(!isGone && { staysAt: before.business_account_id }) };
}

/**
 * 409 for a rejection after an earlier deletion without a response: the platform rejects deletions of templates that it no
 * longer has, and only its list shows whether it has this one. Returns any other error unchanged.
 */
async function perhapsDeleted(
  deps: TemplateEditingDeps,
  { account_id: accountId, business_account_id: businessAccountId, provider_status }: TemplateRow,
  error: unknown,
): Promise<unknown> {
  const isRepeated = provider_status === ownProviderStatus.pendingDeletion;
  const isRejected = error instanceof VendorError && error.outcome === 'rejected';
  if (!isRepeated || !isRejected || businessAccountId === null) return error;
  await requestReading(deps.db, { accountId, businessAccountId });
  return new AppError(
    'conflict',
    `The platform rejected the deletion, perhaps because an earlier one succeeded: ${error.message}. The gateway is reading its templates. Try again in a minute.`,
    { retryAfterSeconds: 60, cause: error },
  );
}

/** Removes a draft, or marks a template as being deleted; returns the row as it was. */
async function beginDeleting(
  deps: TemplateEditingDeps,
  of: TemplateKey,
  cancelQueued: boolean,
): Promise<TemplateRow> {
  const { before, leasedDeliveries } = await deps.hot.transaction().execute(async (tx) => {
    // waits for sends that are being inserted; later ones see the mark
    const before = await lockTemplate(tx, of.templateId);
    if (!before) throw templateNotFound();
    requireNoSubmission(before, deps.clock.now());
    if (await hasOpenSends(tx, of))
      throw inUse('A draft, scheduled or unfinished send names this template. Cancel or delete it first.');
    if (before.status === 'draft') {
      await deleteTemplates(tx, [before.id]);
      await audit(tx, of.accountId, 'template.deleted', before.id, { status: before.status });
      return { before, leasedDeliveries: [] };
    }
    if (before.deleting_until && before.deleting_until.getTime() > deps.clock.now())
      throw new AppError('conflict', 'The template is already being deleted. Try again in a few seconds.', {
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

/** Restores the template as it was. `staysMarked`: the platform may have deleted it, so the mark stays until it is read. */
async function restore(deps: TemplateEditingDeps, before: TemplateRow, staysMarked = false): Promise<void> {
  const leasedDeliveries = await deps.db.transaction().execute(async (tx) => {
    const marked = await lockTemplate(tx, before.id);
    const after = await endDeleting(tx, before.id, staysMarked ? undefined : before);
    return publishChanges(deps, tx, marked && after ? [{ before: marked, after, reason: null }] : []);
  });
  deps.deliveries.offer(leasedDeliveries);
}

async function remove(deps: TemplateEditingDeps, { id, account_id, status }: TemplateRow): Promise<void> {
  const leasedDeliveries = await deps.db.transaction().execute(async (tx) => {
    const removed = await deleteTemplates(tx, [id]);
    await audit(tx, account_id, 'template.deleted', id, { status });
    return publishChanges(deps, tx, removed.map(removalOf));
  });
  deps.deliveries.offer(leasedDeliveries);
}
