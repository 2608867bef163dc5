// Inbound messages of a callback, and the notices that a person's ids changed (Cloud API, "Messages webhook reference"). Pure.
import type { IdentityReport, ReceivedMessage, ReceivedPerson } from '../../ports/platform-received.ts';
import { isObject, type Json, objectsOf, phoneNumberIdOf, textOf, timestampOf } from './json.ts';
import { sourceAt, visitElements, visitMembers, wholeAt } from './json-source.ts';
import { contactFinder, only, personFrom, phoneOf, userIdInPhone, userIdOf } from './person.ts';
import { contentOf, refOf } from './received-content.ts';

/** The longest word of a type that is stored; the platform's are far shorter. */
const typeMax = 64;

/** The people of a change: `contacts`, and whether all its messages have the same sender. */
interface People {
  contacts: Json[];
  find: ReturnType<typeof contactFinder>;
  isOnePerson: boolean;
}

/** The entry of `contacts` about the sender of a message. */
function contactOf(message: Json, { contacts, find, isOnePerson }: People): Json | undefined {
  const own = find(message.from, message.from_user_id);
  // `from` and `wa_id` may differ in countries that changed their numbers
  return own ?? (isOnePerson && contacts.length === 1 ? contacts[0] : undefined);
}

/** The new ids of a person who changed their number or whose id changed: a `system` message. */
function changeOf(message: Json, type: string): Json | undefined {
  return type === 'system' && isObject(message.system) ? message.system : undefined;
}

function personOf(message: Json, type: string, contact: Json | undefined): ReceivedPerson | null {
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
  return personFrom({ phones, userIds, parents, contact });
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
  const contact = contactOf(message, people);
  const person = personOf(message, type, contact);
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
  const readable = objectsOf(messages);
  const sendersOf = () => new Set(readable.map((one) => `${textOf(one.from)} ${textOf(one.from_user_id)}`));
  const isOnePerson = readable.length === 1 || sendersOf().size === 1;
  const contacts = objectsOf(value.contacts);
  const people = { contacts, find: contactFinder(contacts), isOnePerson };
  return messages.map((message, index) =>
    receivedMessage(message, people, phoneNumberId, sources[index] ?? ''),
  );
}

/** Reads the notices of `user_id_update`, of earlier documentation: earlier and new ids of people. */
export function identitiesIn(value: Json, businessAccountId: string): IdentityReport[] {
  const phoneNumberId = phoneNumberIdOf(value) ?? null;
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
    return [{ phoneNumberId, businessAccountId, person }];
  });
}
