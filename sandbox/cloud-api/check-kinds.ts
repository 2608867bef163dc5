// Checks of carousels and limited-time offers at creation (pure).
import { checkButtons } from './check-buttons.ts';
import { badFormat, checkText, tooLong } from './check-text.ts';
import { badButton, badParam, badTemplate } from './errors.ts';
import type { Component } from './model.ts';
import { codeMaxLengthIn } from './template-parameters.ts';

export interface DraftOfKind {
  language: string;
  category: string;
  parameterFormat: 'POSITIONAL' | 'NAMED';
}

const upper = (text: unknown) => String(text ?? '').toUpperCase();
const partOf = (components: Component[], type: string) =>
  components.find((part) => upper(part.type) === type);

const offerMaxLength = { text: 16, body: 600 };
const cards = { least: 2, most: 10, bodyMaxLength: 160, buttonsMax: 2 };
const cardFormats = ['IMAGE', 'VIDEO', 'PRODUCT'];
const cardButtons = ['QUICK_REPLY', 'URL', 'PHONE_NUMBER', 'SPM'];

/** Checks the limited-time offer of a template, and what it allows beside it. */
export function checkOffer(draft: DraftOfKind, components: Component[]): void {
  const offer = partOf(components, 'LIMITED_TIME_OFFER')?.limited_time_offer;
  if (draft.category !== 'MARKETING')
    throw badParam('A limited-time offer is for the category MARKETING only.');
  const text = offer?.text;
  if (typeof text !== 'string' || text === '')
    throw badParam('The parameter limited_time_offer.text is required.');
  if ([...text].length > offerMaxLength.text) throw tooLong('limited-time offer text', offerMaxLength.text);
  if (partOf(components, 'FOOTER')) throw badFormat('footer', 'A limited-time offer has no footer.');
  const body = partOf(components, 'BODY')?.text ?? '';
  if ([...body].length > offerMaxLength.body) throw tooLong('body text', offerMaxLength.body);
  const header = partOf(components, 'HEADER');
  if (header && !['IMAGE', 'VIDEO'].includes(upper(header.format)))
    throw badFormat('header', 'The header of a limited-time offer is an IMAGE or a VIDEO.');
  const types = (partOf(components, 'BUTTONS')?.buttons ?? []).map(({ type }) => upper(type));
  const expected = offer?.has_expiration
    ? 'COPY_CODE,URL'
    : types.includes('COPY_CODE')
      ? 'COPY_CODE,URL'
      : 'URL';
  if (types.join() !== expected)
    throw badButton('A limited-time offer has a COPY_CODE button, then a URL button.');
}

/** Checks the cards of a carousel: their number, and that all have the same components. */
export function checkCarousel(
  draft: DraftOfKind,
  components: Component[],
  isHandle: (handle: string) => boolean,
): void {
  const given = partOf(components, 'CAROUSEL')?.cards;
  if (draft.category !== 'MARKETING') throw badParam('A carousel is for the category MARKETING only.');
  if (components.some(({ type }) => !['BODY', 'CAROUSEL'].includes(upper(type))))
    throw badParam('A carousel template has a BODY and a CAROUSEL only.');
  if (!Array.isArray(given) || given.length < cards.least || given.length > cards.most)
    throw badParam(`A carousel has ${cards.least} to ${cards.most} cards.`);
  const shapes = given.map((card) => {
    if (!Array.isArray(card?.components)) throw badParam('The parameter components is required.');
    checkCard(draft, card.components, isHandle);
    return shapeOf(card.components);
  });
  if (new Set(shapes).size > 1) throw badParam('All cards of a carousel must have the same components.');
}

/** Its components, the format of its header and the kinds of its buttons. */
const shapeOf = (card: Component[]): string =>
  card
    .map((part) => [
      upper(part.type),
      upper(part.format),
      ...(part.buttons ?? []).map(({ type }) => upper(type)),
    ])
    .map((part) => part.join(' '))
    .sort()
    .join('; ');

/** Throws unless the sample of a header with media is an uploaded one. */
export function checkSample(header: Component | undefined, isHandle: (handle: string) => boolean): void {
  const handle = (header?.example?.header_handle as unknown[] | undefined)?.[0];
  if (typeof handle === 'string' && isHandle(handle)) return;
  throw badTemplate(
    2388273,
    'Missing sample media',
    'Give the handle of an uploaded sample in example.header_handle.',
  );
}

function checkCard(
  { language, category, parameterFormat }: DraftOfKind,
  card: Component[],
  isHandle: (handle: string) => boolean,
): void {
  if (card.some(({ type }) => !['HEADER', 'BODY', 'BUTTONS'].includes(upper(type))))
    throw badParam('A card has a HEADER, a BODY and BUTTONS only.');
  const [header, body, buttons] = ['HEADER', 'BODY', 'BUTTONS'].map((type) => partOf(card, type));
  const format = upper(header?.format);
  if (!cardFormats.includes(format))
    throw badFormat('header', `The header of a card is one of ${cardFormats.join(', ')}.`);
  if (format !== 'PRODUCT') checkSample(header, isHandle);
  if (body) {
    const named = parameterFormat === 'NAMED';
    const text = body.text ?? '';
    if ([...text].length > cards.bodyMaxLength) throw tooLong('card body text', cards.bodyMaxLength);
    const examples = body.example?.[named ? 'body_text_named_params' : 'body_text'];
    checkText({ part: 'body', named, text, language, examples });
  }
  const kinds = (buttons?.buttons ?? []).map(({ type }) => upper(type));
  if (kinds.length === 0 || kinds.length > cards.buttonsMax)
    throw badButton(`A card has 1 to ${cards.buttonsMax} buttons.`);
  if (kinds.some((kind) => !cardButtons.includes(kind)))
    throw badButton(`The buttons of a card are ${cardButtons.join(', ')}.`);
  checkButtons(buttons?.buttons ?? [], category, codeMaxLengthIn([]));
}
