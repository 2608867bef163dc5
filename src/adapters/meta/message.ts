// The body of a send, made from a filled template (Cloud API, "Messages: template object"). Pure.
import type { FilledText, OutgoingMessage } from '../../ports/platform.ts';

const textParameter = ({ name, text }: FilledText) => ({
  type: 'text',
  ...(name === undefined ? {} : { parameter_name: name }),
  text,
});

function headerComponent(message: OutgoingMessage): object[] {
  const { header } = message.filled;
  if (!header) return [];
  switch (header.kind) {
    case 'text':
      return [{ type: 'header', parameters: header.values.map(textParameter) }];
    case 'media': {
      const file = {
        id: message.platformMediaId,
        ...(header.media === 'document' && header.fileName ? { filename: header.fileName } : {}),
      };
      return [{ type: 'header', parameters: [{ type: header.media, [header.media]: file }] }];
    }
    case 'location': {
      const { latitude, longitude, name, address } = header;
      const location = { latitude: String(latitude), longitude: String(longitude), name, address };
      return [{ type: 'header', parameters: [{ type: 'location', location }] }];
    }
  }
}

function buttonComponent(button: OutgoingMessage['filled']['buttons'][number]): object {
  const index = String(button.index);
  if (button.subType === 'copy_code') {
    return {
      type: 'button',
      sub_type: 'copy_code',
      index,
      parameters: [{ type: 'coupon_code', coupon_code: button.value }],
    };
  }
  // A one-time-password button is sent as a URL button.
  return { type: 'button', sub_type: 'url', index, parameters: [{ type: 'text', text: button.value }] };
}

/**
 * The body of `POST /{phone-number-id}/messages`. `to` needs a `+`: without it, the platform prepends the country code of
 * the business number.
 */
export function messageBody(message: OutgoingMessage): object {
  const components = [
    ...headerComponent(message),
    ...(message.filled.body.length > 0
      ? [{ type: 'body', parameters: message.filled.body.map(textParameter) }]
      : []),
    ...message.filled.buttons.map(buttonComponent),
  ];
  return {
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: `+${message.phone}`,
    type: 'template',
    biz_opaque_callback_data: message.correlationId,
    template: {
      name: message.templateName,
      language: { code: message.language },
      ...(components.length > 0 ? { components } : {}),
    },
  };
}
