// The requests and responses of a message's life with their exact bytes, for the ceiling. Pure data.

const uuid = '019aa6b2-7c1e-7f6a-9d3b-2f4c5d6e7f80';
const wamid = 'wamid.HBgMNDkxNzAwMDAwMDAwFQIAERgSOUEzQ0E1QjNENENENkU2N0U3AA==';
const hex = '0123456789abcdef'.repeat(4);
const time = '2026-01-15T12:00:00.000Z';

export interface Message {
  headers: Record<string, string>;
  body: Buffer;
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

/** The headers of every response of the gateway, and the only ones of a callback's. */
const commonHeaders = {
  'x-request-id': uuid,
  'cache-control': 'no-store',
  'content-type': 'application/json; charset=utf-8',
};

/** The headers of the API's responses. */
const apiHeaders = {
  'content-security-policy':
    "default-src 'self';base-uri 'self';font-src 'self' https: data:;form-action 'self';frame-ancestors 'self';" +
    "img-src 'self' data:;object-src 'none';script-src 'self';script-src-attr 'none';style-src 'self' https: 'unsafe-inline'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
  ...commonHeaders,
};

export function sendCall(recipients: number): Message {
  const recipient = {
    phone: '491700000000',
    name: 'Ada Lovelace',
    variables: { '1': 'Ada', '2': 'A-491700000000', '3': 'on Friday' },
  };
  return {
    headers: { 'content-type': 'application/json', 'x-api-key': `cgw_${'k'.repeat(49)}` },
    body: json({ templateId: uuid, senderId: uuid, recipients: Array(recipients).fill(recipient) }),
  };
}

export function sendResponse(recipients: number): Message {
  const result = {
    id: uuid,
    messageId: wamid,
    recipientPhone: '491700000000',
    name: 'Ada Lovelace',
    status: 'accepted',
    error: null,
  };
  const data = {
    sendId: uuid,
    templateId: uuid,
    total: recipients,
    accepted: recipients,
    failed: 0,
    queued: 0,
    messages: Array(recipients).fill(result),
  };
  const people = recipients === 1 ? '1 recipient' : `${recipients} recipients`;
  const message = `Template sent to ${people}: ${recipients} accepted.`;
  return { headers: apiHeaders, body: json({ success: true, message, data }) };
}

export const platformCall: Message = {
  headers: { authorization: 'Bearer bench-token-001', 'content-type': 'application/json' },
  body: json({
    messaging_product: 'whatsapp',
    recipient_type: 'individual',
    to: '+491700000000',
    type: 'template',
    biz_opaque_callback_data: uuid,
    template: {
      name: 'order_update',
      language: { code: 'en_US' },
      components: [
        {
          type: 'body',
          parameters: ['Ada', 'A-491700000000', 'on Friday'].map((text) => ({ type: 'text', text })),
        },
      ],
    },
  }),
};

export const platformResponse: Message = {
  headers: { 'content-type': 'application/json' },
  body: json({
    messaging_product: 'whatsapp',
    contacts: [{ input: '+491700000000', wa_id: '491700000000' }],
    messages: [{ id: wamid, message_status: 'accepted' }],
  }),
};

const callback = (status: string): Message => ({
  headers: {
    'content-type': 'application/json',
    'user-agent': 'facebookexternalua',
    'x-hub-signature-256': `sha256=${hex}`,
  },
  body: json({
    object: 'whatsapp_business_account',
    entry: [
      {
        id: '20000000000001',
        changes: [
          {
            value: {
              messaging_product: 'whatsapp',
              metadata: { display_phone_number: '15550010000', phone_number_id: '30000000001000' },
              statuses: [
                {
                  id: wamid,
                  status,
                  timestamp: '1768478400',
                  recipient_id: '491700000000',
                  biz_opaque_callback_data: uuid,
                  ...(status === 'read'
                    ? {}
                    : {
                        pricing: {
                          billable: true,
                          pricing_model: 'PMP',
                          type: 'regular',
                          category: 'utility',
                        },
                      }),
                },
              ],
            },
            field: 'messages',
          },
        ],
      },
    ],
  }),
});

export const callbacks: readonly Message[] = ['sent', 'delivered', 'read'].map(callback);

export const callbackResponse: Message = {
  headers: commonHeaders,
  body: json({ success: true, message: 'Callback applied.', data: null }),
};

const webhook = (status: string): Message => ({
  headers: {
    'content-type': 'application/json',
    'user-agent': 'chatbot-gateway-webhooks',
    'x-webhook-signature': `sha256=${hex}`,
    'webhook-id': uuid,
    'webhook-timestamp': '1768478400',
    'webhook-signature': `v1,${'s'.repeat(44)}`,
  },
  body: json({
    event: 'messages.status',
    timestamp: time,
    data: {
      messageId: wamid,
      status,
      recipientPhone: '491700000000',
      timestamp: 1768478400,
      error: null,
      id: uuid,
      sendId: uuid,
      metadata: {},
    },
  }),
});

export const webhooks: readonly Message[] = ['sent', 'delivered', 'read'].map(webhook);
