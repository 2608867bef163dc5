// Drafts with texts over a limit: each error names the limit and the length given.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { templateKinds } from '../harness/sends.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  await addSender(gateway, templateKinds);
});
afterAll(() => gateway?.close());

const long = (count: number) => 'a'.repeat(count);
const body = { type: 'BODY', text: 'Hello there, this is a test.' };
const button = (more: object) => [body, { type: 'BUTTONS', buttons: [more] }];
const components = (...parts: object[]) => ({ components: parts });
const named = (token: string) => ({
  type: 'BODY',
  text: `Hello {{${token}}}, this is a test.`,
  example: { body_text_named_params: [{ param_name: token, example: 'Ada' }] },
});
const card = (more: { text?: string; buttons?: object[] }) => ({
  components: [
    { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::a'] } },
    { type: 'BODY', text: more.text ?? 'Hello.' },
    { type: 'BUTTONS', buttons: more.buttons ?? [{ type: 'QUICK_REPLY', text: 'Yes' }] },
  ],
});
const carousel = (...cards: object[]) => ({
  ...{ category: 'MARKETING', components: [body, { type: 'CAROUSEL', cards }] },
});
const offered = (text: string, of: string) => ({
  category: 'MARKETING',
  components: [
    { ...body, text: of },
    { type: 'LIMITED_TIME_OFFER', limited_time_offer: { text } },
    { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Shop', url: 'https://shop.example' }] },
  ],
});

test.each<[string, object, string | RegExp]>([
  ['providerTemplateName', { providerTemplateName: long(513) }, 'at most 512 characters, but has 513'],
  ['businessAccountId', { businessAccountId: long(65) }, 'at most 64 characters, but has 65'],
  ['components', { components: Array(11).fill(body) }, 'at most 10 items, but has 11'],
  [
    'components[0].text',
    components({ ...body, text: long(10_001) }),
    'at most 10000 characters, but has 10001',
  ],
  [
    'components[0].text',
    components({ ...body, text: '🙂'.repeat(1025) }),
    'at most 1024 characters, but has 1025',
  ],
  [
    'components[0].text',
    components({ type: 'HEADER', format: 'TEXT', text: long(61) }, body),
    'at most 60 characters, but has 61',
  ],
  [
    'components[1].text',
    components(body, { type: 'FOOTER', text: long(61) }),
    'at most 60 characters, but has 61',
  ],
  ['components[0].text', components(named(long(33))), /at most 32 .*, but it has 33/],
  [
    'components[0].mediaId',
    components({ type: 'HEADER', format: 'IMAGE', mediaId: long(129) }, body),
    'at most 128 characters, but has 129',
  ],
  ['components[1].buttons', components(body, { type: 'BUTTONS', buttons: [] }), '1 to 10 buttons, but has 0'],
  [
    'components[1].buttons[0].text',
    components(...button({ type: 'QUICK_REPLY', text: long(26) })),
    'at most 25 characters, but has 26',
  ],
  [
    'components[1].buttons[0].url',
    components(...button({ type: 'URL', text: 'Open', url: `https://a.example/${long(1983)}` })),
    'at most 2000 characters, but has 2001',
  ],
  [
    'components[1].buttons[0].phone_number',
    components(...button({ type: 'PHONE_NUMBER', text: 'Call', phone_number: `+${'1'.repeat(20)}` })),
    'at most 20 characters, but has 21',
  ],
  [
    'components[1].buttons[0].phone_number',
    components(...button({ type: 'PHONE_NUMBER', text: 'Call', phone_number: '1234' })),
    '5 to 20 digits, with the country code',
  ],
  [
    'components[1].buttons[0].example',
    components(...button({ type: 'COPY_CODE', text: 'Copy', example: long(21) })),
    'at most 20 characters, but has 21',
  ],
  ['components[1].cards', carousel(card({})), '2 to 10 cards, but has 1'],
  [
    'components[1].cards[0].components[1].text',
    carousel(card({ text: long(161) }), card({})),
    'at most 160 characters, but has 161',
  ],
  [
    'components[1].cards[0].components[2].buttons',
    carousel(card({ buttons: Array(3).fill({ type: 'QUICK_REPLY', text: 'Yes' }) }), card({})),
    'at most 2 buttons, but has 3',
  ],
  [
    'components[1].limited_time_offer.text',
    offered(long(17), 'Hello there.'),
    'at most 16 characters, but has 17',
  ],
  ['components[1]', offered('Now', long(601)), 'at most 600 characters, but it has 601'],
])('%s is rejected with its limit and its length', async (path, more, text) => {
  const draft = { providerTemplateName: 'limits', language: 'en_US', category: 'UTILITY', ...more };
  const { status, body: answer } = await gateway.call('POST', '/v1/templates', {
    body: { components: [body], ...draft },
  });
  expect(status).toBe(400);
  const found = answer.errors?.find((one) => one.path === path);
  expect(found?.message, JSON.stringify(answer.errors)).toMatch(text);
});
