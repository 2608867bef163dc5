// A draft as the editor's form, and as components in the platform's form. Pure.
import type { Template } from '../../../../client/src/generated.ts';

export const headerKinds = ['none', 'TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION'] as const;
export type HeaderKind = (typeof headerKinds)[number];
export const buttonTypes = ['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'COPY_CODE'] as const;
export type ButtonType = (typeof buttonTypes)[number];

export interface FormButton {
  /** Only for the page: buttons move and go. */
  key: string;
  type: ButtonType;
  text: string;
  /** The address, number or code, by the type. */
  value: string;
  /** The address with a value, if it has a variable. */
  example: string;
}

export interface DraftForm {
  header: { kind: HeaderKind; text: string; example: string; mediaId: string };
  body: { text: string; examples: Record<string, string> };
  footer: string;
  buttons: FormButton[];
}

export type Component = Template['components'][number];
type Member = Record<string, unknown>;

const variable = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g;

/** True if the variables are numbers. */
export const isPositional = (names: readonly string[]): boolean => names.every((name) => /^\d+$/.test(name));

/** The variables of a text, each once: numbers in their order, names as they come. */
export function variablesOf(text: string): string[] {
  const names = [...new Set([...text.matchAll(variable)].map(([, name = '']) => name))];
  return isPositional(names) ? names.sort((a, b) => Number(a) - Number(b)) : names;
}

export const emptyForm: DraftForm = {
  header: { kind: 'none', text: '', example: '', mediaId: '' },
  body: { text: '', examples: {} },
  footer: '',
  buttons: [],
};

/** The example member of a text, such as `body_text`; undefined without variables. */
function exampleOf(
  where: 'header' | 'body',
  names: string[],
  exampleFor: (name: string) => string,
): Member | undefined {
  if (names.length === 0) return undefined;
  if (!isPositional(names))
    return {
      [`${where}_text_named_params`]: names.map((name) => ({ param_name: name, example: exampleFor(name) })),
    };
  const values = names.map(exampleFor);
  return { [`${where}_text`]: where === 'body' ? [values] : values };
}

function headerOf({ kind, text, example, mediaId }: DraftForm['header']): Component[] {
  if (kind === 'none') return [];
  const base = { type: 'HEADER', format: kind };
  if (kind === 'LOCATION') return [base];
  if (kind !== 'TEXT') return [{ ...base, ...(mediaId ? { mediaId } : {}) }];
  const examples = exampleOf('header', variablesOf(text), () => example);
  return [{ ...base, text, ...(examples ? { example: examples } : {}) }];
}

function buttonOf({ type, text, value, example }: FormButton): Member {
  switch (type) {
    case 'URL':
      return { type, text, url: value, ...(variablesOf(value).length > 0 ? { example: [example] } : {}) };
    case 'PHONE_NUMBER':
      return { type, text, phone_number: value };
    case 'COPY_CODE':
      return { type, example: value };
    default:
      return { type, text };
  }
}

/** The components of the form. */
export function componentsOf({ header, body, footer, buttons }: DraftForm): Component[] {
  const examples = exampleOf('body', variablesOf(body.text), (name) => body.examples[name] ?? '');
  return [
    ...headerOf(header),
    { type: 'BODY', text: body.text, ...(examples ? { example: examples } : {}) },
    ...(footer === '' ? [] : [{ type: 'FOOTER', text: footer }]),
    ...(buttons.length === 0 ? [] : [{ type: 'BUTTONS', buttons: buttons.map(buttonOf) }]),
  ];
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
const upper = (value: unknown): string => textIn(value).toUpperCase();

/** The examples of a component by the names of its variables. */
export function examplesIn(component: Member): Record<string, string> {
  const example = (component.example ?? {}) as Member;
  const names = variablesOf(textIn(component.text));
  const where = upper(component.type) === 'HEADER' ? 'header' : 'body';
  const named = example[`${where}_text_named_params`];
  if (Array.isArray(named))
    return Object.fromEntries(named.map((one: Member) => [textIn(one.param_name), textIn(one.example)]));
  const given = example[`${where}_text`];
  const row: unknown[] = Array.isArray(given) ? (Array.isArray(given[0]) ? given[0] : given) : [given];
  return Object.fromEntries(names.map((name, index) => [name, textIn(row[index])]));
}

function formButtonOf(button: Member, index: number): FormButton | undefined {
  const type = buttonTypes.find((one) => one === upper(button.type));
  if (!type) return undefined;
  const values = {
    QUICK_REPLY: '',
    URL: button.url,
    PHONE_NUMBER: button.phone_number,
    COPY_CODE: undefined,
  };
  const example = Array.isArray(button.example) ? button.example[0] : button.example;
  const key = `button ${index}`;
  if (type === 'COPY_CODE') return { key, type, text: '', value: textIn(example), example: '' };
  return { key, type, text: textIn(button.text), value: textIn(values[type]), example: textIn(example) };
}

/** The form of components; undefined if they have something that the form does not know, such as cards. */
export function formOf(components: readonly Component[]): DraftForm | undefined {
  const form = structuredClone(emptyForm);
  for (const component of components as readonly Member[]) {
    switch (upper(component.type)) {
      case 'HEADER': {
        const kind = headerKinds.find((one) => one === upper(component.format));
        if (!kind) return undefined;
        const text = textIn(component.text);
        const [example = ''] = Object.values(examplesIn(component));
        form.header = { kind, text, example, mediaId: textIn(component.mediaId) };
        break;
      }
      case 'BODY':
        if (typeof component.text !== 'string') return undefined;
        form.body = { text: component.text, examples: examplesIn(component) };
        break;
      case 'FOOTER':
        if (typeof component.text !== 'string') return undefined;
        form.footer = component.text;
        break;
      case 'BUTTONS': {
        const buttons = ((component.buttons ?? []) as Member[]).map(formButtonOf);
        if (!buttons.every((button) => button !== undefined)) return undefined;
        form.buttons = buttons;
        break;
      }
      default:
        return undefined;
    }
  }
  return form;
}
