// Contacts on the wire.
import { Type } from 'typebox';
import { cursorProperties, Id, instant, nullable } from './envelope.ts';
import { messageStates } from './messages.ts';
import { person, personFilters } from './received.ts';

const contactExample = {
  _id: '019a0b5e-7c00-7000-8000-000000000031',
  phone: '15551234567',
  userId: 'US.13491208655302741918',
  name: 'Ada',
  lastReceivedAt: '2026-03-10T14:00:00.000Z',
  windows: [{ senderId: '019a0b5e-7c00-7000-8000-000000000006', closesAt: '2026-03-11T14:00:00.000Z' }],
  optOut: null,
  unreadCount: 1,
  lastMessage: {
    direction: 'received',
    id: '019a0b5e-7c00-7000-8000-000000000030',
    type: 'text',
    text: 'When do you open?',
    status: null,
    at: '2026-03-10T14:00:00.000Z',
  },
};

const lastMessage = Type.Object(
  {
    direction: Type.Enum(['received', 'sent'], { description: 'Who sent the message.' }),
    id: Type.String({ ...Id, description: 'Id of the received message or of the reply.' }),
    type: Type.String({
      description:
        "Of a received message the platform's own word; of a reply `text`, `image`, `video`, `document`, `audio`, `sticker`, `location`, `contacts`, `reaction`, `buttons`, `list` or `link`.",
    }),
    text: nullable(
      Type.String({
        description: 'The beginning of its text or caption, up to 200 characters; null without.',
      }),
    ),
    status: nullable(
      Type.Enum([...messageStates], { description: 'Stage of a reply; null for a received message.' }),
    ),
    at: instant('When it was sent.'),
  },
  { title: 'LastMessage', description: 'The newest message of a conversation.' },
);

export const ContactItem = Type.Object(
  {
    _id: Type.String({
      ...Id,
      description: 'Id of the contact. Two contacts that are found to be one person keep the older id.',
    }),
    ...person,
    lastReceivedAt: nullable(instant('When the person last wrote; null: never.')),
    windows: Type.Array(
      Type.Object({
        senderId: Type.String({ ...Id, description: 'Id of the sender.' }),
        closesAt: instant(
          'Until when the person can be answered without a template from this number: 24 hours after their last message to it.',
        ),
      }),
      { description: 'The numbers that can answer the person without a template now.' },
    ),
    optOut: nullable(
      Type.Enum(['marketing', 'all'], {
        description: 'What the person does not want to receive; null: they receive everything.',
      }),
    ),
    unreadCount: Type.Integer({
      minimum: 0,
      description:
        "Messages received since the last reply or read mark, of the person's newest 100. Contacts from before this field existed start with 0.",
    }),
    lastMessage: nullable(lastMessage),
  },
  {
    title: 'Contact',
    description:
      'A person, with everything that the platform calls them. `lastMessage` is the newest received message or reply, seconds behind; templates are in the list of messages. It is null if there is none or it has been removed.',
    examples: [contactExample],
  },
);

export const ListContactsQuery = Type.Object(
  {
    ...personFilters,
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description:
          'The beginnings of words of a name, in any order and without regard to case and accents; or a number, from its beginning or to its end. Sorted by the word that was found. Not together with `phone`, `userId`, `state` or `sort`.',
        examples: ['ada lov'],
      }),
    ),
    state: Type.Optional(
      Type.Enum(['window_open', 'unanswered', 'opted_out'], {
        description:
          'Only people who can be answered without a template now, whose last message has no reply, or who opted out. Sorted by the last message, newest first; `opted_out` by the opt-out. Not together with `phone`, `userId`, `search` or `sort`.',
      }),
    ),
    sort: Type.Optional(
      Type.Enum(['-createdAt', '-lastMessageAt'], {
        default: '-createdAt',
        description:
          'Newest contact first, or newest conversation first: by the last received message or reply. The latter leaves out contacts without either.',
      }),
    ),
    ...cursorProperties,
  },
  { additionalProperties: false },
);
