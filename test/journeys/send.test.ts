// A send, end to end: to the platform over HTTP, back as signed statuses, and on as signed webhooks in order.

import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addEndpoint, addSender, type Gateway, startGateway } from '../harness/gateway.ts';

interface SendData {
  sendId: string;
  total: number;
  accepted: number;
  failed: number;
  queued: number;
  messages: {
    id: string;
    messageId: string | null;
    recipientPhone: string;
    status: string;
    error: { code: number; title: string; message: string } | null;
  }[];
}

let gateway: Gateway;
let templateId: string;
let secret: string;

beforeAll(async () => {
  gateway = await startGateway();
  const { templateIds } = await addSender(gateway, [
    {
      name: 'order_update',
      language: 'en_US',
      status: 'APPROVED',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Hi {{1}}, order {{2}} arrives {{3}}.' }],
    },
  ]);
  templateId = templateIds.order_update as string;
  secret = (await addEndpoint(gateway)).secret;
});
afterAll(() => gateway?.close());

const variables = { '1': 'Ada', '2': 'A-1', '3': 'on Friday' };

async function statusesOf(messageId: string, count: number) {
  for (;;) {
    const events = await gateway.receiver.events({ messageId, waitSeconds: 30 });
    if (events.length >= count) return events;
  }
}

test('a send reaches the platform, and each stage is delivered as one signed event, in order', async () => {
  const answer = await gateway.call<SendData>('POST', '/v1/templates/send', {
    body: {
      templateId,
      recipients: [
        { phone: '15550100001', name: 'Zoë', variables },
        { phone: '15550100002', variables },
      ],
      metadata: { order: 'é1' },
    },
  });
  expect(answer.status).toBe(200);
  expect(answer.body.data).toMatchObject({ total: 2, accepted: 2, failed: 0, queued: 0 });
  const [first] = answer.body.data.messages;
  const [accepted] = await gateway.platform.ledger({ phone: '15550100001' });
  expect(first?.messageId).toBe(accepted?.wamid);
  expect(accepted?.opaque).toBe(first?.id);

  const events = await statusesOf(first?.messageId as string, 3);
  expect(events.map((event) => (event.json as { data: { status: string } }).data.status)).toEqual([
    'sent',
    'delivered',
    'read',
  ]);
  for (const event of events) {
    expect(event.verified).toBe(true);
    const body = event.json as { event: string; timestamp: string; data: Record<string, unknown> };
    expect(body.event).toBe('messages.status');
    expect(body.data).toMatchObject({
      messageId: first?.messageId,
      recipientPhone: '15550100001',
      error: null,
      id: first?.id,
      sendId: answer.body.data.sendId,
      metadata: { order: 'é1' },
    });
    expect(Math.abs((body.data.timestamp as number) - Date.now() / 1000)).toBeLessThan(60);
    const headers = event.headers as Record<string, string>;
    expect(() => new Webhook(secret).verify(event.body as string, headers)).not.toThrow();
  }
});
