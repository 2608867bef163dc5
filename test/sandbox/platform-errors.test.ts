// Errors of the simulated platform: every documented code, with its HTTP status and in each of its forms.
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { isPlatformCode } from '../../sandbox/cloud-api/errors.ts';
import { knownCodes } from '../../src/adapters/meta/error-codes.ts';
import { numberId, startPlatform, wabaId } from './platform.ts';

let platform: Awaited<ReturnType<typeof startPlatform>>;
beforeAll(async () => {
  platform = await startPlatform();
  const components = [
    { type: 'HEADER', format: 'IMAGE', example: { header_handle: ['4::x'] } },
    { type: 'BODY', text: 'Hello there.' },
  ];
  await platform.control.addTemplate({ wabaId, name: 'photo', components });
});
afterAll(() => platform?.close());

const post = () => platform.call('POST', `${numberId}/messages`, { messaging_product: 'whatsapp' });

it('knows every code that the gateway knows', () => {
  expect([...knownCodes, 200, 299].filter((code) => !isPlatformCode(code))).toEqual([]);
});

it.each([
  [131031, 403],
  [134102, 500],
  [133004, 503],
  [2494100, 400],
  [200, 403],
  [33, 400],
])('returns %i with HTTP %i in its envelope', async (code, status) => {
  await platform.control.addFault({ code, on: 'messages', times: 1, details: 'Why.' });
  const answer = await post();
  expect([answer.status, answer.json.error]).toMatchObject([
    status,
    { code, type: 'OAuthException', error_data: { details: 'Why.' }, fbtrace_id: expect.any(String) },
  ]);
});

it('returns a given subcode and message', async () => {
  await platform.control.addFault({
    code: 100,
    subcode: 33,
    message: 'Unsupported',
    on: 'messages',
    times: 1,
  });
  expect((await post()).json.error).toMatchObject({ code: 100, error_subcode: 33, message: 'Unsupported' });
});

it('returns an HTML page, as a proxy does', async () => {
  await platform.control.addFault({
    on: 'messages',
    does: 'answer',
    status: 403,
    page: '<p>No</p>',
    times: 1,
  });
  const answer = await fetch(`${platform.url}/v23.0/${numberId}/messages`, { method: 'POST' });
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
    403,
    'text/html',
    '<p>No</p>',
  ]);
});

describe('with plain error data', () => {
  test('rejections and reports about numbers have a string instead of an object', async () => {
    const { callbackServer } = platform;
    await platform.control.settings({ plainErrorData: true });
    await platform.control.addFault({ code: 131026, on: 'messages', times: 1, details: 'Why.' });
    expect((await post()).json.error).toMatchObject({ code: 131026, error_data: 'Why.' });
    await platform.control.reportProblem(numberId, 131031);
    await callbackServer.until(() => callbackServer.callbacks.length === 1);
    expect(callbackServer.callbacks[0]).toMatchObject({
      field: 'messages',
      value: {
        metadata: { phone_number_id: numberId },
        errors: [{ code: 131031, title: 'Business Account locked', error_data: expect.any(String) }],
      },
    });
    await platform.control.settings({ plainErrorData: false });
  });
});

it.each([
  [100, 100],
  [131053, 131053],
])('rejects unknown media with %i, as configured', async (lostMediaCode, code) => {
  await platform.control.settings({ lostMediaCode });
  const header = { type: 'header', parameters: [{ type: 'image', image: { id: '1' } }] };
  const { json } = await platform.send('+15550100001', [header], { template: { name: 'photo' } });
  expect(json.error.code).toBe(code);
});
