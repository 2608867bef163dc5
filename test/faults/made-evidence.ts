// Evidence of a run in which all went well, made by hand: two sends, four messages, one endpoint. Tests of the reckoning doctor it.
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Arrival, Evidence, MessageRow, Taken } from './evidence.ts';

const secret = `whsec_${Buffer.from('thirty-two bytes of a test secret').toString('base64')}`;
export const startMs = Date.UTC(2026, 10, 21, 12);

/** A message: which, where the platform's reports ended, and the code it failed with. */
interface Made {
  id: string;
  sendId: string;
  phone: string;
  state: string;
  reported: string[];
  events: string[];
  errorCode?: number;
  isTaken: boolean;
}

const made: Made[] = [
  {
    id: 'm1',
    sendId: 's1',
    phone: '15550000001',
    state: 'read',
    reported: ['sent', 'delivered', 'read'],
    events: ['sent', 'delivered', 'read'],
    isTaken: true,
  },
  {
    // read without a word of delivery: that is implied
    id: 'm2',
    sendId: 's1',
    phone: '15550000002',
    state: 'read',
    reported: ['sent', 'read'],
    events: ['sent', 'delivered', 'read'],
    isTaken: true,
  },
  {
    id: 'm3',
    sendId: 's2',
    phone: '15550000003',
    state: 'failed',
    reported: [],
    events: ['failed'],
    errorCode: 131026,
    isTaken: false,
  },
  {
    id: 'm4',
    sendId: 's2',
    phone: '15550000004',
    state: 'accepted',
    reported: [],
    events: [],
    isTaken: true,
  },
];

const wamidOf = (id: string) => `wamid.${id}`;

/** A webhook as the gateway makes it, rightly signed. */
export function arrival(
  of: Made | undefined,
  stage: string,
  seq: number,
  more: Partial<Arrival> = {},
): Arrival {
  const { id, phone, isTaken, errorCode } = of as Made;
  const body = JSON.stringify({
    event: 'messages.status',
    timestamp: new Date(startMs).toISOString(),
    data: {
      messageId: isTaken ? wamidOf(id) : id,
      status: stage,
      recipientPhone: phone,
      timestamp: startMs / 1000,
      error: errorCode === undefined ? null : { code: errorCode, title: 'Refused', message: 'Refused' },
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

/** The made message of this id. */
export const madeMessage = (id: string) => made.find((one) => one.id === id);

function answerOf(sendId: string): string {
  const messages = made
    .filter((one) => one.sendId === sendId)
    .map(({ id, phone, isTaken, errorCode }) => ({
      id,
      messageId: isTaken ? wamidOf(id) : null,
      recipientPhone: phone,
      status: isTaken ? 'accepted' : 'failed',
      error: errorCode === undefined ? null : { code: errorCode },
    }));
  return JSON.stringify({ success: true, message: 'Sent.', data: { sendId, messages } });
}

/** A fresh copy, to be doctored. */
export function madeEvidence(): Evidence {
  let seq = 0;
  const messages = made.map(
    ({ id, sendId, phone, state, isTaken, errorCode }): MessageRow => ({
      id,
      sendId,
      phone,
      state,
      errorCode: errorCode ?? null,
      wamid: isTaken ? wamidOf(id) : null,
      createdAtMs: startMs,
    }),
  );
  const taken = made
    .filter(({ isTaken }) => isTaken)
    .map(
      ({ id, phone, reported }): Taken => ({
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
      phones: made.filter((one) => one.sendId === sendId).map(({ phone }) => phone),
      heard: [{ status: 200, text: answerOf(sendId), replayed: false }],
      unheard: 1,
    })),
    taken,
    calls: made.map(({ id, phone, isTaken, errorCode }) => ({
      at: startMs,
      opaque: id,
      phone,
      became: isTaken ? 'accepted' : `refused ${errorCode}`,
      told: isTaken ? '200' : '400',
    })),
    messages,
    deliveries: made.flatMap(({ id, events }) =>
      events.map((stage) => ({
        id: `event-${id}-${stage}`,
        hook: 'main',
        messageId: id,
        stage,
        state: 'delivered',
      })),
    ),
    arrivals: made.flatMap((one) => one.events.map((stage) => arrival(one, stage, ++seq))),
    hooks: [{ name: 'main', secret, isOrdered: true }],
    breaks: [],
    unfinished: null,
    selfDeaths: [],
  };
}
