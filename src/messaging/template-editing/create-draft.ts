// The creation of drafts.
import { audit } from '../../audit/store.ts';
import { AppError, invalidRequest } from '../../base/errors.ts';
import { uuidv7 } from '../../base/ids.ts';
import type { TemplateComponent } from '../../ports/platform.ts';
import { findSamples } from '../media/sample.ts';
import { findDefaultSender } from '../senders/store.ts';
import { cardsOf } from '../template-content/kinds.ts';
import { planTemplate } from '../template-content/placeholders.ts';
import type { TemplateRow } from '../templates/store.ts';
import { draftProblems, sampleIdsOf } from './draft.ts';
import { insertDraft } from './drafts-store.ts';
import type { SubmitDeps } from './platform-calls.ts';
import { ttlProblems } from './time-to-live.ts';

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
