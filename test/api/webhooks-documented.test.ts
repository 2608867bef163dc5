// Webhooks in the OpenAPI document: each event type is described as it is sent.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { subscribableKinds } from '../../src/contract/webhooks.ts';
import { eventBody, messageStatusBody } from '../../src/webhooks/delivery/event.ts';
import { type Gateway, startGateway } from '../harness/gateway.ts';
import { type InterfaceDocument, openInterface } from '../harness/interface-document.ts';

let gateway: Gateway;
let webhooks: InterfaceDocument['webhooks'];
let problemWith: (kind: string, body: unknown) => string | undefined;
beforeAll(async () => {
  gateway = await startGateway();
  const { body } = await gateway.call('GET', '/openapi.json', { key: null });
  const { document, problemAt } = openInterface(body as unknown as InterfaceDocument);
  webhooks = document.webhooks;
  problemWith = (kind, event) =>
    problemAt(['webhooks', kind, 'post', 'requestBody', 'content', 'application/json', 'schema'], event);
});
afterAll(() => gateway?.close());

it('has every event type and the test event, each with its four headers', () => {
  expect(Object.keys(webhooks).sort()).toEqual([...subscribableKinds, 'test'].sort());
  for (const { post } of Object.values(webhooks)) {
    expect(post.parameters?.map(({ name }) => name)).toEqual([
      'x-webhook-signature',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    ]);
    expect(Object.keys(post.responses)).toEqual(expect.arrayContaining(['2XX', '410', 'default']));
  }
});

it.each([null, { code: 131026, title: 'Undeliverable', message: 'Not on the platform.' }])(
  'describes messages.status as it is sent: error %o',
  (error) => {
    const status = {
      messageId: 'wamid.x',
      id: uuidv7(),
      sendId: uuidv7(),
      status: error ? ('failed' as const) : ('sent' as const),
      recipientPhone: '919876543210',
      timestamp: 1_773_151_200,
      error,
      metadata: { order: 'A-1' },
    };
    expect(problemWith('messages.status', JSON.parse(messageStatusBody(status, Date.now())))).toBeUndefined();
  },
);

it('describes the test event as it is sent, and distinguishes event types', () => {
  const body = JSON.parse(eventBody('test', Date.now(), { endpointId: uuidv7(), message: 'x' }));
  expect(problemWith('test', body)).toBeUndefined();
  expect(problemWith('messages.status', body)).toMatch(/must/);
});

it('describes templates.status as the listed template with its change', async () => {
  const template = {
    _id: uuidv7(),
    providerTemplateName: 'order_update',
    status: 'approved',
    language: 'en_US',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Hi' }],
    businessAccountId: '2',
    senders: [{ _id: uuidv7(), name: 'Support', displayPhone: null, isDefault: true }],
    providerTemplateId: '1',
    providerStatus: 'APPROVED',
    qualityScore: null,
    rejectedReason: null,
    messageTtlSeconds: null,
    nextCategory: null,
    createdAt: new Date().toISOString(),
    updatedAt: new Date().toISOString(),
    previous: { status: 'submitted', providerStatus: 'PAUSED', category: 'UTILITY', qualityScore: 'RED' },
    reason: 'UNPAUSE',
  };
  const body = JSON.parse(eventBody('templates.status', Date.now(), template));
  expect(problemWith('templates.status', body)).toBeUndefined();
});
