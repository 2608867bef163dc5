// The settings of opt-outs on the wire.
import { Type } from 'typebox';
import { notBlank, nullable } from './envelope.ts';

const closed = { additionalProperties: false } as const;

const words = (description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 100 }), { maxItems: 200, description });

const fields = {
  stopWords: words(
    'A text message that is one of these words, in upper or lower case, opts its writer out of marketing. Empty: off.',
  ),
  startWords: words('A text message that is one of these words opts its writer in again. Empty: off.'),
  buttonPayloads: Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
    maxItems: 200,
    uniqueItems: true,
    description:
      'Pressing a quick-reply button with one of these payloads, exactly, opts the person out of marketing. Empty: off.',
  }),
};

const example = {
  stopWords: ['STOP', 'UNSUBSCRIBE'],
  startWords: ['START'],
  buttonPayloads: ['STOP_PROMOTIONS'],
};

const answer = (to: string) =>
  nullable(
    Type.String({
      minLength: 1,
      maxLength: 1_024,
      ...notBlank,
      description: `Sent to a person who opts ${to} by a word or a button, as a reply, at most once a person and day; null: nothing is sent.`,
    }),
  );

export const OptOutSettingsBody = Type.Object(
  {
    ...fields,
    reply: Type.Optional(
      Type.Object(
        { stop: Type.Optional(answer('out')), start: Type.Optional(answer('in again')) },
        { ...closed, description: 'Automatic answers.' },
      ),
    ),
  },
  {
    ...closed,
    title: 'PutOptOutSettings',
    description: 'The words and buttons by which people opt out. They replace the present ones.',
    examples: [{ ...example, reply: { stop: 'You get no more offers. Write START to get them again.' } }],
  },
);

export const OptOutSettings = Type.Object(
  {
    ...fields,
    reply: Type.Object(
      { stop: answer('out'), start: answer('in again') },
      { description: 'Automatic answers.' },
    ),
    suggested: Type.Array(
      Type.Object(
        {
          language: Type.String({ description: 'BCP 47 code of the language.' }),
          stopWords: Type.Array(Type.String(), { description: 'Stop words.' }),
          startWords: Type.Array(Type.String(), { description: 'Start words.' }),
        },
        { title: 'SuggestedWords', description: 'Words of one language.' },
      ),
      { description: 'Words to choose from, by language. None of them is on until you set it.' },
    ),
  },
  {
    title: 'OptOutSettings',
    description: 'The words and buttons by which people opt out.',
    examples: [
      {
        ...example,
        reply: { stop: null, start: null },
        suggested: [{ language: 'en', stopWords: ['STOP'], startWords: ['START'] }],
      },
    ],
  },
);
