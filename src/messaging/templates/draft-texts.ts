// What the platform asks of a template's texts before it reviews it: lengths, variables, examples, formatting. Pure.
import type { TemplateComponent } from '../../ports/platform.ts';
import { tokensOf } from './placeholders.ts';

/** Adds a problem at a member of the component, such as `.text`. */
export type Add = (member: string, message: string) => void;

export type TextPart = 'header' | 'body' | 'footer';

/** The platform's limits (Cloud API, "Template components"), in characters. */
const most: Record<TextPart, number> = { header: 60, body: 1024, footer: 60 };
/** The longest name of a variable. */
const nameMaxChars = 32;

const braced = /\{\{\s*[A-Za-z0-9_]+\s*\}\}/g;

/** A text's length as the platform counts it: in characters, not in bytes. */
export const lengthOf = (text: string | undefined) => [...(text ?? '')].length;

/** Problems of a header's, body's or footer's text for which the platform rejects a template without reviewing it. */
export function checkText(
  where: TextPart,
  part: TemplateComponent,
  draft: { parameterFormat: 'positional' | 'named'; language: string },
  add: Add,
): void {
  const text = part.text ?? '';
  if (!/[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(text)) add('.text', 'is missing');
  if (lengthOf(text) > most[where]) {
    add('.text', `takes at most ${most[where]} characters`);
    // what follows looks at every word
    return;
  }
  if (where !== 'body') checkPlain(where, text, add);
  if (/\{\{|\}\}/.test(text.replace(braced, '')))
    add('.text', 'has braces that are not a variable; write a variable as {{1}} or {{first_name}}');
  const tokens = tokensOf(text);
  if (tokens.length === 0) return;
  if (where === 'footer') {
    add('.text', 'a footer takes no variables');
    return;
  }
  if (where === 'header' && tokens.length > 1) add('.text', 'a text header takes one variable');
  if (where === 'body') checkPlaces(text, tokens.length, draft.language, add);
  checkNames(draft.parameterFormat, text, tokens, add);
  checkExamples(draft.parameterFormat, part, tokens, where, add);
}

/** Headers and footers are one plain line; a header has no formatting marks either. */
function checkPlain(where: TextPart, text: string, add: Add): void {
  if (/[\n\r\t]/.test(text)) add('.text', `a ${where} takes no line breaks or tabs`);
  if (/\p{Emoji_Presentation}|\uFE0F/u.test(text)) add('.text', `a ${where} takes no emoji`);
  if (where === 'header' && /[*~]|```/.test(text)) add('.text', 'a header takes no formatting (*, ~, ```)');
}

/** Where variables stand, and how much text there is around them. */
function checkPlaces(text: string, count: number, language: string, add: Add): void {
  if (/^\s*\{\{|\}\}\s*$/.test(text)) add('.text', 'must not begin or end with a variable');
  if (/\}\}\s*\{\{/.test(text)) add('.text', 'must have text between two variables');
  const words = wordsOf(text, language);
  // The platform gives no figure (error 2388293); those who send agree on 3n + 1 words and variables together.
  const least = 2 * count + 1;
  if (words < least)
    add(
      '.text',
      `has ${words} words around its ${count} variables; the platform asks for at least ${least}: add text or remove variables`,
    );
}

/** Words beside the variables, as the language counts them. */
function wordsOf(text: string, language: string): number {
  const segments = new Intl.Segmenter(localeOf(language), { granularity: 'word' });
  return [...segments.segment(text.replace(braced, ' '))].filter((one) => one.isWordLike).length;
}

const localeOf = (language: string) => language.replace('_', '-');

function checkNames(format: 'positional' | 'named', text: string, tokens: string[], add: Add): void {
  if (format === 'positional') {
    if (tokens.some((token, index) => token !== String(index + 1)))
      add('.text', 'the variables must be numbered {{1}}, {{2}}, … without a gap');
    return;
  }
  const wrong = tokens.find((token) => !/^[a-z][a-z0-9_]*$/.test(token) || token.length > nameMaxChars);
  if (wrong !== undefined)
    add(
      '.text',
      `the variable {{${wrong}}} must be named in lower-case letters, digits and _, beginning with a letter, at most ${nameMaxChars} characters`,
    );
  if ((text.match(braced) ?? []).length > tokens.length)
    add('.text', 'must not have the same variable twice');
}

/** An example for each variable: texts in order, or by name. */
function checkExamples(
  format: 'positional' | 'named',
  part: TemplateComponent,
  tokens: string[],
  where: TextPart,
  add: Add,
): void {
  const member = `${where}_text${format === 'named' ? '_named_params' : ''}`;
  const given = part.example?.[member];
  const row: unknown = Array.isArray(given) && Array.isArray(given[0]) ? given[0] : given;
  const isFull = (example: unknown) => typeof example === 'string' && example !== '';
  const fits = (examples: unknown[]) =>
    format === 'positional'
      ? examples.every(isFull)
      : tokens.every((token) => examples.some((one) => isNamed(one, token)));
  if (!Array.isArray(row) || row.length !== tokens.length || !fits(row))
    add(`.example.${member}`, `must hold an example for each of the ${tokens.length} variables`);
}

function isNamed(given: unknown, token: string): boolean {
  const { param_name, example } = (given ?? {}) as { param_name?: unknown; example?: unknown };
  return param_name === token && typeof example === 'string' && example !== '';
}
