// The submission of a draft to the platform, under a lease that no transaction holds.
import { audit } from '../../audit/store.ts';
import { AppError, VendorError } from '../../base/errors.ts';
import type { MessagingPlatform, SenderAccess } from '../../ports/platform.ts';
import { callWithFailover } from '../senders/failover.ts';
import type { SenderRow } from '../senders/store.ts';
import { type ReadingKey, requestLaterReading, requestReading } from '../senders/template-readings-store.ts';
import { requireTemplate, templateNotFound } from '../templates/find.ts';
import { templateStatus } from '../templates/status.ts';
import { publishChanges } from '../templates/status-events.ts';
import { findTemplate, lockTemplate, type TemplateRow } from '../templates/store.ts';
import { requireNoSubmission, submissionOf } from '../templates/submission.ts';
import { templateExists } from './create-draft.ts';
import {
  type DraftLease,
  endDraftLease,
  leaseDraft,
  markSubmitted,
  renewDraftLease,
  settleSeconds,
} from './drafts-store.ts';
import { callersFor, componentsToSend, platformError, type SubmitDeps } from './platform-calls.ts';

function requireDraft(row: TemplateRow): void {
  if (row.status === templateStatus.draft) return;
  throw new AppError(
    'template_not_draft',
    `This template is ${row.status}; only a draft or a rejected template can be submitted.`,
  );
}

/** Requests a reading of the platform's templates if only that shows whether the platform has this draft. */
export async function readUnknownSubmission(
  deps: Pick<SubmitDeps, 'db' | 'clock'>,
  row: TemplateRow,
): Promise<void> {
  if (row.business_account_id === null || submissionOf(row, deps.clock.now()) !== 'unknown') return;
  await requestReading(deps.db, { accountId: row.account_id, businessAccountId: row.business_account_id });
}

/**
 * Submits a draft to the platform for review, with another sender of its business account if the first is unavailable.
 * Throws 409 `template_not_draft` if it was submitted before, 409 `conflict` while it is being submitted.
 *
 * The lease keeps what is submitted from being changed. If the process dies, or the platform's response is lost, the lease
 * expires; then the next reading of the platform's list shows the result, and until then nothing changes the draft. A
 * reading that finds the template during the submission makes this row that template.
 */
export async function submitDraft(
  deps: SubmitDeps,
  of: { accountId: string; templateId: string },
): Promise<TemplateRow> {
  const found = await requireTemplate(deps.db, of.accountId, of.templateId);
  requireDraft(found);
  await readUnknownSubmission(deps, found);
  const callers = await callersFor(deps, found);
  const businessAccountId = (callers[0] as SenderRow).business_account_id;
  const draft = await beginSubmission(deps, found.id, businessAccountId);
  const lease: DraftLease = { id: draft.id, until: draft.deleting_until };
  let isCalled = false;
  const create = async (access: SenderAccess) => {
    isCalled = false;
    const { account_id: accountId, components } = draft;
    const ready = await componentsToSend(deps, { accountId, components }, access);
    // uploads may have taken longer than the lease
    lease.until = (await renewDraftLease(deps.db, lease)) ?? leaseLost();
    isCalled = true;
    return deps.platform.createTemplate(access, {
      name: draft.name,
      language: draft.language,
      category: draft.category,
      parameterFormat: draft.parameter_format,
      messageTtlSeconds: draft.message_ttl_seconds,
      components: ready,
    });
  };
  // the platform would reject a repeated creation as a duplicate
  const { result } = await callWithFailover(deps, callers, create, { isRepeatable: false })
    .catch(async (error: unknown) => {
      const isKnown = error instanceof VendorError && error.outcome !== 'unknown';
      await endUnsubmitted(deps, draft, lease, isCalled && !isKnown);
      throw error;
    })
    .catch(platformError);
  const key = { accountId: of.accountId, businessAccountId };
  const submitted = await recordSubmission(deps, lease, key, result);
  const current = submitted ?? (await findTemplate(deps.db, of.accountId, of.templateId));
  if (!current) throw templateNotFound();
  return current;
}

function leaseLost(): never {
  throw new AppError('conflict', 'The upload of the samples took too long. Submit the draft again.');
}

/** Leases the draft, and binds it to the business account, so that no reading adds a second row of it. */
async function beginSubmission(
  deps: SubmitDeps,
  id: string,
  businessAccountId: string,
): Promise<TemplateRow> {
  const begun = deps.db.transaction().execute(async (tx) => {
    const draft = await lockTemplate(tx, id);
    if (!draft) throw templateNotFound();
    requireDraft(draft);
    requireNoSubmission(draft, deps.clock.now());
    return leaseDraft(tx, id, businessAccountId);
  });
  return begun.catch((error: unknown) => {
    throw (error as { code?: unknown }).code === '23505' ? templateExists() : error;
  });
}

/** Releases the lease after a call that the platform did not carry out. If that is unknown, its list is read. */
async function endUnsubmitted(
  deps: SubmitDeps,
  draft: TemplateRow,
  lease: DraftLease,
  isUnknown: boolean,
): Promise<void> {
  const { account_id: accountId, business_account_id: businessAccountId } = draft;
  await deps.db.transaction().execute(async (tx) => {
    await endDraftLease(tx, lease, { isUnknown });
    if (isUnknown && businessAccountId !== null)
      await requestLaterReading(tx, { accountId, businessAccountId }, settleSeconds);
  });
}

/** Records the platform's response to a submission and publishes the change; undefined if the lease was lost. */
async function recordSubmission(
  deps: SubmitDeps,
  lease: DraftLease,
  { accountId, businessAccountId }: ReadingKey,
  result: Awaited<ReturnType<MessagingPlatform['createTemplate']>>,
): Promise<TemplateRow | undefined> {
  const { after, leasedDeliveries } = await deps.db.transaction().execute(async (tx) => {
    const before = await lockTemplate(tx, lease.id);
    const after =
      before &&
      (await markSubmitted(tx, lease, {
        businessAccountId,
        providerTemplateId: result.providerTemplateId,
        providerStatus: result.providerStatus,
        status: result.state,
        category: result.category,
      }));
    // a reading that recorded the submission before also audited it
    const isAudited = !after && before !== undefined && before.status !== templateStatus.draft;
    if (!isAudited)
      await audit(tx, accountId, 'template.submitted', lease.id, { status: (after ?? before)?.status });
    // a reading recorded it before, or the lease expired, or an earlier release removed the draft
    if (!after) await requestReading(tx, { accountId, businessAccountId });
    const changes = before && after ? [{ before, after, reason: null }] : [];
    return { after, leasedDeliveries: await publishChanges(deps, tx, changes) };
  });
  deps.deliveries.offer(leasedDeliveries);
  return after;
}
