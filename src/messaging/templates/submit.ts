// Drafts: made here, submitted to the platform, and templates taken back.
import type { Clock } from '../../base/clock.ts';
import { AppError, type Fault, invalidRequest, outsideFault } from '../../base/errors.ts';
import { isUuid, uuidv7 } from '../../base/ids.ts';
import type { Db } from '../../db/db.ts';
import type { MessagingPlatform, TemplateComponent } from '../../ports/platform.ts';
import { type AccessDeps, senderAccess } from '../senders/access.ts';
import { findDefaultSender } from '../senders/store.ts';
import { planTemplate, type TemplatePlan } from './placeholders.ts';
import {
  bindDraft,
  deleteTemplates,
  findTemplate,
  insertDraft,
  markSubmitted,
  type TemplateRow,
} from './store.ts';
import { statusOf } from './template.ts';

export interface SubmitDeps extends AccessDeps {
  db: Db;
  clock: Clock;
  platform: Pick<MessagingPlatform, 'createTemplate' | 'deleteTemplate'>;
}

export interface Draft {
  accountId: string;
  providerTemplateName: string;
  language: string;
  category: string;
  components: { type: string }[];
}

export function templateNotFound(): AppError {
  return new AppError('template_not_found', 'There is no such template in this account.');
}

function exists(): AppError {
  return new AppError('template_exists', 'The account has a template of this name and language already.');
}

/** Faults of a draft that the platform would refuse after hours of review (Cloud API, "Template components"). */
function draftFaults(components: TemplateComponent[], plan: TemplatePlan): Fault[] {
  const faults: Fault[] = [];
  const add = (message: string) => faults.push({ path: 'components', message });
  const count = (type: string) => components.filter((part) => part.type.toUpperCase() === type).length;
  if (count('BODY') !== 1) add('must hold exactly one BODY');
  for (const type of ['HEADER', 'FOOTER', 'BUTTONS'])
    if (count(type) > 1) add(`must hold at most one ${type}`);
  if (plan.unsupported) add(`cannot be sent by this gateway: ${plan.unsupported}`);
  if (plan.buttons.length > 10) add('must hold at most 10 buttons');
  if (plan.placeholders.filter(({ where }) => where === 'header').length > 1)
    add('a text header takes one variable');
  const numbers = plan.placeholders.filter(({ where, token }) => where === 'body' && /^\d+$/.test(token));
  if (plan.format === 'positional' && numbers.some(({ token }, index) => token !== String(index + 1))) {
    add('the variables of the body must be numbered {{1}}, {{2}}, … without a gap');
  }
  const size = (text: string | undefined) => [...(text ?? '')].length;
  if (size(plan.body?.text) > 1024) add('the body takes at most 1024 characters');
  if (size(plan.header?.text) > 60) add('a text header takes at most 60 characters');
  return faults;
}

/** Keeps a draft. 400 for what the platform would surely refuse, 409 `template_exists` for a name and language in use. */
export async function createDraft(deps: SubmitDeps, draft: Draft): Promise<TemplateRow> {
  const components = draft.components as TemplateComponent[];
  const text = components.map((part) => part.text ?? '').join(' ');
  const parameterFormat = /\{\{\s*[a-z][a-z0-9_]*\s*\}\}/i.test(text) ? 'named' : 'positional';
  const plan = planTemplate({ category: draft.category, parameterFormat, components });
  const faults = draftFaults(components, plan);
  if (faults.length > 0) throw invalidRequest(faults);
  const sender = await findDefaultSender(deps.db, draft.accountId);
  const row = await insertDraft(deps.db, {
    id: uuidv7(deps.clock.now()),
    accountId: draft.accountId,
    businessAccountId: sender?.business_account_id ?? null,
    name: draft.providerTemplateName,
    language: draft.language,
    category: draft.category,
    parameterFormat,
    components,
  });
  if (!row) throw exists();
  return row;
}

async function senderFor(deps: SubmitDeps, row: TemplateRow) {
  const sender = await findDefaultSender(deps.db, row.account_id, row.business_account_id ?? undefined);
  if (sender) return senderAccess(deps, sender);
  throw new AppError('sender_not_configured', 'The account has no sender yet. Add one, then repeat this.');
}

/** Submits a draft to the platform for review; 409 `template_not_draft` for what was submitted before. */
export async function submitDraft(
  deps: SubmitDeps,
  input: { accountId: string; templateId: string },
): Promise<TemplateRow> {
  const row = isUuid(input.templateId)
    ? await findTemplate(deps.db, input.accountId, input.templateId)
    : undefined;
  if (!row) throw templateNotFound();
  if (row.status !== 'draft') {
    throw new AppError(
      'template_not_draft',
      `This template is ${row.status}; only a draft can be submitted.`,
    );
  }
  const access = await senderFor(deps, row);
  // bound first, so that a list read meanwhile writes over this row instead of making a second one
  await bindDraft(deps.db, row.id, access.businessAccountId).catch((error: unknown) => {
    throw (error as { code?: unknown }).code === '23505' ? exists() : error;
  });
  let answer: Awaited<ReturnType<MessagingPlatform['createTemplate']>>;
  try {
    answer = await deps.platform.createTemplate(access, {
      name: row.name,
      language: row.language,
      category: row.category,
      parameterFormat: row.parameter_format,
      components: row.components,
    });
  } catch (error) {
    throw outsideFault(error, 'The messaging platform');
  }
  const submitted = await markSubmitted(deps.db, row.id, {
    businessAccountId: access.businessAccountId,
    providerTemplateId: answer.providerTemplateId,
    providerStatus: answer.status,
    status: statusOf(answer.status),
    category: answer.category,
  });
  const current = submitted ?? (await findTemplate(deps.db, input.accountId, input.templateId));
  if (!current) throw templateNotFound();
  return current;
}

/** Deletes a template: a draft here, any other at the platform first. */
export async function deleteTemplate(
  deps: SubmitDeps,
  input: { accountId: string; templateId: string },
): Promise<void> {
  const row = isUuid(input.templateId)
    ? await findTemplate(deps.db, input.accountId, input.templateId)
    : undefined;
  if (!row) throw templateNotFound();
  if (row.status !== 'draft' && row.provider_template_id !== null) {
    const access = await senderFor(deps, row);
    try {
      await deps.platform.deleteTemplate(access, {
        name: row.name,
        providerTemplateId: row.provider_template_id,
      });
    } catch (error) {
      throw outsideFault(error, 'The messaging platform');
    }
  }
  await deleteTemplates(deps.db, [row.id]);
}
