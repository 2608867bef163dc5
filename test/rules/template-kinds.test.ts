// Templates of every kind in the platform's form: what fills them, and what is stored of it.
import { describe, expect, test } from 'vitest';
import { messageBody } from '../../src/adapters/meta/message.ts';
import { type Filling, fillTemplate } from '../../src/messaging/template-content/fill.ts';
import { planTemplate } from '../../src/messaging/template-content/placeholders.ts';
import { contentOf } from '../../src/messaging/template-content/recipient-content.ts';
import { refill } from '../../src/messaging/template-content/refill.ts';
import type { FilledTemplate, TemplateComponent } from '../../src/ports/platform.ts';

const body: TemplateComponent = { type: 'BODY', text: 'Hello.' };
const buttons = (...list: { type: string; text?: string; url?: string }[]): TemplateComponent => ({
  type: 'BUTTONS',
  buttons: list,
});
const link = { type: 'URL', text: 'Open', url: 'https://shop.example/{{1}}' };
const planOf = (components: TemplateComponent[], of = {}) =>
  planTemplate({ category: 'MARKETING', parameterFormat: 'positional', ...of, components });
const image = { id: 'f1', kind: 'image', mimeType: 'image/png', fileName: 'a.png' };

const componentsOf = (filled: FilledTemplate, media = new Map<string, string>()) => {
  const message = {
    ...{ phone: '15550100', templateName: 'a', language: 'en', correlationId: 'o', filled },
    ...{ platformMediaId: '77', cardMediaIds: media },
  };
  return (messageBody(message) as { template: { components?: object[] } }).template.components;
};
/** Fills and sends; what fills the template is found again in the content, also after it was stored. */
function sent(components: TemplateComponent[], filling: Partial<Filling>, of = {}) {
  const plan = planOf(components, of);
  const { filled, problems } = fillTemplate(plan, { variables: {}, ...filling }, 'r');
  expect(problems).toEqual([]);
  const stored = JSON.parse(JSON.stringify(filled)) as FilledTemplate;
  const files = new Map([['m1', image]]);
  const again = contentOf({ mediaId: filling.mediaId, ...refill(plan, stored, () => 'm1') }, {}, files);
  expect(fillTemplate(plan, again, 'r')).toEqual({ filled: stored, problems: [] });
  expect(plan.unsupported).toBeNull();
  return componentsOf(stored, new Map([['f1', '88']]));
}

describe('the platform’s form of', () => {
  test('payloads of quick replies; without one, the button has no component', () => {
    const components = [body, buttons({ type: 'QUICK_REPLY' }, { type: 'QUICK_REPLY' })];
    expect(sent(components, { buttons: [{ index: 1, payload: 'STOP' }] })).toEqual([
      {
        type: 'button',
        sub_type: 'quick_reply',
        index: '1',
        parameters: [{ type: 'payload', payload: 'STOP' }],
      },
    ]);
  });

  test('a flow, with the default token', () => {
    const components = [body, buttons({ type: 'FLOW' })];
    const action = (given: object) => [
      { type: 'button', sub_type: 'flow', index: '0', parameters: [{ type: 'action', action: given }] },
    ];
    expect(sent(components, {})).toEqual(action({ flow_token: 'unused' }));
    const flow = { token: 't-1', data: { name: 'Ada' } };
    expect(sent(components, { buttons: [{ index: 0, flow }] })).toEqual(
      action({ flow_token: 't-1', flow_action_data: { name: 'Ada' } }),
    );
  });

  test('an address of a header’s file', () => {
    const components = [{ type: 'HEADER', format: 'VIDEO' }, body];
    const headerMediaUrl = 'https://cdn.example/a.mp4';
    expect(sent(components, { headerMediaUrl })).toEqual([
      { type: 'header', parameters: [{ type: 'video', video: { link: headerMediaUrl } }] },
    ]);
  });

  test.each([
    ['https://cdn.example/bills/Bill%20May.pdf?v=2', 'Bill May.pdf'],
    ['https://cdn.example/%E0%A4.pdf', '%E0%A4.pdf'],
    ['https://cdn.example/', undefined],
  ])('a document by its address, with the file name in it: %s', (link, filename) => {
    const document = filename === undefined ? { link } : { link, filename };
    expect(sent([{ type: 'HEADER', format: 'DOCUMENT' }, body], { headerMediaUrl: link })).toEqual([
      { type: 'header', parameters: [{ type: 'document', document }] },
    ]);
  });

  test('a catalog, a list of products and a single product', () => {
    const action = (subType: string, given: object) => [
      { type: 'button', sub_type: subType, index: '0', parameters: [{ type: 'action', action: given }] },
    ];
    const catalog = [body, buttons({ type: 'CATALOG' })];
    expect(sent(catalog, {})).toBeUndefined();
    expect(sent(catalog, { catalog: { thumbnailProductId: 'p1' } })).toEqual(
      action('CATALOG', { thumbnail_product_retailer_id: 'p1' }),
    );
    const sections = [{ title: 'New', productIds: ['p1', 'p2'] }];
    expect(sent([body, buttons({ type: 'MPM' })], { products: { sections } })).toEqual(
      action('mpm', {
        thumbnail_product_retailer_id: 'p1',
        sections: [
          { title: 'New', product_items: [{ product_retailer_id: 'p1' }, { product_retailer_id: 'p2' }] },
        ],
      }),
    );
    const single = [{ type: 'HEADER', format: 'PRODUCT' }, body, buttons({ type: 'SPM' })];
    expect(sent(single, { product: { productId: 'p1', catalogId: '9' } })).toEqual([
      {
        type: 'header',
        parameters: [{ type: 'product', product: { product_retailer_id: 'p1', catalog_id: '9' } }],
      },
    ]);
  });

  test('a limited-time offer, with its coupon and its address', () => {
    const components = [
      { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Ends soon', has_expiration: true } },
      { type: 'BODY', text: 'Hi {{1}}!' },
      buttons({ type: 'COPY_CODE' }, link),
    ];
    const variables = { '1': 'Ada', 'buttons.0.1': '25OFF', 'buttons.1.1': 'é 1' };
    const offerExpiresAt = '2026-12-01T00:00:00.000Z';
    expect(sent(components, { variables, offerExpiresAt })).toEqual(
      expect.arrayContaining([
        {
          type: 'limited_time_offer',
          parameters: [
            { type: 'limited_time_offer', limited_time_offer: { expiration_time_ms: 1_796_083_200_000 } },
          ],
        },
        { type: 'body', parameters: [{ type: 'text', text: 'Ada' }] },
        {
          ...{ type: 'button', sub_type: 'copy_code', index: '0' },
          parameters: [{ type: 'coupon_code', coupon_code: '25OFF' }],
        },
        {
          ...{ type: 'button', sub_type: 'url', index: '1' },
          parameters: [{ type: 'text', text: '%C3%A9%201' }],
        },
      ]),
    );
  });

  test('a call permission request, which takes nothing', () => {
    expect(sent([body, { type: 'CALL_PERMISSION_REQUEST' }], {})).toBeUndefined();
  });

  test('named parameters, in addresses and cards too', () => {
    const card = {
      components: [
        { type: 'HEADER', format: 'IMAGE' },
        { type: 'BODY', text: 'Only {{price}}!' },
        buttons({ type: 'URL', url: 'https://shop.example/{{path}}' }),
      ],
    };
    const components = [
      { type: 'BODY', text: 'Hi {{name}}.' },
      { type: 'CAROUSEL', cards: [card, card] },
    ];
    const variables = {
      name: 'Ada',
      ...{ 'cards.0.body.price': '5 €', 'cards.0.buttons.0.path': 'a' },
      ...{ 'cards.1.body.price': '6 €', 'cards.1.buttons.0.path': 'b' },
    };
    const cards = [{ mediaId: 'm1', media: image }, { headerMediaUrl: 'https://cdn.example/b.png' }];
    const one = (index: number, file: object, price: string, path: string) => ({
      card_index: index,
      components: [
        { type: 'header', parameters: [{ type: 'image', image: file }] },
        { type: 'body', parameters: [{ type: 'text', parameter_name: 'price', text: price }] },
        {
          ...{ type: 'button', sub_type: 'url', index: '0' },
          parameters: [{ type: 'text', parameter_name: 'path', text: path }],
        },
      ],
    });
    expect(sent(components, { variables, cards }, { parameterFormat: 'named' })).toEqual([
      { type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'Ada' }] },
      {
        type: 'carousel',
        cards: [one(0, { id: '88' }, '5 €', 'a'), one(1, { link: 'https://cdn.example/b.png' }, '6 €', 'b')],
      },
    ]);
  });

  test('product cards', () => {
    const card = { components: [{ type: 'HEADER', format: 'PRODUCT' }, buttons({ type: 'SPM' })] };
    const product = (productId: string) => ({ product: { productId, catalogId: '9' } });
    const [carousel] = sent([body, { type: 'CAROUSEL', cards: [card, card] }], {
      cards: [product('p1'), product('p2')],
    }) as { cards: object[] }[];
    expect(carousel?.cards[1]).toEqual({
      card_index: 1,
      components: [
        {
          type: 'header',
          parameters: [{ type: 'product', product: { product_retailer_id: 'p2', catalog_id: '9' } }],
        },
      ],
    });
  });

  test('content that an earlier version stored', () => {
    const stored = {
      header: { kind: 'media', media: 'image', fileName: 'a.png' },
      body: [{ text: 'Ada' }],
      buttons: [{ index: 1, subType: 'url', value: 'a b' }],
    } as FilledTemplate;
    expect(componentsOf(stored)).toEqual([
      { type: 'header', parameters: [{ type: 'image', image: { id: '77' } }] },
      { type: 'body', parameters: [{ type: 'text', text: 'Ada' }] },
      { type: 'button', sub_type: 'url', index: '1', parameters: [{ type: 'text', text: 'a%20b' }] },
    ]);
  });
});
