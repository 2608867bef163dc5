// What a reply can say, on the wire.
import { type Static, Type } from 'typebox';
import { filled, nullable } from './envelope.ts';

const closed = { additionalProperties: false } as const;
const text = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, description });
/** Titles and ids of choices: blank ones, and spaces around them, are rejected by the platform. */
const label = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^\\S(.*\\S)?$', description });

export const mediaKinds = ['image', 'video', 'document', 'audio', 'sticker'] as const;

const ReplyMedia = Type.Object(
  {
    mediaId: Type.Optional(text(64, 'The `mediaId` of an upload. Exactly one of `mediaId` and `url`.')),
    url: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2048,
        pattern: '^https://',
        description: 'An https address of the file. The platform fetches it, the gateway never does.',
      }),
    ),
    kind: Type.Optional(
      Type.Enum([...mediaKinds], {
        description: 'What the file at `url` is. Default: by the file name extension of the address.',
      }),
    ),
    caption: Type.Optional(text(1024, 'The text beside an image, video or document.')),
    fileName: Type.Optional(filled(240, 'The name of a document. Default: that of the upload.')),
  },
  { ...closed, title: 'ReplyMedia', description: 'A file: an upload, or at an address.' },
);

const ReplyLocation = Type.Object(
  {
    latitude: Type.Number({ minimum: -90, maximum: 90, description: 'Degrees north.' }),
    longitude: Type.Number({ minimum: -180, maximum: 180, description: 'Degrees east.' }),
    name: Type.Optional(filled(256, 'Name of the place.')),
    address: Type.Optional(filled(256, 'Address of the place.')),
  },
  { ...closed, title: 'ReplyLocation', description: 'A place.' },
);

const type = Type.Optional(text(64, 'Such as `WORK`.'));
const ReplyCard = Type.Object(
  {
    name: filled(256, 'The name on the card.'),
    firstName: Type.Optional(filled(256, 'Default: `name`.')),
    lastName: Type.Optional(filled(256, 'The last name.')),
    phones: Type.Optional(
      Type.Array(
        Type.Object(
          {
            phone: filled(64, 'The number as the card shows it.'),
            type,
            userPhone: Type.Optional(
              Type.String({
                pattern: '^[1-9][0-9]{6,14}$',
                description:
                  'The digits of the number with the country code, if the person uses the platform: the card then offers to write to them.',
              }),
            ),
          },
          closed,
        ),
        { maxItems: 20, description: 'Numbers of the card.' },
      ),
    ),
    emails: Type.Optional(
      Type.Array(Type.Object({ email: filled(256, 'An email address.'), type }, closed), {
        maxItems: 20,
        description: 'Email addresses of the card.',
      }),
    ),
    urls: Type.Optional(
      Type.Array(Type.Object({ url: text(2048, 'An address of a website.'), type }, closed), {
        maxItems: 20,
        description: 'Websites of the card.',
      }),
    ),
    company: Type.Optional(filled(256, 'The company on the card.')),
  },
  { ...closed, title: 'ReplyCard', description: 'A contact card.' },
);
const ReplyCards = Type.Array(ReplyCard, {
  minItems: 1,
  maxItems: 257,
  description: 'Contact cards.',
});

const ReplyReaction = Type.Object(
  {
    emoji: nullable(Type.String({ maxLength: 32, description: 'One emoji; null removes the reaction.' })),
  },
  { ...closed, title: 'ReplyReaction', description: 'A reaction to the message that `replyTo` names.' },
);

const ReplyButtons = Type.Array(
  Type.Object(
    {
      id: label(256, 'Returned in `interactive.id` when the person presses the button.'),
      title: label(20, 'The text of the button.'),
    },
    { ...closed, title: 'ReplyButton', description: 'A button that answers.' },
  ),
  { minItems: 1, maxItems: 3, description: 'Buttons below `text`, each with its own id and title.' },
);

const Rows = Type.Array(
  Type.Object(
    {
      id: label(200, 'Returned in `interactive.id` when the person chooses the row.'),
      title: label(24, 'The text of the row.'),
      description: Type.Optional(text(72, 'A line below the title.')),
    },
    { ...closed, title: 'ReplyRow', description: 'A row of a list.' },
  ),
  { minItems: 1, maxItems: 10, description: 'Rows, each with its own id; at most 10 in all sections.' },
);
const ReplyList = Type.Object(
  {
    button: label(20, 'The text of the button that opens the list.'),
    rows: Type.Optional(Rows),
    sections: Type.Optional(
      Type.Array(
        Type.Object(
          {
            title: Type.Optional(label(24, 'Required if there are several sections.')),
            rows: Rows,
          },
          { ...closed, title: 'ReplySection', description: 'A section of a list.' },
        ),
        { minItems: 1, maxItems: 10, description: 'Sections of rows, instead of `rows`.' },
      ),
    ),
  },
  { ...closed, title: 'ReplyList', description: 'A list to choose from, below `text`.' },
);

const ReplyLink = Type.Object(
  {
    title: label(20, 'The text of the button.'),
    url: text(2048, 'The http or https address that the button opens.'),
  },
  { ...closed, title: 'ReplyLink', description: 'A button below `text` that opens an address.' },
);

/** What a reply can say besides text: requests and message items have the same members. */
export const replyContents = {
  media: Type.Optional(ReplyMedia),
  location: Type.Optional(ReplyLocation),
  contacts: Type.Optional(ReplyCards),
  reaction: Type.Optional(ReplyReaction),
  buttons: Type.Optional(ReplyButtons),
  list: Type.Optional(ReplyList),
  link: Type.Optional(ReplyLink),
};

/** A reply as message items show it: the members of the request. */
export const SentReply = Type.Object(
  {
    text: Type.Optional(Type.String({ description: 'The text.' })),
    ...replyContents,
    replyTo: Type.Optional(
      Type.String({ description: "The platform's id of the message that it quotes or reacts to." }),
    ),
  },
  {
    title: 'SentReply',
    description:
      'What a reply says, in the members of the request. Null for a template, and without the scope `conversations:read`.',
    examples: [{ text: 'We open at nine.' }],
  },
);
export type SentReply = Static<typeof SentReply>;
