// Sends and messages on the wire.
import { Type } from 'typebox';
import { cursorProperties, Id, Instant, nullable } from './envelope.ts';
import { DeliveryItem } from './webhooks.ts';

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

/**
 * Only a string is sent; the check of variables says so by the name of the variable. Objects and arrays are rejected here.
 * One check of the type takes half the time of a union of four.
 */
const Scalar = Type.Unsafe<unknown>({ type: ['string', 'number', 'boolean', 'null'] });

const Metadata = Type.Record(Type.String(), Type.String({ maxLength: 512 }), {
  maxProperties: 10,
  // line breaks: what writes answers would leave such keys out
  propertyNames: { minLength: 1, maxLength: 64, pattern: '^.*$' },
  description: 'Carried into lists and events.',
});
const Location = Type.Object(
  {
    latitude: Type.Number({ minimum: -90, maximum: 90 }),
    longitude: Type.Number({ minimum: -180, maximum: 180 }),
    name: Type.String({ minLength: 1, maxLength: 256 }),
    address: Type.String({ minLength: 1, maxLength: 256 }),
  },
  { additionalProperties: false, description: 'Fills a location header.' },
);
const MediaId = Type.String({
  minLength: 1,
  maxLength: 64,
  description: "Fills a media header: an upload's mediaId.",
});

export const Recipient = Type.Object(
  {
    phone: Type.String({
      maxLength: 64,
      description: 'Digits with country code, no `+`, spaces or dashes.',
      examples: ['15551234567'],
    }),
    name: Type.Optional(nullable(Type.String({ maxLength: 256 }))),
    variables: Type.Optional(
      Type.Record(Type.String(), Scalar, {
        // more than any template can have: its body takes 1,024 characters
        maxProperties: 512,
        description:
          'Placeholder to value: `{"1": "Ada"}`; `header.1` and `buttons.0.1` name other components.',
      }),
    ),
    mediaId: Type.Optional(MediaId),
    location: Type.Optional(Location),
    metadata: Type.Optional(Metadata),
  },
  { additionalProperties: false },
);

export const SendBody = Type.Object(
  {
    templateId: Type.String(),
    recipients: Type.Array(Recipient, { minItems: 1, maxItems: 1000 }),
    mediaId: Type.Optional(MediaId),
    location: Type.Optional(Location),
    metadata: Type.Optional(Metadata),
    senderId: Type.Optional(Type.String({ description: "Default: the business account's default number." })),
    expiresInSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_592_000,
        description: 'Default 86,400; authentication templates 600.',
      }),
    ),
  },
  {
    additionalProperties: false,
    examples: [
      {
        templateId: '019a0b5e-7c00-7000-8000-000000000000',
        recipients: [
          { phone: '15551234567', name: 'Ada', variables: { '1': 'Ada', '2': 'A-1001', '3': 'Friday' } },
        ],
      },
    ],
  },
);

export const MessageError = Type.Object({
  code: Type.Number(),
  title: Type.String(),
  message: Type.String(),
});

export const SendAnswer = Type.Object({
  sendId: Id,
  templateId: Id,
  total: Type.Integer(),
  accepted: Type.Integer(),
  failed: Type.Integer(),
  queued: Type.Integer(),
  messages: Type.Array(
    Type.Object({
      id: Id,
      messageId: nullable(Type.String({ description: "The platform's message identifier." })),
      recipientPhone: Type.String(),
      name: nullable(Type.String()),
      status: Type.Enum(['accepted', 'failed', 'queued']),
      error: nullable(MessageError),
    }),
  ),
});

export const ListMessagesQuery = Type.Object(
  {
    sendId: Type.Optional(Type.String()),
    status: Type.Optional(Type.Enum([...messageStates])),
    phone: Type.Optional(Type.String({ maxLength: 32 })),
    templateId: Type.Optional(Type.String()),
    messageId: Type.Optional(Type.String({ maxLength: 256 })),
    from: Type.Optional(Type.String({ format: 'date-time', description: 'Made at or after.' })),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'Made before.' })),
    ...cursorProperties,
  },
  { additionalProperties: false },
);

export const MessageItem = Type.Object({
  id: Id,
  messageId: nullable(Type.String()),
  sendId: Id,
  templateId: Id,
  senderId: Id,
  recipientPhone: Type.String(),
  name: nullable(Type.String()),
  status: Type.Enum([...messageStates]),
  error: nullable(MessageError),
  priceCategory: nullable(Type.String()),
  attempts: Type.Integer(),
  metadata: nullable(Type.Record(Type.String(), Type.String())),
  resentAs: nullable(
    Type.String({ ...Id, description: 'The message that sent the content of this failed one again.' }),
  ),
  resendOf: nullable(
    Type.String({ ...Id, description: 'The failed message whose content this one sent again.' }),
  ),
  expiresAt: Instant,
  timeline: Type.Array(
    Type.Object({
      status: Type.String(),
      at: Type.String({
        ...Instant,
        description:
          "RFC 3339 instant in UTC, never before the stage before it: the platform's times have whole seconds, and one that would be is raised.",
      }),
      platformTimestamp: nullable(
        Type.String({
          ...Instant,
          description: "The platform's own time of the stage, unchanged; null where it gave none.",
        }),
      ),
      implied: Type.Boolean({ description: 'Never reported by the platform, but implied by a later stage.' }),
    }),
  ),
  createdAt: Instant,
});

export const ResendBody = Type.Object(
  {
    evenIfUnknown: Type.Optional(
      Type.Boolean({
        description:
          'Also resend a message that ended as `outcome_unknown` (900001): it may have been sent, so the person may get it twice.',
      }),
    ),
  },
  { additionalProperties: false, examples: [{ evenIfUnknown: true }] },
);

/** One message, with what became of its events at every endpoint. */
export const MessageDetail = Type.Object({
  ...MessageItem.properties,
  deliveries: Type.Array(DeliveryItem, {
    description: 'Its webhook deliveries, in the order of their making.',
  }),
});

export const SendSummary = Type.Object({
  sendId: Id,
  templateId: Id,
  senderId: Id,
  total: Type.Integer(),
  counts: Type.Record(Type.String(), Type.Integer()),
  cancelledAt: nullable(Instant),
  createdAt: Instant,
});

export const SendParams = Type.Object({ sendId: Type.String() }, { additionalProperties: false });
export const MessageParams = Type.Object({ id: Type.String() }, { additionalProperties: false });
