// Edits and submissions of templates: rejected while messages are queued, unless they are to be cancelled first.
import { isDeepStrictEqual } from 'node:util';
import { audit } from '../../audit/store.ts';
import { AppError, VendorError } from '../../base/errors.ts';
import { isTemplateInUse } from '../dispatch/holds-store.ts';
import { editLimits, isRejected, recentEdits } from '../templates/edit-rules.ts';
import { requireTemplate, templateNotFound } from '../templates/find.ts';
import { templateStatus } from '../templates/status.ts';
import { publishChanges } from '../templates/status-events.ts';
import { lockTemplate, type TemplateRow } from '../templates/store.ts';
import { requireNoSubmission } from '../templates/submission.ts';
import { keepVersions } from '../templates/versions-store.ts';
import type { TemplateEditingDeps } from './delete.ts';
import {
  differing,
  editAtPlatform,
  editedValues,
  requireEditable,
  requireSamples,
  type TemplateChanges,
} from './edit-content.ts';
import {
  changeDraft,
  type EditedValues,
  endEditing,
  markEditing,
  recordEdit,
  valuesOf,
} from './edits-store.ts';
import { emptyQueue, inUse } from './empty-queue.ts';
import { platformError } from './platform-calls.ts';
import { readUnknownSubmission, submitDraft } from './submit-draft.ts';

interface TemplateToEdit {
  accountId: string;
  templateId: string;
  cancelQueued: boolean;
}

/**
 * Edits a draft, or a template at the platform. Does nothing if the template has these values. 400 with every problem of the new content; 409 `template_not_editable`
 * with `editableAt`; 409 `template_in_use` while its messages are queued or in flight, unless `cancelQueued`.
 */
export async function editTemplate(
  deps: TemplateEditingDeps,
  of: TemplateToEdit,
  given: TemplateChanges,
): Promise<{ row: TemplateRow; isChanged: boolean }> {
  const row = await requireTemplate(deps.db, of.accountId, of.templateId);
  const values = await editedValues(deps, row, given);
  const differences = differing(row, given);
  // a row that is due to be read may be outdated
  const isCurrent = row.read_due_at === null;
  if (Object.keys(differences).length === 0) {
    if (isCurrent) return { row, isChanged: false };
    throw new AppError('conflict', 'The template is about to be read again. Try again in a few seconds.', {
      retryAfterSeconds: 5,
    });
  }
  const changes = isCurrent ? differences : given;
  if (row.status !== templateStatus.draft)
    return { row: await edit(deps, of, row, { changes, values }), isChanged: true };
  const edited = await editDraft(deps, row, values);
  // otherwise a concurrent edit was first: this one changes its result
  return edited ? { row: edited, isChanged: true } : editTemplate(deps, of, given);
}

/** Changes a draft; undefined if it is no longer the one from which `values` were made. 409 while it is being submitted. */
async function editDraft(
  deps: TemplateEditingDeps,
  row: TemplateRow,
  values: EditedValues,
): Promise<TemplateRow | undefined> {
  await readUnknownSubmission(deps, row);
  return deps.db.transaction().execute(async (tx) => {
    const locked = await lockTemplate(tx, row.id);
    if (!locked) throw templateNotFound();
    requireNoSubmission(locked, deps.clock.now());
    if (locked.status !== templateStatus.draft || !isDeepStrictEqual(valuesOf(locked), valuesOf(row)))
      return undefined;
    const draft = await changeDraft(tx, row.id, values);
    await audit(tx, row.account_id, 'template.edited', row.id, { category: draft.category });
    return draft;
  });
}

/**
 * Submits a draft, or a rejected template again; 409 `template_not_draft` for every other. 400 for a rejected template with
 * media: the platform shows its samples, but takes only new uploads.
 */
export async function submitTemplate(deps: TemplateEditingDeps, of: TemplateToEdit): Promise<TemplateRow> {
  const row = await requireTemplate(deps.db, of.accountId, of.templateId);
  if (!isRejected(deps.platform, row)) return submitDraft(deps, of);
  requireSamples(row.components);
  const changes = { components: row.components, category: row.category };
  return edit(deps, of, row, { changes, values: valuesOf(row) });
}

/** Marks the template, empties its queue, calls the platform and records the result. */
async function edit(
  deps: TemplateEditingDeps,
  of: TemplateToEdit,
  { id }: TemplateRow,
  { changes, values }: { changes: TemplateChanges; values: EditedValues },
): Promise<TemplateRow> {
  const { before, marked } = await beginEditing(deps, of, id);
  const mark = { id, until: marked.deleting_until };
  const restore = async (status: Pick<TemplateRow, 'status'> | undefined) => {
    await change(deps, id, (tx) => endEditing(tx, mark, status));
  };
  const key = { accountId: of.accountId, templateId: id };
  await emptyQueue(deps, key, 'The template was edited before this message was sent.').catch(
    async (error: unknown) => {
      await restore(before);
      throw error;
    },
  );
  const result = await editAtPlatform(deps, before, changes)
    .catch(async (error: unknown) => {
      const isUnknown = error instanceof VendorError && error.outcome === 'unknown';
      await restore(isUnknown ? undefined : before);
      throw error;
    })
    .catch(platformError);
  const now = deps.clock.now();
  const counts = before.status === templateStatus.approved;
  const edits = [...recentEdits(before.edited_at, now), ...(counts ? [now] : [])];
  const editedAt = edits.slice(-editLimits.per30Days).map((time) => new Date(time));
  const { state: status, providerStatus } = result;
  const after = await change(deps, id, async (tx, old) => {
    const edited = await recordEdit(tx, mark, { ...values, status, providerStatus, editedAt });
    if (edited) await keepVersions(tx, [old]);
    if (edited) await audit(tx, of.accountId, 'template.edited', id, { category: edited.category });
    return edited;
  });
  return after ?? requireTemplate(deps.db, of.accountId, of.templateId);
}

async function beginEditing(deps: TemplateEditingDeps, of: TemplateToEdit, id: string) {
  const { leasedDeliveries, ...begun } = await deps.hot.transaction().execute(async (tx) => {
    // waits for sends that are being inserted; later ones see the mark
    const before = await lockTemplate(tx, id);
    if (!before) throw templateNotFound();
    if (before.deleting_until && before.deleting_until.getTime() > deps.clock.now())
      throw new AppError('conflict', 'The template is being deleted or edited. Try again in a few seconds.', {
        retryAfterSeconds: 5,
      });
    requireEditable(deps.platform, before, deps.clock.now());
    if (!of.cancelQueued && (await isTemplateInUse(tx, { accountId: of.accountId, templateId: id })))
      throw inUse(
        'Messages of this template are queued. Wait until they are sent, cancel their sends, or repeat the request with cancelQueued=true.',
      );
    const marked = await markEditing(tx, id);
    const leasedDeliveries = await publishChanges(deps, tx, [{ before, after: marked, reason: null }]);
    return { before, marked, leasedDeliveries };
  });
  deps.deliveries.offer(leasedDeliveries);
  return begun;
}

/** Changes the locked row and publishes the change. */
async function change(
  deps: TemplateEditingDeps,
  id: string,
  act: (tx: Parameters<typeof lockTemplate>[0], before: TemplateRow) => Promise<TemplateRow | undefined>,
): Promise<TemplateRow | undefined> {
  const { after, leasedDeliveries } = await deps.db.transaction().execute(async (tx) => {
    const before = await lockTemplate(tx, id);
    const after = before && (await act(tx, before));
    const changes = before && after ? [{ before, after, reason: null }] : [];
    return { after, leasedDeliveries: await publishChanges(deps, tx, changes) };
  });
  deps.deliveries.offer(leasedDeliveries);
  return after;
}
