// Messages of the simulated platform that are not templates: the window, and the rejections of every kind.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { numberId, startPlatform } from './platform.ts';

let platform: Awaited<ReturnType<typeof startPlatform>>;
const phone = '919811112222';
const userId = 'US.13491208655302741918';
beforeAll(async () => {
  platform = await startPlatform();
  await platform.control.write(numberId, {
    messages: [
      { from: { phone }, kind: 'text', id: 'wamid.wrote' },
      { from: { userId }, kind: 'text' },
    ],
  });
});
afterAll(() => platform.close());

const to = `+${phone}`;
const post = (message: object) =>
  platform.call('POST', `${numberId}/messages`, { messaging_product: 'whatsapp', to, ...message });
const textMessage = { type: 'text', text: { body: 'Hi' } };
const statusesOf = async (wamid: string, last: string) => {
  const found = () => platform.callbackServer.statuses(wamid);
  await platform.callbackServer.until(() => found().some(({ status }) => status === last));
  return found();
};

const choose = (type: string, action: object, text = 'Choose.') => ({
  type: 'interactive',
  interactive: { type, body: { text }, action },
});
const buttonOf = (id: string, title = id) => ({ type: 'reply', reply: { id, title } });
const buttons = (...list: object[]) => choose('button', { buttons: list });
const rows = (count: number) => Array.from({ length: count }, (_, n) => ({ id: `${n}`, title: `${n}` }));
const listOf = (sections: object[], button = 'Open') => choose('list', { button, sections });
const link = (display_text: string, url = 'https://example.com') =>
  choose('cta_url', { name: 'cta_url', parameters: { display_text, url } });
const long = (length: number) => 'x'.repeat(length);

test.each<[string, number, object]>([
  ['a text of 4,097 characters', 100, { type: 'text', text: { body: long(4097) } }],
  ['a text without a body', 131008, { type: 'text', text: {} }],
  ['a member of another type', 100, { ...textMessage, location: { latitude: 1, longitude: 1 } }],
  ['an unknown type', 131051, { type: 'telepathy', telepathy: {} }],
  ['an unknown file', 131053, { type: 'image', image: { id: '1' } }],
  ['a file by id and address', 131008, { type: 'image', image: { id: '1', link: 'https://e.com/a.png' } }],
  ['an address that is none', 131009, { type: 'image', image: { link: 'a.png' } }],
  ['a long caption', 100, { type: 'image', image: { link: 'https://e.com/a.png', caption: long(1025) } }],
  ['a caption of audio', 100, { type: 'audio', audio: { link: 'https://e.com/a.mp3', caption: 'a' } }],
  ['a file name of an image', 100, { type: 'image', image: { link: 'https://e.com/a.png', filename: 'a' } }],
  ['a place without longitude', 131008, { type: 'location', location: { latitude: 1 } }],
  ['a place beyond the pole', 131009, { type: 'location', location: { latitude: 91, longitude: 1 } }],
  ['a card with one name only', 131008, { type: 'contacts', contacts: [{ name: { formatted_name: 'A' } }] }],
  ['no cards', 131008, { type: 'contacts', contacts: [] }],
  ['a reaction to nothing', 131008, { type: 'reaction', reaction: { emoji: '👍' } }],
  ['four buttons', 131009, buttons(...['1', '2', '3', '4'].map((id) => buttonOf(id)))],
  ['buttons with the same id', 131009, buttons(buttonOf('1', 'A'), buttonOf('1', 'B'))],
  ['buttons with the same title', 131009, buttons(buttonOf('1', 'A'), buttonOf('2', 'A'))],
  ['a button id with a space', 131009, buttons(buttonOf('1 ', 'A'))],
  ['a long button', 100, buttons(buttonOf('1', long(21)))],
  ['a long text beside buttons', 100, choose('button', { buttons: [buttonOf('1')] }, long(1025))],
  [
    'eleven rows in two sections',
    131009,
    listOf([
      { title: 'A', rows: rows(10) },
      { title: 'B', rows: rows(1) },
    ]),
  ],
  ['sections without titles', 131008, listOf([{ rows: rows(1) }, { rows: rows(1) }])],
  ['a long row', 100, listOf([{ rows: [{ id: '1', title: long(25) }] }])],
  ['a list without a button', 131008, listOf([{ rows: rows(1) }], '')],
  ['a long link', 100, link(long(21))],
  ['a link that is none', 131009, link('Open', 'example.com')],
  ['an unknown interactive type', 131009, choose('telepathy', {})],
  ['a quote of nothing', 131008, { ...textMessage, context: {} }],
  ['an invalid user id', 131009, { ...textMessage, to: undefined, recipient: 'nobody' }],
])('%s is rejected with %i', async (_what, code, message) => {
  const { json } = await post(message);
  expect(json.error).toMatchObject({ code });
});

test('a message to a user id is answered and reported with it', async () => {
  const { json } = await post({ ...textMessage, to: undefined, recipient: userId });
  expect(json.contacts).toEqual([{ input: userId, user_id: userId }]);
  const [sent] = await statusesOf(json.messages[0].id, 'read');
  expect(sent).toMatchObject({ recipient_user_id: userId, pricing: { category: 'service' } });
  expect(sent).not.toHaveProperty('recipient_id');
});

test('outside the window a message fails with 131047 by callback, or is rejected, by the setting', async () => {
  const stranger = { ...textMessage, to: '+919811113333' };
  const reported = await post(stranger);
  const statuses = await statusesOf(reported.json.messages[0].id, 'failed');
  expect(statuses.map(({ status, errors }) => [status, errors?.[0]?.code])).toEqual([['failed', 131047]]);
  await platform.control.settings({ closedWindow: 'reject' });
  expect((await post(stranger)).json.error).toMatchObject({ code: 131047 });
  expect((await post(textMessage)).status).toBe(200);
  await platform.control.advanceClock(24 * 3_600_000);
  expect((await post(textMessage)).json.error).toMatchObject({ code: 131047 });
  await platform.control.settings({ closedWindow: 'ignore' });
  expect((await post(stranger)).status).toBe(200);
  await platform.control.advanceClock(-24 * 3_600_000);
});

test('who wrote is in the window by their number and by their id where the two differ', async () => {
  await platform.control.write(numberId, {
    messages: [{ from: { phone: '5531987654321', waId: '553187654321' }, kind: 'text' }],
  });
  await platform.control.settings({ closedWindow: 'reject' });
  for (const to of ['+5531987654321', '+553187654321'])
    expect((await post({ ...textMessage, to })).status).toBe(200);
  await platform.control.settings({ closedWindow: 'ignore' });
});

test('a reaction is sent only, and fails if its message is a reaction, unknown or older than 30 days', async () => {
  const react = async (message_id: string) =>
    (await post({ type: 'reaction', reaction: { message_id, emoji: '👍' } })).json.messages[0].id as string;
  const first = await react('wamid.wrote');
  expect((await statusesOf(first, 'sent')).map(({ status }) => status)).toEqual(['sent']);
  for (const id of [first, 'wamid.unknown'])
    expect((await statusesOf(await react(id), 'failed'))[0]?.errors?.[0]?.code).toBe(131009);
  await platform.control.advanceClock(30 * 86_400_000);
  expect((await statusesOf(await react('wamid.wrote'), 'failed'))[0]?.errors?.[0]?.code).toBe(131009);
  await platform.control.advanceClock(-30 * 86_400_000);
});

test('a message is marked as read if the number received it in the last 30 days', async () => {
  const read = (more: object) => post({ to: undefined, status: 'read', message_id: 'wamid.wrote', ...more });
  expect((await read({ typing_indicator: { type: 'text' } })).json).toEqual({ success: true });
  expect(await platform.control.reads()).toMatchObject([{ messageId: 'wamid.wrote', typing: true }]);
  const rejections: [object, number][] = [
    [{ message_id: 'wamid.unknown' }, 131009],
    [{ message_id: undefined }, 131008],
    [{ typing_indicator: { type: 'voice' } }, 131009],
    [{ status: 'delivered' }, 100],
  ];
  for (const [more, code] of rejections) expect((await read(more)).json.error).toMatchObject({ code });
  await platform.control.advanceClock(30 * 86_400_000);
  expect((await read({})).json.error).toMatchObject({ code: 131009 });
});
