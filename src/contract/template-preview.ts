// Previews of templates on the wire.
import { Type } from 'typebox';
import { nullable } from './envelope.ts';

const text = (description: string) => nullable(Type.String({ description }));

const RenderedHeader = Type.Object(
  {
    type: Type.Enum(['text', 'image', 'video', 'document', 'location', 'product'], {
      description: 'Kind of the header.',
    }),
    text: text('Text of a text header.'),
    url: text('Address of a file that the platform fetches.'),
    fileName: text('Name of an uploaded file.'),
    location: nullable(
      Type.Object(
        {
          latitude: Type.Number({ description: 'Degrees north.' }),
          longitude: Type.Number({ description: 'Degrees east.' }),
          name: Type.String({ description: 'Name of the place.' }),
          address: Type.String({ description: 'Address of the place.' }),
        },
        { title: 'RenderedLocation', description: 'Place of a location header.' },
      ),
    ),
    product: nullable(
      Type.Object(
        {
          productId: Type.String({ description: 'Id of the product in the catalog.' }),
          catalogId: Type.String({ description: "The platform's id of the catalog." }),
        },
        { title: 'RenderedProduct', description: 'Product of a product header.' },
      ),
    ),
  },
  { title: 'RenderedHeader', description: 'A filled header.' },
);

const RenderedButton = Type.Object(
  {
    index: Type.Integer({ description: 'Position of the button, from 0.' }),
    type: Type.String({ description: "The platform's word, such as `URL`." }),
    text: text('Label.'),
    url: text('Where the button leads, filled.'),
    phone: text('Number that the button calls.'),
    code: text('Code that the button copies.'),
    payload: text('What a quick reply returns. Null: the platform returns its label.'),
  },
  { title: 'RenderedButton', description: 'A filled button.' },
);

const partFields = {
  header: nullable(RenderedHeader),
  body: Type.String({ description: 'Text of the body.' }),
  buttons: Type.Array(RenderedButton, { description: 'The buttons, in order.' }),
};

/** The text of every part of a filled template. */
export const renderedFields = {
  ...partFields,
  footer: text('Text of the footer.'),
  offer: nullable(
    Type.Object(
      {
        text: Type.String({ description: 'Text of the offer.' }),
        expiresAt: text('When the offer ends.'),
      },
      { title: 'RenderedOffer', description: 'A limited-time offer.' },
    ),
  ),
  cards: Type.Array(
    Type.Object(partFields, { title: 'RenderedCard', description: 'A filled card of a carousel.' }),
    { description: 'The cards of a carousel; empty for other templates.' },
  ),
};

export const TemplatePreview = Type.Object(
  {
    ...renderedFields,
    errors: Type.Array(
      Type.Object(
        {
          path: Type.String({ description: 'The input, such as `variables.2`.' }),
          message: Type.String({ description: 'What is wrong with it.' }),
        },
        { title: 'PreviewProblem', description: 'What prevents a send.' },
      ),
      { description: 'Why a send of this recipient would be rejected; empty if it would not.' },
    ),
  },
  {
    title: 'TemplatePreview',
    description: 'A filled template, and what it lacks.',
    examples: [
      {
        header: null,
        body: 'Hi Ada, your order A-1001 arrives {{3}} at the latest.',
        buttons: [],
        footer: null,
        offer: null,
        cards: [],
        errors: [{ path: 'variables.3', message: 'is missing' }],
      },
    ],
  },
);
