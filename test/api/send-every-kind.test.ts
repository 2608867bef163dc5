// Templates that need more than variables, through the whole program: carousels, offers, flows, catalogs and products.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TemplateSeed } from '../../sandbox/control.ts';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { padded, samples } from '../harness/sample-files.ts';
import { messageOf, send, uploadMedia } from '../harness/sends.ts';
import { until } from '../harness/until.ts';

type Seed = Omit<TemplateSeed, 'wabaId'>;
const body = { type: 'BODY', text: 'Hello there.' };
const seed = (name: string, components: object[], more: Partial<Seed> = {}): Seed => ({
  ...{ name, language: 'en_US', status: 'APPROVED', category: 'UTILITY', ...more },
  components: components as Seed['components'],
});
const buttons = (...list: object[]) => ({ type: 'BUTTONS', buttons: list });
const offer = { text: 'Ends soon', has_expiration: true };
const link = { type: 'URL', text: 'Open', url: 'https://shop.example/{{1}}' };
const card = (format: string, ...list: object[]) => ({
  components: [{ type: 'HEADER', format }, buttons(...list)],
});
const marketing = { category: 'MARKETING' };
const cardsOf = (one: object): object => ({ type: 'CAROUSEL', cards: [one, one] });
/** Kinds that need more than variables. */
const kinds: Seed[] = [
  seed('carousel', [body, cardsOf(card('IMAGE', { type: 'QUICK_REPLY', text: 'More' }, link))], marketing),
  seed('product_carousel', [body, cardsOf(card('PRODUCT', { type: 'SPM', text: 'View' }))], marketing),
  seed(
    'offer',
    [
      { type: 'LIMITED_TIME_OFFER', limited_time_offer: offer },
      body,
      buttons({ type: 'COPY_CODE', example: '25OFF' }, link),
    ],
    marketing,
  ),
  seed('catalog', [body, buttons({ type: 'CATALOG', text: 'View catalog' })], marketing),
  seed('flow', [body, buttons({ type: 'FLOW', text: 'Sign up', flow_id: '1' })]),
  seed('products', [body, buttons({ type: 'MPM', text: 'View items' })], marketing),
  seed(
    'product',
    [{ type: 'HEADER', format: 'PRODUCT' }, body, buttons({ type: 'SPM', text: 'View' })],
    marketing,
  ),
  seed('reply', [body, buttons({ type: 'QUICK_REPLY', text: 'Yes' })]),
  seed('picture', [{ type: 'HEADER', format: 'IMAGE' }, body]),
  seed('call', [body, { type: 'CALL_PERMISSION_REQUEST' }]),
];

let gateway: Gateway;
let ids: Record<string, string>;
beforeAll(async () => {
  gateway = await startGateway();
  await gateway.platform.settings({ approvalMs: 0 });
  ({ templateIds: ids } = await addSender(gateway, kinds));
});
afterAll(() => gateway?.close());

let phones = 0;
/** Sends to one recipient; returns the components that the platform accepted. */
async function sentComponents(templateId: string, fill: object) {
  const phone = `1555091${String(phones++).padStart(4, '0')}`;
  const { body: response } = await send(gateway, { templateId, recipients: [{ phone, ...fill }] });
  expect(response.data?.messages?.[0]?.error, JSON.stringify(response)).toBeNull();
  // a send answers before a slow call of the platform does
  return until(async () => {
    const [entry] = await gateway.platform.ledger({ phone });
    expect(entry, phone).toBeDefined();
    return entry?.components;
  });
}

describe('the platform accepts a template that needs more than variables', () => {
  it.each<[string, object, object[] | null]>([
    [
      'reply',
      { buttons: [{ index: 0, payload: 'YES' }] },
      [{ sub_type: 'quick_reply', parameters: [{ type: 'payload', payload: 'YES' }] }],
    ],
    [
      'picture',
      { headerMediaUrl: 'https://cdn.example/a.png' },
      [{ parameters: [{ type: 'image', image: { link: 'https://cdn.example/a.png' } }] }],
    ],
    [
      'product_carousel',
      { cards: ['p1', 'p2'].map((productId) => ({ product: { productId, catalogId: '9' } })) },
      [{ type: 'carousel', cards: [{ card_index: 0 }, { card_index: 1 }] }],
    ],
    [
      'offer',
      {
        variables: { 'buttons.0.1': '25OFF', 'buttons.1.1': 'summer sale' },
        offerExpiresAt: '2096-12-01T00:00:00Z',
      },
      [
        { type: 'limited_time_offer' },
        { sub_type: 'copy_code' },
        { sub_type: 'url', parameters: [{ text: 'summer%20sale' }] },
      ],
    ],
    ['catalog', { catalog: { thumbnailProductId: 'p1' } }, [{ sub_type: 'CATALOG' }]],
    [
      'flow',
      { buttons: [{ index: 0, flow: { token: 't', data: { a: 1 } } }] },
      [{ sub_type: 'flow', parameters: [{ action: { flow_token: 't', flow_action_data: { a: 1 } } }] }],
    ],
    ['products', { products: { sections: [{ title: 'New', productIds: ['p1'] }] } }, [{ sub_type: 'mpm' }]],
    ['product', { product: { productId: 'p1', catalogId: '9' } }, [{ type: 'header' }]],
    ['call', {}, null],
  ])('%s', async (name, fill, components) => {
    const sent = await sentComponents(ids[name] ?? '', fill);
    if (components === null) expect(sent).toBeNull();
    else expect(sent).toMatchObject(components);
  });

  it('a carousel with a stored file on each card, which stays in use while the message is queued', async () => {
    const files = [1_000, 2_000].map((size) =>
      uploadMedia(gateway, padded(samples.png, size), 'a.png', 'image/png'),
    );
    const [first = '', second = ''] = await Promise.all(files);
    const recipient = {
      variables: { 'cards.0.buttons.1.1': 'a', 'cards.1.buttons.1.1': 'b' },
      cards: [{ mediaId: first, buttons: [{ index: 0, payload: 'MORE' }] }, { mediaId: second }],
    };
    const images = (components: unknown) =>
      (components as { cards: { components: { parameters: object[] }[] }[] }[])[0]?.cards.map(
        (one) => one.components[0]?.parameters[0],
      );
    expect(images(await sentComponents(ids.carousel ?? '', recipient))).toEqual([
      { type: 'image', image: { id: first } },
      { type: 'image', image: { id: second } },
    ]);

    const { id = '' } =
      (await gateway.platform.state()).templates.find((one) => one.name === 'carousel') ?? {};
    await gateway.platform.changeTemplate(id, { status: 'PAUSED' });
    const status = async () =>
      (await gateway.call<{ status: string }>('GET', `/v1/templates/${ids.carousel}`)).body.data.status;
    await expect.poll(status).toBe('submitted');
    await gateway.database.db
      .updateTable('templates')
      .set({ status: 'approved' })
      .where('id', '=', ids.carousel ?? '')
      .execute();
    // held when it is called: the platform rejects a paused template
    const phone = '15550919999';
    const queued = await send(gateway, {
      ...{ templateId: ids.carousel ?? '', recipients: [{ phone, ...recipient }] },
    });
    expect(queued.body.data?.queued, JSON.stringify(queued.body)).toBe(1);
    const removal = await gateway.call('DELETE', `/v1/media/${second}`);
    expect([removal.status, removal.body.code]).toEqual([409, 'media_in_use']);
    await gateway.platform.changeTemplate(id, { status: 'APPROVED' });
    const message = queued.body.data?.messages?.[0]?.id ?? '';
    await expect.poll(async () => (await messageOf(gateway, message)).status).toBe('read');
    expect(await gateway.platform.ledger({ phone })).toHaveLength(1);
    expect((await gateway.call('DELETE', `/v1/media/${second}`)).status).toBe(200);
  });

  it('reports a problem of a default at the request, and checks the form of every member', async () => {
    const recipients = ['15550918888'];
    const errorsOf = async (of: object) => {
      const { body: response } = await send(gateway, { templateId: ids.call ?? '', recipients, ...of });
      return (response.errors ?? []).map(({ path }) => path);
    };
    expect(await errorsOf({ buttons: [{ index: 0, payload: 'A' }] })).toEqual(['buttons[0].index']);
    expect(await errorsOf({ headerMediaUrl: 'http://a.example' })).toEqual(['headerMediaUrl']);
    expect(await errorsOf({ headerMediaUrl: `https://a.example/${'a'.repeat(2_031)}` })).toEqual([
      'headerMediaUrl',
    ]);
    expect(await errorsOf({ buttons: [{ index: 0, payload: 'x'.repeat(129) }] })).toEqual([
      'buttons[0].payload',
    ]);
    expect(await errorsOf({ cards: [{}] })).toEqual(['cards']);
    expect(await errorsOf({ cards: Array(11).fill({}) })).toEqual(['cards']);
    const section = { title: 'New', productIds: ['p'] };
    expect(await errorsOf({ products: { sections: Array(11).fill(section) } })).toEqual([
      'products.sections',
    ]);
    expect(await errorsOf({ offerExpiresAt: 'tomorrow' })).toEqual(['offerExpiresAt']);
    const blank = { title: ' ', productIds: ['p', '\t'] };
    expect(await errorsOf({ products: { thumbnailProductId: ' ', sections: [blank] } })).toEqual([
      'products.thumbnailProductId',
      'products.sections[0].title',
      'products.sections[0].productIds[1]',
    ]);
    expect(await errorsOf({ product: { productId: ' ', catalogId: '\u00a0' } })).toEqual([
      'product.productId',
      'product.catalogId',
    ]);
    expect(await errorsOf({ catalog: { thumbnailProductId: ' ' } })).toEqual(['catalog.thumbnailProductId']);
    const nowhere = { latitude: 1, longitude: 1, name: ' ', address: ' ' };
    expect(await errorsOf({ location: nowhere })).toEqual(['location.name', 'location.address']);
  });
});

describe('a carousel and an offer are drafted, submitted with samples, and sent', () => {
  it('with a picture on each card', async () => {
    const mediaId = await uploadMedia(gateway, padded(samples.png, 3_000), 'card.png', 'image/png');
    const one = {
      components: [
        { type: 'HEADER', format: 'IMAGE', mediaId },
        buttons({ type: 'QUICK_REPLY', text: 'More' }),
      ],
    };
    const made = await gateway.call<{ _id: string; unsendableReason: null }>('POST', '/v1/templates', {
      body: {
        ...{ providerTemplateName: 'drafted_carousel', language: 'en_US', ...marketing },
        components: [body, cardsOf(one)],
      },
    });
    expect(made.status, made.text).toBe(200);
    const { _id } = made.body.data;
    const submitted = await gateway.call('POST', `/v1/templates/${_id}/submit`);
    expect(submitted.status, submitted.text).toBe(200);
    const status = async () =>
      (await gateway.call<{ status: string }>('GET', `/v1/templates/${_id}`)).body.data.status;
    await expect.poll(status).toBe('approved');
    const cards = [{ mediaId }, { mediaId }];
    expect(await sentComponents(_id, { cards })).toMatchObject([{ type: 'carousel' }]);
  });

  it('as an offer with a coupon', async () => {
    const made = await gateway.call<{ _id: string }>('POST', '/v1/templates', {
      body: {
        ...{ providerTemplateName: 'drafted_offer', language: 'en_US', ...marketing },
        components: [
          { type: 'LIMITED_TIME_OFFER', limited_time_offer: offer },
          body,
          buttons(
            { type: 'COPY_CODE', example: '25OFF' },
            { ...link, example: ['https://shop.example/summer'] },
          ),
        ],
      },
    });
    expect(made.status, made.text).toBe(200);
    const submitted = await gateway.call('POST', `/v1/templates/${made.body.data._id}/submit`);
    expect(submitted.status, submitted.text).toBe(200);
  });
});
