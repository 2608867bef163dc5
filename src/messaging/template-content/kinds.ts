// The kinds of templates that the gateway can send: components, headers and buttons. Pure.
import { counted } from '../../base/counted.ts';
import type { TemplateComponent } from '../../ports/platform.ts';

const components = new Set([
  ...['HEADER', 'BODY', 'FOOTER', 'BUTTONS'],
  ...['CAROUSEL', 'LIMITED_TIME_OFFER', 'CALL_PERMISSION_REQUEST'],
]);
const headers = new Set(['TEXT', 'IMAGE', 'VIDEO', 'DOCUMENT', 'LOCATION', 'PRODUCT']);
const buttons = new Set([
  ...['QUICK_REPLY', 'PHONE_NUMBER', 'URL', 'COPY_CODE', 'OTP', 'VOICE_CALL'],
  ...['CATALOG', 'MPM', 'SPM', 'FLOW', 'REQUEST_CONTACT_INFO'],
]);
const message: Kinds = { components, headers, buttons };

/** Cards have fewer kinds (Cloud API, "Media card carousel templates", "Product card carousel templates"). */
export const cardKinds: Kinds = {
  components: new Set(['HEADER', 'BODY', 'BUTTONS']),
  headers: new Set(['IMAGE', 'VIDEO', 'PRODUCT']),
  buttons: new Set(['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'SPM']),
};
export const cardsMin = 2;
export const cardsMax = 10;

interface Kinds {
  components: ReadonlySet<string>;
  headers: ReadonlySet<string>;
  buttons: ReadonlySet<string>;
}

export const upper = (text: unknown): string => (typeof text === 'string' ? text.toUpperCase() : '');

/** Finds the component of a type. */
export const findComponent = (
  components: readonly TemplateComponent[],
  type: string,
): TemplateComponent | undefined => components.find((component) => upper(component.type) === type);

/** The format of a header, in upper case; a header without one has text. */
export const headerFormat = (header: TemplateComponent | undefined): string =>
  upper(header?.format) || 'TEXT';

/** The cards of a carousel, each as its components. */
export function cardsOf(components: readonly TemplateComponent[]): TemplateComponent[][] {
  const cards = findComponent(components, 'CAROUSEL')?.cards;
  if (!Array.isArray(cards)) return [];
  return cards.map((one: { components?: unknown } | null) =>
    Array.isArray(one?.components)
      ? (one.components as TemplateComponent[]).filter((part) => typeof part?.type === 'string')
      : [],
  );
}

/** Why the gateway cannot send a template with these components; null if it can. */
export function unsupportedReason(parts: readonly TemplateComponent[]): string | null {
  const reason = reasonOf(parts, message);
  if (reason !== null || !findComponent(parts, 'CAROUSEL')) return reason;
  const cards = cardsOf(parts);
  if (cards.length < cardsMin || cards.length > cardsMax)
    return `its carousel has ${counted(cards.length, 'card')}`;
  const wrong = cards.map((one) => reasonOf(one, cardKinds)).find((one) => one !== null);
  return wrong === undefined ? null : `of a card: ${wrong}`;
}

function reasonOf(parts: readonly TemplateComponent[], known: Kinds): string | null {
  const part = parts.find((component) => !known.components.has(upper(component.type)));
  if (part) return `it has ${/^[aeio]/i.test(part.type) ? 'an' : 'a'} ${part.type.toLowerCase()} component`;
  const header = findComponent(parts, 'HEADER');
  const format = headerFormat(header);
  if (header && !known.headers.has(format)) return `its header is of the kind ${format}`;
  const own = parts.flatMap((component) => component.buttons ?? []);
  const button = own.find(({ type }) => !known.buttons.has(upper(type)));
  return button ? `it has a button of the kind ${button.type}` : null;
}
