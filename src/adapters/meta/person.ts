// The people of callbacks: their numbers, ids and names, read without trusting the form. Pure.
import type { ReceivedPerson } from '../../ports/platform-received.ts';
import { isObject, type Json, storableText, textOf } from './json.ts';

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

/** The entry of `contacts` with that number or id. */
export function findContact(contacts: readonly Json[], phone: unknown, userId: unknown): Json | undefined {
  const [waId, id] = [textOf(phone), textOf(userId)];
  return contacts.find(
    (one) =>
      (waId !== undefined && textOf(one.wa_id) === waId) || (id !== undefined && textOf(one.user_id) === id),
  );
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
