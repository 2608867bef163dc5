// The placeholders of a template, their positions, and the keys of their values. Pure.
import type { TemplateButton, TemplateComponent } from '../../ports/platform.ts';
import { cardsOf, findComponent, headerFormat, unsupportedReason, upper } from './kinds.ts';

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
  /** `header.1`, `body.1`, `buttons.0.1`, `cards.0.body.1` */
  qualifiedKey: string;
}

export type HeaderMedia = 'image' | 'video' | 'document' | 'location';

/** The parts of a message, or of one card of a carousel. */
export interface PartsPlan {
  placeholders: Placeholder[];
  headerMedia: HeaderMedia | null;
  /** True if the header shows a product. */
  hasProduct: boolean;
  header: TemplateComponent | undefined;
  body: TemplateComponent | undefined;
  buttons: TemplateButton[];
}

export interface TemplatePlan extends PartsPlan {
  category: string;
  format: ParameterFormat;
  /** Placeholders by key. A key names one placeholder; the code of an authentication template fills all. */
  byKey: Map<string, Placeholder[]>;
  footer: TemplateComponent | undefined;
  /** The cards of a carousel, in order; empty for other templates. */
  cards: PartsPlan[];
  /** A limited-time offer, and whether it shows when it ends. */
  offer: { text: string; hasExpiration: boolean } | null;
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

/** The distinct tokens of a text in order of appearance; numbers in numeric order. */
export function tokensOf(text: string | undefined): string[] {
  const tokens = [...new Set([...(text ?? '').matchAll(tokenPattern)].map((match) => match[1] as string))];
  return tokens.every((token) => /^\d+$/.test(token)) ? tokens.sort((a, b) => Number(a) - Number(b)) : tokens;
}

/** The text with every placeholder replaced by its value. */
export function substitute(text: string, values: ReadonlyMap<string, string>): string {
  return text.replace(tokenPattern, (whole, token: string) => values.get(token) ?? whole);
}

function buttonPlaceholder(button: TemplateButton, index: number, prefix: string): Placeholder | undefined {
  const type = upper(button.type);
  const make = (subType: Placeholder['subType'], token: string): Placeholder => ({
    where: 'button',
    buttonIndex: index,
    subType,
    token,
    qualifiedKey: `${prefix}buttons.${index}.${token}`,
  });
  if (type === 'COPY_CODE') return make('copy_code', '1');
  if (type === 'OTP') return make('otp', '1');
  const token = type === 'URL' ? tokensOf(button.url)[0] : undefined;
  return token === undefined ? undefined : make('url', token);
}

const textPlaceholders = (
  where: 'header' | 'body',
  text: string | undefined,
  prefix: string,
): Placeholder[] =>
  tokensOf(text).map((token) => ({
    where,
    buttonIndex: 0,
    subType: null,
    token,
    qualifiedKey: `${prefix}${where}.${token}`,
  }));

function planParts(components: TemplateComponent[], bodyText: string, prefix: string): PartsPlan {
  const header = findComponent(components, 'HEADER');
  const body = findComponent(components, 'BODY');
  const buttons = findComponent(components, 'BUTTONS')?.buttons ?? [];
  const format = headerFormat(header);
  return {
    placeholders: [
      ...textPlaceholders('header', format === 'TEXT' ? header?.text : '', prefix),
      ...textPlaceholders('body', bodyText, prefix),
      ...buttons
        .map((button, index) => buttonPlaceholder(button, index, prefix))
        .filter((placeholder) => placeholder !== undefined),
    ],
    headerMedia: (header && mediaFormats[format]) ?? null,
    hasProduct: format === 'PRODUCT',
    header,
    body: body && { ...body, text: bodyText },
    buttons,
  };
}

function offerOf(components: TemplateComponent[]): TemplatePlan['offer'] {
  const part = findComponent(components, 'LIMITED_TIME_OFFER');
  const offer = part?.limited_time_offer as { text?: unknown; has_expiration?: unknown } | null | undefined;
  if (!part) return null;
  return {
    text: typeof offer?.text === 'string' ? offer.text : '',
    hasExpiration: offer?.has_expiration === true,
  };
}

/**
 * Converts a template to what filling needs. Each component numbers its placeholders from 1, so a short key means the
 * body's placeholder, or that of the only other component which has it. A copy code and a card need their qualified keys.
 * In an authentication template, the short key is the code in all components.
 */
export function planTemplate(shape: TemplateShape): TemplatePlan {
  const { components } = shape;
  const isAuthentication = upper(shape.category) === 'AUTHENTICATION';
  const textOf = (parts: TemplateComponent[]) => findComponent(parts, 'BODY')?.text;
  const parts = planParts(components, textOf(components) ?? (isAuthentication ? '{{1}}' : ''), '');
  const cards = cardsOf(components).map((card, index) =>
    planParts(card, textOf(card) ?? '', `cards.${index}.`),
  );
  const byKey = keysOf(parts.placeholders, isAuthentication);
  for (const placeholder of cards.flatMap((card) => card.placeholders))
    byKey.set(placeholder.qualifiedKey, [placeholder]);
  return {
    ...parts,
    category: upper(shape.category),
    format: shape.parameterFormat,
    byKey,
    footer: findComponent(components, 'FOOTER'),
    cards,
    offer: offerOf(components),
    unsupported: unsupportedReason(components),
  };
}

/** The plan of a stored template, or of a version of one. */
export const planOfRow = (row: {
  category: string;
  parameter_format: TemplateShape['parameterFormat'];
  components: TemplateComponent[];
}): TemplatePlan =>
  planTemplate({
    category: row.category,
    parameterFormat: row.parameter_format,
    components: row.components,
  });

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

/** Every placeholder of a template, those of cards too. */
export const allPlaceholders = (plan: TemplatePlan): readonly Placeholder[] =>
  plan.cards.length === 0
    ? plan.placeholders
    : [...plan.placeholders, ...plan.cards.flatMap((card) => card.placeholders)];

/** The shortest key of a placeholder, which errors use for a missing value. */
export function shortKey(plan: TemplatePlan, placeholder: Placeholder): string {
  return plan.byKey.get(placeholder.token)?.includes(placeholder)
    ? placeholder.token
    : placeholder.qualifiedKey;
}
