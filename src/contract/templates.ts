// Templates on the wire.
import { Type } from 'typebox';
import { Id, Instant, nullable, pageProperties } from './envelope.ts';

export const templateStatuses = ['approved', 'submitted', 'draft'] as const;
export const templateCategories = ['AUTHENTICATION', 'MARKETING', 'UTILITY'] as const;

/** The components in the platform's documented form, passed through as they are. */
const Components = Type.Array(Type.Object({ type: Type.String() }, { additionalProperties: true }), {
  description: "Header, body, footer and buttons in the platform's documented form.",
});

const itemFields = {
  _id: Id,
  providerTemplateName: Type.String(),
  status: Type.Enum([...templateStatuses]),
  language: Type.String(),
  category: Type.String(),
  components: Components,
  businessAccountId: nullable(
    Type.String({ description: "The platform's id of its business account; null for a draft without one." }),
  ),
  senders: Type.Array(
    Type.Object({
      _id: Id,
      name: Type.String(),
      displayPhone: nullable(Type.String()),
      isDefault: Type.Boolean(),
    }),
    {
      description:
        'The numbers of that business account, which can send it: the default one first, then the oldest.',
    },
  ),
  providerTemplateId: nullable(Type.String()),
  providerStatus: nullable(Type.String({ description: "The platform's own word." })),
  qualityScore: nullable(Type.String()),
  rejectedReason: nullable(Type.String()),
  createdAt: Instant,
  updatedAt: Instant,
};

const itemExample = {
  _id: '019a0b5e-7c00-7000-8000-000000000000',
  providerTemplateName: 'order_update',
  status: 'approved',
  language: 'en_US',
  category: 'UTILITY',
  components: [{ type: 'BODY', text: 'Hi {{1}}, your order {{2}} arrives {{3}} at the latest.' }],
  businessAccountId: '102290129340398',
  senders: [
    {
      _id: '019a0b5e-7c00-7000-8000-000000000001',
      name: 'Support',
      displayPhone: '+1 555 010 0000',
      isDefault: true,
    },
  ],
  providerTemplateId: '920070352646140',
  providerStatus: 'APPROVED',
  qualityScore: 'GREEN',
  rejectedReason: null,
  createdAt: '2026-03-10T14:00:00.000Z',
  updatedAt: '2026-03-10T14:00:00.000Z',
};

export const TemplateItem = Type.Object(itemFields, { examples: [itemExample] });

/** `data` of `templates.status` events. */
export const TemplateChange = Type.Object(
  {
    ...itemFields,
    previous: Type.Object(
      {
        status: itemFields.status,
        providerStatus: itemFields.providerStatus,
        category: itemFields.category,
        qualityScore: itemFields.qualityScore,
      },
      { description: 'The values before the change.' },
    ),
    reason: nullable(
      Type.String({
        description: "Why the status changed, in the platform's word: `INVALID_FORMAT`, `FIRST_PAUSE`.",
      }),
    ),
  },
  {
    examples: [
      {
        ...itemExample,
        status: 'submitted',
        providerStatus: 'PAUSED',
        qualityScore: 'RED',
        previous: {
          status: 'approved',
          providerStatus: 'APPROVED',
          category: 'UTILITY',
          qualityScore: 'RED',
        },
        reason: 'FIRST_PAUSE',
      },
    ],
  },
);

export const TemplateDetail = Type.Object({
  ...itemFields,
  variables: Type.Object({
    format: Type.Enum(['positional', 'named']),
    header: Type.Array(Type.String()),
    body: Type.Array(Type.String()),
    buttons: Type.Array(
      Type.Object({ index: Type.Integer(), subType: Type.String(), variables: Type.Array(Type.String()) }),
    ),
    headerMedia: nullable(Type.Enum(['image', 'video', 'document', 'location'])),
    examples: Type.Record(Type.String(), Type.String()),
  }),
  unsendableReason: nullable(
    Type.String({
      description: 'Why this gateway cannot fill it, such as a carousel; null if it can be sent.',
    }),
  ),
});

export const ListTemplatesQuery = Type.Object(
  {
    status: Type.Optional(Type.Enum([...templateStatuses])),
    category: Type.Optional(Type.Enum([...templateCategories])),
    language: Type.Optional(Type.String({ minLength: 1, maxLength: 15, examples: ['en_US'] })),
    businessAccountId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: "The platform's id of the business account." }),
    ),
    search: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: 'Part of the name.' })),
    ...pageProperties,
  },
  { additionalProperties: false },
);

export const TemplateParams = Type.Object({ templateId: Type.String() }, { additionalProperties: false });

export const DeleteTemplateQuery = Type.Object(
  {
    cancelQueued: Type.Optional(
      Type.Boolean({ default: false, description: 'Cancels queued messages of the template first.' }),
    ),
  },
  { additionalProperties: false },
);

export const DeletedTemplate = Type.Object({
  _id: Id,
  cancelled: Type.Integer({ description: 'Queued messages that were cancelled.' }),
});

const open = { additionalProperties: true } as const;
/** Far more than the platform takes: how much exactly depends on the component, and the check of drafts says it. */
const draftTextMaxLength = 10_000;
const DraftComponent = Type.Object(
  {
    type: Type.String({ maxLength: 64 }),
    format: Type.Optional(Type.String({ maxLength: 64 })),
    text: Type.Optional(Type.String({ maxLength: draftTextMaxLength })),
    buttons: Type.Optional(
      Type.Array(
        Type.Object(
          {
            type: Type.String({ maxLength: 64 }),
            text: Type.Optional(Type.String({ maxLength: draftTextMaxLength })),
            url: Type.Optional(Type.String({ maxLength: draftTextMaxLength })),
          },
          open,
        ),
        { maxItems: 100 },
      ),
    ),
    example: Type.Optional(Type.Object({}, open)),
    mediaId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 128,
        description:
          "The sample of a media header: an upload's mediaId. It goes to the platform with the submission.",
      }),
    ),
  },
  { ...open, description: 'As the platform documents it; members that are not named here are passed on.' },
);

export const CreateTemplateBody = Type.Object(
  {
    providerTemplateName: Type.String({ pattern: '^[a-z0-9_]{1,512}$', examples: ['order_update'] }),
    language: Type.String({ pattern: '^[a-z]{2,3}(_[A-Z]{2,3})?$', examples: ['en_US'] }),
    category: Type.Enum([...templateCategories]),
    businessAccountId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "The business account of one of the account's senders. Default: the default sender's.",
      }),
    ),
    components: Type.Array(DraftComponent, { minItems: 1, maxItems: 10 }),
  },
  { additionalProperties: false },
);

export const TemplateReadings = Type.Object({
  count: Type.Integer({ description: 'Templates of all business accounts.' }),
  readings: Type.Array(
    Type.Object({
      businessAccountId: Type.String(),
      count: Type.Integer(),
      readAt: Instant,
      reused: Type.Boolean({
        description: 'True: an earlier reading, so that the platform is not asked too often.',
      }),
      nextReadAt: Type.String({
        format: 'date-time',
        description:
          'From then on the platform may be asked again; what was asked for before is read then by itself.',
      }),
    }),
  ),
});
