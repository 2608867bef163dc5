// The parameters that a template needs: its header's format, its placeholders, its lengths (pure).
import type { Button, Component, Template } from './model.ts';

/** A text with placeholders. */
export interface TextParameters {
  /** Distinct placeholders: by number if positional, else in order of appearance. */
  names: string[];
  /** Every use of a placeholder, and the number of characters around them. */
  uses: string[];
  fixedChars: number;
}

export interface ButtonParameters extends TextParameters {
  type: string;
  /** Of a code to copy. */
  codeMaxLength: number;
}

/** The longest coupon code; shorter in limited-time offers ("Changelog", 2025-12-03; "Limited-time offer templates"). */
export const codeMaxLengthIn = (components: Component[]): number =>
  componentOf(components, 'LIMITED_TIME_OFFER') ? 15 : 20;

/** The parameters of a message, or of one card of a carousel. */
export interface PartParameters {
  /** NONE, TEXT, IMAGE, VIDEO, DOCUMENT, GIF, LOCATION or PRODUCT. */
  headerFormat: string;
  header: TextParameters;
  body: TextParameters;
  buttons: ButtonParameters[];
}

export interface TemplateParameters extends PartParameters {
  named: boolean;
  cards: PartParameters[];
  /** A limited-time offer, and whether it shows when it ends. */
  offer: { hasExpiration: boolean } | null;
}

const parsed = new WeakMap<Template, TemplateParameters>();

/** A template's parameters, parsed once per object; a changed template is a new object. */
export function parametersOf(template: Template): TemplateParameters {
  let parameters = parsed.get(template);
  if (!parameters) {
    parameters = parseTemplate(template);
    parsed.set(template, parameters);
  }
  return parameters;
}

function parseTemplate({ components, parameterFormat }: Template): TemplateParameters {
  const cards = componentOf(components, 'CAROUSEL')?.cards ?? [];
  const offer = componentOf(components, 'LIMITED_TIME_OFFER');
  return {
    ...parseParts(components),
    named: parameterFormat === 'NAMED',
    cards: cards.map((card) => parseParts(card.components ?? [])),
    offer: offer ? { hasExpiration: offer.limited_time_offer?.has_expiration === true } : null,
  };
}

function parseParts(components: Component[]): PartParameters {
  const header = componentOf(components, 'HEADER');
  const buttons = componentOf(components, 'BUTTONS')?.buttons ?? [];
  return {
    headerFormat: header ? (header.format ?? 'TEXT').toUpperCase() : 'NONE',
    header: parseText(header?.text ?? ''),
    body: parseText(componentOf(components, 'BODY')?.text ?? ''),
    buttons: buttons.map((button) => parseButton(button, codeMaxLengthIn(components))),
  };
}

export function componentOf(components: Component[], type: string): Component | undefined {
  return components.find((c) => c.type.toUpperCase() === type);
}

function parseButton(button: Button, codeMaxLength: number): ButtonParameters {
  const type = button.type.toUpperCase();
  return { type, codeMaxLength, ...parseText(type === 'URL' ? (button.url ?? '') : '') };
}

const placeholder = /\{\{\s*([^{}]+?)\s*\}\}/g;

export function parseText(text: string): TextParameters {
  const uses: string[] = [];
  const fixed = text.replace(placeholder, (_all, name: string) => {
    uses.push(name);
    return '';
  });
  const names = [...new Set(uses)];
  if (names.every((name) => /^\d+$/.test(name))) names.sort((a, b) => Number(a) - Number(b));
  return { names, uses, fixedChars: fixed.length };
}
