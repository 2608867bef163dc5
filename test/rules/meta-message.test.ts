// Messages and templates in the form of the WhatsApp Cloud API.
import { describe, expect, it, test } from 'vitest';
import { coordinates } from '../../src/adapters/meta/coordinates.ts';
import { messageBody } from '../../src/adapters/meta/message.ts';
import { platformTemplate, templateStatus } from '../../src/adapters/meta/template.ts';
import { unsupportedReason } from '../../src/messaging/template-content/kinds.ts';
import type { FilledTemplate, OutgoingMessage } from '../../src/ports/platform.ts';

const message = (filled: Partial<FilledTemplate>, more: Partial<OutgoingMessage> = {}): OutgoingMessage => ({
  phone: '919876543210',
  templateName: 'order_update',
  language: 'en_US',
  filled: { body: [], buttons: [], ...filled },
  correlationId: '019a0b5e-7c00-7000-8000-000000000001',
  ...more,
});
const components = (filled: Partial<FilledTemplate>, more: Partial<OutgoingMessage> = {}) =>
  (messageBody(message(filled, more)) as { template: { components?: unknown } }).template.components;

describe('the body of a send', () => {
  it('has the recipient with a plus sign, and our id', () => {
    expect(messageBody(message({}))).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '+919876543210',
      type: 'template',
      biz_opaque_callback_data: '019a0b5e-7c00-7000-8000-000000000001',
      template: { name: 'order_update', language: { policy: 'deterministic', code: 'en_US' } },
    });
  });

  it('has texts in order, and named ones with their names', () => {
    expect(
      components({ header: { kind: 'text', values: [{ text: 'June' }] }, body: [{ text: 'Ada' }] }),
    ).toEqual([
      { type: 'header', parameters: [{ type: 'text', text: 'June' }] },
      { type: 'body', parameters: [{ type: 'text', text: 'Ada' }] },
    ]);
    expect(components({ body: [{ name: 'first_name', text: 'Ada' }] })).toEqual([
      { type: 'body', parameters: [{ type: 'text', parameter_name: 'first_name', text: 'Ada' }] },
    ]);
  });

  it.each(['image', 'video', 'document'] as const)('has a %s by the platform’s id', (media) => {
    const header = { kind: 'media', media, fileName: 'bill.pdf' } as const;
    expect(components({ header }, { platformMediaId: '77' })).toEqual([
      {
        type: 'header',
        parameters: [
          { type: media, [media]: { id: '77', ...(media === 'document' ? { filename: 'bill.pdf' } : {}) } },
        ],
      },
    ]);
  });

  it('has a location with its degrees as text', () => {
    const header = {
      kind: 'location',
      latitude: 1.25,
      longitude: -2,
      name: 'Shop',
      address: 'Street 1',
    } as const;
    expect(components({ header })).toEqual([
      {
        type: 'header',
        parameters: [
          {
            type: 'location',
            location: { latitude: '1.25', longitude: '-2', name: 'Shop', address: 'Street 1' },
          },
        ],
      },
    ]);
  });

  it.each([
    [0.0000001, '0.0000001'],
    [-0.00000012345, '-0.0000001235'],
    [1e-20, '0'],
    [-89.99999999999, '-89.99999999999'],
    [180, '180'],
  ])('writes %s degrees without an exponent', (latitude, text) => {
    expect(coordinates({ latitude, longitude: 100 })).toEqual({ latitude: text, longitude: '100' });
  });

  it('has buttons by index: links, codes to copy, and one-time passwords as links', () => {
    const text = (value: string) => [{ type: 'text', text: value }];
    expect(
      components({
        buttons: [
          { index: 1, subType: 'url', value: 'a-1' },
          { index: 2, subType: 'copy_code', value: '250FF' },
          { index: 0, subType: 'otp', value: '123456' },
        ],
      }),
    ).toEqual([
      { type: 'button', sub_type: 'url', index: '1', parameters: text('a-1') },
      {
        type: 'button',
        sub_type: 'copy_code',
        index: '2',
        parameters: [{ type: 'coupon_code', coupon_code: '250FF' }],
      },
      { type: 'button', sub_type: 'url', index: '0', parameters: text('123456') },
    ]);
  });
});

it('has its components in the order of the platform’s examples', () => {
  const filled = {
    header: { kind: 'media', media: 'image', link: 'https://cdn.example/a.png' },
    body: [{ text: 'Ada' }],
    buttons: [{ index: 0, subType: 'copy_code', value: '250FF' }],
    offerExpiresAt: 1_700_000_000_000,
    cards: [{ body: [{ text: 'One' }], buttons: [{ index: 0, subType: 'url', value: 'a' }] }],
  } satisfies FilledTemplate;
  const types = (list: unknown) => (list as { type: string }[]).map(({ type }) => type);
  const sent = components(filled) as { cards?: { components: object[] }[] }[];
  expect(types(sent)).toEqual(['header', 'body', 'limited_time_offer', 'button', 'carousel']);
  expect(types(sent.at(-1)?.cards?.[0]?.components)).toEqual(['body', 'button']);
});

test('a template is converted to our fields; omitted ones are empty', () => {
  expect(
    platformTemplate({
      id: 920070352646140,
      name: 'promo',
      language: 'en-US',
      status: 'approved',
      category: 'MARKETING',
      parameter_format: 'NAMED',
      components: [{ type: 'BODY', text: 'x' }],
      quality_score: { score: 'GREEN', date: 1 },
      rejected_reason: 'NONE',
      a_new_member: true,
    }),
  ).toEqual({
    providerTemplateId: '920070352646140',
    name: 'promo',
    language: 'en_US',
    state: 'approved',
    providerStatus: 'APPROVED',
    category: 'MARKETING',
    parameterFormat: 'named',
    components: [{ type: 'BODY', text: 'x' }],
    qualityScore: 'GREEN',
    rejectedReason: null,
    messageTtlSeconds: null,
  });
  // its messages need a part that the platform does not list among the components
  const order = { components: [{ type: 'BODY', text: 'x' }], sub_category: 'ORDER_STATUS' };
  expect(unsupportedReason(platformTemplate(order).components)).toBe('it has an order_status component');
  expect(platformTemplate({ ...order, sub_category: 'CUSTOM' }).components).toEqual(order.components);
  expect(platformTemplate({ quality_score: { score: 'UNKNOWN' } })).toMatchObject({
    parameterFormat: 'positional',
    components: [],
    qualityScore: null,
    rejectedReason: null,
  });
});

describe('a template with the status', () => {
  it.each(['APPROVED', 'REINSTATED', 'UNARCHIVED', 'approved'])('%s can be sent', (word) =>
    expect(templateStatus(word)).toEqual({ state: 'approved', providerStatus: word.toUpperCase() }),
  );
  it.each(['PENDING', 'REJECTED', 'PAUSED', 'DISABLED', 'IN_APPEAL', 'ARCHIVED', 'A_NEW_WORD', ''])(
    '%s cannot be sent',
    (word) => expect(templateStatus(word)).toEqual({ state: 'submitted', providerStatus: word }),
  );
});
