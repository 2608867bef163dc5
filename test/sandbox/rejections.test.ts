// Each rejection of a send by the simulated platform: code, HTTP status and wording.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addFillableTemplates, body, button, location, namedText, template } from './fillable.ts';
import { messageTo, numberId, startPlatform, text } from './platform.ts';

let platform: Awaited<ReturnType<typeof startPlatform>>;
const phone = '+919811112222';
beforeAll(async () => {
  platform = await startPlatform();
  await addFillableTemplates(platform.control);
});
afterAll(() => platform.close());

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
    [url, button('copy_code', 2, [{ type: 'coupon_code', coupon_code: 'x'.repeat(21) }])],
    template('buttons'),
    'longer than 20 characters',
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
  ['another type', 131051, 400, undefined, { type: 'telepathy', text: { body: 'hi' } }, 'not supported'],
  ['no template', 131008, 400, undefined, { type: 'template', template: undefined, to: phone }, ''],
])('%s is rejected with %i', async (_what, wanted, http, components, more, details) => {
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
