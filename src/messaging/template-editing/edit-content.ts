// The content of an edit: its new values, checked, and the platform's call.
import { isDeepStrictEqual } from 'node:util';
import { AppError, invalidRequest, type Problem } from '../../base/errors.ts';
import type { PlatformTemplate, TemplateComponent } from '../../ports/platform.ts';
import { findSamples } from '../media/sample.ts';
import { callWithFailover } from '../senders/failover.ts';
import { cardsOf } from '../template-content/kinds.ts';
import { planTemplate } from '../template-content/placeholders.ts';
import { editability, type ReadsUnapproved } from '../templates/edit-rules.ts';
import { templateStatus } from '../templates/status.ts';
import type { TemplateRow } from '../templates/store.ts';
import { formatOf } from './create-draft.ts';
import { draftProblems, lacksSample, sampleIdsOf } from './draft.ts';
import type { EditedValues } from './edits-store.ts';
import { callersFor, componentsToSend, type SubmitDeps } from './platform-calls.ts';
import { ttlProblems } from './time-to-live.ts';

/** What a request changes; absent members stay. */
export interface TemplateChanges {
  components?: { type: string }[] | undefined;
  category?: string | undefined;
  messageTtlSeconds?: number | null | undefined;
}

/** Throws 409 `template_not_editable`, with the time from which it is editable, if the platform forbids an edit now. */
export function requireEditable(platform: ReadsUnapproved, row: TemplateRow, nowMs: number): void {
  const { isEditable, at } = editability(platform, row, nowMs);
  if (isEditable) return;
  const extra = { editableAt: at?.toISOString() ?? null };
  if (at) {
    const message =
      'The platform allows an approved template to be edited once in 24 hours and 10 times in 30 days. Try again at editableAt.';
    throw new AppError('template_not_editable', message, { extra });
  }
  const word = row.provider_status ?? row.status;
  const allowed = 'The platform allows edits of approved, rejected and paused templates only.';
  // the result of a change without a response is unknown until then
  if (row.read_due_at !== null)
    throw new AppError(
      'template_not_editable',
      `The template was ${word} when it was last read, and is about to be read again. ${allowed} Try again in a few seconds.`,
      { extra, retryAfterSeconds: 5 },
    );
  throw new AppError('template_not_editable', `The template is ${word}. ${allowed}`, { extra });
}

/** Throws 400 naming every header, those of cards too, whose sample must be uploaded again before a resubmission. */
export function requireSamples(components: TemplateComponent[]): void {
  const message =
    'is missing: the platform does not take its own sample again. Upload a file with POST /v1/templates/media, then PATCH this template with components that name it here; that submits it again';
  const problems = components.flatMap((part, at) => {
    const path = `components[${at}]`;
    const cards = cardsOf([part]).flatMap((card, no) =>
      card.flatMap((own, index) => (lacksSample(own) ? [`${path}.cards[${no}].components[${index}]`] : [])),
    );
    return [...(lacksSample(part) ? [path] : []), ...cards].map((one) => ({
      path: `${one}.mediaId`,
      message,
    }));
  });
  if (problems.length > 0) throw invalidRequest(problems);
}

/** The values after the changes; 400 with every problem for which the platform would reject them. */
export async function editedValues(
  deps: SubmitDeps,
  row: TemplateRow,
  changes: TemplateChanges,
): Promise<EditedValues> {
  const components = (changes.components ?? row.components) as TemplateComponent[];
  const category = changes.category ?? row.category;
  const messageTtlSeconds = ttlAfter(row, category, changes.messageTtlSeconds);
  const parameterFormat = changes.components ? formatOf(components) : row.parameter_format;
  const isRecategorized = category !== row.category;
  const problems = ttlProblems(category, isRecategorized ? messageTtlSeconds : changes.messageTtlSeconds);
  if (!changes.components && isRecategorized) problems.push(...categoryProblems(row, category));
  if (changes.components) {
    const samples = await findSamples(deps, row.account_id, sampleIdsOf(components));
    const { language } = row;
    problems.push(...draftProblems({ category, language, parameterFormat, components }, samples));
    const { unsupported } = planTemplate({ category, parameterFormat, components });
    if (unsupported)
      problems.push({ path: 'components', message: `cannot be sent by this gateway: ${unsupported}` });
  }
  if (row.status === templateStatus.approved && category !== row.category)
    problems.push({ path: 'category', message: 'cannot be changed while the template is approved' });
  if (problems.length > 0) throw invalidRequest(problems);
  return { components, category, parameterFormat, messageTtlSeconds };
}

/** What of the request differs from the template: the platform reviews it again for every member that it gets. */
export function differing(
  row: TemplateRow,
  { components, category, ...given }: TemplateChanges,
): TemplateChanges {
  const isRecategorized = category !== undefined && category !== row.category;
  const ttl = given.messageTtlSeconds;
  // with a new category, the platform sets the time to live to its default
  const hasNewTtl = ttl !== undefined && (isRecategorized || ttl !== row.message_ttl_seconds);
  return {
    ...(components && !isDeepStrictEqual(components, row.components) ? { components } : {}),
    ...(isRecategorized ? { category } : {}),
    ...(hasNewTtl ? { messageTtlSeconds: ttl } : {}),
  };
}

/** The time to live after an edit: the platform sets it to its default with a new category. */
function ttlAfter(row: TemplateRow, category: string, given: number | null | undefined): number | null {
  if (given !== undefined) return given;
  const isReset = row.status !== templateStatus.draft && category !== row.category;
  return isReset ? null : row.message_ttl_seconds;
}

/** What another category rejects of the present components. Their other problems are not of this change. */
function categoryProblems(row: TemplateRow, category: string): Problem[] {
  const { language, components, parameter_format: parameterFormat } = row;
  const problemsIn = (of: string) =>
    draftProblems({ category: of, language, parameterFormat, components }, new Map());
  const before = new Set(problemsIn(row.category).map(({ path, message }) => `${path} ${message}`));
  return problemsIn(category).filter(({ path, message }) => !before.has(`${path} ${message}`));
}

/** Edits a template at the platform: what `changes` names, or everything again for a resubmission. Throws VendorError. */
export async function editAtPlatform(
  deps: SubmitDeps,
  row: TemplateRow,
  changes: TemplateChanges,
): Promise<Pick<PlatformTemplate, 'state' | 'providerStatus'>> {
  const providerTemplateId = row.provider_template_id;
  if (providerTemplateId === null) throw new Error('Only a template of the platform is edited there.');
  const { result } = await callWithFailover(
    deps,
    await callersFor(deps, row),
    async (access) => {
      const components = changes.components as TemplateComponent[] | undefined;
      return deps.platform.editTemplate(access, {
        providerTemplateId,
        ...(components
          ? { components: await componentsToSend(deps, { accountId: row.account_id, components }, access) }
          : {}),
        ...(changes.category === undefined ? {} : { category: changes.category }),
        ...(changes.messageTtlSeconds === undefined ? {} : { messageTtlSeconds: changes.messageTtlSeconds }),
      });
    },
    // a repeated edit of an approved template would count twice
    { isRepeatable: false },
  );
  return result;
}
