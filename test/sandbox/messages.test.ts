// What the played platform answers to a send: its acceptance, and each of its refusals by code, status and wording.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { caller, messageTo, numberId, plain, startPlatform, text, wabaId } from './platform.ts';

let platform: Awaited<ReturnType<typeof startPlatform>>;
const phone = '+919811112222';
const body = (...values: string[]) => [{ type: 'body', parameters: text(...values) }];
const template = (name: string) => ({ template: { name } });

beforeAll(async () => {
  platform = await startPlatform();
  const { control } = platform;
  await control.addTemplate(plain);
  const three = 'Hi {{1}}, order {{2}} comes {{3}}.';
  await control.addTemplate({ wabaId, name: 'three', components: [{ type: 'BODY', text: three }] });
  await control.addTemplate({
    wabaId,
    name: 'named',
    parameterFormat: 'NAMED',
    components: [{ type: 'BODY', text: 'Hi {{first_name}}, it is {{day}}.' }],
  });
  await control.addTemplate({
    wabaId,
    name: 'header_text',
    components: [
      { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
      { type: 'BODY', text: 'It is here.' },
    ],
  });
  for (const format of ['IMAGE', 'DOCUMENT', 'LOCATION'])
    await control.addTemplate({
      wabaId,
      name: format.toLowerCase(),
      components: [
        { type: 'HEADER', format },
        { type: 'BODY', text: 'See above.' },
      ],
    });
  await control.addTemplate({
    wabaId,
    name: 'buttons',
    components: [
      { type: 'BODY', text: 'Choose.' },
      {
        type: 'BUTTONS',
        buttons: [
          { type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' },
          { type: 'QUICK_REPLY', text: 'Stop' },
          { type: 'COPY_CODE', example: 'SAVE10' },
        ],
      },
    ],
  });
  for (const status of ['PENDING', 'PAUSED', 'DISABLED', 'REJECTED'])
    await control.addTemplate({ ...plain, name: status.toLowerCase(), status });
});
afterAll(() => platform.close());

test('an accepted message is answered exactly as the platform answers', async () => {
  const { status, json } = await platform.send(phone);
  expect(status).toBe(200);
  expect(json).toEqual({
    messaging_product: 'whatsapp',
    contacts: [{ input: phone, wa_id: '919811112222' }],
    messages: [{ id: expect.stringMatching(/^wamid\.HBg[A-Za-z0-9+/=]+$/), message_status: 'accepted' }],
  });
});

test('any version prefix, and none, reaches the same place', async () => {
  for (const prefix of ['v19.0', 'v99.12']) {
    const answer = await fetch(`${platform.url}/${prefix}/${numberId}/messages`, {
      method: 'POST',
      headers: { authorization: 'Bearer EAA-sandbox-token' },
      body: JSON.stringify(messageTo(phone)),
    });
    expect(answer.status).toBe(200);
  }
});

test('without a + the country code of the business number is put in front', async () => {
  const { json } = await platform.send('98 1111-2222');
  expect(json.contacts[0]).toEqual({ input: '98 1111-2222', wa_id: '919811112222' });
  expect((await platform.send('919811112222')).json.contacts[0].wa_id).toBe('91919811112222');
});

test('the person’s id is not always the number: Brazil loses its ninth digit, Mexico gains a 1', async () => {
  expect((await platform.send('+5531987654321')).json.contacts[0].wa_id).toBe('553187654321');
  expect((await platform.send('+5511987654321')).json.contacts[0].wa_id).toBe('5511987654321');
  expect((await platform.send('+525512345678')).json.contacts[0].wa_id).toBe('5215512345678');
});

test('filled headers, bodies and buttons of every kind are accepted', async () => {
  const good: Array<[string, unknown]> = [
    ['three', body('Asha', '17', 'today')],
    ['named', [{ type: 'body', parameters: namedText({ day: 'Monday', first_name: 'Asha' }) }]],
    ['header_text', [{ type: 'header', parameters: text('17') }]],
    [
      'image',
      [{ type: 'header', parameters: [{ type: 'image', image: { link: 'https://example.com/a.png' } }] }],
    ],
    ['location', [{ type: 'header', parameters: [location('19.07', '72.87')] }]],
    [
      'buttons',
      [button('url', '0', text('x9')), button('copy_code', 2, [{ type: 'coupon_code', coupon_code: 'A1' }])],
    ],
    [
      'buttons',
      [
        button('url', 0, text('x9')),
        button('quick_reply', '1', [{ type: 'payload', payload: 'STOP' }]),
        button('copy_code', '2', [{ type: 'coupon_code', coupon_code: 'A1' }]),
      ],
    ],
  ];
  for (const [name, components] of good) {
    const { status, text: said } = await platform.send(phone, components, template(name));
    expect({ name, status, said }).toEqual({ name, status: 200, said: expect.any(String) });
  }
});

const code = [button('copy_code', 2, [{ type: 'coupon_code', coupon_code: 'A1' }])];
const url = button('url', 0, text('x9'));

test.each<[what: string, code: number, http: number, components: unknown, more: object, details: string]>([
  [
    'an unknown template',
    132001,
    404,
    undefined,
    template('nobody'),
    'template name (nobody) does not exist in en_US',
  ],
  [
    'another language',
    132001,
    404,
    undefined,
    { template: { language: { code: 'hi' } } },
    'template name (plain) does not exist in hi',
  ],
  [
    'a pending template',
    132001,
    404,
    undefined,
    template('pending'),
    'template name (pending) does not exist in en_US',
  ],
  ['a rejected template', 132001, 404, undefined, template('rejected'), 'does not exist in en_US'],
  ['a paused template', 132015, 400, undefined, template('paused'), 'Template paused is paused'],
  ['a disabled template', 132016, 400, undefined, template('disabled'), 'Template disabled is disabled'],
  [
    'too few parameters',
    132000,
    400,
    body('Asha'),
    template('three'),
    'body: number of localizable_params (1) does not match the expected number of params (3)',
  ],
  [
    'too many parameters',
    132000,
    400,
    body('Asha'),
    {},
    'body: number of localizable_params (1) does not match the expected number of params (0)',
  ],
  [
    'a missing header text',
    132000,
    400,
    undefined,
    template('header_text'),
    'header: number of localizable_params (0) does not match the expected number of params (1)',
  ],
  [
    'a missing header medium',
    132012,
    400,
    undefined,
    template('image'),
    'header: Format mismatch, expected IMAGE, received UNKNOWN',
  ],
  [
    'a header medium of another kind',
    132012,
    400,
    [{ type: 'header', parameters: [{ type: 'video', video: { link: 'https://example.com/a.mp4' } }] }],
    template('image'),
    'header: Format mismatch, expected IMAGE, received VIDEO',
  ],
  [
    'a body parameter that is no text',
    132012,
    400,
    [{ type: 'body', parameters: [...text('a', 'b'), { type: 'image', image: { id: '1' } }] }],
    template('three'),
    'body: Format mismatch, expected TEXT, received IMAGE',
  ],
  [
    'an unknown upload',
    131053,
    400,
    [{ type: 'header', parameters: [{ type: 'image', image: { id: '404' } }] }],
    template('image'),
    'Media 404 was not found',
  ],
  ['an empty text', 131008, 400, body('Asha', '', 'today'), template('three'), 'misses its text'],
  [
    'a number for a text',
    131009,
    400,
    [{ type: 'body', parameters: [{ type: 'text', text: 7 }, ...text('a', 'b')] }],
    template('three'),
    'is not a string',
  ],
  [
    'a newline',
    132018,
    400,
    body('As\nha', '17', 'today'),
    template('three'),
    'Param text cannot have new-line/tab characters or more than 4 consecutive spaces',
  ],
  ['a tab', 132018, 400, body('As\tha', '17', 'today'), template('three'), 'Param text cannot have'],
  ['five spaces', 132018, 400, body('As     ha', '17', 'today'), template('three'), 'Param text cannot have'],
  [
    'an unknown name',
    132018,
    400,
    [{ type: 'body', parameters: namedText({ day: 'x', last_name: 'y' }) }],
    template('named'),
    "body: unexpected parameter name 'last_name'",
  ],
  ['a missing name', 132018, 400, body('x', 'y'), template('named'), 'Parameter name is missing or empty'],
  [
    'too long a body',
    132005,
    400,
    body('x'.repeat(1100), '17', 'today'),
    template('three'),
    'body: hydrated text too long',
  ],
  [
    'a missing button parameter',
    131008,
    400,
    code,
    template('buttons'),
    'buttons: Button at index 0 of type Url requires a parameter',
  ],
  [
    'a missing code',
    131008,
    400,
    [url],
    template('buttons'),
    'buttons: Button at index 2 of type CopyCode requires a parameter',
  ],
  [
    'too long a code',
    132005,
    400,
    [url, button('copy_code', 2, [{ type: 'coupon_code', coupon_code: 'x'.repeat(16) }])],
    template('buttons'),
    'longer than 15 characters',
  ],
  [
    'a button of another kind',
    132012,
    400,
    [button('quick_reply', 0, []), ...code],
    template('buttons'),
    'buttons: Button at index 0 is of type URL, received QUICK_REPLY',
  ],
  [
    'a button that is not there',
    131009,
    400,
    [url, ...code, button('url', 7, text('x'))],
    template('buttons'),
    'no button at index 7',
  ],
  [
    'an unknown component',
    131009,
    400,
    [{ type: 'footer', parameters: [] }],
    {},
    "Unexpected component type 'footer'",
  ],
  [
    'a latitude off the earth',
    131009,
    400,
    [{ type: 'header', parameters: [location('190', '10')] }],
    template('location'),
    'header: location latitude is not valid',
  ],
  [
    'a missing longitude',
    131008,
    400,
    [{ type: 'header', parameters: [{ type: 'location', location: { latitude: '1' } }] }],
    template('location'),
    'header: location longitude is required',
  ],
  ['no recipient', 131008, 400, undefined, { to: undefined }, "Parameter 'to' is required"],
  ['a recipient of letters', 131009, 400, undefined, { to: '+call-me' }, 'not a valid phone number'],
  ['a recipient too short', 131009, 400, undefined, { to: '+12345' }, 'not a valid phone number'],
  ['a recipient too long', 131009, 400, undefined, { to: '+1234567890123456' }, 'not a valid phone number'],
  [
    'itself as recipient',
    131021,
    400,
    undefined,
    { to: '+912255500100' },
    'Sender and recipient are the same',
  ],
  ['no type', 131008, 400, undefined, { type: undefined }, "Parameter 'type' is required"],
  ['another type', 131051, 400, undefined, { type: 'text', text: { body: 'hi' } }, 'template messages only'],
  ['no template', 131008, 400, undefined, { type: 'template', template: undefined, to: phone }, ''],
])('%s is refused with %i', async (_what, wanted, http, components, more, details) => {
  const message = messageTo(phone, components, more as Record<string, unknown>);
  if (details === '') delete (message as Record<string, unknown>).template;
  const { status, json } = await platform.call('POST', `${numberId}/messages`, message);
  expect(json.error).toMatchObject({ code: wanted, type: 'OAuthException', fbtrace_id: expect.any(String) });
  expect(json.error.message).toMatch(new RegExp(`^\\(#${wanted}\\) .`));
  expect(json.error.error_data).toEqual({
    messaging_product: 'whatsapp',
    details: expect.stringContaining(details),
  });
  expect(status).toBe(http);
});

test('a body that is no JSON, or a missing messaging_product, is refused with 100', async () => {
  const broken = await fetch(`${platform.url}/v23.0/${numberId}/messages`, {
    method: 'POST',
    headers: { authorization: 'Bearer EAA-sandbox-token' },
    body: '{"messaging_product',
  });
  expect(broken.status).toBe(400);
  expect((await broken.json()) as object).toMatchObject({ error: { code: 100 } });
  const { json } = await platform.send(phone, undefined, { messaging_product: undefined });
  expect(json.error).toMatchObject({
    code: 100,
    message: '(#100) The parameter messaging_product is required.',
  });
});

test('opaque data longer than 512 characters is refused', async () => {
  expect(
    (await platform.send(phone, undefined, { biz_opaque_callback_data: 'x'.repeat(513) })).json.error.code,
  ).toBe(100);
  expect((await platform.send(phone, undefined, { biz_opaque_callback_data: 'x'.repeat(512) })).status).toBe(
    200,
  );
});

test('a missing, unknown or revoked token is refused with 190 and 401', async () => {
  const { control, url } = platform;
  const { token: gone } = await control.addToken('100200300400500');
  await expect(caller(url, gone)('GET', numberId)).resolves.toMatchObject({ status: 200 });
  await control.revoke('100200300400500', gone);
  for (const bearer of [null, 'EAA-unknown', gone])
    expect(await caller(url, bearer)('GET', numberId)).toMatchObject({
      status: 401,
      json: { error: { code: 190, type: 'OAuthException' } },
    });
});

test('an object that is unknown, or another app’s, is refused with 100/33', async () => {
  const { control, url } = platform;
  const other = await control.addApp({ tokens: ['EAA-other'] });
  await control.addWaba({ appId: other.id });
  for (const answer of [
    await platform.call('POST', '999/messages', messageTo(phone)),
    await platform.call('GET', '999'),
    await caller(url, 'EAA-other')('POST', `${numberId}/messages`, messageTo(phone)),
    await caller(url, 'EAA-other')('GET', wabaId),
  ])
    expect(answer).toMatchObject({
      status: 400,
      json: { error: { code: 100, error_subcode: 33, type: 'GraphMethodException' } },
    });
});

test('above the number’s throughput sends are refused with 130429, on that number only', async () => {
  const { control } = platform;
  const slow = await control.addNumber({
    id: '333',
    wabaId,
    messagesPerSecond: 5,
    displayPhoneNumber: '+1 555 010 0200',
  });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => platform.call('POST', `${slow.id}/messages`, messageTo(phone))),
  );
  const codes = answers.map((answer) => answer.json.error?.code ?? 200);
  expect(codes.filter((c) => c === 200).length).toBeGreaterThanOrEqual(5);
  expect(codes.filter((c) => c === 200).length).toBeLessThan(10);
  expect(codes.filter((c) => c === 130429).length).toBeGreaterThan(10);
  expect((await platform.send(phone)).status).toBe(200);
});

test('the pair rate is off until asked for; then the 46th message of a burst to one person is refused with 131056', async () => {
  const to = '+919811113333';
  const burst = async () =>
    (await Promise.all(Array.from({ length: 46 }, () => platform.send(to)))).map((a) => a.status);
  expect(await burst()).toEqual(Array(46).fill(200));
  await platform.control.settings({ pairRate: true });
  const statuses = await burst();
  expect(statuses.filter((status) => status === 400)).toHaveLength(1);
  expect((await platform.send(to)).json.error.code).toBe(131056);
  expect((await platform.send('+919811114444')).status).toBe(200);
  await platform.control.settings({ pairRate: false });
});

function namedText(values: Record<string, string>) {
  return Object.entries(values).map(([name, value]) => ({ type: 'text', parameter_name: name, text: value }));
}

function location(latitude: string, longitude: string) {
  return { type: 'location', location: { latitude, longitude, name: 'Office', address: 'Road 1' } };
}

function button(subType: string, index: string | number, parameters: unknown[]) {
  return { type: 'button', sub_type: subType, index, parameters };
}
