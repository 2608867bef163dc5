// People as the platform's callbacks show them: their numbers, ids and names (pure).
import { createHash } from 'node:crypto';

/** A person as the platform shows them. Without `phone` the number is hidden: only `userId` identifies them. */
export interface InboundPerson {
  /** Digits with country code. */
  phone?: string;
  /** The platform's form of the number, if it differs from `phone`. */
  waId?: string;
  /** Default: made of the phone. */
  userId?: string;
  parentUserId?: string;
  name?: string;
  username?: string;
}

/** The id of a person without one of their own: the same for the same phone and business account. */
export function userIdOf(person: InboundPerson, wabaId: string): string {
  if (person.userId !== undefined) return person.userId;
  const digest = createHash('sha256').update(`${wabaId} ${person.phone}`).digest();
  return `US.${digest.readBigUInt64BE(0)}`;
}

/** The entry of `contacts` about a person. */
export function contactOf(person: InboundPerson, wabaId: string): object {
  const { phone, waId = phone, parentUserId, name = 'Ada Lovelace', username } = person;
  return {
    profile: { name, ...(username === undefined ? {} : { username }) },
    ...(waId === undefined ? {} : { wa_id: waId }),
    user_id: userIdOf(person, wabaId),
    ...(parentUserId === undefined ? {} : { parent_user_id: parentUserId }),
  };
}
