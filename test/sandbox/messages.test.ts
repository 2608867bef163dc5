// Responses of the simulated platform to a send: acceptance, recipients, authorization, and rate limits.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addFillableTemplates, body, button, location, namedText, template } from './fillable.ts';
import { caller, messageTo, numberId, startPlatform, text, wabaId } from './platform.ts';

let platform: Awaited<ReturnType<typeof startPlatform>>;
const phone = '+919811112222';

beforeAll(async () => {
  platform = await startPlatform();
  await addFillableTemplates(platform.control);
});
afterAll(() => platform.close());

test('an accepted message gets exactly the platform’s response', async () => {
  const { status, json } = await platform.send(phone);
  expect(status).toBe(200);
  expect(json).toEqual({
    messaging_product: 'whatsapp',
    contacts: [{ input: phone, wa_id: '919811112222' }],
    messages: [{ id: expect.stringMatching(/^wamid\.HBg[A-Za-z0-9+/=]+$/), message_status: 'accepted' }],
  });
});

test('any version prefix, or none, reaches the same operation', async () => {
  for (const prefix of ['v19.0', 'v99.12']) {
    const answer = await fetch(`${platform.url}/${prefix}/${numberId}/messages`, {
      method: 'POST',
      headers: { authorization: 'Bearer EAA-sandbox-token' },
      body: JSON.stringify(messageTo(phone)),
    });
    expect(answer.status).toBe(200);
  }
});

test('the country code of the business number is prepended to a recipient without +', async () => {
  const { json } = await platform.send('98 1111-2222');
  expect(json.contacts[0]).toEqual({ input: '98 1111-2222', wa_id: '919811112222' });
  expect((await platform.send('919811112222')).json.contacts[0].wa_id).toBe('91919811112222');
});

test('the person’s id differs from the number for Brazil (no ninth digit) and Mexico (an added 1)', async () => {
  expect((await platform.send('+5531987654321')).json.contacts[0].wa_id).toBe('553187654321');
  expect((await platform.send('+5511987654321')).json.contacts[0].wa_id).toBe('5511987654321');
  expect((await platform.send('+525512345678')).json.contacts[0].wa_id).toBe('5215512345678');
});

test('valid headers, bodies and buttons of every kind are accepted', async () => {
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
    const { status, text: body } = await platform.send(phone, components, template(name));
    expect({ name, status, body }).toEqual({ name, status: 200, body: expect.any(String) });
  }
});

test('a body that is not JSON, or has no messaging_product, is rejected with 100', async () => {
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

test('opaque data longer than 512 characters is rejected', async () => {
  expect(
    (await platform.send(phone, undefined, { biz_opaque_callback_data: 'x'.repeat(513) })).json.error.code,
  ).toBe(100);
  expect((await platform.send(phone, undefined, { biz_opaque_callback_data: 'x'.repeat(512) })).status).toBe(
    200,
  );
});

test('a missing, unknown or revoked token is rejected with 190 and 401', async () => {
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

test('an object that is unknown, or belongs to another app, is rejected with 100/33', async () => {
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

test('sends above a number’s throughput are rejected with 130429, only on that number', async () => {
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

test('messages to a number count in its throughput', async () => {
  const { control } = platform;
  const { id } = await control.addNumber({
    ...{ id: '334', wabaId, messagesPerSecond: 5 },
    displayPhoneNumber: '+1 555 010 0201',
  });
  const from = { phone: '919811115555' };
  await control.write(id, { messages: Array.from({ length: 5 }, () => ({ from, kind: 'text' })) });
  const answer = await platform.call('POST', `${id}/messages`, messageTo(phone));
  expect(answer.json.error?.code).toBe(130429);
});

test('the 46th message of a burst to one person is rejected with 131056, unless the pair rate is off', async () => {
  const to = '+919811113333';
  await platform.control.settings({ pairRate: false });
  const burst = async () =>
    (await Promise.all(Array.from({ length: 46 }, () => platform.send(to)))).map((a) => a.status);
  expect(await burst()).toEqual(Array(46).fill(200));
  await platform.control.settings({ pairRate: true });
  const statuses = await burst();
  expect(statuses.filter((status) => status === 400)).toHaveLength(1);
  expect((await platform.send(to)).json.error.code).toBe(131056);
  expect((await platform.send('+919811114444')).status).toBe(200);
});
