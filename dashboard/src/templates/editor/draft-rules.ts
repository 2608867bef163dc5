// The platform's rules for what the form can make, so that they are explained while somebody types. The API checks them again. Pure.
import { type DraftForm, type FormButton, isPositional, variablesOf } from './draft-form.ts';

/** A rule that is broken, at the field where it is. */
export interface RuleProblem {
  field: string;
  /** Name of the rule: a text of the page. */
  rule: Rule;
  values?: Record<string, number | string>;
}

export const limits = {
  header: 60,
  body: 1_024,
  footer: 60,
  label: 25,
  code: 20,
  buttons: 10,
  url: 2_000,
} as const;

const mostOf: Partial<Record<FormButton['type'], number>> = { URL: 2, PHONE_NUMBER: 1, COPY_CODE: 1 };
const nameMax = 32;

export type Rule =
  | 'missing'
  | 'tooLong'
  | 'plain'
  | 'formatting'
  | 'braces'
  | 'oneVariable'
  | 'noVariables'
  | 'edges'
  | 'adjacent'
  | 'fewWords'
  | 'numbering'
  | 'names'
  | 'twice'
  | 'examples'
  | 'sample'
  | 'labelTwice'
  | 'together'
  | 'tooMany'
  | 'address'
  | 'ownAddress'
  | 'variableAtEnd'
  | 'phone';

type Add = (field: string, rule: Rule, values?: RuleProblem['values']) => void;

export const lengthOf = (text: string): number => [...text].length;
const variablePattern = /\{\{\s*[A-Za-z0-9_]+\s*\}\}/g;
const hasContent = (text: string): boolean => /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u.test(text);

function checkText(field: 'header' | 'body' | 'footer', text: string, add: Add): void {
  if (!hasContent(text)) add(field, 'missing');
  if (lengthOf(text) > limits[field]) add(field, 'tooLong', { most: limits[field] });
  if (field !== 'body' && /[\n\r\t]|\p{Emoji_Presentation}|\uFE0F/u.test(text)) add(field, 'plain');
  if (field === 'header' && /[*~]|```/.test(text)) add(field, 'formatting');
  if (/\{\{|\}\}/.test(text.replace(variablePattern, ''))) add(field, 'braces');
}

function checkVariables(field: 'header' | 'body', text: string, names: string[], add: Add): void {
  if (isPositional(names)) {
    if (names.some((name, index) => name !== String(index + 1))) add(field, 'numbering');
    return;
  }
  const wrong = names.find((name) => !/^[a-z][a-z0-9_]*$/.test(name) || name.length > nameMax);
  if (wrong !== undefined) add(field, 'names', { name: wrong });
  if ((text.match(variablePattern) ?? []).length > names.length) add(field, 'twice');
}

/** Words other than variables, by the rules of the language. */
function wordsOf(text: string, language: string): number {
  const segments = new Intl.Segmenter(language.replace('_', '-'), { granularity: 'word' });
  return [...segments.segment(text.replace(variablePattern, ' '))].filter((one) => one.isWordLike).length;
}

function checkBody({ text, examples }: DraftForm['body'], language: string, add: Add): void {
  checkText('body', text, add);
  const names = variablesOf(text);
  if (names.length === 0) return;
  if (/^\s*\{\{|\}\}\s*$/.test(text)) add('body', 'edges');
  if (/\}\}\s*\{\{/.test(text)) add('body', 'adjacent');
  const least = 2 * names.length + 1;
  const words = wordsOf(text, language);
  if (words < least) add('body', 'fewWords', { least, words, count: names.length });
  checkVariables('body', text, names, add);
  if (names.some((name) => !examples[name])) add('body.examples', 'examples');
}

function checkHeader({ kind, text, example, mediaId }: DraftForm['header'], add: Add): void {
  if (kind === 'none' || kind === 'LOCATION') return;
  if (kind !== 'TEXT') {
    if (mediaId === '') add('header', 'sample');
    return;
  }
  checkText('header', text, add);
  const names = variablesOf(text);
  if (names.length > 1) add('header', 'oneVariable');
  if (names.length === 0) return;
  checkVariables('header', text, names, add);
  if (example === '') add('header.example', 'examples');
}

function checkUrl(field: string, { value, example }: FormButton, add: Add): void {
  const fixed = value.trimEnd().replace(/\{\{[^{}]*\}\}$/, '');
  const names = variablesOf(value);
  if (!/^https?:\/\//i.test(value) || !URL.canParse(fixed)) add(field, 'address');
  else if (/(^|\.)(wa\.me|whatsapp\.com)\.?$/i.test(new URL(fixed).hostname)) add(field, 'ownAddress');
  if (lengthOf(value) > limits.url) add(field, 'tooLong', { most: limits.url });
  if (names.length > 1 || (names.length === 1 && !value.trimEnd().endsWith('}}')))
    add(field, 'variableAtEnd');
  if (names.length > 0 && example === '') add(field, 'examples');
}

function checkButton(button: FormButton, add: Add): void {
  const field = `buttons.${button.key}`;
  const { type, text, value } = button;
  if (type !== 'COPY_CODE') {
    if (text === '') add(field, 'missing');
    if (lengthOf(text) > limits.label) add(field, 'tooLong', { most: limits.label });
    if (/\{\{|[\n\r\t]/.test(text)) add(field, 'noVariables');
  }
  if (type === 'URL') checkUrl(field, button, add);
  if (type === 'PHONE_NUMBER' && !(/^\+?\d{5,20}$/.test(value) && value.length <= 20)) add(field, 'phone');
  if (type === 'COPY_CODE') {
    if (value === '') add(field, 'missing');
    if (lengthOf(value) > limits.code) add(field, 'tooLong', { most: limits.code });
  }
}

function checkButtons(buttons: readonly FormButton[], add: Add): void {
  const types = buttons.map(({ type }) => type);
  if (buttons.length > limits.buttons) add('buttons', 'tooMany', { most: limits.buttons });
  for (const [type, most] of Object.entries(mostOf))
    if (types.filter((one) => one === type).length > most) add('buttons', 'tooMany', { most });
  const replies = types.slice(types.indexOf('QUICK_REPLY'), types.lastIndexOf('QUICK_REPLY'));
  if (types.includes('QUICK_REPLY') && replies.some((type) => type !== 'QUICK_REPLY'))
    add('buttons', 'together');
  const labels = buttons.map(({ text }) => text).filter((label) => label !== '');
  if (new Set(labels).size < labels.length) add('buttons', 'labelTwice');
  for (const button of buttons) checkButton(button, add);
}

/** Everything for which the platform would reject the draft. */
export function problemsOf({ header, body, footer, buttons }: DraftForm, language: string): RuleProblem[] {
  const problems: RuleProblem[] = [];
  const add: Add = (field, rule, values) => problems.push({ field, rule, ...(values ? { values } : {}) });
  checkHeader(header, add);
  checkBody(body, language, add);
  if (footer !== '') {
    checkText('footer', footer, add);
    if (variablesOf(footer).length > 0) add('footer', 'noVariables');
  }
  checkButtons(buttons, add);
  return problems;
}
