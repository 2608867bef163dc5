// Filling a template for one recipient, and every problem that prevents it. Pure.
import type { Problem } from '../../base/errors.ts';
import type { FilledTemplate, FilledText } from '../../ports/platform.ts';
import { type Placeholder, shortKey, substitute, type TemplatePlan } from './placeholders.ts';

export interface Location {
  latitude: number;
  longitude: number;
  name: string;
  address: string;
}

/** The values for one recipient; `media` is the stored file with `mediaId`, if it exists. */
export interface Filling {
  variables: Record<string, unknown>;
  mediaId?: string;
  media?: { kind: string; mimeType: string; fileName: string };
  location?: Location;
}

/** WhatsApp's limits on the filled text (Cloud API, "Template components"), in characters. */
const limits = { header: 60, body: 1024, url: 2000, copyCode: 15 };

/** The platform rejects a value with a newline, a tab or more than four consecutive spaces. */
const rejectedText = /[\n\r\t]| {5,}/;

const length = (text: string) => [...text].length;

/**
 * Returns the filled template, or every problem with its path below `path` (such as `recipients[3]`). Each key must name a
 * placeholder, each placeholder must have one value that the platform accepts, no component may exceed its length, and
 * media or location must be given exactly if the header needs one.
 */
export function fillTemplate(
  plan: TemplatePlan,
  filling: Filling,
  path: string,
): { filled: FilledTemplate; problems: Problem[] } {
  const problems: Problem[] = [];
  const values = assign(plan, filling.variables, `${path}.variables`, problems);
  checkLengths(plan, values, `${path}.variables`, problems);
  checkHeader(plan, filling, path, problems);
  return {
    filled: problems.length === 0 ? filledFrom(plan, values, filling) : { body: [], buttons: [] },
    problems,
  };
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
  if (candidates.length > 0)
    return `is ambiguous: use ${candidates.map((one) => one.qualifiedKey).join(' or ')}`;
  const keys = plan.placeholders.map((placeholder) => shortKey(plan, placeholder));
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
  const missing = plan.placeholders.filter((one) => !values.has(one) && !invalid.has(one));
  for (const key of new Set(missing.map((placeholder) => shortKey(plan, placeholder)))) {
    problems.push({ path: `${path}.${key}`, message: 'is missing' });
  }
  return values;
}

/** Checks the lengths of components that have all of their values. */
function checkLengths(
  plan: TemplatePlan,
  values: Map<Placeholder, string>,
  path: string,
  problems: Problem[],
): void {
  const over = (placeholder: Placeholder | undefined, what: string, size: number, limit: number) => {
    if (size <= limit || !placeholder) return;
    const message = `makes the ${what} ${size} characters long; at most ${limit} are allowed`;
    problems.push({ path: `${path}.${shortKey(plan, placeholder)}`, message });
  };
  for (const where of ['header', 'body'] as const) {
    const own = plan.placeholders.filter((placeholder) => placeholder.where === where);
    if (!own.every((placeholder) => values.has(placeholder))) continue;
    const byToken = new Map(own.map((placeholder) => [placeholder.token, values.get(placeholder) ?? '']));
    over(own[0], where, length(substitute(plan[where]?.text ?? '', byToken)), limits[where]);
  }
  for (const placeholder of plan.placeholders.filter(({ where }) => where === 'button')) {
    const value = values.get(placeholder) ?? '';
    if (placeholder.subType !== 'url') {
      over(placeholder, 'code', length(value), limits.copyCode);
      continue;
    }
    const url = plan.buttons[placeholder.buttonIndex]?.url ?? '';
    over(placeholder, 'address', length(substitute(url, new Map([[placeholder.token, value]]))), limits.url);
  }
}

function checkHeader(plan: TemplatePlan, filling: Filling, path: string, problems: Problem[]): void {
  const { headerMedia } = plan;
  if (headerMedia !== 'location' && filling.location) {
    problems.push({
      path: `${path}.location`,
      message: 'is not allowed: this template has no location header',
    });
  }
  if (headerMedia === 'location' && !filling.location) {
    problems.push({
      path: `${path}.location`,
      message: 'is missing: the header of this template is a location',
    });
  }
  const takesFile = headerMedia !== null && headerMedia !== 'location';
  if (!takesFile && filling.mediaId !== undefined) {
    problems.push({ path: `${path}.mediaId`, message: 'is not allowed: this template has no media header' });
  }
  if (!takesFile) return;
  const problem = mediaError(headerMedia, filling);
  if (problem !== undefined) problems.push({ path: `${path}.mediaId`, message: problem });
}

const withArticle = (kind: string) => `${kind === 'image' ? 'an' : 'a'} ${kind}`;

function mediaError(needed: string, { mediaId, media }: Filling): string | undefined {
  if (mediaId === undefined)
    return `is missing: the header of this template is ${withArticle(needed)}; upload one first`;
  if (!media) return 'does not exist in this account; upload it first';
  if (media.kind !== needed) {
    return `is ${withArticle(media.kind)}, but the header of this template is ${withArticle(needed)}`;
  }
  // Cloud API: document headers of templates accept PDF only
  if (needed === 'document' && media.mimeType !== 'application/pdf') {
    return `must be a PDF for the document header of a template; this file is ${media.mimeType}`;
  }
  return undefined;
}

function filledFrom(plan: TemplatePlan, values: Map<Placeholder, string>, filling: Filling): FilledTemplate {
  const text = (placeholder: Placeholder): FilledText => ({
    ...(plan.format === 'named' ? { name: placeholder.token } : {}),
    text: values.get(placeholder) ?? '',
  });
  const of = (where: Placeholder['where']) =>
    plan.placeholders.filter((placeholder) => placeholder.where === where);
  const headerTexts = of('header').map(text);
  const filled: FilledTemplate = {
    body: of('body').map(text),
    buttons: of('button').map((placeholder) => ({
      index: placeholder.buttonIndex,
      subType: placeholder.subType ?? 'url',
      value: values.get(placeholder) ?? '',
    })),
  };
  if (headerTexts.length > 0) filled.header = { kind: 'text', values: headerTexts };
  if (plan.headerMedia === 'location' && filling.location) {
    filled.header = { kind: 'location', ...filling.location };
  } else if (plan.headerMedia !== null && plan.headerMedia !== 'location') {
    filled.header = {
      kind: 'media',
      media: plan.headerMedia,
      ...(filling.media ? { fileName: filling.media.fileName } : {}),
    };
  }
  return filled;
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
