// What the platform knows of conversations: who wrote to which number and when, which decides what a business may send.
import { rejection } from './errors.ts';
import type { PhoneNumber } from './model.ts';
import type { State } from './state.ts';

/** A message of a person, as far as later calls refer to it. */
export interface Wrote {
  numberId: string;
  messageId: string;
  type: string;
  userId: string;
  /** Null if the person hides it. */
  phone: string | null;
  /** By the sandbox's clock. */
  at: number;
}

export interface Conversations {
  add(wrote: Wrote): void;
  /** The last message of a person to a number, by phone or user id; undefined if they never wrote. */
  last(numberId: string, person: { phone: string } | { userId: string }): Wrote | undefined;
  message(id: string): Wrote | undefined;
  all(): Iterable<Wrote>;
}

const hour = 3_600_000;
/** For this long after a person's message, anything may be sent to them. */
export const windowMs = 24 * hour;
/** Messages of people that are remembered. */
const rememberedMax = 50_000;

const keysOf = ({ numberId, userId, phone }: Wrote): string[] => [
  `${numberId} u:${userId}`,
  ...(phone === null ? [] : [`${numberId} ${phone}`]),
];

/** No conversations. */
export function createConversations(): Conversations {
  const messages = new Map<string, Wrote>();
  const last = new Map<string, Wrote>();
  return {
    add(wrote) {
      messages.set(wrote.messageId, wrote);
      const [oldest] = messages.keys();
      if (messages.size > rememberedMax && oldest !== undefined) messages.delete(oldest);
      for (const key of keysOf(wrote)) {
        const earlier = last.get(key);
        if (!earlier || earlier.at <= wrote.at) last.set(key, wrote);
      }
    },
    last: (numberId, person) =>
      last.get('phone' in person ? `${numberId} ${person.phone}` : `${numberId} u:${person.userId}`),
    message: (id) => messages.get(id),
    all: () => new Set([...last.values(), ...messages.values()]),
  };
}

/** Who a reply is for, as far as the platform knows the person. */
export interface ReplyRecipient {
  /** Empty if it is hidden. */
  phone: string;
  /** Set if the call names the person by it. */
  userId: string | null;
  /** True if anything may be sent now. */
  isOpen: boolean;
}

/** The person that a reply's `recipient` names. `to` wins over it. */
export function recipientByUserId(state: State, number: PhoneNumber, recipient: unknown): ReplyRecipient {
  if (typeof recipient !== 'string' || !/^[A-Z]{2}\.[A-Za-z0-9.]{1,150}$/.test(recipient))
    throw rejection(131009, "'recipient' is not a valid business-scoped user id");
  const last = state.conversations.last(number.id, { userId: recipient });
  return { phone: last?.phone ?? '', userId: recipient, isOpen: isOpen(state, last) };
}

/** True within 24 hours after a person's message. */
export const isOpen = (state: State, last: Wrote | undefined): boolean =>
  last !== undefined && last.at + windowMs > state.clock.now();
