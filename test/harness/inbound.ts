// Inbound messages for tests: made callbacks, the lists of the API, and the events of an endpoint.
import { expect } from 'vitest';
import { postCallback } from './callbacks.ts';
import { addEndpoint, addSender, number, startGateway, waba } from './gateway.ts';
import { templateKinds } from './sends.ts';

export interface ReceivedItem {
  _id: string;
  messageId: string | null;
  senderId: string;
  phone: string | null;
  userId: string | null;
  type: string;
  text?: string;
  context?: { messageId: string; id: string | null; sendId: string | null };
  timestamp: number | null;
  receivedAt: string;
  raw: unknown;
  rawOmitted?: boolean;
}

export interface ContactData {
  _id: string;
  phone: string | null;
  userId: string | null;
  name: string | null;
  lastReceivedAt: string | null;
  windows: { senderId: string; closesAt: string }[];
  optOut: string | null;
  unreadCount: number;
  lastMessage: {
    direction: string;
    id: string;
    type: string;
    text: string | null;
    status: string | null;
    at: string;
  } | null;
}

export interface Page<T> {
  items: T[];
  pagination: { limit: number; nextCursor: string | null };
}

/** The body of a callback with these messages and contacts. */
export const inboundCallback = (messages: unknown, contacts: object[] = [], phoneNumberId = number.id) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: waba,
      changes: [
        { field: 'messages', value: { metadata: { phone_number_id: phoneNumberId }, contacts, messages } },
      ],
    },
  ],
});

/** Starts a gateway with a number, whose endpoint `all` gets inbound messages and `statuses` does not. */
export async function startInbound() {
  const gateway = await startGateway();
  const { senderId, templateIds } = await addSender(gateway, templateKinds);
  const secret = (await gateway.platform.state()).apps[0]?.secret ?? '';
  await addEndpoint(gateway, { hook: 'all', events: ['messages.received', 'messages.status'] });
  await addEndpoint(gateway, { hook: 'statuses' });
  const nowSeconds = Math.floor(Date.now() / 1000);
  let last = 0;
  const post = (body: object | string) => postCallback(gateway, senderId, body, secret);
  const eventsOf = async (messageId: string) =>
    (await gateway.receiver.events({})).filter(
      ({ json }) => (json as { data?: { messageId?: string } }).data?.messageId === messageId,
    );
  return {
    ...{ gateway, senderId, secret, nowSeconds, post, eventsOf, templateId: templateIds.plain ?? '' },
    /** A text message of a person; every call makes another message and, unless given, another person. */
    written(more: Record<string, unknown> = {}) {
      last += 1;
      return {
        ...{ from: `1555200${String(last).padStart(4, '0')}`, id: `wamid.IN${last}`, type: 'text' },
        ...{ timestamp: String(nowSeconds), text: { body: `text ${last}` } },
        ...more,
      };
    },
    async receive(messages: unknown, contacts: object[] = []) {
      expect((await post(inboundCallback(messages, contacts))).status).toBe(200);
    },
    /** Posts messages to another gateway, which has the same number. */
    postTo(url: string, message: object) {
      const to: Pick<typeof gateway, 'call'> = {
        call: (method, path, options) => gateway.call(method, path, { ...options, url }),
      };
      return postCallback(to, senderId, inboundCallback([message]), secret);
    },
    async list(query: Record<string, string> = {}, key = gateway.apiKey) {
      const path = `/v1/messages/received?${new URLSearchParams(query)}`;
      const answer = await gateway.call<Page<ReceivedItem>>('GET', path, { key });
      expect(answer.status).toBe(200);
      return answer.body.data;
    },
    async contacts(query: Record<string, string>) {
      const path = `/v1/contacts?${new URLSearchParams(query)}`;
      return (await gateway.call<Page<ContactData>>('GET', path)).body.data.items;
    },
    /** Waits for the event of a message. */
    async eventOf(messageId: string) {
      await expect.poll(() => eventsOf(messageId)).not.toHaveLength(0);
      const [event] = await eventsOf(messageId);
      return event?.json as { event: string; timestamp: string; data: ReceivedItem };
    },
  };
}

export type Inbound = Awaited<ReturnType<typeof startInbound>>;
