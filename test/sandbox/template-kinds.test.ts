// Sends of carousels, offers, flows, catalogs and products to the simulated platform: what it accepts and rejects.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { button, template } from './fillable.ts';
import { messageTo, numberId, startPlatform, text, wabaId } from './platform.ts';
import { body, templateCalls } from './template-calls.ts';

let platform: Awaited<ReturnType<typeof startPlatform>>;
const hello = { type: 'BODY', text: 'Hello.' };
const buttons = (...list: object[]) => ({ type: 'BUTTONS', buttons: list });
const cardOf = (format: string, type: string) => ({
  components: [
    { type: 'HEADER', format },
    buttons({ type, text: 'Open', url: 'https://shop.example/{{1}}' }),
  ],
});
const offer = { text: 'Now', has_expiration: true };

beforeAll(async () => {
  platform = await startPlatform();
  const kinds: Record<string, object[]> = {
    carousel: [hello, { type: 'CAROUSEL', cards: [cardOf('IMAGE', 'URL'), cardOf('IMAGE', 'URL')] }],
    offer: [{ type: 'LIMITED_TIME_OFFER', limited_time_offer: offer }, hello],
    catalog: [hello, buttons({ type: 'CATALOG', text: 'View' })],
    products: [hello, buttons({ type: 'MPM', text: 'View' })],
    product: [{ type: 'HEADER', format: 'PRODUCT' }, hello, buttons({ type: 'SPM', text: 'View' })],
    flow: [hello, buttons({ type: 'FLOW', text: 'Go' })],
    reply: [hello, buttons({ type: 'QUICK_REPLY', text: 'Yes' }, { type: 'QUICK_REPLY', text: 'No' })],
    link: [hello, buttons({ type: 'URL', text: 'Go', url: 'https://shop.example/{{1}}' })],
  };
  for (const [name, components] of Object.entries(kinds))
    await platform.control.addTemplate({ wabaId, name, components: components as never });
  await platform.control.addTemplate({
    ...{ wabaId, name: 'named_link', parameterFormat: 'NAMED' },
    components: [hello, buttons({ type: 'URL', text: 'Go', url: 'https://a.example/{{path}}' })] as never,
  });
});
afterAll(() => platform.close());

const image = { type: 'header', parameters: [{ type: 'image', image: { link: 'https://a.example/a.png' } }] };
const card = (index: number, ...components: object[]) => ({ card_index: index, components });
const link = (value = 'a') => button('url', '0', text(value));
const carousel = (...cards: object[]) => [{ type: 'carousel', cards }];
const action = (subType: string, given: unknown) => [
  button(subType, '0', [{ type: 'action', action: given }]),
];
const until = (expiration_time_ms: unknown) => [
  {
    type: 'limited_time_offer',
    parameters: [{ type: 'limited_time_offer', limited_time_offer: { expiration_time_ms } }],
  },
];
const product = (given: object) => [{ type: 'header', parameters: [{ type: 'product', product: given }] }];
const sections = (count: number, products: number) =>
  Array.from({ length: count }, (_, n) => ({
    title: `S${n}`,
    product_items: Array.from({ length: products }, () => ({ product_retailer_id: 'p' })),
  }));
const thumbnail = { thumbnail_product_retailer_id: 'p' };
const codeOf = async (name: string, components: unknown) => {
  const message = messageTo('+919811112222', components, template(name));
  const { json } = await platform.call('POST', `${numberId}/messages`, {
    ...message,
    template: { ...(message as { template: object }).template, name },
  });
  return json.error?.code ?? 'accepted';
};

test.each<[string, string, unknown, number | 'accepted']>([
  ['a carousel', 'carousel', carousel(card(0, image, link()), card(1, image, link())), 'accepted'],
  [
    'cards in another order',
    'carousel',
    carousel(card(1, image, link()), card(0, image, link())),
    'accepted',
  ],
  ['no cards', 'carousel', [], 131008],
  ['too few cards', 'carousel', carousel(card(0, image, link())), 132000],
  ['the same card twice', 'carousel', carousel(card(0, image, link()), card(0, image, link())), 131009],
  ['an unknown card', 'carousel', carousel(card(0, image, link()), card(2, image, link())), 131009],
  ['a card without its header', 'carousel', carousel(card(0, image, link()), card(1, link())), 132012],
  ['a card without its address', 'carousel', carousel(card(0, image), card(1, image, link())), 131008],
  ['cards of another template', 'catalog', carousel(card(0), card(1)), 132018],
  ['an offer', 'offer', until(Date.now() + 3_600_000), 'accepted'],
  ['an offer without its end', 'offer', [], 131008],
  ['an offer that has ended', 'offer', until(Date.now() - 1), 131009],
  ['an offer’s end as a text', 'offer', until('tomorrow'), 131009],
  ['an end without an offer', 'catalog', until(Date.now() + 3_600_000), 132018],
  ['a catalog without its product', 'catalog', [], 'accepted'],
  ['a catalog', 'catalog', action('CATALOG', thumbnail), 'accepted'],
  ['a catalog with an empty action', 'catalog', action('CATALOG', {}), 131008],
  ['a list of products', 'products', action('mpm', { ...thumbnail, sections: sections(1, 30) }), 'accepted'],
  ['no list of products', 'products', [], 131008],
  ['no sections', 'products', action('mpm', thumbnail), 131008],
  ['eleven sections', 'products', action('mpm', { ...thumbnail, sections: sections(11, 1) }), 131009],
  ['31 products', 'products', action('mpm', { ...thumbnail, sections: sections(1, 31) }), 131009],
  ['a product', 'product', product({ product_retailer_id: 'p', catalog_id: '9' }), 'accepted'],
  ['a product without its catalog', 'product', product({ product_retailer_id: 'p' }), 131008],
  ['a product header that is missing', 'product', [], 132012],
  [
    'a parameter of a button that takes none',
    'product',
    [...product({ product_retailer_id: 'p', catalog_id: '9' }), ...action('spm', {})],
    132018,
  ],
  ['a flow', 'flow', action('flow', { flow_token: 't', flow_action_data: { a: 1 } }), 'accepted'],
  ['a flow without its parameter', 'flow', [], 131008],
  ['data of a flow that is no object', 'flow', action('flow', { flow_action_data: 'a' }), 131009],
  ['a payload', 'reply', [button('quick_reply', '1', [{ type: 'payload', payload: 'NO' }])], 'accepted'],
  ['an empty payload', 'reply', [button('quick_reply', '1', [{ type: 'payload', payload: '' }])], 131008],
  [
    'a payload of 128 characters with two units each',
    'reply',
    [button('quick_reply', '1', [{ type: 'payload', payload: '😀'.repeat(128) }])],
    'accepted',
  ],
  [
    'a payload of 129 characters',
    'reply',
    [button('quick_reply', '1', [{ type: 'payload', payload: 'x'.repeat(129) }])],
    131009,
  ],
  ['a button that does not exist', 'reply', [button('quick_reply', '2', [])], 131009],
  ['a button twice', 'reply', [button('quick_reply', '1', []), button('quick_reply', 1, [])], 131009],
  ['an encoded address', 'link', [link('a%20b')], 'accepted'],
  ['an address with a space', 'link', [link('a b')], 131009],
  ['an address beyond ASCII', 'link', [link('é')], 131009],
  ['an address without its name', 'named_link', [link()], 132018],
  [
    'a named address',
    'named_link',
    [button('url', '0', [{ type: 'text', parameter_name: 'path', text: 'a' }])],
    'accepted',
  ],
])('%s: %s', async (_what, name, components, code) => {
  expect(await codeOf(name, components)).toBe(code);
});

test('a new category alone is checked with the components, and ends the time to live', async () => {
  const { create } = templateCalls(platform);
  const { json } = await create({ name: 'sandbox_rejected_moved', message_send_ttl_seconds: 600 });
  const at = () => platform.call('GET', `${json.id}?fields=status,category,message_send_ttl_seconds`);
  await expect.poll(async () => (await at()).json.status).toBe('REJECTED');
  const edit = (category: string) => platform.call('POST', `${json.id}`, { category });
  expect((await edit('AUTHENTICATION')).json.error).toBeDefined();
  expect((await at()).json).toMatchObject({ category: 'UTILITY', message_send_ttl_seconds: 600 });
  expect((await edit('MARKETING')).json).toEqual({ success: true });
  expect((await at()).json).toEqual({ id: json.id, status: expect.any(String), category: 'MARKETING' });
});

test('a template of each kind is checked when it is created', async () => {
  const { create } = templateCalls(platform);
  let made = 0;
  const created = async (components: object[], category = 'MARKETING') => {
    const { json } = await create({ name: `kind_${made++}`, category, components });
    return json.error ? (json.error.error_subcode ?? json.error.code) : 'created';
  };
  const [one, two] = [cardOf('PRODUCT', 'SPM'), cardOf('PRODUCT', 'QUICK_REPLY')];
  const cards = (...list: object[]) => [body('Hello.'), { type: 'CAROUSEL', cards: list }];
  expect(await created(cards(one, one))).toBe('created');
  expect(await created(cards(one, one), 'UTILITY')).toBe(100);
  expect(await created(cards(one))).toBe(100);
  expect(await created(cards(...Array(11).fill(one)))).toBe(100);
  expect(await created(cards(one, two))).toBe(100);
  expect(await created(cards(cardOf('IMAGE', 'SPM'), cardOf('IMAGE', 'SPM')))).toBe(2388273);
  expect(await created([...cards(one, one), { type: 'FOOTER', text: 'Bye' }])).toBe(100);
  const coupon = [
    { type: 'COPY_CODE', example: 'A1' },
    { type: 'URL', text: 'Open', url: 'https://shop.example' },
  ];
  const offered = (text: string, ...more: object[]) => [
    { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text, has_expiration: true } },
    body('Hello.'),
    ...more,
  ];
  expect(await created(offered('Now', buttons(...coupon)))).toBe('created');
  expect(await created(offered('x'.repeat(17), buttons(...coupon)))).toBe(2388040);
  expect(await created(offered('Now', buttons(...coupon), { type: 'FOOTER', text: 'Bye' }))).toBe(2388073);
  expect(await created(offered('Now', buttons(...coupon.toReversed())))).not.toBe('created');
  expect(await created([body('Hello.'), buttons({ type: 'FLOW', text: 'Go', flow_id: '1' })])).toBe(
    'created',
  );
  expect(await created([body('Hello.'), buttons({ type: 'FLOW', text: 'Go' })])).not.toBe('created');
  expect(await created([body('Hello.'), { type: 'CALL_PERMISSION_REQUEST' }])).toBe('created');
});
