// Templates on the wire.
import { Type } from 'typebox';
import { Id, instant, nullable, pageProperties } from './envelope.ts';
import { TemplateInput, TemplateVariables } from './template-inputs.ts';

const templateStatuses = ['approved', 'submitted', 'draft'] as const;
export const templateCategories = ['AUTHENTICATION', 'MARKETING', 'UTILITY'] as const;

/** The components in the platform's documented form, passed through as they are. */
const Components = Type.Array(
  Type.Object(
    { type: Type.String({ description: '`HEADER`, `BODY`, `FOOTER`, `BUTTONS` or another kind.' }) },
    { additionalProperties: true, title: 'Component', description: 'As the platform documents it.' },
  ),
  { description: "Header, body, footer and buttons in the platform's documented form." },
);

const itemFields = {
  _id: Id,
  providerTemplateName: Type.String({ description: 'Name of the template at the platform.' }),
  status: Type.Enum([...templateStatuses], {
    description: '`approved` can be sent. `submitted`: every other state at the platform.',
  }),
  language: Type.String({ description: "The platform's language code, such as `en_US`." }),
  category: Type.String({ description: '`AUTHENTICATION`, `MARKETING` or `UTILITY`.' }),
  components: Components,
  businessAccountId: nullable(
    Type.String({ description: "The platform's id of the business account; null for a draft without one." }),
  ),
  senders: Type.Array(
    Type.Object(
      {
        _id: Id,
        name: Type.String({ description: 'Name of the sender.' }),
        displayPhone: nullable(Type.String({ description: 'The phone number, as the platform shows it.' })),
        isDefault: Type.Boolean({ description: 'Whether sends without `senderId` use this sender.' }),
      },
      { title: 'TemplateSender', description: 'A sender that can send the template.' },
    ),
    {
      description:
        'The senders of the business account, which can send the template: the default sender first, then the oldest.',
    },
  ),
  providerTemplateId: nullable(Type.String({ description: "The platform's id of the template." })),
  providerStatus: nullable(Type.String({ description: "The platform's own status, such as `PAUSED`." })),
  qualityScore: nullable(Type.String({ description: "The platform's quality rating." })),
  rejectedReason: nullable(Type.String({ description: 'Why the platform rejected the template.' })),
  messageTtlSeconds: nullable(
    Type.Integer({
      description: "For how long the platform tries to deliver a message; null: the platform's default.",
    }),
  ),
  nextCategory: nullable(
    Type.Object(
      {
        category: Type.String({ description: 'The category.' }),
        at: nullable(instant('When the template gets it; null if the platform gave no time.')),
      },
      { title: 'NextCategory', description: 'A category that the platform announced for the template.' },
    ),
  ),
  createdAt: instant('When the template was created here.'),
  updatedAt: instant('When the template last changed.'),
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
  messageTtlSeconds: null,
  nextCategory: null,
  createdAt: '2026-03-10T14:00:00.000Z',
  updatedAt: '2026-03-10T14:00:00.000Z',
};

export const TemplateItem = Type.Object(itemFields, {
  title: 'Template',
  description: 'A message template.',
  examples: [itemExample],
});

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
      { title: 'PreviousTemplate', description: 'The values before the change.' },
    ),
    reason: nullable(
      Type.String({
        description: "The platform's reason for the change, such as `INVALID_FORMAT` or `FIRST_PAUSE`.",
      }),
    ),
  },
  {
    title: 'TemplateChange',
    description: 'A template with its previous values.',
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

export const TemplateDetail = Type.Object(
  {
    ...itemFields,
    variables: TemplateVariables,
    inputs: Type.Array(TemplateInput, {
      description: 'Everything that a recipient can fill, in the order of the message.',
    }),
    isEditable: Type.Boolean({
      description:
        'Whether `PATCH` can edit the template now. The platform allows it for approved, rejected and paused templates; for an approved one once in 24 hours and 10 times in 30 days.',
    }),
    editableAt: nullable(
      instant('When an approved template can be edited again; null if it can be now, or never.'),
    ),
    unsendableReason: nullable(
      Type.String({
        description:
          'Why the gateway cannot send the template, such as a header of the kind GIF; null if it can.',
      }),
    ),
  },
  {
    title: 'TemplateDetail',
    description: 'A template with its variables.',
    examples: [
      {
        ...itemExample,
        variables: {
          format: 'positional',
          header: [],
          body: ['1', '2', '3'],
          buttons: [],
          headerMedia: null,
          examples: { 'body.1': 'Ada', 'body.2': 'A-1001', 'body.3': 'Friday' },
        },
        inputs: [
          {
            key: 'body.1',
            part: 'body',
            kind: 'text',
            required: true,
            example: 'Ada',
            maxLength: 1024,
            media: null,
          },
        ],
        isEditable: true,
        editableAt: null,
        unsendableReason: null,
      },
    ],
  },
);

export const ListTemplatesQuery = Type.Object(
  {
    status: Type.Optional(
      Type.Enum([...templateStatuses], { description: 'Only templates with this status.' }),
    ),
    category: Type.Optional(
      Type.Enum([...templateCategories], { description: 'Only templates of this category.' }),
    ),
    language: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 15,
        description: 'Only templates in this language.',
        examples: ['en_US'],
      }),
    ),
    businessAccountId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: "Only templates of this business account (the platform's id).",
      }),
    ),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 512,
        description: 'Only templates whose name contains this text.',
      }),
    ),
    ...pageProperties,
  },
  { additionalProperties: false },
);

export const TemplateParams = Type.Object({ templateId: Type.String() }, { additionalProperties: false });

export const DeletedTemplate = Type.Object(
  {
    _id: Id,
    cancelled: Type.Integer({ description: 'Number of queued messages that were cancelled.' }),
  },
  {
    title: 'DeletedTemplate',
    description: 'The deleted template.',
    examples: [{ _id: '019a0b5e-7c00-7000-8000-000000000000', cancelled: 0 }],
  },
);

export const TemplateReadings = Type.Object(
  {
    count: Type.Integer({ description: 'Templates of all business accounts.' }),
    readings: Type.Array(
      Type.Object(
        {
          businessAccountId: Type.String({ description: "The platform's id of the business account." }),
          count: Type.Integer({ description: 'Templates of the business account.' }),
          readAt: instant("When the platform's list was read."),
          reused: Type.Boolean({
            description:
              'True if this is an earlier reading, because the platform limits how often it is read.',
          }),
          nextReadAt: instant(
            'When the platform may be read again. The gateway then reads it if it was requested before.',
          ),
        },
        { title: 'TemplateReading', description: 'The reading of one business account.' },
      ),
      { description: 'One reading for each business account.' },
    ),
  },
  {
    title: 'TemplateSync',
    description: 'The result of a synchronization.',
    examples: [
      {
        count: 12,
        readings: [
          {
            businessAccountId: '102290129340398',
            count: 12,
            readAt: '2026-03-10T14:00:00.000Z',
            reused: false,
            nextReadAt: '2026-03-10T14:01:00.000Z',
          },
        ],
      },
    ],
  },
);
