// Problems with what fills templates of every kind, their inputs, and the kinds that are refused.
import { describe, expect, it, test } from 'vitest';
import { type Filling, fillTemplate } from '../../src/messaging/template-content/fill.ts';
import { inputsOf } from '../../src/messaging/template-content/inputs.ts';
import { planTemplate } from '../../src/messaging/template-content/placeholders.ts';
import { mergedContent } from '../../src/messaging/template-content/recipient-content.ts';
import { renderTemplate } from '../../src/messaging/template-content/render.ts';
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

const problemsOf = (components: TemplateComponent[], filling: Partial<Filling>, of = {}) =>
  fillTemplate(planOf(components, of), { variables: {}, ...filling }, 'r').problems.map(
    ({ path, message }) => `${path} ${message}`,
  );
const card = {
  components: [{ type: 'HEADER', format: 'IMAGE' }, buttons({ type: 'QUICK_REPLY' }, link)],
};
const carousel = [body, { type: 'CAROUSEL', cards: [card, card] }];

describe('a problem is', () => {
  it.each<[string, TemplateComponent[], Partial<Filling>, string[]]>([
    [
      'a payload for another kind of button, an unknown button, the same button twice',
      [body, buttons({ type: 'QUICK_REPLY' }, { type: 'URL', url: 'https://a.example' })],
      { buttons: [{ index: 1, payload: 'a' }, { index: 2 }, { index: 0 }, { index: 0 }] },
      [
        'r.buttons[0].payload is not allowed: button 1 is of the kind URL, not QUICK_REPLY',
        'r.buttons[1].index is 2, but the last button is 1',
        'r.buttons[3].index is 0, which another entry also has',
      ],
    ],
    [
      'data of a flow above 8 KB, and a flow for another kind of button',
      [body, buttons({ type: 'FLOW' }, { type: 'QUICK_REPLY' })],
      {
        buttons: [
          { index: 0, flow: { data: { a: 'x'.repeat(8185) } } },
          { index: 1, flow: {} },
        ],
      },
      [
        'r.buttons[0].flow.data must have at most 8192 bytes as JSON',
        'r.buttons[1].flow is not allowed: button 1 is of the kind QUICK_REPLY, not FLOW',
      ],
    ],
    [
      'a file and an address, an address with a password, an address that is not https',
      [{ type: 'HEADER', format: 'IMAGE' }, body],
      { mediaId: '7', headerMediaUrl: 'https://u:p@a.example/a.png' },
      [
        'r.headerMediaUrl is not allowed together with mediaId',
        'r.headerMediaUrl must not contain a user name or password',
      ],
    ],
    [
      'an address that is not https',
      [{ type: 'HEADER', format: 'IMAGE' }, body],
      { headerMediaUrl: 'http://a.example/a.png' },
      ['r.headerMediaUrl must be an https:// address'],
    ],
    [
      'an address where the header takes none',
      [body],
      { headerMediaUrl: 'https://a.example/a.png' },
      ['r.headerMediaUrl is not allowed: this template has no media header'],
    ],
    [
      'an offer’s end in the past',
      [{ type: 'LIMITED_TIME_OFFER', limited_time_offer: { has_expiration: true } }, body],
      { offerExpiresAt: '2026-01-01T00:00:00Z', nowMs: Date.parse('2026-01-01T00:00:00Z') },
      ['r.offerExpiresAt must be in the future'],
    ],
    [
      'a missing end of an offer',
      [{ type: 'LIMITED_TIME_OFFER', limited_time_offer: { has_expiration: true } }, body],
      {},
      ['r.offerExpiresAt is missing: the offer of this template shows when it ends'],
    ],
    [
      'what this template does not have',
      [body],
      {
        ...{ offerExpiresAt: '2030-01-01T00:00:00Z', catalog: {}, products: { sections: [] }, cards: [] },
        product: { productId: 'p', catalogId: 'c' },
      },
      [
        'r.product is not allowed: the header is not a product',
        'r.offerExpiresAt is not allowed: this template has no offer that shows when it ends',
        'r.catalog is not allowed: this template has no catalog button',
        'r.products is not allowed: this template has no product list',
        'r.cards is not allowed: this template has no cards',
      ],
    ],
    [
      'more than 30 products',
      [body, buttons({ type: 'MPM' })],
      {
        products: {
          sections: [1, 2].map((n) => ({ title: `${n}`, productIds: Array<string>(16).fill('p') })),
        },
      },
      ['r.products must have at most 30 products in all; it has 32'],
    ],
    [
      'a missing list, a missing product',
      [{ type: 'HEADER', format: 'PRODUCT' }, body, buttons({ type: 'MPM' })],
      {},
      [
        'r.product is missing: the header is a product',
        'r.products is missing: this template shows a list of products',
      ],
    ],
    [
      'another number of cards',
      carousel,
      {
        variables: { 'cards.0.buttons.1.1': 'a', 'cards.1.buttons.1.1': 'b' },
        cards: [{}, {}, {}],
      },
      ['r.cards must have 2 cards, as many as the template; it has 3'],
    ],
    [
      'anything missing in a card',
      carousel,
      {
        variables: { 'cards.0.buttons.1.1': 'a' },
        cards: [{ mediaId: 'm1', media: image }, { buttons: [{ index: 1, payload: 'a' }] }],
      },
      [
        'r.variables.cards.1.buttons.1.1 is missing',
        'r.cards[1].mediaId is missing: the header of this template is an image; upload one first',
        'r.cards[1].buttons[0].payload is not allowed: button 1 is of the kind URL, not QUICK_REPLY',
      ],
    ],
    [
      'a bare key for a card',
      carousel,
      {
        variables: { '1': 'x', 'cards.0.buttons.1.1': 'a', 'cards.1.buttons.1.1': 'b' },
        cards: [
          { mediaId: 'm1', media: image },
          { mediaId: 'm1', media: image },
        ],
      },
      ['r.variables.1 is not a variable of this template; use cards.0.buttons.1.1, cards.1.buttons.1.1'],
    ],
    [
      'a text of a card above its length',
      [
        body,
        {
          type: 'CAROUSEL',
          cards: [1, 2].map(() => ({ components: [{ type: 'BODY', text: 'Hi {{1}}' }] })),
        },
      ],
      { variables: { 'cards.0.body.1': 'x'.repeat(157), 'cards.1.body.1': 'x'.repeat(158) } },
      ['r.variables.cards.1.body.1 makes the body 161 characters long; at most 160 are allowed'],
    ],
    [
      'a body of an offer above its length',
      [
        { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now' } },
        { type: 'BODY', text: '{{1}}' },
      ],
      { variables: { '1': 'x'.repeat(601) } },
      ['r.variables.1 makes the body 601 characters long; at most 600 are allowed'],
    ],
    [
      'an address that is too long once it is encoded',
      [body, buttons({ type: 'URL', url: 'https://a.example/{{1}}' })],
      { variables: { '1': 'é'.repeat(331) } },
      ['r.variables.1 makes the address 2004 characters long; at most 2000 are allowed'],
    ],
  ])('%s', (_name, components, filling, problems) => {
    expect(problemsOf(components, filling)).toEqual(problems);
  });

  test.each([
    ['of a template above 20 characters', [], 20],
    [
      'of a limited-time offer above 15 characters',
      [{ type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now' } }],
      15,
    ],
  ])('a code to copy %s', (_name, offer, most) => {
    const components = [...offer, body, buttons({ type: 'COPY_CODE', text: 'Copy' })];
    const filled = (code: string) => ({ variables: { 'buttons.0.1': code } });
    expect(problemsOf(components, filled('x'.repeat(most)))).toEqual([]);
    expect(problemsOf(components, filled('x'.repeat(most + 1)))).toEqual([
      `r.variables.buttons.0.1 makes the code ${most + 1} characters long; at most ${most} are allowed`,
    ]);
  });

  test('a code of an authentication template above 15 characters', () => {
    const components = [
      { type: 'BODY', text: '{{1}} is your code.' },
      buttons({ type: 'URL', url: 'https://www.whatsapp.com/otp/code/?code=otp{{1}}' }),
    ];
    const of = { category: 'AUTHENTICATION' };
    expect(problemsOf(components, { variables: { '1': '1'.repeat(15) } }, of)).toEqual([]);
    expect(problemsOf(components, { variables: { '1': '1'.repeat(16) } }, of)).toEqual([
      'r.variables.1 makes the code 16 characters long; at most 15 are allowed',
    ]);
  });
});

test('the inputs of cards, offers, flows, catalogs and product lists are listed', () => {
  const keys = (components: TemplateComponent[]) =>
    inputsOf(planOf(components)).map(({ key, kind, required }) => `${key} ${kind}${required ? '!' : ''}`);
  expect(keys(carousel)).toEqual([
    'cards.0.mediaId media!',
    'cards.0.buttons.0.payload payload',
    'cards.0.buttons.1.1 text!',
    'cards.1.mediaId media!',
    'cards.1.buttons.0.payload payload',
    'cards.1.buttons.1.1 text!',
  ]);
  const offer = { type: 'LIMITED_TIME_OFFER', limited_time_offer: { has_expiration: true } };
  expect(keys([offer, body, buttons({ type: 'COPY_CODE' })])).toEqual([
    'buttons.0.1 code!',
    'offerExpiresAt instant!',
  ]);
  expect(keys([body, buttons({ type: 'FLOW' }, { type: 'CATALOG' }, { type: 'MPM' })])).toEqual([
    'buttons.0.flow flow',
    'catalog.thumbnailProductId product',
    'products.thumbnailProductId product',
    'products.sections product!',
  ]);
  expect(keys([{ type: 'HEADER', format: 'PRODUCT' }, body])).toEqual(['product product!']);
});

test('a preview shows the cards and when the offer ends', () => {
  const offer = { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text: 'Now', has_expiration: true } };
  const plan = planOf([offer, ...carousel]);
  const filled: FilledTemplate = {
    ...{ body: [], buttons: [], offerExpiresAt: 0 },
    cards: [1, 2].map((n) => ({
      header: { kind: 'media', media: 'image', link: `https://a.example/${n}` },
      body: [],
      buttons: [{ index: 1, subType: 'url', value: `p${n}` }],
    })),
  };
  const rendered = renderTemplate(plan, filled);
  expect(rendered.offer).toEqual({ text: 'Now', expiresAt: '1970-01-01T00:00:00.000Z' });
  expect(rendered.cards.map(({ header, buttons: own }) => [header?.url, own[1]?.url])).toEqual([
    ['https://a.example/1', 'https://shop.example/p1'],
    ['https://a.example/2', 'https://shop.example/p2'],
  ]);
});

test('a recipient’s own members go before those of the request; a file and an address replace each other', () => {
  const request = { mediaId: 'm1', buttons: [{ index: 0, payload: 'a' }] };
  expect(mergedContent({ headerMediaUrl: 'https://a.example' }, request)).toEqual({
    headerMediaUrl: 'https://a.example',
    buttons: request.buttons,
  });
  expect(mergedContent({ buttons: [] }, request)).toEqual({ mediaId: 'm1', buttons: [] });
});

describe('a template is refused', () => {
  it.each<[string, TemplateComponent[]]>([
    ['its header is of the kind GIF', [{ type: 'HEADER', format: 'GIF' }, body]],
    ['it has a button of the kind APP', [body, buttons({ type: 'APP' })]],
    ['it has an order_details component', [body, { type: 'ORDER_DETAILS' }]],
    ['its carousel has 1 card', [body, { type: 'CAROUSEL', cards: [card] }]],
    ['its carousel has 11 cards', [body, { type: 'CAROUSEL', cards: Array(11).fill(card) }]],
    ['its carousel has 0 cards', [body, { type: 'CAROUSEL', cards: 'none' }]],
    [
      'of a card: it has a button of the kind CATALOG',
      [body, { type: 'CAROUSEL', cards: [card, { components: [buttons({ type: 'CATALOG' })] }] }],
    ],
    [
      'of a card: its header is of the kind DOCUMENT',
      [body, { type: 'CAROUSEL', cards: [card, { components: [{ type: 'HEADER', format: 'DOCUMENT' }] }] }],
    ],
  ])('%s', (reason, components) => expect(planOf(components).unsupported).toBe(reason));
});
