// Inbound messages, and the messages of a contact, on the wire.
import { Type } from 'typebox';
import { cursorProperties, Id, idFilter, instant, nullable } from './envelope.ts';
import { MessageItem } from './messages.ts';
import { wamidExample } from './sends.ts';

const text = (description: string) => Type.String({ description });
const optionalText = (description: string) => Type.Optional(text(description));
const nullableText = (description: string) => nullable(text(description));
const nullableNumber = (description: string) => nullable(Type.Number({ description }));
const closed = { additionalProperties: false } as const;

/** What the platform calls a person. */
export const person = {
  phone: nullableText("The person's number, in digits; null if the platform hides it."),
  userId: nullableText("The platform's id of the person. It changes with their number."),
  name: nullableText('The name in their profile; null if the platform gave none.'),
};

const media = Type.Object(
  {
    mimeType: nullableText('The type that the platform names.'),
    sha256: nullableText('The digest of the file, as the platform gives it.'),
    fileName: optionalText('The name of a document.'),
    caption: optionalText('The text beside the file.'),
    voice: Type.Optional(Type.Boolean({ description: 'True for a recorded voice message.' })),
  },
  { description: 'The file of the message. Download it with `GET /v1/messages/received/{id}/media`.' },
);

const card = Type.Object(
  {
    name: nullableText('The name on the card.'),
    phones: Type.Array(
      Type.Object({
        phone: text('The number as it is written on the card.'),
        type: optionalText('Such as `WORK`.'),
        userPhone: optionalText("The platform's own form of the number, if the person uses the platform."),
      }),
      { description: 'Numbers of the card.' },
    ),
    emails: Type.Optional(
      Type.Array(Type.Object({ email: text('An email address.'), type: optionalText('Such as `WORK`.') }), {
        description: 'Email addresses of the card.',
      }),
    ),
    company: optionalText('The company on the card.'),
    origin: optionalText(
      "The platform's own word for where the card comes from: `contact_request` is the answer to a template's button that asks for it.",
    ),
  },
  { description: 'A contact card.' },
);

const orderItem = Type.Object(
  {
    productId: nullableText('The id of the product in your catalog.'),
    quantity: nullableNumber('How many.'),
    price: nullableNumber('The price of one.'),
    currency: nullableText('The currency of the price, such as `EUR`.'),
  },
  { description: 'A product.' },
);

const parsed = {
  text: optionalText('The text of a `text` message.'),
  button: Type.Optional(
    Type.Object(
      {
        payload: nullableText('The payload that the template gave the button.'),
        text: nullableText('The text of the button.'),
      },
      { description: 'The quick-reply button of a template that the person pressed.' },
    ),
  ),
  interactive: Type.Optional(
    Type.Object(
      {
        type: text("The platform's own word, such as `button_reply`, `list_reply` or `nfm_reply`."),
        id: optionalText('The id of the button or row that the person chose.'),
        title: optionalText('Its title.'),
        description: optionalText('Its description.'),
        name: optionalText('The name of a form.'),
        body: optionalText('The text that stands for the answer of a form.'),
        response: Type.Optional(
          Type.Unknown({ description: 'The answers of a form, or the response to a request.' }),
        ),
      },
      { description: 'The answer to buttons, a list, a form or a request.' },
    ),
  ),
  media: Type.Optional(media),
  location: Type.Optional(
    Type.Object(
      {
        latitude: Type.Number({ description: 'Degrees north.' }),
        longitude: Type.Number({ description: 'Degrees east.' }),
        name: optionalText('The name of the place.'),
        address: optionalText('The address of the place.'),
        url: optionalText('A link to the place.'),
      },
      { description: 'A place.' },
    ),
  ),
  contacts: Type.Optional(Type.Array(card, { description: 'The contact cards of the message.' })),
  reaction: Type.Optional(
    Type.Object(
      {
        messageId: text("The platform's id of the message that the person reacted to."),
        emoji: nullableText('The emoji; null if the person removed the reaction.'),
      },
      { description: 'A reaction to a message.' },
    ),
  ),
  order: Type.Optional(
    Type.Object(
      {
        catalogId: nullableText('The id of your catalog.'),
        text: nullableText('The text beside the order.'),
        items: Type.Array(orderItem, { description: 'The products.' }),
      },
      { description: 'An order of products of your catalog.' },
    ),
  ),
  context: Type.Optional(
    Type.Object(
      {
        messageId: text("The platform's id of the message that this one answers, quotes or reacts to."),
        id: nullable(
          Type.String({ ...Id, description: 'Our id of that message; null if it is none of ours.' }),
        ),
        sendId: nullable(
          Type.String({ ...Id, description: 'The send of that message; null if it has none.' }),
        ),
      },
      { description: 'What the message refers to.' },
    ),
  ),
};

const receivedExample = {
  _id: '019a0b5e-7c00-7000-8000-000000000030',
  messageId: wamidExample,
  senderId: '019a0b5e-7c00-7000-8000-000000000006',
  phone: '15551234567',
  userId: 'US.13491208655302741918',
  name: 'Ada',
  type: 'text',
  text: 'When do you open?',
  timestamp: 1_773_151_200,
  receivedAt: '2026-03-10T14:00:00.900Z',
  raw: {
    from: '15551234567',
    from_user_id: 'US.13491208655302741918',
    id: wamidExample,
    timestamp: '1773151200',
    type: 'text',
    text: { body: 'When do you open?' },
  },
};

export const ReceivedMessageItem = Type.Object(
  {
    _id: Type.String({
      ...Id,
      description: "UUIDv7 of the platform's time; the same for every repeat of the message.",
    }),
    messageId: nullableText("The platform's id of the message; null if it could not be read."),
    senderId: Type.String({ ...Id, description: 'The number that the person wrote to.' }),
    ...person,
    type: text(
      "The platform's own word, such as `text`, `image`, `button`, `interactive` or `reaction`; also words that no version of this document lists. `unknown` if it gave none.",
    ),
    ...parsed,
    timestamp: nullable(
      Type.Integer({ description: "The platform's time, in epoch seconds; null if it could not be read." }),
    ),
    receivedAt: instant('When the gateway received the message.'),
    raw: Type.Unknown({
      description: "The platform's own object, unchanged, up to 64 KB; null if it is larger.",
    }),
    rawOmitted: Type.Optional(
      Type.Boolean({ description: 'True if `raw` is null because it is too large.' }),
    ),
  },
  {
    title: 'ReceivedMessage',
    description: 'A message that a person sent to one of your numbers.',
    examples: [receivedExample],
  },
);

/** Filters by a person. */
export const personFilters = {
  phone: Type.Optional(
    Type.String({
      maxLength: 32,
      format: 'phone',
      description: 'Only of the person with this number, also under their other ids.',
    }),
  ),
  userId: Type.Optional(
    Type.String({ maxLength: 256, description: 'Only of the person with this id of the platform.' }),
  ),
};

export const ListReceivedQuery = Type.Object(
  {
    ...personFilters,
    senderId: idFilter('Only messages to this number.'),
    type: Type.Optional(
      Type.String({ maxLength: 64, description: "Only messages of this type, in the platform's word." }),
    ),
    from: Type.Optional(
      Type.String({
        format: 'date-time',
        description: "Only messages at or after this instant of the platform's time.",
      }),
    ),
    to: Type.Optional(
      Type.String({
        format: 'date-time',
        description: "Only messages before this instant of the platform's time.",
      }),
    ),
    ...cursorProperties,
  },
  closed,
);

export const ReceivedParams = Type.Object({ id: Type.String() }, closed);

export const ContactParams = Type.Object({ id: Type.String() }, closed);
export const ContactMessagesQuery = Type.Object(cursorProperties, closed);

export const ContactMessage = Type.Object(
  {
    direction: Type.Enum(['received', 'sent'], { description: 'Who sent the message.' }),
    received: nullable(ReceivedMessageItem),
    message: nullable(MessageItem),
  },
  {
    title: 'ContactMessage',
    description: 'A message from or to a contact: `received` or `message` is set.',
    examples: [{ direction: 'received', received: receivedExample, message: null }],
  },
);
