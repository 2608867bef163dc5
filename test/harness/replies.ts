// Replies in tests: people who write through the simulated platform, and calls of the reply operation.
import { expect } from 'vitest';
import type { InboundMessage } from '../../sandbox/cloud-api/inbound.ts';
import type { InboundPerson } from '../../sandbox/cloud-api/person.ts';
import { type Answer, addEndpoint, addSender, number, startGateway } from './gateway.ts';
import { type SentMessage, templateKinds } from './sends.ts';

export interface ReplyData extends Omit<SentMessage, 'recipientPhone'> {
  recipientPhone: string | null;
  recipientUserId: string | null;
}

export interface ReplyEvent {
  event: string;
  data: {
    messageId: string;
    status: string;
    recipientPhone: string | null;
    recipientUserId: string | null;
    sendId: null;
    id: string;
    error: SentMessage['error'];
    metadata: Record<string, string>;
  };
}

/** Starts a gateway with a number; the endpoint `all` gets everything about conversations, `sends` only messages of sends. */
export async function startReplies() {
  const gateway = await startGateway();
  const { senderId, templateIds } = await addSender(gateway, templateKinds);
  await addEndpoint(gateway, { hook: 'all', events: ['messages.received', 'replies.status'] });
  await addEndpoint(gateway, { hook: 'sends' });
  let people = 0;
  const eventsOf = async (filter: Record<string, string>) => gateway.receiver.events(filter);
  return {
    ...{ gateway, senderId, templateIds },
    nowSeconds: Math.floor(Date.now() / 1000),
    newPhone: () => `1555300${String(++people).padStart(4, '0')}`,
    /** A person writes to a number; resolves with the platform's id of the message when the gateway has stored it. */
    async writes(from: string | InboundPerson, more: Partial<InboundMessage> = {}, numberId = number.id) {
      const person = typeof from === 'string' ? { phone: from } : from;
      const messages = [{ from: person, kind: 'text', ...more }];
      const written = await gateway.platform.write(numberId, { messages });
      const messageId = written.messages[0]?.id ?? '';
      const [came] = await gateway.receiver.events({ messageId, waitSeconds: 20 });
      if (!came) throw new Error(`${messageId} did not come`);
      return messageId;
    },
    reply(
      body: Record<string, unknown>,
      options: { headers?: Record<string, string>; key?: string; url?: string } = {},
    ): Promise<Answer<ReplyData>> {
      return gateway.call<ReplyData>('POST', '/v1/messages/reply', { body, ...options });
    },
    /** The bodies that the platform accepted for a person. */
    async bodiesTo(phone: string) {
      const entries = await gateway.platform.ledger({ phone });
      return entries.map((entry) => entry.components as Record<string, unknown>);
    },
    /** Waits for a stage of a reply; returns all its events in order of arrival. */
    async eventsUntil(messageId: string, status: string) {
      const [came] = await gateway.receiver.events({ messageId, status, waitSeconds: 20 });
      expect(came, `${status} of ${messageId}`).toBeDefined();
      return (await eventsOf({ messageId })).map(({ hook, json }) => ({ hook, ...(json as ReplyEvent) }));
    },
  };
}

export type Replies = Awaited<ReturnType<typeof startReplies>>;
