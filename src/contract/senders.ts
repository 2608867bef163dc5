// Senders (the messaging numbers of an account) on the wire.
import { Type } from 'typebox';
import { Id, instant, nullable } from './envelope.ts';

const secret = { minLength: 1, maxLength: 2048 };
const fields = {
  name: Type.String({ minLength: 1, maxLength: 100, description: 'Name of the sender, for people.' }),
  phoneNumberId: Type.String({ pattern: '^[0-9]{1,32}$', description: "The platform's id of the number." }),
  businessAccountId: Type.String({
    pattern: '^[0-9]{1,32}$',
    description: "The platform's id of the business account.",
  }),
  accessToken: Type.String({
    ...secret,
    pattern: '^[\\x21-\\x7e]+$',
    description: "The platform's access token. It is never returned.",
  }),
  appSecret: Type.String({
    pattern: '^[0-9a-fA-F]{32}$',
    examples: ['0f1e2d3c4b5a69788796a5b4c3d2e1f0'],
    description:
      "The platform app's secret, 32 hexadecimal digits. It signs the platform's callbacks and is never returned.",
  }),
  verifyToken: Type.String({
    ...secret,
    description: 'The token of the verification handshake of the platform. It is never returned.',
  }),
  apiUrl: Type.String({
    format: 'uri',
    maxLength: 500,
    description:
      'Another base address of the platform for this number. It must be public and https, unless the operator allows others.',
  }),
  messagesPerSecond: Type.Integer({
    minimum: 1,
    maximum: 1000,
    default: 80,
    description: 'Maximum rate of this number.',
  }),
  isDefault: Type.Boolean({ description: 'Whether sends without `senderId` use this sender.' }),
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
  {
    additionalProperties: false,
    title: 'CreateSender',
    description: 'A messaging number and its credentials.',
    examples: [
      {
        name: 'Support',
        phoneNumberId: '106540352242922',
        businessAccountId: '102290129340398',
        accessToken: 'EAAGm0PX4ZCpsBO',
        appSecret: '0f1e2d3c4b5a69788796a5b4c3d2e1f0',
        verifyToken: 'a-token-of-your-choice',
      },
    ],
  },
);

export const ChangeSenderBody = Type.Object(
  {
    name: Type.Optional(fields.name),
    accessToken: Type.Optional(fields.accessToken),
    appSecret: Type.Optional(fields.appSecret),
    verifyToken: Type.Optional(fields.verifyToken),
    messagesPerSecond: Type.Optional(fields.messagesPerSecond),
    isDefault: Type.Optional(Type.Literal(true, { description: 'Makes this sender the default one.' })),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    title: 'UpdateSender',
    description: 'The fields to change.',
    examples: [{ messagesPerSecond: 200 }],
  },
);

export const SenderItem = Type.Object(
  {
    _id: Id,
    name: Type.String({ description: 'Name of the sender.' }),
    phoneNumberId: Type.String({ description: "The platform's id of the number." }),
    businessAccountId: Type.String({ description: "The platform's id of the business account." }),
    displayPhone: nullable(Type.String({ description: 'The phone number, as the platform shows it.' })),
    apiUrl: nullable(
      Type.String({ description: 'Base address of the platform for this number, if not the default.' }),
    ),
    messagesPerSecond: Type.Integer({ description: 'Maximum rate of this number.' }),
    isDefault: Type.Boolean({ description: 'Whether sends without `senderId` use this sender.' }),
    status: Type.Enum(['active', 'halted'], {
      description: '`halted`: messages wait in the queue until the problem is fixed.',
    }),
    haltedReason: nullable(
      Type.String({ description: 'Why the platform rejects calls of this number, and what to do.' }),
    ),
    haltedAt: nullable(instant('When the sender was halted.')),
    callbackUrl: Type.String({ description: "Enter this at the platform as the app's callback URL." }),
    templatesSyncedAt: nullable(instant('When the templates were last read from the platform.')),
    templatesSyncFailure: nullable(Type.String({ description: 'Why the last reading failed.' })),
    createdAt: instant('When the sender was added.'),
  },
  {
    title: 'Sender',
    description: 'A messaging number of the account.',
    examples: [
      {
        _id: '019a0b5e-7c00-7000-8000-000000000006',
        name: 'Support',
        phoneNumberId: '106540352242922',
        businessAccountId: '102290129340398',
        displayPhone: '+1 555 010 0000',
        apiUrl: null,
        messagesPerSecond: 80,
        isDefault: true,
        status: 'active',
        haltedReason: null,
        haltedAt: null,
        callbackUrl: 'https://gateway.example.com/callbacks/messaging/019a0b5e-7c00-7000-8000-000000000006',
        templatesSyncedAt: '2026-03-10T14:00:00.000Z',
        templatesSyncFailure: null,
        createdAt: '2026-03-10T14:00:00.000Z',
      },
    ],
  },
);
