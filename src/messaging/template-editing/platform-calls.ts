// The platform's calls for a template: who makes them, what they send, and their errors.
import type { Clock } from '../../base/clock.ts';
import { AppError, externalError } from '../../base/errors.ts';
import type { MessagingPlatform, SenderAccess, TemplateComponent } from '../../ports/platform.ts';
import type { PublishDeps } from '../../webhooks/publish.ts';
import { type SampleDeps, uploadSample } from '../media/sample.ts';
import type { AccessDeps } from '../senders/access.ts';
import { callWithFailover } from '../senders/failover.ts';
import { findDefaultSender, listCallers, type SenderRow } from '../senders/store.ts';
import { cardsOf } from '../template-content/kinds.ts';
import type { ReadsUnapproved } from '../templates/edit-rules.ts';
import type { TemplateRow } from '../templates/store.ts';
import { sampleIdOf, withHandle } from './draft.ts';

export interface SubmitDeps extends AccessDeps, SampleDeps, PublishDeps {
  clock: Clock;
  platform: ReadsUnapproved &
    Pick<
      MessagingPlatform,
      'createTemplate' | 'editTemplate' | 'deleteTemplate' | 'unpauseTemplate' | 'uploadSample'
    >;
}

/** The senders that can make calls for the template's business account, the preferred one first; at least one. */
export async function callersFor(deps: SubmitDeps, row: TemplateRow): Promise<SenderRow[]> {
  const businessAccountId =
    row.business_account_id ?? (await findDefaultSender(deps.db, row.account_id))?.business_account_id;
  const callers = businessAccountId ? await listCallers(deps.db, row.account_id, { businessAccountId }) : [];
  if (callers.length > 0) return callers;
  const message = businessAccountId
    ? `The account has no sender of the business account ${businessAccountId}, to which the template belongs. Add one, then retry.`
    : 'The account has no sender. Add one, then retry.';
  throw new AppError('sender_not_configured', message);
}

/** Uploads the samples of media headers, those of cards too, and returns the components with their handles. */
export async function componentsToSend(
  deps: SubmitDeps,
  { accountId, components }: { accountId: string; components: TemplateComponent[] },
  access: SenderAccess,
): Promise<TemplateComponent[]> {
  const ready: TemplateComponent[] = [];
  for (const part of components) {
    const mediaId = sampleIdOf(part);
    if (mediaId !== undefined)
      ready.push(withHandle(part, await uploadSample(deps, { accountId, mediaId }, access)));
    else if (Array.isArray(part.cards)) {
      const cards: object[] = [];
      for (const card of cardsOf([part]))
        cards.push({ components: await componentsToSend(deps, { accountId, components: card }, access) });
      ready.push({ ...part, cards });
    } else ready.push(part);
  }
  return ready;
}

/** Throws the platform's error as the caller's. */
export function platformError(error: unknown): never {
  throw externalError(error, 'The messaging platform');
}

/**
 * Deletes a template at the platform, with failover between the senders of its business account. Returns false if the account
 * has none left, so that the platform keeps the template. Throws VendorError.
 */
export async function deleteAtPlatform(deps: SubmitDeps, row: TemplateRow): Promise<boolean> {
  if (row.provider_template_id === null) return true;
  const businessAccountId = row.business_account_id ?? undefined;
  const callers = await listCallers(deps.db, row.account_id, { businessAccountId });
  if (callers.length === 0) return false;
  const template = { name: row.name, providerTemplateId: row.provider_template_id };
  const remove = (access: SenderAccess) => deps.platform.deleteTemplate(access, template);
  await callWithFailover(deps, callers, remove, { isRepeatable: false });
  return true;
}
