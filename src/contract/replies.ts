// Replies on the wire.
import { type Static, Type } from 'typebox';
import { Id, nullable } from './envelope.ts';
import { Metadata } from './recipients.ts';
import { replyContents } from './reply-contents.ts';
import { MessageError, wamidExample } from './sends.ts';

const closed = { additionalProperties: false } as const;

export const ReplyBody = Type.Object(
  {
    phone: Type.Optional(
      Type.String({
        maxLength: 32,
        description:
          "The person's number: digits with the country code. Exactly one of `phone` and `userId` is needed.",
      }),
    ),
    userId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: "The platform's id of the person, as `messages.received` gives it.",
      }),
    ),
    senderId: Type.Optional(
      Type.String({ description: 'Your number. Default: the one that the person wrote to last.' }),
    ),
    replyTo: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description:
          "The message to quote or to react to: the platform's id (`messageId`), the `_id` of a received message, or the `id` of one of yours.",
      }),
    ),
    text: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 4096,
        description: 'The text of the reply; with `buttons` and `link`, at most 1,024 characters.',
      }),
    ),
    ...replyContents,
    metadata: Type.Optional(Metadata),
    markRead: Type.Optional(
      Type.Boolean({
        description:
          "Also mark the person's messages to this number as read, before the reply. A failure does not prevent the reply.",
      }),
    ),
    typing: Type.Optional(
      Type.Boolean({
        description:
          'Also show that an answer is being typed until the reply arrives, at most 25 seconds; marks the messages as read, too.',
      }),
    ),
  },
  {
    ...closed,
    minProperties: 1,
    title: 'Reply',
    description:
      'A reply to a person who wrote to one of your numbers in the last 24 hours: exactly one of `text`, `media`, `location`, `contacts`, `reaction`, `buttons`, `list` and `link`; the last three with `text`.',
    examples: [
      {
        phone: '15551234567',
        text: 'When should we come?',
        buttons: [
          { id: 'am', title: 'Morning' },
          { id: 'pm', title: 'Afternoon' },
        ],
      },
    ],
  },
);

export type ReplyBody = Static<typeof ReplyBody>;

export const ReplyResult = Type.Object(
  {
    id: Type.String({ ...Id, description: 'Id of the reply (UUIDv7).' }),
    messageId: nullable(
      Type.String({
        description: "The platform's message identifier; null until the platform accepts the reply.",
      }),
    ),
    recipientPhone: nullable(
      Type.String({ description: 'As the request gave it; null for a reply to a `userId`.' }),
    ),
    recipientUserId: nullable(
      Type.String({ description: "The platform's id of the person; null for a reply to a phone number." }),
    ),
    name: Type.Null({ description: 'Always null.' }),
    status: Type.Enum(['accepted', 'failed', 'queued'], {
      description: '`queued`: no result yet when the response was sent.',
    }),
    error: nullable(MessageError),
  },
  {
    title: 'ReplyResult',
    description: 'The result of a reply.',
    examples: [
      {
        id: '019a0b5e-7c00-7000-8000-000000000032',
        messageId: wamidExample,
        recipientPhone: '15551234567',
        recipientUserId: null,
        name: null,
        status: 'accepted',
        error: null,
      },
    ],
  },
);

export const MarkReadBody = Type.Object(
  {
    typing: Type.Optional(
      Type.Boolean({
        description: 'Also show for up to 25 seconds, or until your reply, that an answer is being typed.',
      }),
    ),
  },
  {
    ...closed,
    title: 'MarkRead',
    description: 'How to mark the message.',
    examples: [{ typing: true }],
  },
);

export const MarkedRead = Type.Object(
  {
    _id: Type.String({ ...Id, description: 'Id of the received message.' }),
    messageId: Type.String({ description: "The platform's id of the message." }),
    typing: Type.Boolean({ description: 'Whether typing is shown.' }),
  },
  {
    title: 'MarkedRead',
    description: 'A message that was marked as read.',
    examples: [{ _id: '019a0b5e-7c00-7000-8000-000000000030', messageId: wamidExample, typing: true }],
  },
);
