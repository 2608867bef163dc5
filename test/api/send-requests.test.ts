// Validation of a send: nothing is sent unless the whole request is valid, and every problem is listed.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { samples } from '../harness/sample-files.ts';
import { send, templateKinds, uploadMedia } from '../harness/sends.ts';

let gateway: Gateway;
let ids: Record<string, string>;
let senderId: string;

beforeAll(async () => {
  gateway = await startGateway();
  ({ templateIds: ids, senderId } = await addSender(gateway, templateKinds));
});
afterAll(() => gateway?.close());

let lastPhone = 15550200000;
const phone = () => {
  lastPhone += 1;
  return String(lastPhone);
};
const idOf = (name: string) => ids[name] ?? '';
const three = { '1': 'Ada', '2': 'A-1', '3': 'Friday' };

const upload = (bytes: Buffer, fileName: string, type: string) => uploadMedia(gateway, bytes, fileName, type);

/** Sends and returns `status code` and every problem as `path message`. */
async function rejection(request: Parameters<typeof send>[1]) {
  const before = (await gateway.platform.counts()).accepted;
  const { status, body } = await send(gateway, request);
  expect((await gateway.platform.counts()).accepted).toBe(before);
  return [`${status} ${body.code}`, ...(body.errors ?? []).map(({ path, message }) => `${path} ${message}`)];
}

test('null for optional fields counts as absent, in a send, a preview and an upload', async () => {
  const nulls = { name: null, mediaId: null, location: null, metadata: null, buttons: null };
  const recipient = () => ({ ...nulls, phone: phone(), variables: three });
  const shared = { ...nulls, senderId: null, sendAt: null, expiresInSeconds: null, cards: null };
  const call = (path: string, body: object) => gateway.call('POST', path, { body: body as never });
  const templateId = idOf('order_update');
  const sent = await send(gateway, { templateId, recipients: [recipient()], ...shared });
  expect(sent.body.data).toMatchObject({ accepted: 1, messages: [{ name: null }] });
  expect((await call(`/v1/templates/${templateId}/preview`, recipient())).status).toBe(200);
  const made = await call('/v1/sends', { templateId, ...shared });
  const path = `/v1/sends/${made.body.data.sendId}/recipients`;
  const added = await call(path, { recipients: [recipient(), { phone: phone(), variables: three }] });
  expect(added.body.data).toMatchObject({ added: 2, rejected: 0 });
  expect(
    await rejection({
      templateId,
      recipients: [{ phone: phone(), variables: { ...three, 1: null } }],
    }),
  ).toEqual(['400 invalid_request', 'recipients[0].variables.1 must be a string']);
});

describe('an invalid request sends nothing and lists every problem', () => {
  test.each([
    [{ recipients: [] }, ['recipients must have at least 1 item']],
    [{ recipients: undefined }, ['recipients this field is required']],
    [
      { recipients: [{ phone: '15550200000', nam: 'x' }] },
      ['recipients[0].nam there is no such field; check its spelling'],
    ],
    [{ recipients: [{ name: 'x' }] }, ['recipients[0].phone this field is required']],
    [{ recipients: [{ phone: 15550200000 }] }, ['recipients[0].phone must be a string']],
    [
      { recipients: [{ phone: '15550200000', name: 'x'.repeat(257) }] },
      ['recipients[0].name must have at most 256 characters, but has 257'],
    ],
    [
      { recipients: [{ phone: '15550200000', variables: [] }] },
      ['recipients[0].variables must be an object'],
    ],
    [
      { recipients: [{ phone: '15550200000', metadata: { a: 1 } }] },
      ['recipients[0].metadata.a must be a string'],
    ],
    [
      {
        recipients: ['15550200000'],
        metadata: Object.fromEntries([...'abcdefghijk'].map((key) => [key, ''])),
      },
      ['metadata must have at most 10 fields, but has 11'],
    ],
    [{ recipients: ['15550200000'], metadata: { ['k'.repeat(65)]: '' } }, [/^metadata/]],
    [{ recipients: ['15550200000'], expiresInSeconds: 0 }, ['expiresInSeconds must be 1 or more']],
    [
      { recipients: ['15550200000'], location: { latitude: 91, longitude: 0, name: 'a', address: 'b' } },
      ['location.latitude must be 90 or less'],
    ],
    [{ recipients: ['15550200000'], templateId: 7 }, ['templateId must be a string']],
    [
      { recipients: ['15550200000'], template: 'plain' },
      ['template there is no such field; check its spelling'],
    ],
  ])('%j', async (wrong, faults) => {
    const { body, status } = await gateway.call('POST', '/v1/templates/send', {
      body: {
        templateId: idOf('plain'),
        ...wrong,
        ...(Array.isArray(wrong.recipients)
          ? { recipients: wrong.recipients.map((one) => (typeof one === 'string' ? { phone: one } : one)) }
          : {}),
      },
    });
    expect([status, body.code]).toEqual([400, 'invalid_request']);
    const found = (body.errors ?? []).map(({ path, message }) => `${path} ${message}`);
    expect(found).toHaveLength(faults.length);
    for (const [index, fault] of faults.entries()) {
      if (typeof fault === 'string') expect(found[index]).toBe(fault);
      else expect(found[index]).toMatch(fault);
    }
  });

  test('invalid phones, variables and keys of all recipients', async () => {
    const request = {
      templateId: idOf('order_update'),
      recipients: [
        { phone: '+1 555-020', variables: three },
        { phone: '15550299991', variables: { ...three, '4': 'x' } },
        { phone: '15550299992', variables: { '1': 'Ada', '2': 5 } },
        { phone: '15550299991', variables: { ...three, '3': 'to\nday' } },
      ],
    };
    expect(await rejection(request)).toEqual([
      '400 invalid_request',
      'recipients[0].phone must be digits only, with the country code: remove "+", spaces, "-"',
      'recipients[3].phone is the same as recipients[1].phone',
      'recipients[1].variables.4 is not a variable of this template; use 1, 2, 3',
      'recipients[2].variables.2 must be a string',
      'recipients[2].variables.3 is missing',
      'recipients[3].variables.3 must not contain a newline, a tab or more than four consecutive spaces',
    ]);
  });

  test('a variable key that could mean two links', async () => {
    const recipients = [{ phone: phone(), variables: { '1': 'x' } }];
    expect(await rejection({ templateId: idOf('two_links'), recipients })).toEqual([
      '400 invalid_request',
      'recipients[0].variables.1 names several variables; use "buttons.0.1" or "buttons.1.1" instead',
      'recipients[0].variables.buttons.0.1 is missing',
      'recipients[0].variables.buttons.1.1 is missing',
    ]);
  });

  test('a header without its file or location, with an unknown file, or with a file of another kind', async () => {
    const recipients = [phone(), phone()];
    const image = await upload(samples.png, 'a.png', 'image/png');
    const missing = 'is missing: the header of this template is a document; upload one first';
    expect(await rejection({ templateId: idOf('bill'), recipients })).toEqual([
      '400 invalid_request',
      `recipients[0].mediaId ${missing}`,
      `recipients[1].mediaId ${missing}`,
    ]);
    // a value given for all recipients is listed once, at its path in the request
    expect(await rejection({ templateId: idOf('bill'), recipients, mediaId: image })).toEqual([
      '400 invalid_request',
      'mediaId is an image, but the header of this template is a document',
    ]);
    expect(await rejection({ templateId: idOf('bill'), recipients, mediaId: '12345' })).toEqual([
      '400 invalid_request',
      'mediaId does not exist in this account; upload it first',
    ]);
    expect(await rejection({ templateId: idOf('plain'), recipients, mediaId: image })).toEqual([
      '400 invalid_request',
      'mediaId is not allowed: this template has no media header',
    ]);
    expect((await rejection({ templateId: idOf('meeting_point'), recipients }))[1]).toMatch(
      /^recipients\[0\]\.location is missing/,
    );
  });

  test('a template with parts that this gateway cannot fill', async () => {
    expect(await rejection({ templateId: idOf('unknown_part'), recipients: [phone()] })).toEqual([
      '400 invalid_request',
      'templateId this template cannot be sent here: it has a hologram component',
    ]);
  });

  test('more than a thousand recipients', async () => {
    const recipients = Array.from({ length: 1001 }, phone);
    expect(await rejection({ templateId: idOf('plain'), recipients })).toEqual([
      '400 invalid_request',
      'recipients must have at most 1000 items, but has 1001',
    ]);
  });
});

describe('the objects of a request must exist and be usable', () => {
  const unknown = '019a0b5e-7c00-7000-8000-000000000000';
  test.each<[string, () => object, string]>([
    ['an unknown template', () => ({ templateId: unknown }), '404 template_not_found'],
    ['a malformed template', () => ({ templateId: 'x' }), '404 template_not_found'],
    ['an unknown sender', () => ({ senderId: unknown }), '404 sender_not_found'],
    ['a malformed sender', () => ({ senderId: 'x' }), '404 sender_not_found'],
    ['a submitted template', () => ({ templateId: idOf('waiting') }), '409 template_not_approved'],
    ['a rejected template', () => ({ templateId: idOf('refused') }), '409 template_not_approved'],
  ])('%s', async (_what, wrong, expected) => {
    expect(await rejection({ templateId: idOf('plain'), recipients: [phone()], ...wrong() })).toEqual([
      expected,
    ]);
  });

  test('a 404 takes precedence over a 400, and a 400 over a 409', async () => {
    const recipients = [{ phone: '+1' }];
    expect((await rejection({ templateId: unknown, recipients }))[0]).toBe('404 template_not_found');
    expect((await rejection({ templateId: idOf('waiting'), senderId: unknown, recipients }))[0]).toBe(
      '404 sender_not_found',
    );
    expect((await rejection({ templateId: idOf('waiting'), recipients }))[0]).toBe('400 invalid_request');
  });

  test('another account can use neither the template nor the sender', async () => {
    const key = await gateway.otherAccount();
    const foreign = await send(gateway, { templateId: idOf('plain'), recipients: [phone()] }, { key });
    expect(foreign.body.code).toBe('template_not_found');
    const draft = await gateway.call<{ _id: string }>('POST', '/v1/templates', {
      key,
      body: {
        providerTemplateName: 'mine',
        language: 'en',
        category: 'UTILITY',
        components: [{ type: 'BODY', text: 'x' }],
      },
    });
    const templateId = draft.body.data._id;
    const named = await send(gateway, { templateId, senderId, recipients: [phone()] }, { key });
    expect(named.body.code).toBe('sender_not_found');
    const own = await send(gateway, { templateId, recipients: [phone()] }, { key });
    expect(own.body.code).toBe('template_not_approved');
  });

  test('a sender of another business account is rejected', async () => {
    await gateway.platform.addApp({
      id: '9',
      secret: '1df0bfcf3306c3c4d06f471467bbdee2',
      tokens: ['other-token'],
    });
    await gateway.platform.addWaba({ id: '98', appId: '9' });
    await gateway.platform.addNumber({ id: '99', wabaId: '98', displayPhoneNumber: '+1 555 010 9999' });
    const other = await gateway.call<{ _id: string; isDefault: boolean }>('POST', '/v1/senders', {
      body: {
        name: 'Other',
        phoneNumberId: '99',
        businessAccountId: '98',
        accessToken: 'other-token',
        appSecret: '1df0bfcf3306c3c4d06f471467bbdee2',
        verifyToken: 'v',
      },
    });
    expect(other.body.data.isDefault).toBe(false);
    const request = { templateId: idOf('plain'), recipients: [phone()] };
    expect(await rejection({ ...request, senderId: other.body.data._id })).toEqual(['409 sender_mismatch']);
    expect((await send(gateway, { ...request, senderId })).body.data).toMatchObject({ accepted: 1 });
  });
});

test('a rejection repeats no invisible character of the request', async () => {
  const hidden = '\u200b\u202e\u00a0\u3164';
  const hiddenPhone = `1555${hidden}0100001`;
  const sent = (body: object) =>
    gateway.call('POST', '/v1/templates/send', {
      body: { templateId: ids.order_update, recipients: [{ phone: hiddenPhone }], ...body },
    });
  const recipient = { phone: '15550100001', variables: three };
  const responses = [
    await sent({}),
    await sent({ recipients: [{ ...recipient, variables: { ...three, [`1${hidden}`]: 'Ada' } }] }),
    await sent({ recipients: [recipient], [`a${hidden}`]: 1 }),
    await sent({ recipients: [recipient], metadata: { [hidden]: 5 } }),
    await gateway.call('GET', `/v1/templates?${encodeURIComponent(`statu${hidden}`)}=approved`),
    await gateway.call('POST', '/v1/templates', {
      body: {
        ...{ providerTemplateName: 'hidden', language: 'en_US', category: 'UTILITY' },
        components: [{ type: 'BODY', text: 'Hello.', mediaId: `x${hidden}` }],
      },
    }),
    await gateway.call('GET', `/v1/messages?from=${encodeURIComponent(`2026${hidden}`)}`),
  ];
  for (const { status, text } of responses) {
    expect(status).toBe(400);
    expect(text).not.toMatch(/[\p{Cf}\p{Zl}\p{Zp}\u3164\u00a0]/u);
  }
  expect(responses[0]?.body.errors?.[0]?.message).toContain('\\u200b');
  expect(responses[1]?.body.errors?.[0]?.path).toBe('recipients[0].variables.1\\u200b\\u202e\\u00a0\\u3164');
});
