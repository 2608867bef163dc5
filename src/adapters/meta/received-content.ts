// The content of inbound messages by kind (Cloud API, "Messages webhook reference"), in the words of the port. Pure.
import type {
  ReceivedCard,
  ReceivedContent,
  ReceivedMedia,
  ReceivedMessage,
} from '../../ports/platform-received.ts';
import { isObject, type Json, messageIdMax, objectsOf, textOf } from './json.ts';

/** The longest text that is parsed out of a message; the platform's own limit is 4,096. */
const textMax = 65_536;

/** A text for storage, whole up to `textMax`; undefined if the value is none. */
const longText = (value: unknown): string | undefined => textOf(value)?.slice(0, textMax).toWellFormed();

const orNull = (value: unknown): string | null => longText(value) ?? null;

const numberOrNull = (value: unknown): number | null => {
  const number = Number(textOf(value) || Number.NaN);
  return Number.isFinite(number) ? number : null;
};

/** Only the members that have a value. */
function given<T extends object>(members: T): Partial<{ [K in keyof T]: NonNullable<T[K]> }> {
  const entries = Object.entries(members).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries) as Partial<{ [K in keyof T]: NonNullable<T[K]> }>;
}

/** A reference to another message or to media; undefined if it is none that can be stored. */
export function refOf(value: unknown): string | undefined {
  const ref = textOf(value);
  return ref !== undefined && ref !== '' && ref.length <= messageIdMax ? ref : undefined;
}

function mediaOf(value: Json): ReceivedMedia {
  return {
    mimeType: orNull(value.mime_type),
    sha256: orNull(value.sha256),
    ...given({ fileName: longText(value.filename), caption: longText(value.caption) }),
    ...(typeof value.voice === 'boolean' ? { voice: value.voice } : {}),
  };
}

function cardOf(card: Json): ReceivedCard {
  const emails = objectsOf(card.emails).map(({ email, type }) => ({
    email: longText(email) ?? '',
    ...given({ type: longText(type) }),
  }));
  const phones = objectsOf(card.phones).map(({ phone, type, wa_id: userPhone }) => ({
    phone: longText(phone) ?? longText(userPhone) ?? '',
    ...given({ type: longText(type), userPhone: longText(userPhone) }),
  }));
  return {
    name: (isObject(card.name) ? longText(card.name.formatted_name) : undefined) ?? nameInVcard(card.vcard),
    phones,
    ...(emails.length > 0 ? { emails } : {}),
    ...given({ company: isObject(card.org) ? longText(card.org.company) : undefined }),
    ...given({ origin: longText(card.origin) }),
  };
}

/** The name in a vCard (RFC 6350, `FN`), which some cards have instead of members. */
function nameInVcard(vcard: unknown): string | null {
  const name = /^FN(?:;[^:\r\n]*)?:(.+)$/im.exec(longText(vcard) ?? '')?.[1];
  return name?.replace(/\\([,;\\])/g, '$1').trim() || null;
}

/** The deepest value that is parsed out of a text: the database and receivers have limits of their own. */
const depthMax = 64;

const isDeeper = (value: unknown, depth: number): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (depth === 0 || Object.values(value).some((one) => isDeeper(one, depth - 1)));

/** The answers of a form, which the platform sends as JSON within a string. */
function parsedResponse(value: unknown): unknown {
  if (typeof value !== 'string') return longText(value);
  try {
    const parsed: unknown = JSON.parse(value, (_key, one: unknown) =>
      typeof one === 'string' ? one.replaceAll('\0', '').toWellFormed() : one,
    );
    return isDeeper(parsed, depthMax) ? longText(value) : parsed;
  } catch {
    return longText(value);
  }
}

function interactiveOf(value: Json): ReceivedContent['interactive'] {
  const type = longText(value.type) ?? Object.keys(value).find((key) => isObject(value[key])) ?? 'unknown';
  const answer = value[type];
  if (!isObject(answer)) return { type };
  const { id, title, description, name, body, response_json, response } = answer;
  return {
    type,
    ...given({
      id: longText(id),
      title: longText(title),
      description: longText(description),
      name: longText(name),
      body: longText(body),
      response: response_json === undefined ? longText(response) : parsedResponse(response_json),
    }),
  };
}

function locationOf(value: Json): ReceivedContent['location'] {
  const [latitude, longitude] = [numberOrNull(value.latitude), numberOrNull(value.longitude)];
  if (latitude === null || longitude === null) return undefined;
  const { name, address, url } = value;
  return {
    ...{ latitude, longitude },
    ...given({ name: longText(name), address: longText(address), url: longText(url) }),
  };
}

function orderOf(value: Json): NonNullable<ReceivedContent['order']> {
  return {
    catalogId: orNull(value.catalog_id),
    text: orNull(value.text),
    items: objectsOf(value.product_items).map((item) => ({
      productId: orNull(item.product_retailer_id),
      quantity: numberOrNull(item.quantity),
      price: numberOrNull(item.item_price),
      currency: orNull(item.currency),
    })),
  };
}

/** Media of any kind: also of one that is not known yet, as long as it has the form of media. */
const isMedia = (value: unknown): value is Json =>
  isObject(value) && refOf(value.id) !== undefined && textOf(value.mime_type) !== undefined;

/** What a message contains, and what it refers to. Members without the documented form are left out: `raw` has them. */
export function contentOf(
  message: Json,
  type: string,
): Pick<ReceivedMessage, 'content' | 'mediaRef' | 'contextRef'> {
  const content: ReceivedContent = {};
  const own = message[type];
  let mediaRef: string | undefined;
  let contextRef = isObject(message.context) ? refOf(message.context.id) : undefined;
  if (isMedia(own)) {
    content.media = mediaOf(own);
    mediaRef = refOf(own.id);
  }
  if ((type === 'edit' || type === 'revoke') && isObject(own)) {
    // refers to the person's own earlier message; an edit has the new message
    contextRef ??= refOf(own.original_message_id);
    const edited = isObject(own.message) ? own.message : {};
    const editedType = textOf(edited.type) ?? '';
    if (type === 'edit' && editedType !== 'edit') {
      const inner = contentOf(edited, editedType);
      return { ...inner, contextRef: contextRef ?? null };
    }
  }
  if (type === 'contacts') content.contacts = objectsOf(own).map(cardOf);
  if (isObject(own)) {
    const text = type === 'text' ? longText(own.body) : undefined;
    if (text !== undefined) content.text = text;
    if (type === 'button') content.button = { payload: orNull(own.payload), text: orNull(own.text) };
    if (type === 'interactive') Object.assign(content, given({ interactive: interactiveOf(own) }));
    if (type === 'location') Object.assign(content, given({ location: locationOf(own) }));
    if (type === 'order') content.order = orderOf(own);
    const reacted = type === 'reaction' ? refOf(own.message_id) : undefined;
    if (reacted !== undefined) {
      content.reaction = { messageId: reacted, emoji: longText(own.emoji) || null };
      contextRef ??= reacted;
    }
  }
  return { content, mediaRef: mediaRef ?? null, contextRef: contextRef ?? null };
}
