// Creation of templates on the simulated platform: checks, reviews, and uploads of header samples.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { caller, startPlatform, token, wabaId } from './platform.ts';
import { body, templateCalls } from './template-calls.ts';

let platform: Awaited<ReturnType<typeof startPlatform>>;
let create: ReturnType<typeof templateCalls>['create'];
let updateOf: ReturnType<typeof templateCalls>['updateOf'];
beforeAll(async () => {
  platform = await startPlatform();
  ({ create, updateOf } = templateCalls(platform));
});
afterAll(() => platform.close());

test('a created template is pending, then approved with a callback whose id is a number', async () => {
  await platform.control.settings({ approvalMs: 400 });
  const { json, status } = await create({
    name: 'fresh',
    components: [body('Hi {{1}}, welcome back.', 'Asha')],
  });
  expect(status).toBe(200);
  expect(json).toEqual({ id: expect.stringMatching(/^\d+$/), status: 'PENDING', category: 'UTILITY' });
  expect((await platform.call('GET', json.id)).json).toMatchObject({ status: 'PENDING', name: 'fresh' });
  const update = await updateOf('fresh');
  expect(update?.signed).toBe(true);
  // more digits than a double holds, all of them in the callback
  expect(BigInt(json.id)).toBeGreaterThan(2n ** 53n);
  expect(update?.raw).toContain(`"message_template_id":${json.id},`);
  expect(update?.value).toEqual({
    event: 'APPROVED',
    message_template_id: Number(json.id),
    message_template_name: 'fresh',
    message_template_language: 'en_US',
    reason: 'NONE',
    message_template_category: 'UTILITY',
  });
  expect(update?.raw).toMatch(/"time":\d{10}/);
  expect((await platform.call('GET', json.id)).json.status).toBe('APPROVED');
  await platform.control.settings({ approvalMs: 0 });
});

test('a template with a magic name is rejected, or stays pending', async () => {
  const rejected = (await create({ name: 'sandbox_rejected_offer' })).json.id;
  expect((await updateOf('sandbox_rejected_offer'))?.value).toMatchObject({
    event: 'REJECTED',
    reason: 'INVALID_FORMAT',
  });
  expect((await platform.call('GET', `${rejected}?fields=status,rejected_reason`)).json).toEqual({
    id: rejected,
    status: 'REJECTED',
    rejected_reason: 'INVALID_FORMAT',
  });
  const pending = (await create({ name: 'sandbox_pending_one' })).json.id;
  await create({ name: 'after_it' });
  await updateOf('after_it');
  expect((await platform.call('GET', pending)).json.status).toBe('PENDING');
});

test('an authentication template gets the platform’s own texts and a URL button', async () => {
  const { json } = await create({
    name: 'code',
    category: 'AUTHENTICATION',
    components: [
      { type: 'BODY', add_security_recommendation: true },
      { type: 'FOOTER', code_expiration_minutes: 10 },
      { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE', text: 'Copy code' }] },
    ],
  });
  const { components } = (await platform.call('GET', json.id)).json;
  expect(components[0].text).toBe(
    '*{{1}}* is your verification code. For your security, do not share this code.',
  );
  expect(components[1].text).toBe('This code expires in 10 minutes.');
  expect(components[2].buttons[0]).toMatchObject({
    type: 'URL',
    url: expect.stringMatching(/code=otp\{\{1\}\}$/),
  });
  await updateOf('code');
  const otp = { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '918273' }] };
  const sent = await platform.send(
    '+919811112222',
    [{ type: 'body', parameters: [{ type: 'text', text: '918273' }] }, otp],
    {
      template: { name: 'code' },
    },
  );
  expect(sent.status).toBe(200);
});

const buttons = (...list: object[]) => [body('a'), { type: 'BUTTONS', buttons: list }];
const link = (url: string, more: object = {}) => ({ type: 'URL', text: 'Go', url, ...more });
const header = (text: string, ...example: string[]) => ({
  ...{ type: 'HEADER', format: 'TEXT', text },
  ...(example.length > 0 && { example: { header_text: example } }),
});
const otp = (more: object) => ({
  category: 'AUTHENTICATION',
  components: [{ type: 'BODY' }, { type: 'BUTTONS', buttons: [{ type: 'OTP', ...more }] }],
});
const app = { package_name: 'com.example.app', signature_hash: 'K8a/AINcGX7' };

/** Rejected templates with the platform's subcode; none: only 100. */
test.each<[string, object, number?]>([
  ['a name with capitals', { name: 'Sale' }],
  ['a language that is none', { language: 'english' }],
  ['a language that only looks like one', { language: 'zz' }],
  ['a category that is none', { category: 'NEWS' }],
  ['no components', { components: undefined }],
  ['a component of no kind', { components: [body('a'), { type: 'SIDEBAR' }] }],
  ['a life too long', { message_send_ttl_seconds: 43_201 }],
  ['no body', { components: [{ type: 'FOOTER', text: 'bye' }] }, 2388072],
  ['two bodies', { components: [body('a'), body('b')] }],
  ['an empty body', { components: [body(' ')] }, 2388072],
  ['too long a body', { components: [body('x'.repeat(1025))] }, 2388040],
  ['a variable without example', { components: [body('Hi {{1}}, hello again.')] }, 2388072],
  ['an empty example', { components: [body('Hi {{1}}, hello again.', '')] }, 2388072],
  ['a gap in the numbers', { components: [body('Hi {{1}} and {{3}}, hello.', 'a', 'b')] }, 2388072],
  ['braces that are not a variable', { components: [body('Hi {{1}, hello again.', 'a')] }, 2388072],
  ['a variable at the end', { components: [body('Hi {{1}}', 'a')] }, 2388299],
  ['a variable at the start', { components: [body('{{1}} is here today', 'a')] }, 2388299],
  [
    'two variables without text between',
    { components: [body('Hi there {{1}}{{2}} from all of us.', 'a', 'b')] },
    2388072,
  ],
  ['too many variables for its length', { components: [body('Hi {{1}}, your {{2}}.', 'a', 'b')] }, 2388293],
  [
    'a named variable twice',
    {
      parameter_format: 'NAMED',
      components: [
        {
          ...body('Hi {{a}} and {{a}}, welcome back to us.'),
          example: { body_text_named_params: [{ param_name: 'a', example: 'x' }] },
        },
      ],
    },
    2388072,
  ],
  ['a variable in the footer', { components: [body('a'), { type: 'FOOTER', text: 'by {{1}}' }] }, 2388073],
  ['an emoji in the footer', { components: [body('a'), { type: 'FOOTER', text: 'bye 👋' }] }, 2388073],
  ['too long a footer', { components: [body('a'), { type: 'FOOTER', text: 'x'.repeat(61) }] }, 2388040],
  ['too long a header', { components: [body('a'), header('x'.repeat(61))] }, 2388040],
  ['two variables in a header', { components: [body('a'), header('{{1}} {{2}}', 'a', 'b')] }, 2388047],
  ['formatting in a header', { components: [body('a'), header('*Sale*')] }, 2388047],
  ['a line break in a header', { components: [body('a'), header('a\nb')] }, 2388047],
  [
    'a media header without sample',
    { components: [body('a'), { type: 'HEADER', format: 'IMAGE' }] },
    2388273,
  ],
  [
    'a sample that was never uploaded',
    {
      components: [
        body('a'),
        { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::made-up'] } },
      ],
    },
    2388273,
  ],
  [
    'three URLs',
    { components: buttons(...['A', 'B', 'C'].map((text) => link('https://a.example', { text }))) },
  ],
  [
    'a URL variable in the middle',
    { components: buttons(link('https://a.example/{{1}}/b', { example: ['x'] })) },
  ],
  ['a URL without a host', { components: buttons(link('https://{{1}}', { example: ['x'] })) }],
  ['a link into a conversation', { components: buttons(link('https://wa.me/15550100')) }],
  ['a link to the platform', { components: buttons(link('https://api.whatsapp.com/send?phone=1')) }],
  ['too long a label', { components: buttons({ type: 'QUICK_REPLY', text: 'x'.repeat(26) }) }, 2388040],
  ['a variable in a label', { components: buttons({ type: 'QUICK_REPLY', text: 'Hi {{1}}' }) }],
  [
    'two buttons of one label',
    { components: buttons({ type: 'QUICK_REPLY', text: 'A' }, { type: 'QUICK_REPLY', text: 'A' }) },
  ],
  ['an unknown type of button', { components: buttons({ type: 'SHARE', text: 'A' }) }],
  ['too long a coupon', { components: buttons({ type: 'COPY_CODE', example: 'x'.repeat(21) }) }, 2388040],
  [
    'quick replies that are not adjacent',
    {
      components: buttons(
        { type: 'QUICK_REPLY', text: 'A' },
        { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550100' },
        { type: 'QUICK_REPLY', text: 'B' },
      ),
    },
  ],
  [
    'an OTP button in another category',
    { components: buttons({ type: 'OTP', otp_type: 'COPY_CODE', text: 'A' }) },
  ],
  [
    'an authentication text of its own',
    { ...otp({ otp_type: 'COPY_CODE' }), components: [body('a')] },
    2388072,
  ],
  ['an unknown type of code', otp({ otp_type: 'TWO_TAP' })],
  ['one tap without an app', otp({ otp_type: 'ONE_TAP' })],
  [
    'one tap with a wrong package',
    otp({ otp_type: 'ONE_TAP', supported_apps: [{ ...app, package_name: 'app' }] }),
  ],
  [
    'one tap with a wrong hash',
    otp({ otp_type: 'ONE_TAP', supported_apps: [{ ...app, signature_hash: 'x' }] }),
  ],
  ['zero tap without the terms', otp({ otp_type: 'ZERO_TAP', supported_apps: [app] })],
])('%s is rejected with 100 and its subcode', async (_what, template, subcode) => {
  const { status, json } = await create({ name: 'x', ...template });
  expect([status, json.error?.code, json.error?.error_subcode]).toEqual([400, 100, subcode]);
  if (subcode !== undefined) {
    expect(json.error).toMatchObject({
      message: 'Invalid parameter',
      type: 'OAuthException',
      is_transient: false,
    });
    expect(json.error.error_user_title).toMatch(/\w/);
    expect(json.error.error_user_msg).toMatch(/\w/);
  }
});

test.each([
  ['one tap', otp({ otp_type: 'ONE_TAP', supported_apps: [app] })],
  ['one tap, its app on the button itself', otp({ otp_type: 'ONE_TAP', ...app })],
  ['zero tap', otp({ otp_type: 'ZERO_TAP', supported_apps: [app], zero_tap_terms_accepted: true })],
  ['a text without spaces', { language: 'ja', components: [body('ご注文{{1}}を発送しました。', 'A-1')] }],
])('%s is accepted', async (what, template) => {
  expect((await create({ name: what.replaceAll(/\W+/g, '_'), ...template })).status).toBe(200);
});

test('the name of an approved template that was deleted is blocked for 30 days', async () => {
  const { id } = await platform.control.addTemplate({ wabaId, name: 'gone', components: [body('Hello.')] });
  await platform.call('DELETE', `${wabaId}/message_templates?name=gone&hsm_id=${id}`);
  expect((await create({ name: 'gone' })).json.error).toMatchObject({ code: 100, error_subcode: 2388023 });
  expect((await create({ name: 'gone', language: 'fr' })).status).toBe(200);
  await platform.control.advanceClock(30 * 86_400_000);
  expect((await create({ name: 'gone' })).status).toBe(200);
});

test('a disabled template cannot be deleted', async () => {
  const seed = { wabaId, name: 'disabled_one', status: 'DISABLED', components: [body('Hello.')] };
  await platform.control.addTemplate(seed);
  const response = await platform.call('DELETE', `${wabaId}/message_templates?name=disabled_one`);
  expect(response.json.error.code).toBe(100);
});

test('a second template with the same name and language is rejected; one in another language is accepted', async () => {
  expect((await create({ name: 'twice' })).status).toBe(200);
  expect((await create({ name: 'twice' })).json.error).toMatchObject({
    code: 100,
    error_subcode: 2388024,
    error_user_title: 'Content in This Language Already Exists',
  });
  expect((await create({ name: 'twice', language: 'fr' })).status).toBe(200);
});

test('a resumable upload creates a handle, which is accepted as the sample of a media header', async () => {
  const bytes = Buffer.alloc(1000, 7);
  const opened = await platform.call(
    'POST',
    `100200300400500/uploads?file_name=a.png&file_length=1000&file_type=image/png`,
  );
  expect(opened.json.id).toMatch(/^upload:/);
  const put = async (part: Buffer, offset: number) => {
    const response = await fetch(`${platform.url}/v23.0/${opened.json.id}`, {
      method: 'POST',
      headers: { authorization: `OAuth ${token}`, file_offset: String(offset) },
      body: new Uint8Array(part),
    });
    return (await response.json()) as { h?: string; error?: { code: number } };
  };
  await put(bytes.subarray(0, 400), 0);
  const session = opened.json.id.split('?')[0];
  expect((await platform.call('GET', opened.json.id)).json).toEqual({ id: session, file_offset: 400 });
  expect((await put(bytes.subarray(0, 400), 0)).error?.code).toBe(100);
  const { h: handle } = await put(bytes.subarray(400), 400);
  expect(handle).toMatch(/^4::/);
  const header = { type: 'HEADER', format: 'IMAGE', example: { header_handle: [handle] } };
  const created = await create({ name: 'with_image', components: [header, body('See above.')] });
  expect(created.status).toBe(200);
  const { components } = (await platform.call('GET', created.json.id)).json;
  expect(components[0].example.header_handle[0]).toMatch(/^https:\/\/scontent/);
  expect(
    (await caller(platform.url)('POST', '100200300400500/uploads?file_length=9&file_type=text/html')).json
      .error.code,
  ).toBe(100);
});
