// Drafts of templates on the wire.
import { Type } from 'typebox';
import { nullable } from './envelope.ts';
import { templateCategories } from './templates.ts';

const open = { additionalProperties: true } as const;
/** Well above the platform's limits, which depend on the component and are checked with the draft. */
const draftTextMaxLength = 10_000;
/** What every component may have, also that of a card. */
const componentFields = {
  type: Type.String({ maxLength: 64, description: '`HEADER`, `BODY`, `FOOTER` or `BUTTONS`.' }),
  format: Type.Optional(
    Type.String({
      maxLength: 64,
      description: 'Kind of header: `TEXT`, `IMAGE`, `VIDEO`, `DOCUMENT` or `LOCATION`.',
    }),
  ),
  text: Type.Optional(
    Type.String({ maxLength: draftTextMaxLength, description: 'Text with placeholders such as `{{1}}`.' }),
  ),
  buttons: Type.Optional(
    Type.Array(
      Type.Object(
        {
          type: Type.String({ maxLength: 64, description: 'Kind of button, such as `URL`.' }),
          text: Type.Optional(Type.String({ maxLength: draftTextMaxLength, description: 'Label.' })),
          url: Type.Optional(
            Type.String({ maxLength: draftTextMaxLength, description: 'Address of a `URL` button.' }),
          ),
        },
        { ...open, title: 'DraftButton', description: 'A button, as the platform documents it.' },
      ),
      { maxItems: 100, description: 'The buttons.' },
    ),
  ),
  example: Type.Optional(
    Type.Object({}, { ...open, description: 'Example values, which the platform reviews.' }),
  ),
  mediaId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 128,
      description:
        'Sample of a media header: the `mediaId` of an upload. The gateway sends it to the platform with the submission.',
    }),
  ),
};

const DraftCard = Type.Object(
  {
    components: Type.Array(
      Type.Object(componentFields, {
        ...open,
        title: 'DraftCardComponent',
        description: 'A component of a card, as the platform documents it.',
      }),
      { maxItems: 10, description: 'Header, body and buttons.' },
    ),
  },
  { ...open, title: 'DraftCard', description: 'A card of a carousel.' },
);

const DraftComponent = Type.Object(
  {
    ...componentFields,
    cards: Type.Optional(Type.Array(DraftCard, { maxItems: 100, description: 'The cards of a `CAROUSEL`.' })),
  },
  {
    ...open,
    title: 'DraftComponent',
    description: 'A component, as the platform documents it. Other members are passed to the platform.',
  },
);

const draftFields = {
  category: Type.Enum([...templateCategories], { description: 'Category, which decides the price.' }),
  components: Type.Array(DraftComponent, {
    minItems: 1,
    maxItems: 10,
    description: 'Header, body, footer and buttons; the cards of a carousel.',
  }),
  messageTtlSeconds: nullable(
    Type.Integer({
      minimum: -1,
      maximum: 2_592_000,
      description:
        "For how long the platform tries to deliver a message: authentication 30 to 900, utility 30 to 43,200 (-1: 30 days), marketing 43,200 to 2,592,000. Default: the platform's.",
    }),
  ),
};

export const CreateTemplateBody = Type.Object(
  {
    providerTemplateName: Type.String({
      minLength: 1,
      maxLength: 512,
      pattern: '^[a-z0-9_]*$',
      description: 'Name: lower-case letters, digits and underscores.',
      examples: ['order_update'],
    }),
    language: Type.String({
      pattern: '^[a-z]{2,3}(_[A-Z]{2,3})?$',
      description: "The platform's language code.",
      examples: ['en_US'],
    }),
    category: draftFields.category,
    messageTtlSeconds: Type.Optional(draftFields.messageTtlSeconds),
    businessAccountId: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          "The platform's id of a business account with a sender here. Default: that of the default sender.",
      }),
    ),
    components: draftFields.components,
  },
  {
    additionalProperties: false,
    title: 'CreateTemplate',
    description: 'A draft of a template.',
    examples: [
      {
        providerTemplateName: 'order_update',
        language: 'en_US',
        category: 'UTILITY',
        components: [{ type: 'BODY', text: 'Your order has been shipped.' }],
      },
    ],
  },
);

export const EditTemplateBody = Type.Object(
  {
    components: Type.Optional(draftFields.components),
    category: Type.Optional(draftFields.category),
    messageTtlSeconds: Type.Optional(draftFields.messageTtlSeconds),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    title: 'EditTemplate',
    description: 'What to change; `components` replaces all of them.',
    examples: [{ components: [{ type: 'BODY', text: 'Your order is on its way.' }] }],
  },
);

export const CancelQueuedQuery = Type.Object(
  {
    cancelQueued: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether to cancel queued messages of the template first.',
      }),
    ),
  },
  { additionalProperties: false },
);
