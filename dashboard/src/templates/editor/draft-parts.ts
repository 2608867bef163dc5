// Components of a draft as the parts of a message, with the examples in their places. Pure.
import type { MessageParts } from '../../../../client/src/generated.ts';
import { type Component, examplesIn } from './draft-form.ts';

type Member = Record<string, unknown>;

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
const upper = (value: unknown): string => textIn(value).toUpperCase();

/** The text with its examples; a variable without one keeps its braces. */
function filled(component: Member): string {
  const examples = examplesIn(component);
  return textIn(component.text).replace(
    /\{\{\s*([A-Za-z0-9_]+)\s*\}\}/g,
    (braces, name: string) => examples[name] || braces,
  );
}

const headerTypes = ['text', 'image', 'video', 'document', 'location', 'product'] as const;

function headerOf(components: readonly Member[]): MessageParts['header'] {
  const header = components.find(({ type }) => upper(type) === 'HEADER');
  const type = headerTypes.find((one) => one === textIn(header?.format).toLowerCase());
  if (!header || !type) return null;
  const fileName = type === 'text' ? null : textIn(header.mediaId) || null;
  const text = type === 'text' ? filled(header) : null;
  return { type, text, url: null, fileName, location: null, product: null };
}

function buttonsOf(components: readonly Member[]): MessageParts['buttons'] {
  const found = components.find(({ type }) => upper(type) === 'BUTTONS');
  const buttons = Array.isArray(found?.buttons) ? (found.buttons as Member[]) : [];
  return buttons.map((button, index) => {
    const type = upper(button.type);
    return {
      ...{ index, type, text: textIn(button.text) || null, url: textIn(button.url) || null },
      ...{ phone: textIn(button.phone_number) || null, code: null, payload: null },
    };
  });
}

function bodyOf(components: readonly Member[]): string {
  const body = components.find(({ type }) => upper(type) === 'BODY');
  return body ? filled(body) : '';
}

/** What the phone shows of the components. */
export function draftParts(components: readonly Component[]): MessageParts {
  const all = components as readonly Member[];
  const footer = all.find(({ type }) => upper(type) === 'FOOTER');
  const carousel = all.find(({ type }) => upper(type) === 'CAROUSEL');
  const offer = all.find(({ type }) => upper(type) === 'LIMITED_TIME_OFFER');
  const cards = Array.isArray(carousel?.cards) ? (carousel.cards as Member[]) : [];
  return {
    header: headerOf(all),
    body: bodyOf(all),
    footer: footer ? textIn(footer.text) || null : null,
    buttons: buttonsOf(all),
    offer: offer
      ? { text: textIn((offer.limited_time_offer as Member | undefined)?.text), expiresAt: null }
      : null,
    cards: cards.map((card) => {
      const own = Array.isArray(card.components) ? (card.components as Member[]) : [];
      return { header: headerOf(own), body: bodyOf(own), buttons: buttonsOf(own) };
    }),
  };
}
