// The body of a send, made from a filled template (Cloud API, "Messages: template object"). Pure.
import { percentEncoded } from '../../base/url-value.ts';
import type {
  FilledButton,
  FilledHeader,
  FilledMedia,
  FilledParts,
  FilledText,
  OutgoingMessage,
} from '../../ports/platform.ts';
import { coordinates } from './coordinates.ts';

const textParameter = ({ name, text }: FilledText) => ({
  type: 'text',
  ...(name === undefined ? {} : { parameter_name: name }),
  text,
});

/** `platformId` returns the platform's id of the header's file. */
function headerParameters(
  header: FilledHeader,
  platformId: (media: FilledMedia) => string | undefined,
): object[] {
  switch (header.kind) {
    case 'text':
      return header.values.map(textParameter);
    case 'media': {
      const { media, link, fileName } = header;
      const file = {
        ...(link === undefined ? { id: platformId(header) } : { link }),
        ...(media === 'document' && fileName ? { filename: fileName } : {}),
      };
      return [{ type: media, [media]: file }];
    }
    case 'location': {
      const { name, address } = header;
      return [{ type: 'location', location: { ...coordinates(header), name, address } }];
    }
    case 'product': {
      const product = { product_retailer_id: header.productId, catalog_id: header.catalogId };
      return [{ type: 'product', product }];
    }
  }
}

/** The sub-type of a button and its only parameter. */
function buttonParameter(button: FilledButton): { subType: string; parameter: object } {
  switch (button.subType) {
    case 'copy_code':
      return { subType: 'copy_code', parameter: { type: 'coupon_code', coupon_code: button.value } };
    case 'otp':
      // A one-time-password button is sent as a URL button.
      return { subType: 'url', parameter: { type: 'text', text: button.value } };
    case 'url': {
      const name = button.name === undefined ? {} : { name: button.name };
      // the platform wants reserved and non-ASCII characters percent-encoded ("Template components: URL buttons")
      return { subType: 'url', parameter: textParameter({ ...name, text: percentEncoded(button.value) }) };
    }
    case 'quick_reply':
      return { subType: 'quick_reply', parameter: { type: 'payload', payload: button.payload } };
    case 'flow': {
      const action = {
        flow_token: button.token ?? 'unused',
        ...(button.data === undefined ? {} : { flow_action_data: button.data }),
      };
      return { subType: 'flow', parameter: { type: 'action', action } };
    }
    case 'catalog': {
      const action = { thumbnail_product_retailer_id: button.thumbnailProductId };
      return { subType: 'CATALOG', parameter: { type: 'action', action } };
    }
    case 'products': {
      const sections = button.sections.map(({ title, productIds }) => ({
        title,
        product_items: productIds.map((id) => ({ product_retailer_id: id })),
      }));
      const action = { thumbnail_product_retailer_id: button.thumbnailProductId, sections };
      return { subType: 'mpm', parameter: { type: 'action', action } };
    }
  }
}

function buttonComponent(button: FilledButton): object {
  const { subType, parameter } = buttonParameter(button);
  return { type: 'button', sub_type: subType, index: String(button.index), parameters: [parameter] };
}

function textComponents(
  { header, body }: FilledParts,
  platformId: (media: FilledMedia) => string | undefined,
): object[] {
  return [
    ...(header ? [{ type: 'header', parameters: headerParameters(header, platformId) }] : []),
    ...(body.length > 0 ? [{ type: 'body', parameters: body.map(textParameter) }] : []),
  ];
}

function offerComponent(expiresAtMs: number): object {
  const offer = { expiration_time_ms: expiresAtMs };
  return {
    type: 'limited_time_offer',
    parameters: [{ type: 'limited_time_offer', limited_time_offer: offer }],
  };
}

/** In the order of the platform's examples. */
function components({ filled, platformMediaId, cardMediaIds }: OutgoingMessage): object[] {
  const { offerExpiresAt, cards, ...parts } = filled;
  const idOfCard = ({ mediaId }: FilledMedia) => cardMediaIds?.get(mediaId ?? '');
  return [
    ...textComponents(parts, () => platformMediaId),
    ...(offerExpiresAt === undefined ? [] : [offerComponent(offerExpiresAt)]),
    ...parts.buttons.map(buttonComponent),
    ...(cards === undefined
      ? []
      : [
          {
            type: 'carousel',
            cards: cards.map((card, index) => ({
              card_index: index,
              components: [...textComponents(card, idOfCard), ...card.buttons.map(buttonComponent)],
            })),
          },
        ]),
  ];
}

/**
 * The body of `POST /{phone-number-id}/messages`. `to` needs a `+`: without it, the platform prepends the country code of
 * the business number.
 */
export function messageBody(message: OutgoingMessage): object {
  const parts = components(message);
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: `+${message.phone}`,
    type: 'template',
    biz_opaque_callback_data: message.correlationId,
    template: {
      name: message.templateName,
      // the published schema requires the policy, of which there is one
      language: { policy: 'deterministic', code: message.language },
      ...(parts.length > 0 ? { components: parts } : {}),
    },
  };
}
