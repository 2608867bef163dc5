// Checks of a template at creation (pure).
import { authenticationParts } from './check-authentication.ts';
import { checkButtons } from './check-buttons.ts';
import { checkCarousel, checkOffer, checkSample } from './check-kinds.ts';
import { badFormat, checkText, type TextPart } from './check-text.ts';
import { badParam } from './errors.ts';
import { languages } from './languages.ts';
import type { Component } from './model.ts';
import { codeMaxLengthIn } from './template-parameters.ts';

/** The checked fields of a new template. */
export interface TemplateDraft {
  name: string;
  language: string;
  category: string;
  parameterFormat: 'POSITIONAL' | 'NAMED';
  components: Component[];
  ttlSeconds?: number;
}

const categories = ['MARKETING', 'UTILITY', 'AUTHENTICATION'];
const mediaFormats = ['IMAGE', 'VIDEO', 'DOCUMENT', 'GIF'];
const componentTypes = [
  ...['HEADER', 'BODY', 'FOOTER', 'BUTTONS'],
  ...['CAROUSEL', 'LIMITED_TIME_OFFER', 'CALL_PERMISSION_REQUEST'],
];
/** Seconds that `message_send_ttl_seconds` may be, by category; -1 is 30 days. */
const ttlRanges: Record<string, readonly [number, number]> = {
  AUTHENTICATION: [30, 900],
  UTILITY: [30, 43_200],
  MARKETING: [43_200, 2_592_000],
};

/**
 * Reads the body of `POST /{waba-id}/message_templates`; throws the platform's rejection for the first problem.
 * `isHandle` returns whether an upload created this handle of a header sample.
 */
export function readDraft(body: unknown, isHandle: (handle: string) => boolean): TemplateDraft {
  const given = (body ?? {}) as Record<string, unknown>;
  const { name, language } = given;
  if (typeof name !== 'string') throw badParam('The parameter name is required.');
  if (typeof language !== 'string') throw badParam('The parameter language is required.');
  if (!/^[a-z0-9_]{1,512}$/.test(name))
    throw badParam('Param name must be lower-case letters, digits and underscores, at most 512.');
  if (!languages.has(language))
    throw badParam(`Param language must be one of {${[...languages].join(', ')}}`);
  const category = String(given.category ?? '').toUpperCase();
  if (!categories.includes(category))
    throw badParam(`Param category must be one of {${categories.join(', ')}}`);
  checkTtl(category, given.message_send_ttl_seconds);
  const components = given.components;
  if (!Array.isArray(components) || components.some((c) => typeof c?.type !== 'string'))
    throw badParam('The parameter components is required.');
  const parameterFormat =
    String(given.parameter_format ?? 'POSITIONAL').toUpperCase() === 'NAMED' ? 'NAMED' : 'POSITIONAL';
  const draft: TemplateDraft = {
    name,
    language,
    category,
    parameterFormat,
    components: components as Component[],
    ...(given.message_send_ttl_seconds === undefined
      ? {}
      : { ttlSeconds: Number(given.message_send_ttl_seconds) }),
  };
  checkParts(draft.components);
  if (category === 'AUTHENTICATION') return { ...draft, components: authenticationParts(draft.components) };
  checkContent(draft, isHandle);
  return draft;
}

/** Checks `message_send_ttl_seconds` for a category; absent is the default. */
export function checkTtl(category: string, seconds: unknown): void {
  if (seconds === undefined || (seconds === -1 && category !== 'MARKETING')) return;
  const [least, most] = ttlRanges[category] as readonly [number, number];
  if (!Number.isInteger(seconds) || Number(seconds) < least || Number(seconds) > most)
    throw badParam(`Param message_send_ttl_seconds must be an integer from ${least} to ${most}.`);
}

/** Every component's type is known and occurs once, and there is a body. */
function checkParts(components: Component[]): void {
  const types = components.map((part) => part.type.toUpperCase());
  for (const type of types) {
    if (!componentTypes.includes(type))
      throw badParam(`Param components type must be one of {${componentTypes.join(', ')}}`);
    if (types.filter((one) => one === type).length > 1)
      throw badParam(`There can be only one ${type} component.`);
  }
  if (!types.includes('BODY')) throw badFormat('body', 'A BODY component is required.');
}

function checkContent(draft: TemplateDraft, isHandle: (handle: string) => boolean): void {
  const find = (type: string) => draft.components.find((part) => part.type.toUpperCase() === type);
  const [header, body, footer, buttons] = ['HEADER', 'BODY', 'FOOTER', 'BUTTONS'].map(find);
  if (header) checkHeader(draft, header, isHandle);
  if (body) checkTextPart(draft, 'body', body);
  if (footer) checkTextPart(draft, 'footer', footer);
  if (buttons) checkButtons(buttons.buttons ?? [], draft.category, codeMaxLengthIn(draft.components));
  if (find('CAROUSEL')) checkCarousel(draft, draft.components, isHandle);
  if (find('LIMITED_TIME_OFFER')) checkOffer(draft, draft.components);
}

function checkTextPart(draft: TemplateDraft, part: TextPart, component: Component): void {
  const named = draft.parameterFormat === 'NAMED';
  checkText({
    part,
    named,
    text: typeof component.text === 'string' ? component.text : '',
    language: draft.language,
    examples: component.example?.[named ? `${part}_text_named_params` : `${part}_text`],
  });
}

function checkHeader(draft: TemplateDraft, part: Component, isHandle: (handle: string) => boolean): void {
  const format = String(part.format ?? '').toUpperCase();
  if (format === 'LOCATION' || format === 'PRODUCT') return;
  if (format === 'TEXT') {
    checkTextPart(draft, 'header', part);
    return;
  }
  if (!mediaFormats.includes(format)) throw badFormat('header', 'The header format is not valid.');
  checkSample(part, isHandle);
}
