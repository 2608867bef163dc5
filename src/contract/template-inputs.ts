// What a template's recipients fill, on the wire.
import { Type } from 'typebox';
import { nullable } from './envelope.ts';

export const TemplateVariables = Type.Object(
  {
    format: Type.Enum(['positional', 'named'], { description: 'Whether placeholders are numbers or names.' }),
    header: Type.Array(Type.String(), { description: 'Placeholders of the header.' }),
    body: Type.Array(Type.String(), { description: 'Placeholders of the body.' }),
    buttons: Type.Array(
      Type.Object(
        {
          index: Type.Integer({ description: 'Position of the button, from 0.' }),
          subType: Type.String({ description: 'Kind of the button.' }),
          variables: Type.Array(Type.String(), { description: 'Placeholders of the button.' }),
        },
        { title: 'ButtonVariables', description: 'The placeholders of one button.' },
      ),
      { description: 'The buttons that have placeholders.' },
    ),
    headerMedia: nullable(
      Type.Enum(['image', 'video', 'document', 'location'], {
        description: 'What the header needs in addition to text; null: nothing.',
      }),
    ),
    examples: Type.Record(Type.String(), Type.String(), {
      description: 'Example values by qualified placeholder, such as `body.1`.',
    }),
  },
  { title: 'TemplateVariables', description: 'Everything that a send must fill.' },
);

/** One input of a form. */
export const TemplateInput = Type.Object(
  {
    key: Type.String({
      description:
        'For `text` and `code`: the key in `variables`. Otherwise the member of a recipient, such as `mediaId` or `buttons.0.payload` (the `payload` of the entry of `buttons` with `index` 0).',
    }),
    part: Type.String({ description: 'Part of the template: `header`, `body`, `buttons.0`.' }),
    kind: Type.Enum(['text', 'media', 'location', 'code', 'payload', 'instant', 'product', 'flow'], {
      description: 'What the input takes.',
    }),
    required: Type.Boolean({ description: 'Whether a send without it is rejected.' }),
    example: nullable(Type.String({ description: 'Example with which the platform reviewed the template.' })),
    maxLength: nullable(
      Type.Integer({
        description: 'Maximum length in characters; the length of the whole component is limited too.',
      }),
    ),
    media: nullable(
      Type.Enum(['image', 'video', 'document'], { description: 'For `media`: the kind of file.' }),
    ),
  },
  { title: 'TemplateInput', description: 'Something that a recipient can fill.' },
);
