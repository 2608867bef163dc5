// What a message says: its values, and the text of its parts. Pure.
import type { SentReply } from '../../contract/reply-contents.ts';
import type { FilledParts, FilledTemplate } from '../../ports/platform.ts';
import { fillForPreview } from '../template-content/fill.ts';
import {
  allPlaceholders,
  type PartsPlan,
  type Placeholder,
  planOfRow,
  type TemplatePlan,
} from '../template-content/placeholders.ts';
import { codeMask, type RenderedTemplate, renderTemplate } from '../template-content/render.ts';
import type { TemplateVersion } from '../templates/versions-store.ts';
import type { StoredReply } from './message.ts';
import { authenticationPriority } from './priority.ts';
import { presentedReply } from './sent-reply.ts';

/** The contents of a message. `text` and `parts` are null if no version of its template is stored. */
export interface MessageContents {
  /** Null for a reply. */
  variables: Record<string, string> | null;
  text: string | null;
  /** What a reply says. */
  reply?: SentReply;
  parts: RenderedTemplate | null;
  /** `sent`: the template as it was when the message was sent; `later`: that is not stored, so a later version is shown. */
  textSource: 'sent' | 'later' | null;
}

/**
 * Returns the contents of a message that was called at `at` (null: not yet). A one-time code is shown as `••••`, whether or
 * not it has been removed already.
 */
export function contentsOf(
  message: { priority: number; content: FilledTemplate },
  version: TemplateVersion | undefined,
  at: Date | null,
): MessageContents {
  const plan = version && planOfRow(version);
  const isCode = message.priority === authenticationPriority || plan?.category === 'AUTHENTICATION';
  if (!plan) {
    const variables = isCode ? { '1': codeMask } : valuesOf(noPlan, message.content);
    return { variables, text: null, parts: null, textSource: null };
  }
  const parts = renderTemplate(plan, isCode ? masked(plan) : message.content);
  return {
    variables: isCode ? maskedValues(plan) : valuesOf(plan, message.content),
    text: parts.body,
    parts,
    textSource: at === null || version.since <= at ? 'sent' : 'later',
  };
}

/** Returns the contents of a reply. */
export function contentsOfReply(stored: StoredReply): MessageContents {
  const text = 'text' in stored.reply ? stored.reply.text : null;
  const textSource = text === null ? null : 'sent';
  return { variables: null, text, reply: presentedReply(stored), parts: null, textSource };
}

/** The template filled with masks instead of a code. */
function masked(plan: TemplatePlan): FilledTemplate {
  const variables = allPlaceholders(plan).map(({ qualifiedKey }) => [qualifiedKey, codeMask]);
  return fillForPreview(plan, { variables: Object.fromEntries(variables) }).filled;
}

/** One key fills all parts of an authentication template. */
const maskedValues = ({ placeholders: [first] }: TemplatePlan) => (first ? { [first.token]: codeMask } : {});

const noParts: Pick<PartsPlan, 'placeholders'> = { placeholders: [] };
const noPlan = { ...noParts, cards: [] };

/** The values by the keys that a send takes. A value without a placeholder has the key of its position. */
function valuesOf(
  plan: Pick<PartsPlan, 'placeholders'> & { cards: readonly Pick<PartsPlan, 'placeholders'>[] },
  content: FilledTemplate,
): Record<string, string> {
  const cards = content.cards?.flatMap((card, index) =>
    entriesOf(plan.cards[index] ?? noParts, `cards.${index}.`, card),
  );
  return Object.fromEntries([...entriesOf(plan, '', content), ...(cards ?? [])]);
}

function entriesOf(
  { placeholders }: Pick<PartsPlan, 'placeholders'>,
  prefix: string,
  { header, body, buttons }: FilledParts,
): [string, string][] {
  const texts = (where: Placeholder['where'], values: FilledParts['body']) => {
    const own = placeholders.filter((placeholder) => placeholder.where === where);
    return values.map(({ name, text }, index): [string, string] => [
      `${prefix}${where}.${name ?? own[index]?.token ?? index + 1}`,
      text,
    ]);
  };
  const ofButtons = buttons.flatMap((button): [string, string][] => {
    if (!('value' in button)) return [];
    const own = placeholders.find((one) => one.where === 'button' && one.buttonIndex === button.index);
    return [[`${prefix}buttons.${button.index}.${own?.token ?? button.name ?? '1'}`, button.value]];
  });
  return [
    ...(header?.kind === 'text' ? texts('header', header.values) : []),
    ...texts('body', body),
    ...ofButtons,
  ];
}
