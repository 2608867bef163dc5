// Senders (the messaging numbers of an account) on the wire.
import { Type } from 'typebox';
import { Id, Instant, nullable } from './envelope.ts';

const secret = { minLength: 1, maxLength: 2048 };
const fields = {
  name: Type.String({ minLength: 1, maxLength: 100 }),
  phoneNumberId: Type.String({ pattern: '^[0-9]{1,32}$', description: "The platform's id of the number." }),
  businessAccountId: Type.String({
    pattern: '^[0-9]{1,32}$',
    description: "The platform's id of the business account.",
  }),
  accessToken: Type.String({
    ...secret,
    pattern: '^[\\x21-\\x7e]+$',
    description: 'Goes in and never comes out.',
  }),
  appSecret: Type.String({
    pattern: '^[0-9a-fA-F]{32}$',
    examples: ['0f1e2d3c4b5a69788796a5b4c3d2e1f0'],
    description:
      "The platform app's secret, 32 hexadecimal digits: it signs the platform's callbacks. Never comes out.",
  }),
  verifyToken: Type.String({
    ...secret,
    description: 'Answers the handshake of the platform. Never comes out.',
  }),
  apiUrl: Type.String({
    format: 'uri',
    maxLength: 500,
    description:
      'Another address of the platform, for this number alone: https, and public, unless the operator allows others.',
  }),
  messagesPerSecond: Type.Integer({ minimum: 1, maximum: 1000, default: 80 }),
  isDefault: Type.Boolean(),
};

export const CreateSenderBody = Type.Object(
  {
    name: fields.name,
    phoneNumberId: fields.phoneNumberId,
    businessAccountId: fields.businessAccountId,
    accessToken: fields.accessToken,
    appSecret: fields.appSecret,
    verifyToken: fields.verifyToken,
    apiUrl: Type.Optional(fields.apiUrl),
    messagesPerSecond: Type.Optional(fields.messagesPerSecond),
    isDefault: Type.Optional(fields.isDefault),
  },
  { additionalProperties: false },
);

export const ChangeSenderBody = Type.Object(
  {
    name: Type.Optional(fields.name),
    accessToken: Type.Optional(fields.accessToken),
    appSecret: Type.Optional(fields.appSecret),
    verifyToken: Type.Optional(fields.verifyToken),
    messagesPerSecond: Type.Optional(fields.messagesPerSecond),
    isDefault: Type.Optional(Type.Literal(true, { description: 'Makes this number the default one.' })),
  },
  { additionalProperties: false, minProperties: 1 },
);

export const SenderItem = Type.Object({
  _id: Id,
  name: Type.String(),
  phoneNumberId: Type.String(),
  businessAccountId: Type.String(),
  displayPhone: nullable(Type.String()),
  apiUrl: nullable(Type.String()),
  messagesPerSecond: Type.Integer(),
  isDefault: Type.Boolean(),
  status: Type.Enum(['active', 'halted']),
  haltedReason: nullable(
    Type.String({ description: 'Why the platform takes nothing from this number, and what to do.' }),
  ),
  haltedAt: nullable(Instant),
  callbackUrl: Type.String({ description: "Enter this at the platform as the app's callback address." }),
  templatesSyncedAt: nullable(Instant),
  templatesSyncFailure: nullable(Type.String()),
  createdAt: Instant,
});
