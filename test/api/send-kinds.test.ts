// Every kind of template through the whole program: sendable ones are accepted by the platform, others are listed and rejected.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TemplateSeed } from '../../sandbox/control.ts';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { padded, samples } from '../harness/sample-files.ts';
import { send, uploadMedia } from '../harness/sends.ts';
import { until } from '../harness/until.ts';

type Seed = Omit<TemplateSeed, 'wabaId'>;
const body = { type: 'BODY', text: 'Hello there.' };
const seed = (name: string, components: object[], more: Partial<Seed> = {}): Seed => ({
  ...{ name, language: 'en_US', status: 'APPROVED', category: 'UTILITY', ...more },
  components: components as Seed['components'],
});
const buttons = (...list: object[]) => ({ type: 'BUTTONS', buttons: list });
const unsendable: [string, object[]][] = [
  ['order', [body, { type: 'ORDER_DETAILS' }]],
  ['app_link', [body, buttons({ type: 'APP', text: 'Open the app' })]],
  ['gif', [{ type: 'HEADER', format: 'GIF' }, body]],
];
const sendable: Seed[] = [
  seed('film', [{ type: 'HEADER', format: 'VIDEO' }, body]),
  seed('picture', [{ type: 'HEADER', format: 'IMAGE' }, body]),
  seed('bill', [{ type: 'HEADER', format: 'DOCUMENT' }, body]),
  seed('place', [{ type: 'HEADER', format: 'LOCATION' }, body]),
  seed(
    'named_header',
    [
      { type: 'HEADER', format: 'TEXT', text: 'The {{title}}' },
      { type: 'BODY', text: 'Hi {{name}}.' },
    ],
    {
      parameterFormat: 'NAMED',
    },
  ),
  seed('static_buttons', [
    body,
    { type: 'FOOTER', text: 'Reply stop to end' },
    buttons(
      { type: 'QUICK_REPLY', text: 'Yes' },
      { type: 'PHONE_NUMBER', text: 'Call', phone_number: '+15550100' },
      { type: 'URL', text: 'Open', url: 'https://shop.example' },
    ),
  ]),
  seed('code_button', [body, buttons({ type: 'COPY_CODE', example: '250FF' })], { category: 'MARKETING' }),
  seed(
    'otp_as_listed',
    [{ type: 'BODY', text: '{{1}} is your code.' }, buttons({ type: 'OTP', otp_type: 'ONE_TAP' })],
    {
      category: 'AUTHENTICATION',
    },
  ),
];

let gateway: Gateway;
let ids: Record<string, string>;
beforeAll(async () => {
  gateway = await startGateway();
  await gateway.platform.settings({ approvalMs: 0 });
  const seeds = [...sendable, ...unsendable.map(([name, components]) => seed(name, components))];
  ({ templateIds: ids } = await addSender(gateway, seeds));
});
afterAll(() => gateway?.close());

let phones = 0;
/** Sends to one recipient; returns the components that the platform accepted. */
async function sentComponents(templateId: string, fill: object) {
  const phone = `1555090${String(phones++).padStart(4, '0')}`;
  const { body: response } = await send(gateway, { templateId, recipients: [{ phone, ...fill }] });
  expect(response.data?.messages?.[0]?.error, JSON.stringify(response)).toBeNull();
  // a send answers before a slow call of the platform does
  return until(async () => {
    const [entry] = await gateway.platform.ledger({ phone });
    expect(entry, phone).toBeDefined();
    return entry?.components;
  });
}

describe('the platform accepts', () => {
  it.each([
    ['film', 'video', 'a.mp4', 'video/mp4', samples.mp4],
    ['picture', 'image', 'a.png', 'image/png', samples.png],
    ['bill', 'document', 'a.pdf', 'application/pdf', padded(samples.pdf, 2_000)],
  ])('a header with a file: %s', async (name, kind, fileName, type, bytes) => {
    const mediaId = await uploadMedia(gateway, bytes, fileName, type);
    const file = { id: mediaId, ...(kind === 'document' ? { filename: fileName } : {}) };
    expect(await sentComponents(ids[name] ?? '', { mediaId })).toEqual([
      { type: 'header', parameters: [{ type: kind, [kind]: file }] },
    ]);
  });

  it('a location header, a named header, buttons without variables, a code to copy', async () => {
    const location = { latitude: 52.5, longitude: 13.4, name: 'Shop', address: 'Main Street 1' };
    expect(await sentComponents(ids.place ?? '', { location })).toMatchObject([
      { type: 'header', parameters: [{ type: 'location' }] },
    ]);
    expect(
      await sentComponents(ids.named_header ?? '', { variables: { 'header.title': 'Sale', name: 'Ada' } }),
    ).toEqual([
      { type: 'header', parameters: [{ type: 'text', parameter_name: 'title', text: 'Sale' }] },
      { type: 'body', parameters: [{ type: 'text', parameter_name: 'name', text: 'Ada' }] },
    ]);
    expect(await sentComponents(ids.static_buttons ?? '', {})).toBeNull();
    expect(
      await sentComponents(ids.code_button ?? '', { variables: { 'buttons.0.1': '25OFF' } }),
    ).toMatchObject([{ type: 'button', sub_type: 'copy_code', index: '0' }]);
    expect(await sentComponents(ids.otp_as_listed ?? '', { variables: { '1': '123456' } })).toMatchObject([
      { type: 'body' },
      { type: 'button', sub_type: 'url', index: '0' },
    ]);
  });

  it.each(['COPY_CODE', 'ONE_TAP', 'ZERO_TAP'])(
    'a one-time password template that is drafted, submitted and sent: %s',
    async (otp) => {
      const apps = [{ package_name: 'com.example.app', signature_hash: 'K8a/AINcGX7' }];
      const terms = otp === 'ZERO_TAP' ? { zero_tap_terms_accepted: true } : {};
      const made = await gateway.call<{ _id: string }>('POST', '/v1/templates', {
        body: {
          providerTemplateName: `otp_${otp.toLowerCase()}`,
          ...{ language: 'en_US', category: 'AUTHENTICATION' },
          components: [
            { type: 'BODY', add_security_recommendation: true },
            { type: 'FOOTER', code_expiration_minutes: 10 },
            {
              type: 'BUTTONS',
              buttons: [
                {
                  type: 'OTP',
                  otp_type: otp,
                  ...terms,
                  ...(otp === 'COPY_CODE' ? {} : { supported_apps: apps }),
                },
              ],
            },
          ],
        },
      });
      expect(made.status, made.text).toBe(200);
      const { _id } = made.body.data;
      expect((await gateway.call('POST', `/v1/templates/${_id}/submit`)).status).toBe(200);
      const state = async () =>
        (
          await gateway.call<{ status: string; components: { text?: string }[] }>(
            'GET',
            `/v1/templates/${_id}`,
          )
        ).body.data;
      // the text that the platform generated has been read
      await expect.poll(async () => (await state()).components[0]?.text).toContain('{{1}}');
      await expect.poll(async () => (await state()).status).toBe('approved');
      expect(await sentComponents(_id, { variables: { '1': '123456' } })).toEqual([
        { type: 'body', parameters: [{ type: 'text', text: '123456' }] },
        { type: 'button', sub_type: 'url', index: '0', parameters: [{ type: 'text', text: '123456' }] },
      ]);
    },
  );
});

describe('a template that the gateway cannot fill', () => {
  it.each(unsendable.map(([name]) => name))(
    'is listed with the reason, and a send of it is rejected: %s',
    async (name) => {
      const templateId = ids[name] ?? '';
      const detail = await gateway.call<{ status: string; unsendableReason: string }>(
        'GET',
        `/v1/templates/${templateId}`,
      );
      expect(detail.body.data).toMatchObject({
        status: 'approved',
        unsendableReason: expect.stringMatching(/^(it|its) /),
      });
      const response = await send(gateway, { templateId, recipients: ['15550990001'] });
      expect([response.status, response.body.code]).toEqual([400, 'invalid_request']);
      expect(response.body.errors).toEqual([
        {
          path: 'templateId',
          message: `this template cannot be sent here: ${detail.body.data.unsendableReason}`,
        },
      ]);
      expect(await gateway.platform.ledger({ phone: '15550990001' })).toEqual([]);
    },
  );

  it('has a null reason if it can be sent', async () => {
    const detail = await gateway.call<{ unsendableReason: null }>('GET', `/v1/templates/${ids.film}`);
    expect(detail.body.data.unsendableReason).toBeNull();
  });
});
