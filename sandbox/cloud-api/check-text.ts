// Checks of a template's texts at creation: lengths, variables and their examples, formatting (pure).
import { badTemplate, type Rejection } from './errors.ts';
import { parseText } from './template-parameters.ts';

/** The platform's subcodes for a component whose format is wrong. */
const formatCodes = { header: 2388047, body: 2388072, footer: 2388073 } as const;
export type TextPart = keyof typeof formatCodes;

const maxChars: Record<TextPart, number> = { header: 60, body: 1024, footer: 60 };

/** A component with a wrong format; `text` says what is wrong. */
export function badFormat(part: TextPart, text: string): Rejection {
  return badTemplate(formatCodes[part], `Message ${part} format is incorrect`, text);
}

/** A field that is longer than its limit. */
export function tooLong(field: string, limit: number): Rejection {
  return badTemplate(
    2388040,
    'Character limit exceeded',
    `The ${field} can have at most ${limit} characters.`,
  );
}

export interface CheckedText {
  part: TextPart;
  text: string;
  named: boolean;
  language: string;
  /** `example.body_text`, `example.header_text`, or their named forms. */
  examples: unknown;
}

/** Throws the platform's rejection for the first problem of a header, body or footer text. */
export function checkText(checked: CheckedText): void {
  const { part, text } = checked;
  if (text.trim() === '') throw badFormat(part, `The ${part} text is required.`);
  if ([...text].length > maxChars[part]) throw tooLong(`${part} text`, maxChars[part]);
  if (part !== 'body') checkPlain(part, text);
  const { names } = parseText(text);
  if (text.replace(/\{\{\s*[A-Za-z0-9_]+\s*\}\}/g, '').match(/\{\{|\}\}/))
    throw badFormat(part, 'This template contains variable parameters with incorrect formatting.');
  if (names.length === 0) return;
  if (part === 'footer') throw badFormat('footer', 'Variables are not supported in the footer.');
  if (part === 'header' && names.length > 1)
    throw badFormat('header', "The header can't include more than one variable parameter.");
  checkNames(checked, names);
  if (part === 'body') checkPlaces(checked, names.length);
  checkExamples(checked, names);
}

/** Headers and footers are a single plain line; headers have no formatting marks. */
function checkPlain(part: TextPart, text: string): void {
  if (/[\n\r\t]/.test(text)) throw badFormat(part, `Paragraphs are not supported in the ${part}.`);
  if (/\p{Emoji_Presentation}|\uFE0F/u.test(text))
    throw badFormat(part, `Emojis are not supported in the ${part}.`);
  const marks = text.replace(/\{\{[^{}]*\}\}/g, '');
  if (part === 'header' && /[*~]|```|(^|\W)_\w.*\w_(\W|$)/.test(marks))
    throw badFormat(part, `Special characters (*, _, ~, \`\`\`) are not supported in the ${part}.`);
}

function checkNames({ part, text, named }: CheckedText, names: string[]): void {
  if (!named && names.some((name, i) => name !== String(i + 1)))
    throw badFormat(
      part,
      'Variable parameters must be whole numbers with two sets of curly brackets, from {{1}} on.',
    );
  if (!named) return;
  if (names.some((name) => !/^[a-z][a-z0-9_]*$/.test(name)))
    throw badFormat(part, 'Variable parameters must be lowercase characters, underscores and numbers.');
  if (names.some((name) => name.length > 32))
    throw badFormat(
      part,
      'This template contains variable parameters that exceed the maximum length of 32 characters.',
    );
  if (parseText(text).uses.length > names.length)
    throw badFormat(part, 'This template contains duplicate variable parameters.');
}

function checkPlaces({ text, language }: CheckedText, count: number): void {
  if (/^\s*\{\{|\}\}\s*$/.test(text))
    throw badTemplate(
      2388299,
      'Leading or trailing params not allowed',
      "Variables can't be at the start or end of the template.",
    );
  if (/\}\}\s*\{\{/.test(text)) throw badFormat('body', 'Variables must be separated by text.');
  // as observed on the platform: words + variables >= 3 * variables + 1
  if (wordsOf(text, language) + count < 3 * count + 1)
    throw badTemplate(
      2388293,
      'Parameters words ratio exceeds limit',
      'This template has too many variables for its length. Reduce the number of variables or increase the message length.',
    );
}

/** Number of words without the variables, as the language segments them. */
function wordsOf(text: string, language: string): number {
  const segments = new Intl.Segmenter(language.replace('_', '-'), { granularity: 'word' });
  return [...segments.segment(text.replace(/\{\{[^{}]*\}\}/g, ' '))].filter((one) => one.isWordLike).length;
}

function checkExamples({ part, named, examples }: CheckedText, names: string[]): void {
  const rows = Array.isArray(examples) ? examples : typeof examples === 'string' ? [examples] : [];
  const given: unknown[] = Array.isArray(rows[0]) ? rows[0] : rows;
  const isValid = named
    ? names.every((name) => given.some((one) => isNamedExample(one, name)))
    : given.every((one) => typeof one === 'string' && one !== '');
  if (given.length !== names.length || !isValid)
    throw badFormat(part, `The ${part} needs an example for each of its variables.`);
}

function isNamedExample(given: unknown, name: string): boolean {
  const { param_name, example } = (given ?? {}) as { param_name?: unknown; example?: unknown };
  return param_name === name && typeof example === 'string' && example !== '';
}
