// The people of callbacks: their numbers, ids and names, read without trusting the form. Pure.
import type { ReceivedPerson, RecipientReport } from '../../ports/platform-received.ts';
import { isObject, type Json, objectsOf, storableText, textOf } from './json.ts';

/** The longest id of a person that is stored; the platform's are far shorter. */
const userIdMax = 200;
/** E.164 allows 15 digits; the platform's own ids of people are a little longer in some countries. */
const phoneMaxDigits = 20;

/** A person's number in digits; null if the value is none. */
export function phoneOf(value: unknown): string | null {
  const text = textOf(value);
  if (text === undefined || !/^\+?\d+$/.test(text)) return null;
  const digits = text.startsWith('+') ? text.slice(1) : text;
  return digits.length <= phoneMaxDigits ? digits : null;
}

/** A person's id in the place of their number, as some callbacks have it. */
export function userIdInPhone(value: unknown): string | null {
  return /^[A-Z]{2}\.(ENT\.)?\w+$/.test(textOf(value) ?? '') ? userIdOf(value) : null;
}

/** The platform's id of a person; null if the value is none. */
export function userIdOf(value: unknown): string | null {
  const id = textOf(value)?.toWellFormed() ?? '';
  return id !== '' && id.length <= userIdMax ? id : null;
}

/** The values that are not null, each once, without `except`. */
export const only = (values: (string | null)[], except: string | null): string[] =>
  values.filter(
    (one, index): one is string => one !== null && one !== except && values.indexOf(one) === index,
  );

/** Finds the first entry of `contacts` with a number or id. Looks each up: a callback of 4 MB has 20,000 people and messages. */
export function contactFinder(
  contacts: readonly Json[],
): (phone: unknown, userId: unknown) => Json | undefined {
  const [byPhone, byId] = [new Map<string, number>(), new Map<string, number>()];
  for (const [index, { wa_id: phone, user_id: userId }] of contacts.entries()) {
    const [waId, id] = [textOf(phone), textOf(userId)];
    if (waId !== undefined && !byPhone.has(waId)) byPhone.set(waId, index);
    if (id !== undefined && !byId.has(id)) byId.set(id, index);
  }
  return (phone, userId) => {
    const [waId, id] = [textOf(phone), textOf(userId)];
    const ofPhone = waId === undefined ? undefined : byPhone.get(waId);
    const ofId = id === undefined ? undefined : byId.get(id);
    return contacts[Math.min(ofPhone ?? contacts.length, ofId ?? contacts.length)];
  };
}

/**
 * The person with these numbers and ids, the present ones first; `parents` are ids that cover several businesses or are
 * earlier ones. Null if there is neither a number nor an id.
 */
export function personFrom(of: {
  phones: (string | null)[];
  userIds: (string | null)[];
  parents: (string | null)[];
  contact: Json | undefined;
}): ReceivedPerson | null {
  const phone = of.phones.find((one) => one !== null) ?? null;
  const userId = of.userIds.find((one) => one !== null) ?? null;
  if (phone === null && userId === null) return null;
  const profile = isObject(of.contact?.profile) ? of.contact.profile : {};
  return {
    ...{ phone, userId, name: storableText(profile.name) || null },
    otherPhones: only(of.phones, phone),
    otherUserIds: only([...of.userIds, ...of.parents], userId),
  };
}

/** The people in the `contacts` of statuses whose number and id are both there ("Business-scoped user IDs": status messages webhooks). */
export function recipientsIn(value: Json, phoneNumberId: string): RecipientReport[] {
  return objectsOf(value.contacts).flatMap((contact) => {
    const [phone, userId] = [phoneOf(contact.wa_id), userIdOf(contact.user_id)];
    if (phone === null || userId === null) return [];
    const names = {
      phones: [phone],
      userIds: [userId],
      parents: [userIdOf(contact.parent_user_id)],
      contact,
    };
    const person = personFrom(names);
    return person === null ? [] : [{ phoneNumberId, person }];
  });
}
