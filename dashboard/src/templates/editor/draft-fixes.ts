// What the page can fix by itself about a broken rule. Pure.
import { type DraftForm, isPositional, variablesOf } from './draft-form.ts';
import type { RuleProblem } from './draft-rules.ts';

export interface Fix {
  /** Name of the text of its button. */
  name:
    | 'addFullStop'
    | 'renumber'
    | 'removeBreaks'
    | 'removeFormatting'
    | 'groupReplies'
    | 'addHttps'
    | 'keepDigits';
  /** The form with the fix. */
  form: DraftForm;
}

const placeholder = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g;
/** Text without line breaks, tabs and emoji. */
const plain = (text: string): string =>
  text
    .replace(/[\n\r\t]+/g, ' ')
    .replace(/\p{Emoji_Presentation}|\uFE0F/gu, '')
    .replace(/ {2,}/g, ' ')
    .trim();

/** The variables numbered as they come; their examples move with them. */
function renumbered({ text, examples }: DraftForm['body']): DraftForm['body'] {
  const names = [...new Set([...text.matchAll(placeholder)].map(([, name = '']) => name))];
  const numberOf = (name: string) => String(names.indexOf(name) + 1);
  return {
    text: text.replace(placeholder, (_all, name: string) => `{{${numberOf(name)}}}`),
    examples: Object.fromEntries(names.map((name) => [numberOf(name), examples[name] ?? ''])),
  };
}

/** Quick replies next to each other, where the first one is. */
function grouped(buttons: DraftForm['buttons']): DraftForm['buttons'] {
  const first = buttons.findIndex(({ type }) => type === 'QUICK_REPLY');
  const others = buttons.filter(({ type }) => type !== 'QUICK_REPLY');
  return [
    ...others.slice(0, first),
    ...buttons.filter(({ type }) => type === 'QUICK_REPLY'),
    ...others.slice(first),
  ];
}

/** The button with another value. */
const withValue = (form: DraftForm, key: string, value: string): DraftForm => ({
  ...form,
  buttons: form.buttons.map((button) => (button.key === key ? { ...button, value } : button)),
});

/** The fix of a problem; undefined if only a person knows it. */
export function fixOf({ field, rule }: RuleProblem, form: DraftForm): Fix | undefined {
  const { header, body, footer, buttons } = form;
  if (rule === 'edges' && /\}\}\s*$/.test(body.text))
    return { name: 'addFullStop', form: { ...form, body: { ...body, text: `${body.text.trimEnd()}.` } } };
  if (rule === 'numbering' && field === 'body' && isPositional(variablesOf(body.text)))
    return { name: 'renumber', form: { ...form, body: renumbered(body) } };
  if (rule === 'numbering' && field === 'header')
    return {
      name: 'renumber',
      form: { ...form, header: { ...header, text: renumbered({ text: header.text, examples: {} }).text } },
    };
  if (rule === 'plain' && field === 'header')
    return { name: 'removeBreaks', form: { ...form, header: { ...header, text: plain(header.text) } } };
  if (rule === 'plain' && field === 'footer')
    return { name: 'removeBreaks', form: { ...form, footer: plain(footer) } };
  if (rule === 'formatting')
    return {
      name: 'removeFormatting',
      form: { ...form, header: { ...header, text: header.text.replace(/[*~]|```/g, '') } },
    };
  if (rule === 'together') return { name: 'groupReplies', form: { ...form, buttons: grouped(buttons) } };
  const button = buttons.find(({ key }) => field === `buttons.${key}`);
  if (!button) return undefined;
  const { key, value } = button;
  const address = `https://${value.trim()}`;
  if (rule === 'address' && /^[\w-]+(\.[\w-]+)+/.test(value.trim()) && URL.canParse(address))
    return { name: 'addHttps', form: withValue(form, key, address) };
  const digits = value.replace(/\D/g, '');
  if (rule === 'phone' && digits.length >= 7 && digits.length <= 19)
    return { name: 'keepDigits', form: withValue(form, key, `+${digits}`) };
  return undefined;
}
