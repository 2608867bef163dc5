// The content that reaches the platform, once per recipient, and the response with each result.
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { addSender, type Gateway, startGateway } from '../harness/gateway.ts';
import { samples } from '../harness/sample-files.ts';
import { type SendData, send, stagesUntil, templateKinds, uploadMedia } from '../harness/sends.ts';

let gateway: Gateway;
let ids: Record<string, string>;

beforeAll(async () => {
  gateway = await startGateway();
  ({ templateIds: ids } = await addSender(gateway, templateKinds));
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

/** Sends to one recipient and returns what the platform received. */
async function componentsSent(name: string, recipient: object, request: object = {}): Promise<unknown> {
  const to = phone();
  const response = await send(gateway, {
    templateId: idOf(name),
    recipients: [{ phone: to, ...recipient }],
    ...request,
  });
  expect(response.body.data, response.text).toMatchObject({ accepted: 1 });
  const [accepted] = await gateway.platform.ledger({ phone: to });
  expect(accepted).toMatchObject({
    templateName: name,
    language: 'en_US',
    wamid: response.body.data.messages[0]?.messageId,
  });
  return accepted?.components;
}
const text = (value: string) => ({ type: 'text', text: value });

describe('what reaches the platform', () => {
  test('texts, a link and a code to copy, each in its component', async () => {
    const variables = {
      '1': 'Ada',
      '2': 'JUNE',
      'header.1': 'June',
      'buttons.1.1': 'a-1',
      'buttons.2.1': '250FF',
    };
    expect(await componentsSent('sale', { variables })).toEqual([
      { type: 'header', parameters: [text('June')] },
      { type: 'body', parameters: [text('Ada'), text('JUNE')] },
      { type: 'button', sub_type: 'url', index: '1', parameters: [text('a-1')] },
      {
        type: 'button',
        sub_type: 'copy_code',
        index: '2',
        parameters: [{ type: 'coupon_code', coupon_code: '250FF' }],
      },
    ]);
  });

  test('a code of an authentication template, in its text and on its button', async () => {
    expect(await componentsSent('sign_in_code', { variables: { '1': '493817' } })).toEqual([
      { type: 'body', parameters: [text('493817')] },
      { type: 'button', sub_type: 'url', index: '0', parameters: [text('493817')] },
    ]);
  });

  test('named parameters', async () => {
    expect(await componentsSent('named', { variables: { day: 'Friday', first_name: 'Zoë' } })).toEqual([
      {
        type: 'body',
        parameters: [
          { type: 'text', parameter_name: 'first_name', text: 'Zoë' },
          { type: 'text', parameter_name: 'day', text: 'Friday' },
        ],
      },
    ]);
  });

  test('no components at all where the template has no variables', async () => {
    expect(await componentsSent('plain', {})).toBeNull();
  });

  test('the file of the request, or that of the recipient', async () => {
    const [shared, own] = [
      await upload(samples.pdf, 'bill.pdf', 'application/pdf'),
      await upload(samples.pdf, 'own.pdf', 'application/pdf'),
    ];
    const header = (id: unknown, filename: string) => [
      { type: 'header', parameters: [{ type: 'document', document: { id, filename } }] },
    ];
    expect(await componentsSent('bill', {}, { mediaId: shared })).toEqual(header(shared, 'bill.pdf'));
    expect(await componentsSent('bill', { mediaId: own }, { mediaId: shared })).toEqual(
      header(own, 'own.pdf'),
    );
    const image = await upload(samples.png, 'a.png', 'image/png');
    expect(await componentsSent('photo', { mediaId: image })).toEqual([
      { type: 'header', parameters: [{ type: 'image', image: { id: image } }] },
    ]);
  });

  test('the location of the request, or that of the recipient', async () => {
    const location = { latitude: 1.5, longitude: -2, name: 'Shop', address: 'Street 1' };
    const sent = (name: string) => [
      {
        type: 'header',
        parameters: [{ type: 'location', location: { ...location, name, latitude: '1.5', longitude: '-2' } }],
      },
    ];
    expect(await componentsSent('meeting_point', {}, { location })).toEqual(sent('Shop'));
    const own = { ...location, name: 'Own' };
    expect(await componentsSent('meeting_point', { location: own }, { location })).toEqual(sent('Own'));
  });
});

describe('the response', () => {
  it('reports the result for each recipient in the order of the request', async () => {
    const recipients = [
      { phone: phone(), name: 'Zoë', variables: three },
      { phone: '15550001131049', variables: three },
      { phone: phone(), name: null, variables: three },
    ];
    const { status, body } = await send(gateway, { templateId: idOf('order_update'), recipients });
    expect(status).toBe(200);
    expect(body.success).toBe(true);
    expect(body.data).toMatchObject({
      templateId: idOf('order_update'),
      total: 3,
      accepted: 2,
      failed: 1,
      queued: 0,
    });
    expect(body.message).toBe('Template sent to 3 recipients: 2 accepted, 1 failed.');
    expect(body.data.messages.map((one) => [one.recipientPhone, one.name, one.status])).toEqual([
      [recipients[0]?.phone, 'Zoë', 'accepted'],
      ['15550001131049', null, 'failed'],
      [recipients[2]?.phone, null, 'accepted'],
    ]);
    expect(body.data.messages[1]?.error).toMatchObject({
      code: 131049,
      title: expect.stringMatching(/\w/),
      message: expect.stringMatching(/\w/),
    });
  });

  it('returns immediately with all messages queued if the caller prefers respond-async', async () => {
    const { status, headers, body } = await send(
      gateway,
      { templateId: idOf('plain'), recipients: [phone(), phone()] },
      { headers: { Prefer: 'respond-async, wait=10' } },
    );
    expect([status, headers.get('preference-applied')]).toEqual([202, 'respond-async']);
    expect(body.data).toMatchObject({ total: 2 });
    for (const { id } of body.data.messages)
      await expect
        .poll(
          async () => (await gateway.call<{ status: string }>('GET', `/v1/messages/${id}`)).body.data.status,
        )
        .not.toBe('queued');
  });

  it('reports a thousand recipients, each called once', async () => {
    const recipients = Array.from({ length: 1000 }, phone);
    const { status, body } = await send(gateway, { templateId: idOf('plain'), recipients });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ total: 1000, accepted: 1000 });
    expect(body.data.messages.map((one) => one.recipientPhone)).toEqual(recipients);
    const { repeatedOpaque } = await gateway.platform.counts();
    expect(repeatedOpaque).toBe(0);
    const wamids = new Set((body.data as SendData).messages.map((one) => one.messageId));
    expect(wamids.size).toBe(1000);
  });
});

test('metadata of the request applies to all recipients, a recipient’s own overrides it, and events contain it', async () => {
  const { endpointId } = await gateway
    .call<{ _id: string; secret: string }>('POST', '/v1/webhooks/endpoints', {
      body: { url: gateway.receiver.hookUrl('metadata') },
    })
    .then(async ({ body }) => {
      await gateway.receiver.setSecrets('metadata', body.data.secret);
      return { endpointId: body.data._id };
    });
  expect(endpointId).toMatch(/^[0-9a-f-]{36}$/);
  const response = await send(gateway, {
    templateId: idOf('plain'),
    recipients: [phone(), { phone: phone(), metadata: { order: 'own' } }],
    metadata: { order: 'é' },
  });
  const seen = [];
  for (const { messageId } of response.body.data.messages) {
    await stagesUntil(gateway, messageId ?? '', 'read');
    const [event] = await gateway.receiver.events({ messageId: messageId ?? '', status: 'read' });
    seen.push((event as unknown as { json: { data: { metadata: object } } }).json.data.metadata);
  }
  expect(seen).toEqual([{ order: 'é' }, { order: 'own' }]);
});
