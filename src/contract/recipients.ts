// Recipients of sends on the wire, and what fills a template for them.
import { Type } from 'typebox';
import { filled, nullable } from './envelope.ts';

/**
 * Any scalar: filling the template reports values that are not strings, by the name of the variable. Objects and arrays are
 * rejected here. One type check takes half the time of a union of four.
 */
const Scalar = Type.Unsafe<unknown>({
  type: ['string', 'number', 'boolean', 'null'],
  documentedAs: { type: 'string' },
});

export const Metadata = Type.Record(Type.String(), Type.String({ maxLength: 512 }), {
  maxProperties: 10,
  // no line breaks: the serializer of responses would omit such keys
  propertyNames: { minLength: 1, maxLength: 64, pattern: '^.*$' },
  description: 'Returned in message lists and webhook events.',
});
const Location = Type.Object(
  {
    latitude: Type.Number({ minimum: -90, maximum: 90, description: 'Degrees north.' }),
    longitude: Type.Number({ minimum: -180, maximum: 180, description: 'Degrees east.' }),
    name: filled(256, 'Name of the place.'),
    address: filled(256, 'Address of the place.'),
  },
  { additionalProperties: false, title: 'Location', description: 'Fills a location header.' },
);
const MediaId = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'Fills a media header: the `mediaId` of an upload.',
});

const productId = (description: string) => filled(256, description);
const Url = Type.String({
  minLength: 1,
  maxLength: 2048,
  pattern: '^https://',
  description:
    'Fills a media header: an https address of the file. The platform fetches it, the gateway never does. Not together with `mediaId`.',
});
const Product = Type.Object(
  {
    productId: productId('Id of the product in the catalog.'),
    catalogId: productId("The platform's id of the catalog."),
  },
  { additionalProperties: false, title: 'Product', description: 'Fills a product header.' },
);
const Buttons = Type.Array(
  Type.Object(
    {
      index: Type.Integer({ minimum: 0, maximum: 9, description: 'Position of the button, from 0.' }),
      payload: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 128,
          description: 'What a quick reply returns when it is pressed. Default: its label.',
        }),
      ),
      flow: Type.Optional(
        Type.Object(
          {
            token: Type.Optional(
              Type.String({ minLength: 1, maxLength: 256, description: 'Returned with the answers.' }),
            ),
            data: Type.Optional(
              Type.Object(
                {},
                {
                  additionalProperties: true,
                  description: 'Values for the first screen, at most 8 KB as JSON.',
                },
              ),
            ),
          },
          {
            additionalProperties: false,
            title: 'FlowInput',
            description: 'How a flow button opens its flow.',
          },
        ),
      ),
    },
    {
      additionalProperties: false,
      title: 'ButtonInput',
      description: 'What a button takes besides variables.',
    },
  ),
  { maxItems: 10, description: 'Payloads of quick replies, and flows.' },
);
const cardContent = {
  mediaId: Type.Optional(MediaId),
  headerMediaUrl: Type.Optional(Url),
  product: Type.Optional(Product),
  buttons: Type.Optional(Buttons),
};

/** What fills a template besides variables; on a request it is the default of its recipients. */
export const templateContent = {
  ...cardContent,
  location: Type.Optional(Location),
  offerExpiresAt: Type.Optional(
    Type.String({ format: 'date-time', description: 'When a limited-time offer ends.' }),
  ),
  cards: Type.Optional(
    Type.Array(
      Type.Object(cardContent, {
        additionalProperties: false,
        title: 'CardInput',
        description: 'What a card takes besides variables.',
      }),
      { minItems: 2, maxItems: 10, description: 'The cards of a carousel, as many as the template has.' },
    ),
  ),
  catalog: Type.Optional(
    Type.Object(
      {
        thumbnailProductId: Type.Optional(
          productId('Product whose picture the message shows. Default: the first of the catalog.'),
        ),
      },
      { additionalProperties: false, title: 'CatalogInput', description: 'Fills a catalog button.' },
    ),
  ),
  products: Type.Optional(
    Type.Object(
      {
        thumbnailProductId: Type.Optional(
          productId('Product whose picture the message shows. Default: the first of the list.'),
        ),
        sections: Type.Array(
          Type.Object(
            {
              title: filled(24, 'Title of the section.'),
              productIds: Type.Array(productId('Id of a product.'), {
                minItems: 1,
                maxItems: 30,
                description: 'The products of the section.',
              }),
            },
            { additionalProperties: false, title: 'ProductSection', description: 'A section of the list.' },
          ),
          { minItems: 1, maxItems: 10, description: 'The list, with at most 30 products in all.' },
        ),
      },
      { additionalProperties: false, title: 'ProductsInput', description: 'Fills a product list button.' },
    ),
  ),
};

/** What one recipient may be given, besides the number. */
const recipientFields = {
  name: Type.Optional(
    nullable(Type.String({ maxLength: 256, description: 'Name of the recipient, for your own use.' })),
  ),
  variables: Type.Optional(
    Type.Record(Type.String(), Scalar, {
      // more than any template can have: its body takes 1,024 characters
      maxProperties: 512,
      description:
        'Values by placeholder: `{"1": "Ada"}`. `header.1` and `buttons.0.1` name other components.',
    }),
  ),
  ...templateContent,
  metadata: Type.Optional(Metadata),
};
const Phone = Type.String({
  maxLength: 64,
  description: 'Digits with country code, without `+`, spaces or dashes.',
  examples: ['15551234567'],
});

export const Recipient = Type.Object(
  { phone: Phone, ...recipientFields },
  { additionalProperties: false, title: 'Recipient', description: 'One recipient of a send.' },
);

export const PreviewBody = Type.Object(
  { phone: Type.Optional(Phone), ...recipientFields },
  {
    additionalProperties: false,
    title: 'PreviewTemplate',
    description: 'One recipient, as in a send. The phone may be missing.',
    examples: [{ variables: { '1': 'Ada', '2': 'A-1001', '3': 'Friday' } }],
  },
);
