// Filling a template for one recipient, and every problem that prevents it. Pure.
import type { Problem } from '../../base/errors.ts';
import type { FilledParts, FilledTemplate, FilledText } from '../../ports/platform.ts';
import { type ButtonFilling, buttonProblems, filledButtons } from './fill-buttons.ts';
import { type ExtraFilling, extraProblems } from './fill-extras.ts';
import { filledHeader, type HeaderFilling, headerProblems } from './fill-header.ts';
import { lengthProblems } from './fill-lengths.ts';
import {
  allPlaceholders,
  type PartsPlan,
  type Placeholder,
  shortKey,
  type TemplatePlan,
} from './placeholders.ts';

export type { Location, MediaFile } from './fill-header.ts';

/** What a card needs besides its variables. */
export type CardFilling = HeaderFilling & ButtonFilling;

/** The values for one recipient. */
export interface Filling extends CardFilling, ExtraFilling {
  variables: Record<string, unknown>;
  cards?: CardFilling[];
}

/** The platform rejects a value with a newline, a tab or more than four consecutive spaces. */
const rejectedText = /[\n\r\t]| {5,}/;

/**
 * Returns the filled template, or every problem with its path below `path` (such as `recipients[3]`). Each key must name a
 * placeholder, each placeholder must have one value that the platform accepts, no component may exceed its length, and
 * media, location, products and cards must be given exactly where the template needs them.
 */
export function fillTemplate(
  plan: TemplatePlan,
  filling: Filling,
  path: string,
): { filled: FilledTemplate; problems: Problem[] } {
  const { values, problems } = checked(plan, filling, path);
  const filled = problems.length === 0 ? filledFrom(plan, values, filling) : { body: [], buttons: [] };
  return { filled, problems };
}

/** The same for a preview: filled as far as the values allow. A placeholder without a valid value shows its braces. */
export function fillForPreview(
  plan: TemplatePlan,
  filling: Filling,
): { filled: FilledTemplate; problems: Problem[] } {
  const { values, problems } = checked(plan, filling, '');
  return { filled: filledFrom(plan, values, filling), problems };
}

function checked(plan: TemplatePlan, filling: Filling, path: string) {
  const problems: Problem[] = [];
  const at = (member: string) => (path === '' ? member : `${path}.${member}`);
  const values = assign(plan, filling.variables, at('variables'), problems);
  lengthProblems(plan, values, at('variables'), problems);
  headerProblems(plan, filling, at, problems);
  buttonProblems(plan, filling, at, problems);
  extraProblems(plan, filling, at, problems);
  checkCards(plan, filling, at, problems);
  return { values, problems };
}

function checkCards(
  plan: TemplatePlan,
  filling: Filling,
  at: (member: string) => string,
  problems: Problem[],
): void {
  const add = (message: string) => problems.push({ path: at('cards'), message });
  const given = filling.cards;
  if (plan.cards.length === 0) {
    if (given) add('is not allowed: this template has no cards');
    return;
  }
  if (given && given.length !== plan.cards.length) {
    add(`must have ${plan.cards.length} cards, as many as the template; it has ${given.length}`);
    return;
  }
  plan.cards.forEach((card, index) => {
    const atCard = (member: string) => at(`cards[${index}].${member}`);
    headerProblems(card, given?.[index] ?? {}, atCard, problems);
    buttonProblems(card, given?.[index] ?? {}, atCard, problems);
  });
}

function valueProblem(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a string';
  if (value.trim() === '') return 'must not be empty';
  if (rejectedText.test(value)) {
    return 'must not contain a newline, a tab or more than four consecutive spaces';
  }
  return undefined;
}

function unknownKey(plan: TemplatePlan, key: string): string {
  const candidates = plan.placeholders.filter(({ token }) => token === key);
  if (candidates.length > 0) {
    const own = candidates.map((one) => JSON.stringify(one.qualifiedKey)).join(' or ');
    return candidates.length === 1 ? `must be named ${own}` : `names several variables; use ${own} instead`;
  }
  const keys = allPlaceholders(plan).map((placeholder) => shortKey(plan, placeholder));
  return keys.length > 0
    ? `is not a variable of this template; use ${[...new Set(keys)].join(', ')}`
    : 'is not a variable of this template, which has none';
}

function assign(
  plan: TemplatePlan,
  variables: Record<string, unknown>,
  path: string,
  problems: Problem[],
): Map<Placeholder, string> {
  const values = new Map<Placeholder, string>();
  const invalid = new Set<Placeholder>();
  for (const [key, value] of Object.entries(variables)) {
    const placeholders = plan.byKey.get(key);
    const problem = placeholders ? valueProblem(value) : unknownKey(plan, key);
    if (problem !== undefined) problems.push({ path: `${path}.${key}`, message: problem });
    for (const placeholder of placeholders ?? []) {
      if (values.has(placeholder) || invalid.has(placeholder)) {
        problems.push({
          path: `${path}.${key}`,
          message: `fills ${placeholder.qualifiedKey}, which another key also fills`,
        });
      }
      if (problem === undefined) values.set(placeholder, value as string);
      else invalid.add(placeholder);
    }
  }
  const missing = allPlaceholders(plan).filter((one) => !values.has(one) && !invalid.has(one));
  for (const key of new Set(missing.map((placeholder) => shortKey(plan, placeholder)))) {
    problems.push({ path: `${path}.${key}`, message: 'is missing' });
  }
  return values;
}

type Values = ReadonlyMap<Placeholder, string>;

function filledFrom(plan: TemplatePlan, values: Values, filling: Filling): FilledTemplate {
  const { offer, cards } = plan;
  const until = Date.parse(filling.offerExpiresAt ?? '');
  return {
    ...filledParts(plan, plan.format, values, filling, filling),
    ...(offer?.hasExpiration && Number.isFinite(until) ? { offerExpiresAt: until } : {}),
    ...(cards.length > 0
      ? {
          cards: cards.map((card, index) => {
            const given = filling.cards?.[index] ?? {};
            const parts = filledParts(card, plan.format, values, given, {});
            const { header } = parts;
            const isOurs = header?.kind === 'media' && given.media && header.link === undefined;
            return isOurs ? { ...parts, header: { ...header, mediaId: given.media?.id as string } } : parts;
          }),
        }
      : {}),
  };
}

function filledParts(
  parts: PartsPlan,
  format: TemplatePlan['format'],
  values: Values,
  given: CardFilling,
  extras: ExtraFilling,
): FilledParts {
  const nameOf = (placeholder: Placeholder) => (format === 'named' ? { name: placeholder.token } : {});
  const textOf = (placeholder: Placeholder) => values.get(placeholder) ?? `{{${placeholder.token}}}`;
  const texts = (where: Placeholder['where']): FilledText[] =>
    parts.placeholders
      .filter((placeholder) => placeholder.where === where)
      .map((placeholder) => ({ ...nameOf(placeholder), text: textOf(placeholder) }));
  const header = filledHeader(parts, texts('header'), given);
  return {
    ...(header ? { header } : {}),
    body: texts('body'),
    buttons: filledButtons(parts, { format, textOf, given, extras }),
  };
}

/** The priority of a category's messages; the lowest number is sent first. */
export function priorityOf(category: string): 0 | 1 | 2 {
  switch (category.toUpperCase()) {
    case 'AUTHENTICATION':
      return 0;
    case 'UTILITY':
      return 1;
    default:
      return 2;
  }
}
