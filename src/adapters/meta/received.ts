// Inbound messages of a callback, and the notices that a person's ids changed (Cloud API, "Messages webhook reference"). Pure.
import type { IdentityReport, ReceivedMessage, ReceivedPerson } from '../../ports/platform-received.ts';
import { isObject, type Json, objectsOf, storableText, textOf } from './json.ts';
import { sourceAt, visitElements, visitMembers, wholeAt } from './json-source.ts';
import { contentOf, refOf } from './received-content.ts';

/** The longest word of a type, and id of a person, that are stored; the platform's are far shorter. */
const typeMax = 64;
const userIdMax = 200;
/** E.164 allows 15 digits; the platform's own ids of people are a little longer in some countries. */
const phoneMaxDigits = 20;

const latestTimestamp = 253_402_300_799;

/** Epoch seconds; null if the value is no valid instant. */
export function timestampOf(value: unknown): number | null {
  const seconds = Number(textOf(value) || Number.NaN);
  return Number.isSafeInteger(seconds) && seconds >= 0 && seconds <= latestTimestamp ? seconds : null;
}

/** A person's number in digits; null if the value is none. */
export function phoneOf(value: unknown): string | null {
  const digits = textOf(value)?.replace(/^\+/, '') ?? '';
  return /^\d+$/.test(digits) && digits.length <= phoneMaxDigits ? digits : null;
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
export const only = (values: (string | null)[], ...except: (string | null)[]): string[] => [
  ...new Set(values.filter((one): one is string => one !== null && !except.includes(one))),
];

/** The people of a change: `contacts`, and whether all its messages have the same sender. */
interface People {
  contacts: Json[];
  isOnePerson: boolean;
}

/** The entry of `contacts` about the sender of a message. */
function contactOf(message: Json, { contacts, isOnePerson }: People): Json | undefined {
  const phone = textOf(message.from);
  const userId = textOf(message.from_user_id);
  const own = contacts.find(
    (one) =>
      (phone !== undefined && textOf(one.wa_id) === phone) ||
      (userId !== undefined && textOf(one.user_id) === userId),
  );
  // `from` and `wa_id` may differ in countries that changed their numbers
  return own ?? (isOnePerson && contacts.length === 1 ? contacts[0] : undefined);
}

/** The new ids of a person who changed their number or whose id changed: a `system` message. */
function changeOf(message: Json, type: string): Json | undefined {
  return type === 'system' && isObject(message.system) ? message.system : undefined;
}

function personOf(message: Json, type: string, people: People): ReceivedPerson | null {
  const contact = contactOf(message, people);
  const change = changeOf(message, type);
  const phones = [change?.wa_id, message.from, contact?.wa_id].map(phoneOf);
  const userIds = [
    ...[change?.user_id, message.from_user_id, contact?.user_id].map(userIdOf),
    userIdInPhone(message.from),
  ];
  const parents = [
    ...[change?.previous_user_id, message.from_parent_user_id, contact?.parent_user_id],
    ...[change?.parent_user_id, change?.previous_parent_user_id],
  ].map(userIdOf);
  const phone = phones.find((one) => one !== null) ?? null;
  const userId = userIds.find((one) => one !== null) ?? null;
  if (phone === null && userId === null) return null;
  const profile = isObject(contact?.profile) ? contact.profile : {};
  return {
    ...{ phone, userId, name: storableText(profile.name) || null },
    otherPhones: only(phones, phone),
    otherUserIds: only([...userIds, ...parents], userId),
  };
}

/** The members that name the kind of a message; some published examples have no `type`. */
const kinds = [
  ...['text', 'image', 'audio', 'video', 'document', 'sticker', 'location', 'contacts', 'interactive'],
  ...['button', 'reaction', 'order', 'system'],
];

/** The platform's own word for the kind of a message; `unknown` if it gave none. */
function typeOf(message: Json): string {
  const word = textOf(message.type)?.slice(0, typeMax).toWellFormed();
  return (
    word || (kinds.find((kind) => typeof message[kind] === 'object' && message[kind] !== null) ?? 'unknown')
  );
}

/** Kinds that say something about a person or an earlier message, and open no reply window. */
const notices = new Set(['system', 'edit', 'revoke']);

/**
 * True if the person wrote to the business alone: a message in a group opens a window for the group ("Groups API pricing").
 * The platform's own word `unknown` stands for a message of a kind that it does not pass on.
 */
function isFromPerson(message: Json, type: string): boolean {
  const isKnown = type !== 'unknown' || textOf(message.type) === 'unknown';
  return isKnown && !notices.has(type) && textOf(message.group_id) === undefined;
}

/** Reads one element of `messages`. An element without a readable form still has its type and `raw`. */
function receivedMessage(element: unknown, people: People, phoneNumberId: string, raw: string) {
  const message = isObject(element) ? element : {};
  const type = typeOf(message);
  const person = personOf(message, type, people);
  const contact = contactOf(message, people);
  const received: ReceivedMessage = {
    phoneNumberId,
    messageRef: refOf(message.id) ?? null,
    phone: phoneOf(message.from) ?? phoneOf(contact?.wa_id),
    userId: userIdOf(message.from_user_id) ?? userIdOf(contact?.user_id) ?? userIdInPhone(message.from),
    ...{ person, type, raw },
    isFromPerson: person !== null && isFromPerson(message, type),
    timestamp: timestampOf(message.timestamp),
    ...contentOf(message, type),
  };
  return received;
}

/** Returns the source of each element of `messages` of a change, given by its place among entries and changes. */
export type MessageSources = (entry: number, change: number) => string[];

/** Finds the sources within a callback, which must be valid JSON, in one pass at the first call. */
export function messageSources(rawBody: Buffer): MessageSources {
  let found: string[][][] | undefined;
  return (entry, change) => {
    found ??= sourcesIn(rawBody.toString());
    return found[entry]?.[change] ?? [];
  };
}

/** The sources of messages by entry and change. Of several members with one name the last one counts. */
function sourcesIn(text: string): string[][][] {
  let entries: string[][][] = [];
  const readMessages = (at: number, of: string[][], change: number) => {
    const sources: string[] = [];
    of[change] = sources;
    const add = (from: number) => {
      const source = sourceAt(text, from);
      sources.push(source);
      return from + source.length;
    };
    return text[at] === '[' ? visitElements(text, at, add) : add(at);
  };
  const readChange = (at: number, of: string[][], change: number) =>
    visitMembers(text, at, 'value', (value) => {
      of[change] = [];
      return visitMembers(text, value, 'messages', (messages) => readMessages(messages, of, change));
    });
  const readEntry = (at: number, index: number) =>
    visitMembers(text, at, 'changes', (list) => {
      const changes: string[][] = [];
      entries[index] = changes;
      return visitElements(text, list, (one, change) => readChange(one, changes, change));
    });
  visitMembers(text, wholeAt(text), 'entry', (list) => {
    entries = [];
    return visitElements(text, list, readEntry);
  });
  return entries;
}

/** Reads the inbound messages of one change. Something else than a list counts as one unreadable message. */
export function receivedIn(value: Json, phoneNumberId: string, sources: string[]): ReceivedMessage[] {
  const messages: unknown[] = Array.isArray(value.messages) ? value.messages : [value.messages];
  const senders = new Set(
    objectsOf(messages).map((one) => `${textOf(one.from)} ${textOf(one.from_user_id)}`),
  );
  const people = { contacts: objectsOf(value.contacts), isOnePerson: senders.size === 1 };
  return messages.map((message, index) =>
    receivedMessage(message, people, phoneNumberId, sources[index] ?? ''),
  );
}

/** Reads the notices of `user_id_update`: earlier and new ids of people. */
export function identitiesIn(value: Json, businessAccountId: string): IdentityReport[] {
  const phoneNumberId = isObject(value.metadata) ? textOf(value.metadata.phone_number_id) : undefined;
  return objectsOf(value.user_id_update).flatMap((notice) => {
    const ids = isObject(notice.user_id) ? notice.user_id : {};
    const parent = isObject(notice.parent_user_id) ? notice.parent_user_id : {};
    const [current, previous] = [userIdOf(ids.current), userIdOf(ids.previous)];
    const phone = phoneOf(notice.wa_id);
    if (current === null) return [];
    const person = {
      ...{ phone, userId: current, name: null, otherPhones: [] },
      otherUserIds: only([previous, userIdOf(parent.previous), userIdOf(parent.current)], current),
    };
    return [{ phoneNumberId: phoneNumberId ?? null, businessAccountId, person }];
  });
}
