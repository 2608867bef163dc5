// Conversion of a filled template's content back to what a recipient gave, so that it can be checked and filled again. Pure.
import type { FilledParts, FilledTemplate, FilledText } from '../../ports/platform.ts';
import type { ButtonInput } from './fill-buttons.ts';
import type { PartsPlan, TemplatePlan } from './placeholders.ts';
import type { RecipientCard, RecipientContent } from './recipient-content.ts';

/** Returns the public id of a stored file of a card, by our id; undefined if it was removed. */
type PublicIdOf = (mediaId: string) => string | undefined;

/**
 * Returns the variables and other members of `content`, by the qualified keys of the current template. A value without a
 * placeholder in the current template gets a key that no template has, so that filling rejects it. The file of the
 * message's own header is not part of the content.
 */
export function refill(
  plan: TemplatePlan,
  content: FilledTemplate,
  publicIdOf: PublicIdOf = () => undefined,
): RecipientContent & { variables: Record<string, string> } {
  const variables: Record<string, string> = {};
  const { offerExpiresAt, cards } = content;
  return {
    ...refillParts({ plan, parts: plan, prefix: '', variables, publicIdOf }, content),
    variables,
    ...(offerExpiresAt === undefined ? {} : { offerExpiresAt: new Date(offerExpiresAt).toISOString() }),
    ...(cards === undefined
      ? {}
      : {
          cards: cards.map((card, index): RecipientCard => {
            const parts = plan.cards[index] ?? noParts;
            return refillParts({ plan, parts, prefix: `cards.${index}.`, variables, publicIdOf }, card);
          }),
        }),
  };
}

const noParts: PartsPlan = {
  placeholders: [],
  headerMedia: null,
  hasProduct: false,
  header: undefined,
  body: undefined,
  buttons: [],
};

interface Of {
  plan: TemplatePlan;
  parts: PartsPlan;
  prefix: string;
  variables: Record<string, string>;
  publicIdOf: PublicIdOf;
}

function refillParts(of: Of, filled: FilledParts): RecipientContent {
  const { header, body } = filled;
  if (header?.kind === 'text') addTexts(of, 'header', header.values);
  addTexts(of, 'body', body);
  const content: RecipientContent = refillButtons(of, filled);
  if (header?.kind === 'location') {
    const { kind: _kind, ...location } = header;
    content.location = location;
  }
  if (header?.kind === 'product') {
    const { kind: _kind, ...product } = header;
    content.product = product;
  }
  if (header?.kind === 'media' && header.link !== undefined) content.headerMediaUrl = header.link;
  if (header?.kind === 'media' && header.mediaId !== undefined)
    content.mediaId = of.publicIdOf(header.mediaId) ?? header.mediaId;
  return content;
}

function addTexts(
  { plan, parts, prefix, variables }: Of,
  where: 'header' | 'body',
  values: FilledText[],
): void {
  const own = parts.placeholders.filter((placeholder) => placeholder.where === where);
  for (const [index, { name, text }] of values.entries()) {
    const isNamed = plan.format === 'named';
    const placeholder = isNamed
      ? own.find(({ token }) => token === name)
      : own[name === undefined ? index : -1];
    variables[placeholder?.qualifiedKey ?? `${prefix}${where}.(${name ?? index + 1})`] = text;
  }
}

function refillButtons({ parts, prefix, variables }: Of, { buttons }: FilledParts): RecipientContent {
  const content: RecipientContent = {};
  const inputs: ButtonInput[] = [];
  for (const button of buttons) {
    const { index } = button;
    switch (button.subType) {
      case 'quick_reply':
        inputs.push({ index, payload: button.payload });
        break;
      case 'flow':
        if (button.token !== undefined || button.data !== undefined)
          inputs.push({ index, flow: { token: button.token, data: button.data } });
        break;
      case 'catalog':
        content.catalog = { thumbnailProductId: button.thumbnailProductId };
        break;
      case 'products':
        content.products = { thumbnailProductId: button.thumbnailProductId, sections: button.sections };
        break;
      default: {
        const placeholder = parts.placeholders.find(
          (one) => one.where === 'button' && one.buttonIndex === index && one.subType === button.subType,
        );
        variables[placeholder?.qualifiedKey ?? `${prefix}buttons.${index}.(${button.subType})`] =
          button.value;
      }
    }
  }
  return inputs.length > 0 ? { ...content, buttons: inputs } : content;
}
