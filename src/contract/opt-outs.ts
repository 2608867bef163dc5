// Opt-outs on the wire.
import { Type } from 'typebox';
import { cursorProperties, Id, instant, nullable } from './envelope.ts';

const closed = { additionalProperties: false } as const;

const scopes = ['marketing', 'all'] as const;
const sources = ['platform', 'keyword', 'button', 'error_131050', 'api'] as const;

const scope = Type.Enum([...scopes], {
  description:
    'What the person does not receive. `marketing`: marketing templates. `all`: every template but authentication ones. Replies are always sent.',
});
const reason = Type.String({ maxLength: 500, description: 'Why, for people.' });
const source = Type.Enum([...sources], {
  description:
    'Who decided it last: the platform’s preference notice, a stop or start word, a button, the platform’s error 131050, or this API.',
});
const phone = nullable(
  Type.String({ description: "The person's number, in digits; null if the platform hides it." }),
);
const userId = nullable(Type.String({ description: "The platform's id of the person." }));

const optOutExample = {
  _id: '019a0b5e-7c00-7000-8000-000000000040',
  phone: '15551234567',
  userId: 'US.13491208655302741918',
  scope: 'marketing',
  source: 'keyword',
  reason: 'stop',
  createdAt: '2026-03-10T14:00:00.000Z',
};

export const OptOutItem = Type.Object(
  {
    _id: Type.String({ ...Id, description: 'Id of the opt-out; another one each time a person opts out.' }),
    phone,
    userId,
    scope,
    source,
    reason: nullable(reason),
    createdAt: instant('When the opt-out was recorded.'),
  },
  {
    title: 'OptOut',
    description: 'A person who does not want messages. It holds for all numbers and ids of their contact.',
    examples: [optOutExample],
  },
);

const userIdFilter = Type.String({ minLength: 1, maxLength: 200 });

export const ListOptOutsQuery = Type.Object(
  {
    phone: Type.Optional(
      Type.String({
        maxLength: 32,
        format: 'phone',
        description: 'Only the opt-out of the person with this number, also under their other ids.',
      }),
    ),
    userId: Type.Optional(
      Type.String({
        maxLength: 256,
        description: 'Only the opt-out of the person with this id of the platform.',
      }),
    ),
    ...cursorProperties,
  },
  closed,
);

export const OptOutByPhone = Type.Object({ phone: Type.String() }, closed);
export const OptOutByUserId = Type.Object(
  { userId: Type.String({ ...userIdFilter, description: "The platform's id of the person." }) },
  closed,
);

export const OptOutBody = Type.Object(
  { scope, reason: Type.Optional(nullable(reason)) },
  {
    ...closed,
    title: 'PutOptOut',
    description: 'What the person does not receive.',
    examples: [{ scope: 'marketing', reason: 'Asked on the phone' }],
  },
);

export const RemovedOptOut = Type.Object(
  { removed: Type.Boolean({ description: 'True if the person had opted out.' }) },
  {
    title: 'RemovedOptOut',
    description: 'Whether anything changed. The person receives everything.',
    examples: [{ removed: true }],
  },
);

const nullableScope = (description: string) => nullable(Type.Enum([...scopes], { description }));

export const OptOutChange = Type.Object(
  {
    contactId: Type.String({ ...Id, description: 'Id of the contact.' }),
    phone,
    phones: Type.Array(Type.String(), {
      description:
        'Every number of the contact: those that you sent to, and the platform’s own form of them.',
    }),
    userId,
    scope: nullableScope('What the person does not receive now; null: they receive everything.'),
    previousScope: nullableScope('What they did not receive before.'),
    source,
    reason: nullable(Type.String({ description: 'Why, for people.' })),
    timestamp: Type.Integer({ description: 'When the person or the API decided it, in epoch seconds.' }),
  },
  {
    title: 'OptOutChange',
    description: 'A change of what a person receives.',
    examples: [
      {
        contactId: '019a0b5e-7c00-7000-8000-000000000031',
        phone: '555187654321',
        phones: ['555187654321', '5551987654321'],
        userId: 'BR.13491208655302741918',
        scope: 'marketing',
        previousScope: null,
        source: 'keyword',
        reason: 'stop',
        timestamp: 1_773_151_200,
      },
    ],
  },
);

export const OptOutsFile = Type.String({
  title: 'OptOutsFile',
  description:
    'CSV in UTF-8 with a header line. Columns: `phone` or `userId`, or both; `otherPhones` (other numbers of the person, separated by spaces), `scope` (default `marketing`), `reason`, `createdAt` (when it was decided; default: now). `source` is ignored.',
  examples: ['phone,scope,reason\n15551234567,marketing,Asked on the phone\n'],
});

export const ImportedOptOuts = Type.Object(
  {
    changed: Type.Integer({ description: 'Rows that changed what a person receives.' }),
    unchanged: Type.Integer({
      description: 'Rows of people who had opted out already, or for whom a newer decision counts.',
    }),
    rejected: Type.Integer({ description: 'Rows with a problem; they change nothing.' }),
    errors: Type.Array(
      Type.Object(
        {
          row: Type.Integer({ description: 'Number of the row; the header is row 1.' }),
          path: Type.String({ description: 'The column; empty for the whole row.' }),
          message: Type.String({ description: 'What is wrong and what is allowed.' }),
        },
        { title: 'OptOutRowProblem', description: 'A problem of one row.' },
      ),
      { description: 'The first 1,000 problems.' },
    ),
  },
  {
    title: 'ImportedOptOuts',
    description: 'What became of the rows.',
    examples: [
      {
        ...{ changed: 998, unchanged: 1, rejected: 1 },
        errors: [{ row: 17, path: 'phone', message: 'must have 7 to 15 digits, with the country code' }],
      },
    ],
  },
);
