// WhatsApp's rules for carousels and limited-time offers, checked before their review. Pure.
import type { TemplateComponent } from '../../ports/platform.ts';
import { cardKinds, cardsMax, cardsMin, findComponent, upper } from '../template-content/kinds.ts';
import { checkButtons } from './draft-buttons.ts';
import { type Add, checkLength, checkText, lengthOf } from './draft-texts.ts';

/** WhatsApp's limits (Cloud API, "Media card carousel templates", "Limited-time offer templates"). */
const offerMaxLength = { text: 16, body: 600 };

const cardMax = { body: 160, buttons: 2 };
const listOf = (kinds: ReadonlySet<string>) => [...kinds].join(', ');

interface Draft {
  category: string;
  language: string;
  parameterFormat: 'positional' | 'named';
  components: TemplateComponent[];
}

/** Problems of the limited-time offer of a draft. */
export function checkOffer(draft: Draft, part: TemplateComponent, add: Add): void {
  const find = (type: string) => findComponent(draft.components, type);
  const offer = (part.limited_time_offer ?? {}) as { text?: unknown; has_expiration?: unknown };
  if (upper(draft.category) !== 'MARKETING') add('', 'is only allowed in the category MARKETING');
  if (typeof offer.text !== 'string' || offer.text.trim() === '')
    add('.limited_time_offer.text', 'is missing');
  else checkLength(offer.text, offerMaxLength.text, '.limited_time_offer.text', add);
  if (offer.has_expiration !== undefined && typeof offer.has_expiration !== 'boolean')
    add('.limited_time_offer.has_expiration', 'must be true or false');
  if (find('FOOTER')) add('', 'is not allowed together with a FOOTER');
  const bodyLength = lengthOf(find('BODY')?.text);
  if (bodyLength > offerMaxLength.body)
    add('', `needs a body of at most ${offerMaxLength.body} characters, but it has ${bodyLength}`);
  const header = find('HEADER');
  if (header && !['IMAGE', 'VIDEO'].includes(upper(header.format)))
    add('', 'needs a header of the format IMAGE or VIDEO, or none');
  const types = (find('BUTTONS')?.buttons ?? []).map(({ type }) => upper(type)).join();
  if (types !== 'COPY_CODE,URL' && !(types === 'URL' && offer.has_expiration !== true))
    add('', 'needs a COPY_CODE button followed by a URL button');
}

/** Problems of the cards of a draft; `checkSample` reports those of a media header. */
export function checkCarousel(
  draft: Draft,
  part: TemplateComponent,
  add: Add,
  checkSample: (header: TemplateComponent, add: Add) => void,
): void {
  if (upper(draft.category) !== 'MARKETING') add('', 'is only allowed in the category MARKETING');
  if (draft.components.some(({ type }) => !['BODY', 'CAROUSEL'].includes(upper(type))))
    add('', 'is only allowed together with a BODY');
  const cards: unknown[] = Array.isArray(part.cards) ? part.cards : [];
  if (cards.length < cardsMin || cards.length > cardsMax) {
    add('.cards', `must have ${cardsMin} to ${cardsMax} cards, but has ${cards.length}`);
    return;
  }
  const shapes = cards.map((card, index) => {
    const given = (card as { components?: unknown } | null)?.components;
    const components = (Array.isArray(given) ? given : []) as TemplateComponent[];
    const at = `.cards[${index}].components`;
    if (components.some((one) => !cardKinds.components.has(upper(one?.type)))) {
      add(at, `must have the types ${listOf(cardKinds.components)} only`);
      return '';
    }
    components.forEach((one, position) => {
      checkCardPart(
        draft,
        one,
        (member, message) => add(`${at}[${position}]${member}`, message),
        checkSample,
      );
    });
    for (const type of ['HEADER', 'BUTTONS'])
      if (!findComponent(components, type)) add(at, `must have a component of the type ${type}`);
    return shapeOf(components);
  });
  if (new Set(shapes).size > 1)
    add('.cards', 'must all have the same components, header formats and buttons');
}

/** A text that is the same for cards with the same components. */
const shapeOf = (components: TemplateComponent[]): string =>
  components
    .map(({ type, format, buttons = [] }) =>
      [type, format, ...buttons.map((button) => button.type)].map(upper).join(' '),
    )
    .sort()
    .join('; ');

function checkCardPart(
  draft: Draft,
  part: TemplateComponent,
  add: Add,
  checkSample: (header: TemplateComponent, add: Add) => void,
): void {
  switch (upper(part.type)) {
    case 'HEADER':
      if (!cardKinds.headers.has(upper(part.format)))
        add('.format', `must be one of ${listOf(cardKinds.headers)}`);
      else if (upper(part.format) !== 'PRODUCT') checkSample(part, add);
      break;
    case 'BODY':
      if (!checkLength(part.text, cardMax.body, '.text', add)) checkText('body', part, draft, add);
      break;
    default: {
      const buttons = part.buttons ?? [];
      if (buttons.length > cardMax.buttons)
        add('.buttons', `must have at most ${cardMax.buttons} buttons, but has ${buttons.length}`);
      else if (buttons.some(({ type }) => !cardKinds.buttons.has(upper(type))))
        add('.buttons', `must be of the types ${listOf(cardKinds.buttons)}`);
      else checkButtons(buttons, { isAuthentication: false, hasOffer: false }, add);
    }
  }
}
