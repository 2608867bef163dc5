// What the platform knows of conversations: who wrote to which number and when, which decides what a business may send.
import { rejection } from './errors.ts';
import type { PhoneNumber } from './model.ts';
import { waIdOf } from './recipient.ts';
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
  /** The same with milliseconds, of which the callback has none; absent: `at`. */
  wroteAt?: number;
  /** What it says in a line. */
  text?: string | null;
}

/** A call that marked a message as read. */
export interface Read {
  numberId: string;
  messageId: string;
  typing: boolean;
}

export interface Conversations {
  add(wrote: Wrote): void;
  /** The last message of a person to a number, by phone or user id; undefined if they never wrote. */
  last(numberId: string, person: { phone: string } | { userId: string }): Wrote | undefined;
  message(id: string): Wrote | undefined;
  /** Up to `limit` of the newest. */
  newest(limit: number): Wrote[];
  /** The newest calls that marked messages as read. */
  reads: Read[];
  all(): Iterable<Wrote>;
}

const hour = 3_600_000;
/** For this long after a person's message, anything may be sent to them. */
const windowMs = 24 * hour;
/** Messages of people that are remembered. */
const rememberedMax = 50_000;

const keysOf = ({ numberId, userId, phone }: Wrote): string[] => [
  `${numberId} u:${userId}`,
  // the person's id may differ from the number, and replies go to both
  ...(phone === null ? [] : [phone, waIdOf(phone)].map((one) => `${numberId} ${one}`)),
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
    newest: (limit) => [...messages.values()].slice(-limit),
    reads: [],
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

/** How long a message can be marked as read. */
const readableMs = 30 * 24 * hour;
const readsKept = 1_000;

/** Marks a message as read, with the typing indicator if the call asks for it; rejects ids that are not of a received message. */
export function markRead(
  { clock, conversations }: State,
  number: PhoneNumber,
  body: Record<string, unknown>,
): void {
  const { message_id: id, typing_indicator: typing } = body;
  if (typeof id !== 'string' || id === '') throw rejection(131008, "Parameter 'message_id' is required");
  const wrote = conversations.message(id);
  if (wrote?.numberId !== number.id || wrote.at + readableMs <= clock.now())
    throw rejection(
      131009,
      "Parameter 'message_id' is not of a message that this number received in the last 30 days",
    );
  if (typing !== undefined && (typing as { type?: unknown } | null)?.type !== 'text')
    throw rejection(131009, "Parameter 'typing_indicator.type' must be text");
  conversations.reads.push({ numberId: number.id, messageId: id, typing: typing !== undefined });
  if (conversations.reads.length > readsKept) conversations.reads.shift();
}
