// Senders (the messaging numbers of an account) on the wire.
import { type Static, Type } from 'typebox';
import { filled, Id, instant, nullable } from './envelope.ts';

const secret = { minLength: 1, maxLength: 2048 };
const fields = {
  name: filled(100, 'Name of the sender, for people.'),
  phoneNumberId: Type.String({
    pattern: '^[0-9]{1,32}$',
    examples: ['105512345678901'],
    description: "The platform's id of the number. It is not the phone number.",
  }),
  businessAccountId: Type.String({
    pattern: '^[0-9]{1,32}$',
    examples: ['102212345678901'],
    description: "The platform's id of the business account.",
  }),
  accessToken: Type.String({
    ...secret,
    pattern: '^[\\x21-\\x7e]+$',
    examples: ['EAAGm0PX4ZCpsBAKZCZBexample'],
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
    description:
      'The token of the verification handshake of the platform. Default: a random one. It is never returned.',
  }),
  appId: Type.String({
    pattern: '^[0-9]{1,32}$',
    examples: ['593875544888708'],
    description: "The platform's id of the app. Default: the app of the access token.",
  }),
  webhook: Type.Enum(['subscribe', 'manual'], {
    description:
      "`subscribe`: the gateway subscribes the app to the business account and enters its callback address at the platform. `manual`: you do both. Default: `subscribe` if the gateway's public address is https.",
  }),
  pin: Type.String({
    pattern: '^[0-9]{6}$',
    description:
      'Registers the number with this PIN, which becomes its two-step verification PIN if it has none. The gateway tries once, because the platform locks a number after ten attempts, and does not store it.',
    examples: ['123456'],
  }),
  apiUrl: Type.String({
    format: 'uri',
    maxLength: 500,
    description:
      'Another base address of the platform for this number. It must be public and https, unless the operator allows others.',
  }),
  messagesPerSecond: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'Maximum rate of this number. Default: null, the throughput that the platform grants it.',
    }),
  ),
  isDefault: Type.Boolean({ description: 'Whether sends without `senderId` use this sender.' }),
};

export const CreateSenderBody = Type.Object(
  {
    name: fields.name,
    phoneNumberId: fields.phoneNumberId,
    businessAccountId: fields.businessAccountId,
    accessToken: fields.accessToken,
    appSecret: fields.appSecret,
    appId: Type.Optional(fields.appId),
    verifyToken: Type.Optional(fields.verifyToken),
    webhook: Type.Optional(fields.webhook),
    pin: Type.Optional(fields.pin),
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

const itemFields = {
  _id: Id,
  name: Type.String({ description: 'Name of the sender.' }),
  phoneNumberId: Type.String({ description: "The platform's id of the number." }),
  businessAccountId: Type.String({ description: "The platform's id of the business account." }),
  displayPhone: nullable(Type.String({ description: 'The phone number, as the platform shows it.' })),
  verifiedName: nullable(Type.String({ description: 'The name that recipients see.' })),
  apiUrl: nullable(
    Type.String({ description: 'Base address of the platform for this number, if not the default.' }),
  ),
  messagesPerSecond: nullable(
    Type.Integer({ description: 'Maximum rate of this number; null: what the platform grants it.' }),
  ),
  effectiveMessagesPerSecond: Type.Integer({ description: 'The rate in use.' }),
  pace: Type.Object(
    {
      allowed: Type.Number({
        description: 'Messages per second now: less than the rate in use while throttled.',
      }),
      throttledUntil: nullable(
        instant(
          'When the full rate is reached again, if the platform does not throttle further; null if it is.',
        ),
      ),
      code: nullable(
        Type.Integer({ description: "The platform's code that slowed the number down; null without." }),
      ),
    },
    { title: 'SenderPace', description: 'What the number may send now.' },
  ),
  throughput: nullable(
    Type.Integer({ description: 'Messages per second that the platform grants the number.' }),
  ),
  qualityRating: nullable(
    Type.String({ description: "The platform's rating of the number: `GREEN`, `YELLOW`, `RED`." }),
  ),
  messagingLimit: nullable(
    Type.String({
      description: 'How many people the business may write to first within a day, such as `TIER_2K`.',
    }),
  ),
  isDefault: Type.Boolean({ description: 'Whether sends without `senderId` use this sender.' }),
  status: Type.Enum(['active', 'halted'], {
    description: '`halted`: messages wait in the queue until the problem is fixed.',
  }),
  haltedScope: nullable(
    Type.Enum(['all', 'templates'], {
      description:
        'What waits while the sender is halted. `templates`: replies to people who wrote still leave.',
    }),
  ),
  haltedReason: nullable(
    Type.String({ description: 'Why the platform rejects calls of this number, and what to do.' }),
  ),
  haltedCode: nullable(Type.Integer({ description: "The platform's code of the rejection." })),
  haltedAt: nullable(instant('When the sender was halted.')),
  lastCallbackAt: nullable(instant('When the platform last posted a callback of this number.')),
  callbackUrl: Type.String({
    description: "The sender's callback address. Enter it at the platform if you subscribe the app yourself.",
  }),
  templatesSyncedAt: nullable(instant('When the templates were last read from the platform.')),
  templatesSyncFailure: nullable(Type.String({ description: 'Why the last reading failed.' })),
  createdAt: instant('When the sender was added.'),
};
const itemExample = {
  _id: '019a0b5e-7c00-7000-8000-000000000006',
  name: 'Support',
  phoneNumberId: '106540352242922',
  businessAccountId: '102290129340398',
  displayPhone: '+1 555 010 0000',
  verifiedName: 'Example Support',
  apiUrl: null,
  messagesPerSecond: null,
  effectiveMessagesPerSecond: 80,
  pace: { allowed: 80, throttledUntil: null, code: null },
  throughput: 80,
  qualityRating: 'GREEN',
  messagingLimit: 'TIER_2K',
  isDefault: true,
  status: 'active',
  haltedScope: null,
  haltedReason: null,
  haltedCode: null,
  haltedAt: null,
  lastCallbackAt: '2026-03-10T14:00:00.000Z',
  callbackUrl: 'https://gateway.example.com/callbacks/messaging/019a0b5e-7c00-7000-8000-000000000006',
  templatesSyncedAt: '2026-03-10T14:00:00.000Z',
  templatesSyncFailure: null,
  createdAt: '2026-03-10T14:00:00.000Z',
};
export const SenderItem = Type.Object(itemFields, {
  title: 'Sender',
  description: 'A messaging number of the account.',
  examples: [itemExample],
});
export type SenderItem = Static<typeof SenderItem>;

/** What is checked of a sender, in the order in which the checks build on each other. */
const checkNames = [
  'token',
  'permissions',
  'tokenExpiry',
  'registration',
  'subscription',
  'appCallback',
  'handshake',
  'lastCallback',
  'templates',
  'quality',
  'messagingLimit',
  'throughput',
  'health',
] as const;
export type CheckName = (typeof checkNames)[number];
const checkStatuses = ['ok', 'warning', 'failed', 'unknown'] as const;
export type CheckStatus = (typeof checkStatuses)[number];

const checkExample = {
  name: 'subscription',
  status: 'ok',
  detail: 'The app receives the callbacks of this business account.',
  fix: null,
  checkedAt: '2026-03-10T14:00:00.000Z',
};
export const SenderCheck = Type.Object(
  {
    name: Type.Enum([...checkNames], { description: 'What was checked.' }),
    status: Type.Enum([...checkStatuses], {
      description: '`unknown`: it could not be checked, or there is nothing to see yet.',
    }),
    detail: Type.String({ description: 'What was found.' }),
    fix: nullable(Type.String({ description: 'What to do; null if nothing is wrong.' })),
    checkedAt: instant('When it was checked.'),
  },
  {
    title: 'SenderCheck',
    description: 'One check of a sender.',
    examples: [checkExample],
  },
);
export type SenderCheck = Static<typeof SenderCheck>;

const checks = Type.Array(SenderCheck, { description: 'What was checked of the sender.' });
export const SenderChecks = Type.Object(
  { checks },
  {
    title: 'SenderChecks',
    description: 'The checks of a sender.',
    examples: [{ checks: [checkExample] }],
  },
);
export const CheckedSender = Type.Object(
  { ...itemFields, checks },
  {
    title: 'CheckedSender',
    description: 'A messaging number with its checks.',
    examples: [{ ...itemExample, checks: [checkExample] }],
  },
);

/** The data of `senders.status` events. */
export const SenderChange = Type.Object(
  {
    sender: SenderItem,
    changed: Type.Array(
      Type.Object(
        {
          name: Type.String({
            description: 'The name of the check, or `status` or `haltedScope` of the sender.',
          }),
          from: Type.String({ description: 'What it was before.' }),
          to: Type.String({ description: 'What it is now.' }),
        },
        { title: 'SenderStatusChange', description: 'A status that changed.' },
      ),
      { description: 'What changed.' },
    ),
  },
  {
    title: 'SenderStatus',
    description:
      'A sender was halted or resumed, its replies stopped as well, or a check of it has another status.',
    examples: [{ sender: itemExample, changed: [{ name: 'status', from: 'active', to: 'halted' }] }],
  },
);
