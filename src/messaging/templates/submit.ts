// The creation of drafts, what their submission needs, and the deletion of templates at the platform.
import { audit } from '../../audit/store.ts';
import type { Clock } from '../../base/clock.ts';
import { AppError, externalError, invalidRequest } from '../../base/errors.ts';
import { uuidv7 } from '../../base/ids.ts';
import type { MessagingPlatform, SenderAccess, TemplateComponent } from '../../ports/platform.ts';
import type { PublishDeps } from '../../webhooks/publish.ts';
import { findSamples, type SampleDeps, uploadSample } from '../media/sample.ts';
import type { AccessDeps } from '../senders/access.ts';
import { callWithFailover } from '../senders/failover.ts';
import { findDefaultSender, listCallers, type SenderRow } from '../senders/store.ts';
import { draftProblems, sampleIdOf, sampleIdsOf, withHandle } from './draft.ts';
import { insertDraft } from './drafts-store.ts';
import { type ReadsUnapproved, ttlProblems } from './edit-rules.ts';
import { cardsOf } from './kinds.ts';
import { planTemplate } from './placeholders.ts';
import type { TemplateRow } from './store.ts';

export interface SubmitDeps extends AccessDeps, SampleDeps, PublishDeps {
  clock: Clock;
  platform: ReadsUnapproved &
    Pick<
      MessagingPlatform,
      'createTemplate' | 'editTemplate' | 'deleteTemplate' | 'unpauseTemplate' | 'uploadSample'
    >;
}

export interface Draft {
  accountId: string;
  providerTemplateName: string;
  language: string;
  category: string;
  /** Default: the default sender's. */
  businessAccountId?: string | undefined;
  components: { type: string }[];
  messageTtlSeconds?: number | null | undefined;
}

/** The 404 of a template. */
export function templateNotFound(): AppError {
  return new AppError('template_not_found', 'There is no such template in this account.');
}

/** The 409 of a template whose name and language the account already has. */
export function templateExists(): AppError {
  return new AppError('template_exists', 'The account already has a template with this name and language.');
}

/** Named if a placeholder of a text, also of a card's, has a name. */
export function formatOf(components: TemplateComponent[]): 'named' | 'positional' {
  const texts = [...components, ...cardsOf(components).flat()].map((part) => part.text ?? '');
  return /\{\{\s*[a-z][a-z0-9_]*\s*\}\}/i.test(texts.join(' ')) ? 'named' : 'positional';
}

/** Creates a draft. Throws 400 if the platform would reject it, 409 `template_exists` if name and language are in use. */
export async function createDraft(deps: SubmitDeps, draft: Draft): Promise<TemplateRow> {
  const components = draft.components as TemplateComponent[];
  const parameterFormat = formatOf(components);
  const { category, language } = draft;
  const samples = await findSamples(deps, draft.accountId, sampleIdsOf(components));
  const problems = draftProblems({ category, language, parameterFormat, components }, samples);
  problems.push(...ttlProblems(category, draft.messageTtlSeconds));
  const { unsupported } = planTemplate({ category, parameterFormat, components });
  if (unsupported)
    problems.push({ path: 'components', message: `cannot be sent by this gateway: ${unsupported}` });
  const sender = await findDefaultSender(deps.db, draft.accountId, draft.businessAccountId);
  if (draft.businessAccountId !== undefined && !sender)
    problems.push({
      path: 'businessAccountId',
      message: 'must be the business account of a sender of this account; add one with POST /v1/senders',
    });
  if (problems.length > 0) throw invalidRequest(problems);
  const id = uuidv7(deps.clock.now());
  const draftRow = {
    id,
    accountId: draft.accountId,
    businessAccountId: sender?.business_account_id ?? null,
    name: draft.providerTemplateName,
    language: draft.language,
    category,
    parameterFormat,
    components,
    messageTtlSeconds: draft.messageTtlSeconds ?? null,
  };
  const row = await deps.db.transaction().execute(async (tx) => {
    const created = await insertDraft(tx, draftRow);
    const { providerTemplateName, accountId } = draft;
    const shown = { providerTemplateName, language, category };
    if (created) await audit(tx, accountId, 'template.created', id, shown);
    return created;
  });
  if (!row) throw templateExists();
  return row;
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
