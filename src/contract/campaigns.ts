// Sends as resources on the wire: drafts, states, lists.
import { Type } from 'typebox';
import { cursorProperties, filled, Id, idFilter, instant, nullable } from './envelope.ts';
import { kindFilter } from './messages.ts';
import { Metadata, templateContent } from './recipients.ts';
import { exampleIds, sendId, templateId } from './sends.ts';

const sendStates = ['draft', 'scheduled', 'sending', 'paused', 'done', 'cancelled'] as const;
export type SendStateName = (typeof sendStates)[number];

const sendFields = {
  sendId,
  name: nullable(Type.String({ description: 'Name of the send, for your own use.' })),
  state: Type.Enum([...sendStates], {
    description: '`done`: nothing waits, is queued or is being dispatched.',
  }),
  templateId,
  senderId: Type.String({ ...Id, description: 'Id of the sender.' }),
  total: Type.Integer({ description: 'Number of recipients.' }),
  sendAt: nullable(instant('When the send starts by itself.')),
  expiresInSeconds: nullable(
    Type.Integer({ description: 'How long messages may wait, from `sendAt` or the start.' }),
  ),
  expiresAt: nullable(instant('When recipients that still wait fail; null before a draft is started.')),
  startedAt: nullable(instant('When the send started.')),
  pausedAt: nullable(instant('When the send was paused; null unless it is paused.')),
  pausedReason: nullable(
    Type.String({
      description:
        '`template_changed`: the template had changed when `sendAt` came. `restored`: the gateway was restored from a backup. Null if a request paused the send.',
    }),
  ),
  doneAt: nullable(
    instant(
      'When the gateway found that the send was done; null for one of `POST /v1/templates/send` without `name` and `sendAt`.',
    ),
  ),
  cancelledAt: nullable(instant('When the send was cancelled.')),
  createdAt: instant('When the send was created.'),
  createdBy: nullable(
    Type.Object(
      {
        kind: Type.Enum(['key', 'session', 'operator', 'system'], { description: 'Who it was.' }),
        id: nullable(Type.String({ ...Id, description: 'Id of the key or session.' })),
        name: nullable(Type.String({ description: 'Its name at that time.' })),
      },
      {
        title: 'SendCreator',
        description: 'Who made the send; null for one without `name` and `sendAt`, and of earlier versions.',
      },
    ),
  ),
};
const sendExample = {
  sendId: exampleIds.sendId,
  name: 'June sale',
  state: 'sending',
  templateId: exampleIds.templateId,
  senderId: '019a0b5e-7c00-7000-8000-000000000006',
  total: 2000,
  sendAt: null,
  expiresInSeconds: 86_400,
  expiresAt: '2026-03-11T14:00:00.000Z',
  startedAt: '2026-03-10T14:00:00.000Z',
  pausedAt: null,
  pausedReason: null,
  doneAt: null,
  cancelledAt: null,
  createdAt: '2026-03-10T13:40:00.000Z',
  createdBy: { kind: 'session', id: '019a0b5e-7c00-7000-8000-000000000007', name: 'Maria' },
};

export const SendItem = Type.Object(sendFields, {
  title: 'SendItem',
  description: 'A send in a list, without counts.',
  examples: [sendExample],
});

export const SendSummary = Type.Object(
  {
    ...sendFields,
    counts: Type.Record(Type.String(), Type.Integer(), {
      description:
        'Number of recipients by status. `waiting`: kept apart from the queue until the send is fed into it.',
    }),
    perSecond: Type.Number({
      description: 'Messages that the platform accepted, a second, in the last minute.',
    }),
    estimatedDoneAt: nullable(
      instant('When the rest will have been sent at this rate; null unless the send is `sending`.'),
    ),
  },
  {
    title: 'Send',
    description: 'A send, its state, and how many of its recipients have which status.',
    examples: [
      {
        ...sendExample,
        counts: { waiting: 1200, queued: 500, dispatching: 20, accepted: 80, delivered: 200 },
        perSecond: 40,
        estimatedDoneAt: '2026-03-10T14:00:43.000Z',
      },
    ],
  },
);

const draftFields = {
  name: filled(256, 'Name of the send, for your own use.'),
  senderId: Type.String({
    description: 'Id of the sender. Default: the default sender of the business account.',
  }),
  sendAt: Type.String({
    format: 'date-time',
    description: 'When the send starts after `start`, at most 90 days ahead. Default: at `start`.',
  }),
  expiresInSeconds: Type.Integer({
    minimum: 1,
    maximum: 2_592_000,
    description: 'How long messages may wait, from `sendAt` or the start. Default: 86,400.',
  }),
};

/** The members of `templateContent`, each or null. */
const nullableContent = Object.fromEntries(
  Object.entries(templateContent).map(([name, schema]) => [name, Type.Optional(nullable(schema))]),
);

export const DraftBody = Type.Object(
  {
    templateId: Type.String({ description: 'Id of a template (`_id`), not an authentication template.' }),
    name: Type.Optional(draftFields.name),
    senderId: Type.Optional(draftFields.senderId),
    sendAt: Type.Optional(draftFields.sendAt),
    expiresInSeconds: Type.Optional(draftFields.expiresInSeconds),
    ...templateContent,
    metadata: Type.Optional(Metadata),
  },
  {
    additionalProperties: false,
    title: 'CreateSend',
    description: 'A draft. What fills the template, and `metadata`, is for recipients without their own.',
    examples: [{ templateId: exampleIds.templateId, name: 'June sale', sendAt: '2026-06-01T07:00:00Z' }],
  },
);

export const ChangeSendBody = Type.Object(
  {
    name: Type.Optional(nullable(draftFields.name)),
    senderId: Type.Optional(draftFields.senderId),
    sendAt: Type.Optional(nullable(draftFields.sendAt)),
    expiresInSeconds: Type.Optional(draftFields.expiresInSeconds),
    ...(nullableContent as unknown as typeof templateContent),
    metadata: Type.Optional(nullable(Metadata)),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    title: 'ChangeSend',
    description:
      'What to change. What fills the template, and `metadata`, applies to recipients that are added afterwards; null removes it.',
    examples: [{ name: 'June sale, second try' }],
  },
);

export const DeletedSend = Type.Object(
  { sendId: Type.String({ description: 'Id of the deleted draft.' }) },
  {
    title: 'DeletedSend',
    description: 'What was deleted.',
    examples: [{ sendId: '019a0b5e-7c00-7000-8000-000000000005' }],
  },
);

export const ListSendsQuery = Type.Object(
  {
    kind: Type.Optional(
      Type.Enum(['campaign', 'all'], {
        description:
          '`campaign` (default): sends that were made as drafts, or with `name` or `sendAt`. `all`: every send.',
      }),
    ),
    state: Type.Optional(Type.Enum([...sendStates], { description: 'Only sends in this state.' })),
    templateId: idFilter('Only sends of this template.'),
    senderId: idFilter('Only sends of this sender.'),
    from: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only sends created at or after this instant.' }),
    ),
    to: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only sends created before this instant.' }),
    ),
    ...cursorProperties,
  },
  { additionalProperties: false },
);

export const ExportMessagesQuery = Type.Object(
  {
    from: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only messages created at or after this instant.' }),
    ),
    to: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Only messages created before this instant. Default: now.',
      }),
    ),
    kind: Type.Optional(kindFilter),
  },
  { additionalProperties: false },
);
