// Platform callbacks for tests: any body, signed like the platform's and posted to the gateway.
import { createHmac } from 'node:crypto';
import type { Answer, Gateway } from './gateway.ts';

/** One status in a callback; `opaque` is our message id. */
export interface MadeStatus {
  status: string;
  id?: string;
  opaque?: string;
  timestamp?: number;
  errors?: object[];
}

/** The body of a callback with statuses of one number. */
export function statusCallback(
  phoneNumberId: string,
  statuses: MadeStatus[],
  businessAccountId = '1',
): object {
  return {
    object: 'whatsapp_business_account',
    entry: [
      {
        id: businessAccountId,
        changes: [
          {
            field: 'messages',
            value: {
              messaging_product: 'whatsapp',
              metadata: { phone_number_id: phoneNumberId },
              statuses: statuses.map(({ status, id = 'wamid.MADE', opaque, timestamp, errors }) => ({
                id,
                status,
                timestamp: String(timestamp ?? Math.floor(Date.now() / 1000)),
                recipient_id: '1',
                ...(opaque === undefined ? {} : { biz_opaque_callback_data: opaque }),
                ...(errors ? { errors } : {}),
              })),
            },
          },
        ],
      },
    ],
  };
}

/** Posts a body signed with `secret`; null: unsigned. */
export function postCallback(
  gateway: Pick<Gateway, 'call'>,
  senderId: string,
  body: object | string,
  secret: string | null,
): Promise<Answer> {
  const bytes = typeof body === 'string' ? body : JSON.stringify(body);
  const signature = secret && `sha256=${createHmac('sha256', secret).update(bytes).digest('hex')}`;
  return gateway.call('POST', `/callbacks/messaging/${senderId}`, {
    key: null,
    body: bytes,
    ...(signature ? { headers: { 'X-Hub-Signature-256': signature } } : {}),
  });
}
