// Creating templates on the played platform: what it checks, its review, and the upload of header samples.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { caller, startPlatform, token } from './platform.ts';
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
  await platform.control.settings({ approvalMs: 50 });
  const { json, status } = await create({ name: 'fresh', components: [body('Hi {{1}}, welcome.', 'Asha')] });
  expect(status).toBe(200);
  expect(json).toEqual({ id: expect.stringMatching(/^\d+$/), status: 'PENDING', category: 'UTILITY' });
  expect((await platform.call('GET', json.id)).json).toMatchObject({ status: 'PENDING', name: 'fresh' });
  const update = await updateOf('fresh');
  expect(update?.signed).toBe(true);
  // more digits than a double holds, each of them in the callback
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

test('magic names: one is rejected, one stays pending', async () => {
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

test('an authentication template reads back with the platform’s own words and a URL button', async () => {
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

test.each<[string, object]>([
  ['a name with capitals', { name: 'Sale' }],
  ['a language that is none', { name: 'x', language: 'english' }],
  ['a category that is none', { name: 'x', category: 'NEWS' }],
  ['no components', { name: 'x', components: undefined }],
  ['no body', { name: 'x', components: [{ type: 'FOOTER', text: 'bye' }] }],
  ['two bodies', { name: 'x', components: [body('a'), body('b')] }],
  ['too long a body', { name: 'x', components: [body('x'.repeat(1025))] }],
  ['a variable without example', { name: 'x', components: [body('Hi {{1}}, hello.')] }],
  ['a gap in the numbers', { name: 'x', components: [body('Hi {{1}} and {{3}}, hello.', 'a', 'b')] }],
  ['a variable at the end', { name: 'x', components: [body('Hi {{1}}', 'a')] }],
  ['a variable in the footer', { name: 'x', components: [body('a'), { type: 'FOOTER', text: 'by {{1}}' }] }],
  [
    'too long a header',
    { name: 'x', components: [body('a'), { type: 'HEADER', format: 'TEXT', text: 'x'.repeat(61) }] },
  ],
  [
    'a media header without sample',
    { name: 'x', components: [body('a'), { type: 'HEADER', format: 'IMAGE' }] },
  ],
  [
    'a sample that was never uploaded',
    {
      name: 'x',
      components: [
        body('a'),
        { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::made-up'] } },
      ],
    },
  ],
  [
    'three URLs',
    {
      name: 'x',
      components: [
        body('a'),
        { type: 'BUTTONS', buttons: Array(3).fill({ type: 'URL', text: 'Go', url: 'https://a.example' }) },
      ],
    },
  ],
  [
    'a URL variable in the middle',
    {
      name: 'x',
      components: [
        body('a'),
        {
          type: 'BUTTONS',
          buttons: [{ type: 'URL', text: 'Go', url: 'https://a.example/{{1}}/b', example: ['x'] }],
        },
      ],
    },
  ],
  [
    'quick replies apart',
    {
      name: 'x',
      components: [
        body('a'),
        {
          type: 'BUTTONS',
          buttons: [
            { type: 'QUICK_REPLY', text: 'A' },
            { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550100' },
            { type: 'QUICK_REPLY', text: 'B' },
          ],
        },
      ],
    },
  ],
])('%s is refused with 100', async (_what, template) => {
  expect(await create(template)).toMatchObject({ status: 400, json: { error: { code: 100 } } });
});

test('the same name and language twice is refused, another language is not', async () => {
  expect((await create({ name: 'twice' })).status).toBe(200);
  expect((await create({ name: 'twice' })).json.error).toMatchObject({
    code: 100,
    error_subcode: 2388024,
    error_user_title: 'Content in This Language Already Exists',
  });
  expect((await create({ name: 'twice', language: 'fr' })).status).toBe(200);
});

test('a sample goes up by the resumable upload, and its handle serves a media header', async () => {
  const bytes = Buffer.alloc(1000, 7);
  const opened = await platform.call(
    'POST',
    `100200300400500/uploads?file_name=a.png&file_length=1000&file_type=image/png`,
  );
  expect(opened.json.id).toMatch(/^upload:/);
  const put = async (part: Buffer, offset: number) => {
    const answer = await fetch(`${platform.url}/v23.0/${opened.json.id}`, {
      method: 'POST',
      headers: { authorization: `OAuth ${token}`, file_offset: String(offset) },
      body: new Uint8Array(part),
    });
    return (await answer.json()) as { h?: string; error?: { code: number } };
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
