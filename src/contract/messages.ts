// Messages on the wire.
import { Type } from 'typebox';
import { DeliveryItem, deliveryExample } from './deliveries.ts';
import { cursorProperties, Id, idFilter, instant, nullable } from './envelope.ts';
import { SentReply } from './reply-contents.ts';
import { exampleIds, MessageError, wamidExample } from './sends.ts';
import { renderedFields } from './template-preview.ts';

export const messageStates = [
  'queued',
  'dispatching',
  'accepted',
  'sent',
  'delivered',
  'read',
  'failed',
] as const;
export type MessageStateName = (typeof messageStates)[number];

/** What a message is; the position is the value in the database. */
export const messageKinds = ['template', 'reply'] as const;
export type MessageKindName = (typeof messageKinds)[number];

export const kindFilter = Type.Enum([...messageKinds, 'all'], {
  default: 'template',
  description: 'Only messages of sends (`template`), only replies, or both.',
});

export const ListMessagesQuery = Type.Object(
  {
    sendId: idFilter('Only messages of this send.'),
    status: Type.Optional(Type.Enum([...messageStates], { description: 'Only messages with this status.' })),
    phone: Type.Optional(
      Type.String({ maxLength: 32, format: 'phone', description: 'Only messages to this number.' }),
    ),
    templateId: idFilter('Only messages of this template.'),
    senderId: idFilter('Only messages of this sender.'),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: "Only messages whose recipient's `name` contains this, without regard to case.",
      }),
    ),
    metadata: Type.Optional(
      Type.String({
        maxLength: 700,
        pattern: '^.+=',
        description:
          'Only messages with this entry in `metadata`, as `key=value`. The key may contain `=` too.',
        examples: ['order=A-1001'],
      }),
    ),
    kind: Type.Optional(kindFilter),
    messageId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: "Only the message with this platform's identifier.",
      }),
    ),
    from: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only messages created at or after this instant.' }),
    ),
    to: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only messages created before this instant.' }),
    ),
    ...cursorProperties,
  },
  { additionalProperties: false },
);

const messageFields = {
  id: Type.String({ ...Id, description: 'Id of the message (UUIDv7).' }),
  messageId: nullable(
    Type.String({
      description: "The platform's message identifier; null until the platform accepts the message.",
    }),
  ),
  kind: Type.Enum([...messageKinds], { description: 'A message of a send, or a reply.' }),
  sendId: nullable(Type.String({ ...Id, description: 'Id of the send (UUIDv7); null for a reply.' })),
  templateId: nullable(Type.String({ ...Id, description: 'Id of the template; null for a reply.' })),
  templateName: nullable(Type.String({ description: 'Name of the template; null for a reply.' })),
  language: nullable(Type.String({ description: 'Language of the template; null for a reply.' })),
  category: nullable(
    Type.Enum(['AUTHENTICATION', 'UTILITY', 'MARKETING'], {
      description: 'Category of the template when it was sent; null for a reply.',
    }),
  ),
  senderId: Type.String({ ...Id, description: 'Id of the sender.' }),
  recipientPhone: nullable(
    Type.String({ description: 'As the request gave it; null for a reply to a `userId`.' }),
  ),
  recipientUserId: nullable(
    Type.String({ description: "The platform's id of the person, if a reply is addressed by it." }),
  ),
  name: nullable(Type.String({ description: 'As the request gave it.' })),
  status: Type.Enum([...messageStates], { description: 'The last stage that was reached.' }),
  error: nullable(MessageError),
  variables: nullable(
    Type.Record(Type.String(), Type.String(), {
      description:
        'The values, by the keys that `inputs` of the template shows. A one-time code is `••••`. Null without the scope `conversations:read`.',
    }),
  ),
  text: nullable(
    Type.String({
      description:
        'The body as its recipient sees it. A one-time code is `••••`. Null without the scope `conversations:read`, and if the template was removed before the gateway stored earlier texts.',
    }),
  ),
  reply: nullable(SentReply),
  textSource: nullable(
    Type.Enum(['sent', 'later'], {
      description:
        '`sent`: the text is that of the template when the message was sent. `later`: that text is not stored, so `text` shows a later one. Null without text.',
    }),
  ),
  priceCategory: nullable(Type.String({ description: "The platform's price category." })),
  billable: nullable(
    Type.Boolean({
      description: 'Whether the platform charges for the message; null until it reports that.',
    }),
  ),
  attempts: Type.Integer({ description: 'Calls of the platform so far.' }),
  metadata: nullable(Type.Record(Type.String(), Type.String(), { description: 'As the request gave it.' })),
  resentAs: nullable(
    Type.String({ ...Id, description: 'The message that resent the content of this failed one.' }),
  ),
  resendOf: nullable(
    Type.String({ ...Id, description: 'The failed message whose content this one resends.' }),
  ),
  expiresAt: nullable(
    instant('When the message fails if it is still queued; null before its draft is started.'),
  ),
  timeline: Type.Array(
    Type.Object(
      {
        status: Type.String({ description: 'The stage.' }),
        at: instant(
          "When the stage was reached. Never before the previous stage: the platform's times have whole seconds, and the gateway raises them if needed.",
        ),
        platformTimestamp: nullable(
          instant("The platform's own time of the stage, unchanged; null if it gave none."),
        ),
        implied: Type.Boolean({
          description: 'True if the platform never reported the stage, but a later stage implies it.',
        }),
      },
      { title: 'Stage', description: 'A stage of a message.' },
    ),
    { description: 'The stages so far, in order.' },
  ),
  createdAt: instant('When the message was created.'),
};
const messageExample = {
  id: '019a0b5e-7c00-7000-8000-000000000004',
  messageId: wamidExample,
  kind: 'template',
  ...exampleIds,
  templateName: 'order_update',
  language: 'en_US',
  category: 'UTILITY',
  senderId: '019a0b5e-7c00-7000-8000-000000000006',
  recipientPhone: '15551234567',
  recipientUserId: null,
  name: 'Ada',
  status: 'accepted',
  error: null,
  variables: { 'body.1': 'Ada', 'body.2': 'A-1001', 'body.3': 'Friday' },
  text: 'Hi Ada, your order A-1001 arrives Friday at the latest.',
  reply: null,
  textSource: 'sent',
  priceCategory: null,
  billable: null,
  attempts: 1,
  metadata: { order: 'A-1001' },
  resentAs: null,
  resendOf: null,
  expiresAt: '2026-03-11T14:00:00.000Z',
  timeline: [
    { status: 'queued', at: '2026-03-10T14:00:00.000Z', platformTimestamp: null, implied: false },
    { status: 'accepted', at: '2026-03-10T14:00:00.210Z', platformTimestamp: null, implied: false },
  ],
  createdAt: '2026-03-10T14:00:00.000Z',
};
export const MessageItem = Type.Object(messageFields, {
  title: 'Message',
  description: 'A message to one recipient.',
  examples: [messageExample],
});

export const ResendBody = Type.Object(
  {
    evenIfUnknown: Type.Optional(
      Type.Boolean({
        description:
          'Also resend a message that failed with `outcome_unknown` (900001). It may have been sent, so the person may receive it twice.',
      }),
    ),
  },
  {
    additionalProperties: false,
    title: 'ResendMessage',
    description: 'How to resend the message.',
    examples: [{ evenIfUnknown: true }],
  },
);

/** One message with its parts and its webhook deliveries. */
export const MessageDetail = Type.Object(
  {
    ...messageFields,
    parts: nullable(
      Type.Object(renderedFields, {
        title: 'MessageParts',
        description:
          'The text of every part, as in a preview of the template. Null without the scope `conversations:read`, and without `text`.',
      }),
    ),
    deliveries: Type.Array(DeliveryItem, { description: 'Its webhook deliveries, oldest first.' }),
  },
  {
    title: 'MessageDetail',
    description: 'A message with its parts and its webhook deliveries.',
    examples: [
      {
        ...messageExample,
        parts: {
          header: null,
          body: messageExample.text,
          buttons: [],
          footer: null,
          offer: null,
          cards: [],
        },
        deliveries: [deliveryExample],
      },
    ],
  },
);

export const MessageParams = Type.Object({ id: Type.String() }, { additionalProperties: false });
