// Replies on the wire.
import { Type } from 'typebox';
import { Id, nullable } from './envelope.ts';
import { Metadata } from './recipients.ts';
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
        description: "The platform's id (`messageId`) of the message to quote.",
      }),
    ),
    text: Type.Optional(
      Type.String({ minLength: 1, maxLength: 4096, description: 'The text of the reply.' }),
    ),
    metadata: Type.Optional(Metadata),
  },
  {
    ...closed,
    title: 'Reply',
    description: 'A reply to a person who wrote to one of your numbers in the last 24 hours.',
    examples: [{ phone: '15551234567', text: 'We open at nine.' }],
  },
);

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
