// The operations below /sandbox/, which only a gateway with its sandbox has; they are not part of the client.
import { failureOf } from '../../../client/src/errors.ts';
import type { MessageParts, SentReply } from '../../../client/src/generated.ts';

/** The phone of a recipient. */
export interface SandboxPhone {
  phone: string;
  lastAt: string;
  messages: number;
}

/** A message on a phone. */
export interface PhoneMessage {
  messageId: string;
  direction: 'arrived' | 'wrote';
  at: string;
  isRead: boolean;
  type: string;
  text: string | null;
  id: string | null;
  parts: MessageParts | null;
  reply: SentReply | null;
}

/** A request to the simulated receiver. */
export interface ReceiverEvent {
  seq: number;
  hook: string;
  at: string;
  verified: boolean;
  answered: number | string;
  body: string;
}

export interface SandboxFault {
  name: string;
  isOn: boolean;
  timesLeft: number | null;
}

/** Milliseconds that the simulated platform takes. */
export interface SandboxDelays {
  sentMs: number;
  deliveredMs: number;
  readMs: number;
  approvalMs: number;
}

/** What the owner of a phone does. */
export type PhoneAct =
  | { text: string }
  | { press: { messageId: string; button?: number; card?: number; row?: string } };

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(`/sandbox/${path}`, {
    method,
    headers: {
      'X-Requested-With': 'chatbot-gateway',
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw failureOf(response, text);
  return JSON.parse(text).data as T;
}

const list = async <T>(path: string): Promise<T[]> => (await call<{ items: T[] }>('GET', path)).items;

export const sandbox = {
  phones: () => list<SandboxPhone>('phones'),
  messages: (phone: string) => list<PhoneMessage>(`phones/${phone}/messages`),
  act: (phone: string, act: PhoneAct) => call('POST', `phones/${phone}/messages`, act),
  events: () => list<ReceiverEvent>('receiver/events?limit=30'),
  delays: () => call<SandboxDelays>('GET', 'delays'),
  changeDelays: (delays: Partial<SandboxDelays>) => call<SandboxDelays>('PATCH', 'delays', delays),
  /** Empties phones and receiver, ends faults, and resets delays; returns these. */
  startOver: () => call<SandboxDelays>('POST', 'start-over'),
  faults: () => list<SandboxFault>('faults'),
  /** `times`: it ends after so many calls. */
  setFault: (name: string, isOn: boolean, times?: number) =>
    call('PUT', `faults/${name}`, { isOn, ...(times === undefined ? {} : { times }) }),
};
