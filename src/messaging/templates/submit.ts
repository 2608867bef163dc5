// Drafts: made here, submitted to the platform, and templates taken back.
import type { Clock } from '../../base/clock.ts';
import { AppError, externalError, invalidRequest } from '../../base/errors.ts';
import { isUuid, uuidv7 } from '../../base/ids.ts';
import type { MessagingPlatform, SenderAccess, TemplateComponent } from '../../ports/platform.ts';
import type { PublishDeps } from '../../webhooks/publish.ts';
import { findSamples, type SampleDeps, uploadSample } from '../media/sample.ts';
import type { AccessDeps } from '../senders/access.ts';
import { callWithFailover } from '../senders/failover.ts';
import { findDefaultSender, listCallers, type SenderRow } from '../senders/store.ts';
import { draftProblems, sampleIdOf, withHandle } from './draft.ts';
import { bindDraft, insertDraft, markSubmitted } from './drafts-store.ts';
import { planTemplate } from './placeholders.ts';
import { templateStatus } from './status.ts';
import { findTemplate, lockTemplate, type TemplateRow } from './store.ts';
import { publishChanges } from './sync.ts';

export interface SubmitDeps extends AccessDeps, SampleDeps, PublishDeps {
  clock: Clock;
  platform: Pick<MessagingPlatform, 'createTemplate' | 'deleteTemplate' | 'uploadSample'>;
}

export interface Draft {
  accountId: string;
  providerTemplateName: string;
  language: string;
  category: string;
  /** Default: the default sender's. */
  businessAccountId?: string | undefined;
  components: { type: string }[];
}

export function templateNotFound(): AppError {
  return new AppError('template_not_found', 'There is no such template in this account.');
}

function templateExists(): AppError {
  return new AppError('template_exists', 'The account has a template of this name and language already.');
}

/** Keeps a draft. 400 for what the platform would surely refuse, 409 `template_exists` for a name and language in use. */
export async function createDraft(deps: SubmitDeps, draft: Draft): Promise<TemplateRow> {
  const components = draft.components as TemplateComponent[];
  const text = components.map((part) => part.text ?? '').join(' ');
  const parameterFormat = /\{\{\s*[a-z][a-z0-9_]*\s*\}\}/i.test(text) ? 'named' : 'positional';
  const { category, language } = draft;
  const samples = await findSamples(deps, draft.accountId, sampleIds(components));
  const problems = draftProblems({ category, language, parameterFormat, components }, samples);
  const { unsupported } = planTemplate({ category, parameterFormat, components });
  if (unsupported)
    problems.push({ path: 'components', message: `cannot be sent by this gateway: ${unsupported}` });
  const sender = await findDefaultSender(deps.db, draft.accountId, draft.businessAccountId);
  if (draft.businessAccountId !== undefined && !sender)
    problems.push({
      path: 'businessAccountId',
      message: 'no sender of this account belongs to that business account; add one with POST /v1/senders',
    });
  if (problems.length > 0) throw invalidRequest(problems);
  const row = await insertDraft(deps.db, {
    id: uuidv7(deps.clock.now()),
    accountId: draft.accountId,
    businessAccountId: sender?.business_account_id ?? null,
    name: draft.providerTemplateName,
    language: draft.language,
    category,
    parameterFormat,
    components,
  });
  if (!row) throw templateExists();
  return row;
}

/** The numbers that can speak for the template's business account, the preferred one first; one at least. */
async function callersFor(deps: SubmitDeps, row: TemplateRow): Promise<SenderRow[]> {
  const businessAccountId =
    row.business_account_id ?? (await findDefaultSender(deps.db, row.account_id))?.business_account_id;
  const callers = businessAccountId ? await listCallers(deps.db, row.account_id, { businessAccountId }) : [];
  if (callers.length > 0) return callers;
  throw new AppError('sender_not_configured', 'The account has no sender yet. Add one, then repeat this.');
}

const sampleIds = (components: TemplateComponent[]): string[] =>
  components.map(sampleIdOf).filter((id) => id !== undefined);

/** The components as the platform takes them, once the sample of a media header has gone up. */
async function componentsToSend(
  deps: SubmitDeps,
  row: TemplateRow,
  access: SenderAccess,
): Promise<TemplateComponent[]> {
  const components: TemplateComponent[] = [];
  for (const part of row.components) {
    const mediaId = sampleIdOf(part);
    components.push(
      mediaId === undefined
        ? part
        : withHandle(part, await uploadSample(deps, { accountId: row.account_id, mediaId }, access)),
    );
  }
  return components;
}

/**
 * Submits a draft to the platform for review, by another number of its business account while the first is away; 409
 * `template_not_draft` for what was submitted before.
 */
export async function submitDraft(
  deps: SubmitDeps,
  input: { accountId: string; templateId: string },
): Promise<TemplateRow> {
  const row = isUuid(input.templateId)
    ? await findTemplate(deps.db, input.accountId, input.templateId)
    : undefined;
  if (!row) throw templateNotFound();
  if (row.status !== templateStatus.draft) {
    throw new AppError(
      'template_not_draft',
      `This template is ${row.status}; only a draft can be submitted.`,
    );
  }
  const callers = await callersFor(deps, row);
  const businessAccountId = (callers[0] as SenderRow).business_account_id;
  // bound first, so that a list read meanwhile writes over this row instead of making a second one
  await bindDraft(deps.db, row.id, businessAccountId).catch((error: unknown) => {
    throw (error as { code?: unknown }).code === '23505' ? templateExists() : error;
  });
  const create = async (access: SenderAccess) =>
    deps.platform.createTemplate(access, {
      name: row.name,
      language: row.language,
      category: row.category,
      parameterFormat: row.parameter_format,
      components: await componentsToSend(deps, row, access),
    });
  // a repeat of a creation that was made would be refused as a second one
  const { answer } = await callWithFailover(deps, callers, create, { isRepeatable: false }).catch(
    platformError,
  );
  const submitted = await keepAnswer(deps, row.id, businessAccountId, answer);
  const current = submitted ?? (await findTemplate(deps.db, input.accountId, input.templateId));
  if (!current) throw templateNotFound();
  return current;
}

/** Throws what the platform's failure is to the caller. */
export function platformError(error: unknown): never {
  throw externalError(error, 'The messaging platform');
}

/** Writes the platform's answer over a draft and publishes the change; undefined if it is no draft any more. */
async function keepAnswer(
  deps: SubmitDeps,
  id: string,
  businessAccountId: string,
  answer: Awaited<ReturnType<MessagingPlatform['createTemplate']>>,
): Promise<TemplateRow | undefined> {
  const { after, leasedDeliveries } = await deps.db.transaction().execute(async (tx) => {
    const before = await lockTemplate(tx, id);
    const after =
      before &&
      (await markSubmitted(tx, id, {
        businessAccountId,
        providerTemplateId: answer.providerTemplateId,
        providerStatus: answer.providerStatus,
        status: answer.state,
        category: answer.category,
      }));
    const changes = before && after ? [{ before, after, reason: null }] : [];
    return { after, leasedDeliveries: await publishChanges(deps, tx, changes) };
  });
  deps.deliveries.offer(leasedDeliveries);
  return after;
}

/** Deletes a template at the platform, by another number of its business account while the first is away. Throws VendorError. */
export async function deleteAtPlatform(deps: SubmitDeps, row: TemplateRow): Promise<void> {
  if (row.provider_template_id === null) return;
  const template = { name: row.name, providerTemplateId: row.provider_template_id };
  const remove = (access: SenderAccess) => deps.platform.deleteTemplate(access, template);
  await callWithFailover(deps, await callersFor(deps, row), remove, { isRepeatable: false });
}
