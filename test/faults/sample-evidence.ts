// Evidence of a run without a violation: two sends, four messages, one endpoint. The final check's tests falsify it.
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { AcceptedMessage, Arrival, Evidence, MessageRow } from './evidence.ts';

const secret = `whsec_${Buffer.from('thirty-two bytes of a test secret').toString('base64')}`;
export const startMs = Date.UTC(2026, 10, 21, 12);

/** A message with the platform's reports and, if it failed, the error code. */
interface SampleMessage {
  id: string;
  sendId: string;
  phone: string;
  state: string;
  reported: string[];
  events: string[];
  errorCode?: number;
  isAccepted: boolean;
}

const sampleMessages: SampleMessage[] = [
  {
    id: 'm1',
    sendId: 's1',
    phone: '15550000001',
    state: 'read',
    reported: ['sent', 'delivered', 'read'],
    events: ['sent', 'delivered', 'read'],
    isAccepted: true,
  },
  {
    // read without a report of delivery, which is implied
    id: 'm2',
    sendId: 's1',
    phone: '15550000002',
    state: 'read',
    reported: ['sent', 'read'],
    events: ['sent', 'delivered', 'read'],
    isAccepted: true,
  },
  {
    id: 'm3',
    sendId: 's2',
    phone: '15550000003',
    state: 'failed',
    reported: [],
    events: ['failed'],
    errorCode: 131026,
    isAccepted: false,
  },
  {
    id: 'm4',
    sendId: 's2',
    phone: '15550000004',
    state: 'accepted',
    reported: [],
    events: [],
    isAccepted: true,
  },
];

const wamidOf = (id: string) => `wamid.${id}`;

/** A correctly signed webhook of the gateway. */
export function arrival(
  of: SampleMessage | undefined,
  stage: string,
  seq: number,
  more: Partial<Arrival> = {},
): Arrival {
  const { id, phone, isAccepted, errorCode } = of as SampleMessage;
  const body = JSON.stringify({
    event: 'messages.status',
    timestamp: new Date(startMs).toISOString(),
    data: {
      messageId: isAccepted ? wamidOf(id) : id,
      status: stage,
      recipientPhone: phone,
      timestamp: startMs / 1000,
      error: errorCode === undefined ? null : { code: errorCode, title: 'Rejected', message: 'Rejected' },
      id,
    },
  });
  const webhookId = `event-${id}-${stage}`;
  const timestamp = startMs / 1000;
  const headers = {
    'x-webhook-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
    'webhook-id': webhookId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': new Webhook(secret).sign(webhookId, new Date(startMs), body),
  };
  return { seq, hook: 'main', atMs: startMs + seq, answered: 200, headers, body, ...more };
}

/** The sample message with this id. */
export const sampleMessage = (id: string) => sampleMessages.find((one) => one.id === id);

function responseOf(sendId: string): string {
  const messages = sampleMessages
    .filter((one) => one.sendId === sendId)
    .map(({ id, phone, isAccepted, errorCode }) => ({
      id,
      messageId: isAccepted ? wamidOf(id) : null,
      recipientPhone: phone,
      status: isAccepted ? 'accepted' : 'failed',
      error: errorCode === undefined ? null : { code: errorCode },
    }));
  return JSON.stringify({ success: true, message: 'Sent.', data: { sendId, messages } });
}

/** A fresh copy that a test may change. */
export function sampleEvidence(): Evidence {
  let seq = 0;
  const messages = sampleMessages.map(
    ({ id, sendId, phone, state, isAccepted, errorCode }): MessageRow => ({
      id,
      sendId,
      phone,
      state,
      errorCode: errorCode ?? null,
      wamid: isAccepted ? wamidOf(id) : null,
      createdAtMs: startMs,
    }),
  );
  const accepted = sampleMessages
    .filter(({ isAccepted }) => isAccepted)
    .map(
      ({ id, phone, reported }): AcceptedMessage => ({
        opaque: id,
        wamid: wamidOf(id),
        phone,
        reported: [...reported],
        open: 0,
      }),
    );
  return {
    sends: ['s1', 's2'].map((sendId) => ({
      key: `key of ${sendId}`,
      phones: sampleMessages.filter((one) => one.sendId === sendId).map(({ phone }) => phone),
      responses: [{ status: 200, text: responseOf(sendId), replayed: false }],
      unanswered: 1,
    })),
    operated: [],
    optOuts: [],
    written: [],
    replies: [],
    unexpectedResponses: [],
    unanswered: [],
    resumed: 0,
    received: [],
    accepted,
    calls: sampleMessages.map(({ id, phone, isAccepted, errorCode }) => ({
      at: startMs,
      opaque: id,
      phone,
      outcome: isAccepted ? 'accepted' : `rejected ${errorCode}`,
      response: isAccepted ? '200' : '400',
    })),
    messages,
    deliveries: sampleMessages.flatMap(({ id, events }) =>
      events.map((stage) => ({
        id: `event-${id}-${stage}`,
        hook: 'main',
        messageId: id,
        stage,
        state: 'delivered',
      })),
    ),
    arrivals: sampleMessages.flatMap((one) => one.events.map((stage) => arrival(one, stage, ++seq))),
    hooks: [{ name: 'main', secret, isOrdered: true }],
    outages: [],
    unfinished: null,
    unexpectedExits: [],
  };
}
