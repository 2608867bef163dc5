// A gateway with templates of each category for tests of opt-outs, its calls, and the events of changes.
import { expect } from 'vitest';
import { addEndpoint, addSender, number, startGateway } from './gateway.ts';
import { type SendData, templateKinds } from './sends.ts';

export interface OptOut {
  _id: string;
  phone: string | null;
  userId: string | null;
  scope: string;
  source: string;
  reason: string | null;
  createdAt: string;
}

interface ChangeEvent {
  event: string;
  data: { contactId: string; phone: string | null; phones: string[]; scope: string | null };
}

const hello = [{ type: 'BODY', text: 'Hello there.' }];
const seed = { language: 'en_US', status: 'APPROVED', category: 'MARKETING' as const, components: hello };
const nowSeconds = () => Math.floor(Date.now() / 1000);

/** The result of a message to somebody who opted out. */
export const optedOut = ['failed', 900005, 'opted_out'];

/** The status of each recipient, with its error. */
export const results = ({ messages }: SendData) =>
  messages.map(({ status, error }) => (error ? [status, error.code, error.title] : [status]));

/** Starts a gateway with the templates `offer` (marketing), `notice` (utility) and `code` (authentication). */
export async function startOptOuts() {
  const gateway = await startGateway();
  const kinds = templateKinds.filter(({ name }) => name === 'plain' || name === 'sign_in_code');
  const { templateIds } = await addSender(gateway, [{ name: 'offer', ...seed }, ...kinds]);
  await addEndpoint(gateway, {
    hook: 'all',
    events: ['messages.status', 'contacts.opted_out', 'contacts.opted_in'],
  });
  let last = 0;
  const phoneAt = (position: number) => `1555300${String(position).padStart(4, '0')}`;
  const list = async (query: Record<string, string> = {}) =>
    (await gateway.call<{ items: OptOut[] }>('GET', `/v1/opt-outs?${new URLSearchParams(query)}`)).body.data
      .items;
  /** Lets a person write; returns once the message is in the list. */
  async function write(
    phone: string,
    with_: Record<string, unknown>,
    more: { kind?: string; timestamp?: number } = {},
  ) {
    const one = { from: { phone }, kind: 'text', with: with_, timestamp: nowSeconds(), ...more };
    const { messages } = await gateway.platform.write(number.id, { messages: [one] });
    const listed = async () =>
      (
        await gateway.call<{ items: { messageId: string }[] }>('GET', `/v1/messages/received?phone=${phone}`)
      ).body.data.items.some(({ messageId }) => messageId === messages[0]?.id);
    await expect.poll(listed).toBe(true);
  }
  return {
    ...{ gateway, phoneAt, list, write, nowSeconds },
    offer: templateIds.offer as string,
    notice: templateIds.plain as string,
    code: templateIds.sign_in_code as string,
    lastPhone: () => phoneAt(last),
    newPhone: () => phoneAt(++last),
    put: (phone: string, body: object) => gateway.call<OptOut>('PUT', `/v1/opt-outs/${phone}`, { body }),
    remove: (phone: string) => gateway.call<{ removed: boolean }>('DELETE', `/v1/opt-outs/${phone}`),
    eventsOf: async (phone: string) =>
      (await gateway.receiver.events({}))
        .map(({ json }) => json as ChangeEvent)
        .filter(({ event, data }) => event.startsWith('contacts.') && data.phones.includes(phone)),
    say: (phone: string, body: string, timestamp = nowSeconds()) =>
      write(phone, { text: { body } }, { timestamp }),
    scopeOf: async (phone: string) => (await list({ phone }))[0]?.scope ?? null,
  };
}

export type OptOuts = Awaited<ReturnType<typeof startOptOuts>>;
