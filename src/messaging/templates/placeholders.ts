// The placeholders of a template, their positions, and the keys of their values. Pure.
import type { TemplateButton, TemplateComponent } from '../../ports/platform.ts';

export type ParameterFormat = 'positional' | 'named';

/** The parts of a template that the rules need. */
export interface TemplateShape {
  category: string;
  parameterFormat: ParameterFormat;
  components: TemplateComponent[];
}

/** A position that takes a value. */
export interface Placeholder {
  where: 'header' | 'body' | 'button';
  /** Index of the button among all buttons; 0 elsewhere. */
  buttonIndex: number;
  subType: 'url' | 'copy_code' | 'otp' | null;
  /** The text between the braces: `1`, `first_name`. */
  token: string;
  /** `header.1`, `body.1`, `buttons.0.1` */
  qualifiedKey: string;
}

export type HeaderMedia = 'image' | 'video' | 'document' | 'location';

export interface TemplatePlan {
  category: string;
  format: ParameterFormat;
  placeholders: Placeholder[];
  /** Placeholders by key. A key names one placeholder; the code of an authentication template fills all. */
  byKey: Map<string, Placeholder[]>;
  headerMedia: HeaderMedia | null;
  header: TemplateComponent | undefined;
  body: TemplateComponent | undefined;
  buttons: TemplateButton[];
  /** Why this template cannot be filled at all; null if it can. */
  unsupported: string | null;
}

const tokenPattern = /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g;
const mediaFormats: Record<string, HeaderMedia> = {
  IMAGE: 'image',
  VIDEO: 'video',
  DOCUMENT: 'document',
  LOCATION: 'location',
};
const supportedComponents = new Set(['HEADER', 'BODY', 'FOOTER', 'BUTTONS']);
const supportedButtons = new Set(['QUICK_REPLY', 'PHONE_NUMBER', 'URL', 'COPY_CODE', 'OTP', 'VOICE_CALL']);

/** The distinct tokens of a text in order of appearance; numbers in numeric order. */
export function tokensOf(text: string | undefined): string[] {
  const tokens = [...new Set([...(text ?? '').matchAll(tokenPattern)].map((match) => match[1] as string))];
  return tokens.every((token) => /^\d+$/.test(token)) ? tokens.sort((a, b) => Number(a) - Number(b)) : tokens;
}

/** The text with every placeholder replaced by its value. */
export function substitute(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(tokenPattern, (whole, token: string) => values.get(token) ?? whole);
}

function buttonPlaceholder(button: TemplateButton, index: number): Placeholder | undefined {
  const type = button.type.toUpperCase();
  const make = (subType: Placeholder['subType'], token: string): Placeholder => ({
    where: 'button',
    buttonIndex: index,
    subType,
    token,
    qualifiedKey: `buttons.${index}.${token}`,
  });
  if (type === 'COPY_CODE') return make('copy_code', '1');
  if (type === 'OTP') return make('otp', '1');
  const token = type === 'URL' ? tokensOf(button.url)[0] : undefined;
  return token === undefined ? undefined : make('url', token);
}

function unsupportedReason(shape: TemplateShape, header: TemplateComponent | undefined): string | null {
  const part = shape.components.find((component) => !supportedComponents.has(component.type.toUpperCase()));
  if (part) return `it has a ${part.type.toLowerCase()} component`;
  const format = (header?.format ?? 'TEXT').toUpperCase();
  if (header && format !== 'TEXT' && !(format in mediaFormats)) return `its header is of the kind ${format}`;
  const buttons = shape.components.flatMap((component) => component.buttons ?? []);
  const button = buttons.find(({ type }) => !supportedButtons.has(type.toUpperCase()));
  return button ? `it has a button of the kind ${button.type}` : null;
}

function componentPlaceholders(where: 'header' | 'body', text: string | undefined): Placeholder[] {
  return tokensOf(text).map((token) => ({
    where,
    buttonIndex: 0,
    subType: null,
    token,
    qualifiedKey: `${where}.${token}`,
  }));
}

/**
 * Converts a template to what filling needs. Each component numbers its placeholders from 1, so a short key means the
 * body's placeholder, or that of the only other component which has it. A copy code needs its qualified key. In an
 * authentication template, the short key is the code in all components.
 */
export function planTemplate(shape: TemplateShape): TemplatePlan {
  const find = (type: string) => shape.components.find((component) => component.type.toUpperCase() === type);
  const header = find('HEADER');
  const body = find('BODY');
  const buttons = find('BUTTONS')?.buttons ?? [];
  const isAuthentication = shape.category.toUpperCase() === 'AUTHENTICATION';
  const bodyText = body?.text ?? (isAuthentication ? '{{1}}' : '');
  const placeholders = [
    ...componentPlaceholders(
      'header',
      (header?.format ?? 'TEXT').toUpperCase() === 'TEXT' ? header?.text : '',
    ),
    ...componentPlaceholders('body', bodyText),
    ...buttons.map(buttonPlaceholder).filter((placeholder) => placeholder !== undefined),
  ];
  return {
    category: shape.category.toUpperCase(),
    format: shape.parameterFormat,
    placeholders,
    byKey: keysOf(placeholders, isAuthentication),
    headerMedia: mediaFormats[(header?.format ?? '').toUpperCase()] ?? null,
    header,
    body: body && { ...body, text: bodyText },
    buttons,
    unsupported: unsupportedReason(shape, header),
  };
}

function keysOf(placeholders: Placeholder[], isAuthentication: boolean): Map<string, Placeholder[]> {
  const byKey = new Map<string, Placeholder[]>();
  for (const placeholder of placeholders) byKey.set(placeholder.qualifiedKey, [placeholder]);
  for (const token of new Set(placeholders.map((placeholder) => placeholder.token))) {
    const candidates = placeholders.filter((placeholder) => placeholder.token === token);
    const inBody = candidates.filter(({ where }) => where === 'body');
    const elsewhere = candidates.filter(({ where, subType }) => where !== 'body' && subType !== 'copy_code');
    const meant = isAuthentication
      ? candidates
      : inBody.length > 0
        ? inBody
        : elsewhere.length === 1
          ? elsewhere
          : [];
    if (meant.length > 0) byKey.set(token, meant);
  }
  return byKey;
}

/** The shortest key of a placeholder, which errors use for a missing value. */
export function shortKey(plan: TemplatePlan, placeholder: Placeholder): string {
  return plan.byKey.get(placeholder.token)?.includes(placeholder)
    ? placeholder.token
    : placeholder.qualifiedKey;
}

export interface TemplateVariables {
  format: ParameterFormat;
  header: string[];
  body: string[];
  buttons: { index: number; subType: string; variables: string[] }[];
  headerMedia: HeaderMedia | null;
  examples: Record<string, string>;
}

/** The variables of a template by component, and the examples with which it was approved. */
export function variablesOf(plan: TemplatePlan): TemplateVariables {
  const of = (where: Placeholder['where']) =>
    plan.placeholders.filter((placeholder) => placeholder.where === where);
  return {
    format: plan.format,
    header: of('header').map(({ token }) => token),
    body: of('body').map(({ token }) => token),
    buttons: of('button').map(({ buttonIndex, subType, token }) => ({
      index: buttonIndex,
      subType: subType === 'copy_code' ? 'copy_code' : 'url',
      variables: [token],
    })),
    headerMedia: plan.headerMedia,
    examples: examplesOf(plan),
  };
}

function examplesOf(plan: TemplatePlan): Record<string, string> {
  const examples: Record<string, string> = {};
  for (const placeholder of plan.placeholders) {
    const example = exampleOf(plan, placeholder);
    if (example !== undefined) examples[shortKey(plan, placeholder)] = example;
  }
  return examples;
}

type Example = Record<string, unknown> | undefined;

/** The example of the submission (`example.body_text`, `header_text`, named forms, or a button's own). */
function exampleOf(plan: TemplatePlan, { where, token, buttonIndex }: Placeholder): string | undefined {
  if (where === 'button') {
    const example = plan.buttons[buttonIndex]?.example;
    const value = Array.isArray(example) ? example[0] : example;
    return typeof value === 'string' ? value : undefined;
  }
  const example = (where === 'header' ? plan.header?.example : plan.body?.example) as Example;
  const named = example?.[`${where}_text_named_params`];
  if (Array.isArray(named)) {
    const match = (named as ({ param_name?: unknown; example?: unknown } | null)[]).find(
      (one) => one?.param_name === token,
    );
    return typeof match?.example === 'string' ? match.example : undefined;
  }
  const samples = example?.[`${where}_text`];
  const row = Array.isArray(samples) ? (Array.isArray(samples[0]) ? samples[0] : samples) : undefined;
  const position = plan.placeholders
    .filter((one) => one.where === where)
    .findIndex((one) => one.token === token);
  const value: unknown = row?.[position];
  return typeof value === 'string' ? value : undefined;
}
