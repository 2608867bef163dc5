// Recipients of sends on the wire: uploads, lists, checks.
import { Type } from 'typebox';
import { cursorProperties, Id, nullable } from './envelope.ts';
import { messageStates } from './messages.ts';
import { Recipient } from './recipients.ts';
import { MessageError } from './sends.ts';

export const AddRecipientsBody = Type.Object(
  {
    recipients: Type.Array(Recipient, { minItems: 1, maxItems: 1000, description: 'The recipients.' }),
  },
  {
    title: 'AddRecipients',
    description: 'Recipients for a draft. A CSV or NDJSON body is a file of them.',
    examples: [{ recipients: [{ phone: '15551234567', name: 'Ada', variables: { '1': 'Ada' } }] }],
  },
);

export const AddRecipientsQuery = Type.Object(
  {
    mapping: Type.Optional(
      Type.String({
        maxLength: 16_384,
        description:
          'For CSV: a JSON object from column to field, such as `{"Mobile": "phone", "First name": "1"}`. Other columns are not read.',
      }),
    ),
  },
  { additionalProperties: false },
);

const rowProblem = {
  path: Type.String({ description: 'The field, such as `phone` or `variables.1`; empty for the whole row.' }),
  message: Type.String({ description: 'What is wrong and what is allowed.' }),
};
const rejected = Type.Integer({ description: 'Rows with a problem; they are not added.' });

export const AddedRecipients = Type.Object(
  {
    added: Type.Integer({ description: 'Recipients that were added.' }),
    duplicates: Type.Integer({ description: 'Rows whose phone the send already had; they change nothing.' }),
    optedOut: Type.Integer({
      description:
        'Recipients that were added although they opted out of such messages: they will fail 900005.',
    }),
    rejected,
    errors: Type.Array(
      Type.Object(
        {
          row: Type.Integer({
            description: 'Number of the row, from 1; in CSV the header is row 1.',
          }),
          ...rowProblem,
        },
        { title: 'RowProblem', description: 'A problem of one row.' },
      ),
      { description: 'The first 1,000 problems.' },
    ),
  },
  {
    title: 'AddedRecipients',
    description: 'What became of the rows.',
    examples: [
      {
        added: 998,
        duplicates: 1,
        optedOut: 3,
        rejected: 1,
        errors: [{ row: 17, path: 'phone', message: 'must have 7 to 15 digits, with the country code' }],
      },
    ],
  },
);

export const CheckedRecipients = Type.Object(
  {
    checked: Type.Integer({ description: 'Recipients that were checked.' }),
    rejected: Type.Integer({ description: 'Recipients that do not fit the template as it is now.' }),
    errors: Type.Array(
      Type.Object(
        {
          row: Type.Integer({ description: 'Position of the recipient, from 1, in the order of adding.' }),
          phone: Type.String({ description: 'Phone of the recipient.' }),
          ...rowProblem,
        },
        { title: 'RecipientProblem', description: 'A problem of one recipient.' },
      ),
      { description: 'The first 1,000 problems. Without any, the send accepts the new text.' },
    ),
  },
  {
    title: 'CheckedRecipients',
    description: 'Whether the recipients fit the template as it is now.',
    examples: [{ checked: 998, rejected: 0, errors: [] }],
  },
);

export const RemovedRecipients = Type.Object(
  { removed: Type.Integer({ description: 'Recipients that were removed.' }) },
  { title: 'RemovedRecipients', description: 'How many were removed.', examples: [{ removed: 998 }] },
);

const recipientStatuses = ['waiting', ...messageStates] as const;

export const RecipientItem = Type.Object(
  {
    id: Type.String({ ...Id, description: 'Id of the message (UUIDv7); it never changes.' }),
    messageId: nullable(
      Type.String({
        description: "The platform's message identifier; null until the platform accepts the message.",
      }),
    ),
    phone: Type.String({ description: 'Phone of the recipient.' }),
    name: nullable(Type.String({ description: 'As it was given.' })),
    metadata: nullable(Type.Record(Type.String(), Type.String(), { description: 'As it was given.' })),
    status: Type.Enum([...recipientStatuses], {
      description: '`waiting`: kept apart from the queue; else the status of the message.',
    }),
    error: nullable(MessageError),
  },
  {
    title: 'SendRecipient',
    description: 'A recipient of a send.',
    examples: [
      {
        id: '019a0b5e-7c00-7000-8000-000000000004',
        messageId: null,
        phone: '15551234567',
        name: 'Ada',
        metadata: null,
        status: 'waiting',
        error: null,
      },
    ],
  },
);

export const ListRecipientsQuery = Type.Object(
  {
    status: Type.Optional(
      Type.Enum([...recipientStatuses], { description: 'Only recipients with this status.' }),
    ),
    ...cursorProperties,
  },
  { additionalProperties: false },
);
