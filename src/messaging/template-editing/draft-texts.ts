// WhatsApp's rules for a template's texts: lengths, variables, examples and formatting. Pure.
import { charactersIn, counted } from '../../base/counted.ts';
import type { TemplateComponent } from '../../ports/platform.ts';
import { tokensOf } from '../template-content/placeholders.ts';

/** Adds a problem of a member of the component, such as `.text`. */
export type Add = (member: string, message: string) => void;

export type TextPart = 'header' | 'body' | 'footer';

/** WhatsApp's limits (Cloud API, "Template components"), in characters. */
const maxLength: Record<TextPart, number> = { header: 60, body: 1024, footer: 60 };
/** The longest name of a variable. */
const nameMaxChars = 32;

const variablePattern = /\{\{\s*[A-Za-z0-9_]+\s*\}\}/g;

/** The length of a text in characters, as WhatsApp counts it. */
export const lengthOf = (text: string | undefined) => charactersIn(text ?? '');

/** Adds the problem of a text of more than `max` characters; returns true if there is one. */
export function checkLength(text: string | undefined, max: number, member: string, add: Add): boolean {
  const length = lengthOf(text);
  if (length <= max) return false;
  add(member, `must have at most ${max} characters, but has ${length}`);
  return true;
}

/** Finds problems of a header's, body's or footer's text that the platform rejects without a review. */
export function checkText(
  where: TextPart,
  part: TemplateComponent,
  draft: { parameterFormat: 'positional' | 'named'; language: string },
  add: Add,
): void {
  const text = part.text ?? '';
  if (!/[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(text)) add('.text', 'is missing');
  // too long for the checks below, which read every word
  if (checkLength(text, maxLength[where], '.text', add)) return;
  if (where !== 'body') checkPlain(where, text, add);
  if (/\{\{|\}\}/.test(text.replace(variablePattern, '')))
    add('.text', 'must not have braces that are not a variable; write a variable as {{1}} or {{first_name}}');
  const tokens = tokensOf(text);
  if (tokens.length === 0) return;
  if (where === 'footer') {
    add('.text', 'must not have variables in a footer');
    return;
  }
  if (where === 'header' && tokens.length > 1) add('.text', 'must have at most one variable in a header');
  if (where === 'body') checkPositions(text, tokens.length, draft.language, add);
  checkNames(draft.parameterFormat, text, tokens, add);
  checkExamples(draft.parameterFormat, part, tokens, where, add);
}

/** Headers and footers are one plain line; headers must not have formatting marks. */
function checkPlain(where: TextPart, text: string, add: Add): void {
  if (/[\n\r\t]/.test(text)) add('.text', `must not have line breaks or tabs in a ${where}`);
  if (/\p{Emoji_Presentation}|\uFE0F/u.test(text)) add('.text', `must not have emoji in a ${where}`);
  if (where === 'header' && /[*~]|```/.test(text))
    add('.text', 'must not have formatting (*, ~, ```) in a header');
}

/** Checks the positions of variables and the amount of text around them. */
function checkPositions(text: string, count: number, language: string, add: Add): void {
  if (/^\s*\{\{|\}\}\s*$/.test(text)) add('.text', 'must not start or end with a variable');
  if (/\}\}\s*\{\{/.test(text)) add('.text', 'must have text between two variables');
  const words = wordsOf(text, language);
  // The platform documents no number (error 2388293); senders report 3n + 1 words and variables in total.
  const least = 2 * count + 1;
  if (words < least)
    add(
      '.text',
      `must have at least ${least} words for its ${counted(count, 'variable')}, but has ${words}: add text or remove variables`,
    );
}

/** Counts the words other than variables, by the rules of the language. */
function wordsOf(text: string, language: string): number {
  const segments = new Intl.Segmenter(localeOf(language), { granularity: 'word' });
  return [...segments.segment(text.replace(variablePattern, ' '))].filter((one) => one.isWordLike).length;
}

const localeOf = (language: string) => language.replace('_', '-');

function checkNames(format: 'positional' | 'named', text: string, tokens: string[], add: Add): void {
  if (format === 'positional') {
    if (tokens.some((token, index) => token !== String(index + 1)))
      add('.text', 'must number its variables {{1}}, {{2}}, … without gaps');
    return;
  }
  const wrong = tokens.find((token) => !/^[a-z][a-z0-9_]*$/.test(token) || token.length > nameMaxChars);
  if (wrong !== undefined) {
    const length = wrong.length > nameMaxChars ? `, but it has ${wrong.length}` : '';
    add(
      '.text',
      `must name the variable {{${wrong}}} with at most ${nameMaxChars} lower-case letters, digits and _, starting with a letter${length}`,
    );
  }
  if ((text.match(variablePattern) ?? []).length > tokens.length)
    add('.text', 'must not have the same variable twice');
}

/** Checks that each variable has an example, in order or by name. */
function checkExamples(
  format: 'positional' | 'named',
  part: TemplateComponent,
  tokens: string[],
  where: TextPart,
  add: Add,
): void {
  const member = `${where}_text${format === 'named' ? '_named_params' : ''}`;
  const given = part.example?.[member];
  // a published example of one variable is a text (Cloud API, "Product card carousel templates")
  const example: unknown = typeof given === 'string' ? [given] : given;
  const row: unknown = Array.isArray(example) && Array.isArray(example[0]) ? example[0] : example;
  const isFilled = (value: unknown) => typeof value === 'string' && value !== '';
  const isComplete = (examples: unknown[]) =>
    format === 'positional'
      ? examples.every(isFilled)
      : tokens.every((token) => examples.some((one) => isNamed(one, token)));
  if (!Array.isArray(row) || row.length !== tokens.length || !isComplete(row))
    add(
      `.example.${member}`,
      `must have an example for ${tokens.length === 1 ? 'its variable' : `each of the ${tokens.length} variables`}`,
    );
}

function isNamed(value: unknown, token: string): boolean {
  const { param_name, example } = (value ?? {}) as { param_name?: unknown; example?: unknown };
  return param_name === token && typeof example === 'string' && example !== '';
}
