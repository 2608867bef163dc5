// The messaging limit of a business: how many people it may write to first within a moving 24 hours ("Messaging limits").
import { isOpen } from './conversations.ts';
import { rejection } from './errors.ts';
import type { PhoneNumber } from './model.ts';
import type { State } from './state.ts';

const dayMs = 86_400_000;

/** People a day by `whatsapp_business_manager_messaging_limit`; others are unlimited. */
const peopleOf: Record<string, number> = {
  ...{ TIER_250: 250, TIER_1K: 1_000, TIER_2K: 2_000, TIER_10K: 10_000, TIER_100K: 100_000 },
};

/** The platform names the limit of the portfolio on each of its numbers; here a business account is a portfolio. */
const limitOf = ({ messagingLimit }: PhoneNumber): number => peopleOf[messagingLimit ?? ''] ?? Infinity;

export interface MessagingLimits {
  /** Counts a template to a person; throws 131048 beyond the limit. People in an open window do not count. */
  count(number: PhoneNumber, waId: string): void;
  /** True while the number can write to nobody new. */
  isReached(number: PhoneNumber): boolean;
}

/** The limits of all business accounts, forgotten at the end of the process. */
export function messagingLimits(state: State): MessagingLimits {
  const accounts = new Map<string, Map<string, number>>();
  /** When each person was written to last in these 24 hours. */
  const writtenTo = ({ wabaId }: PhoneNumber): Map<string, number> => {
    const people = accounts.get(wabaId) ?? new Map<string, number>();
    accounts.set(wabaId, people);
    // the oldest come first
    for (const [waId, at] of people) {
      if (at + dayMs > state.clock.now()) break;
      people.delete(waId);
    }
    return people;
  };
  const isReached = (number: PhoneNumber) =>
    limitOf(number) < Infinity && writtenTo(number).size >= limitOf(number);
  return {
    isReached,
    count(number, waId) {
      if (limitOf(number) === Infinity) return;
      if (isOpen(state, state.conversations.last(number.id, { phone: waId }))) return;
      const people = writtenTo(number);
      if (!people.has(waId) && isReached(number))
        // the code is not documented for this; its text was reported (support.qiscus.com 900004378363)
        throw rejection(
          131048,
          'Message failed to send because there are restrictions on how many messages can be sent from this phone number. This may be because too many previous messages were blocked or flagged as spam.',
        );
      people.delete(waId);
      people.set(waId, state.clock.now());
    },
  };
}
