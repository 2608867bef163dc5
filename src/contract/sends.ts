// Sends on the wire.
import { Type } from 'typebox';
import { filled, Id, nullable } from './envelope.ts';
import { Metadata, Recipient, templateContent } from './recipients.ts';

export const SendBody = Type.Object(
  {
    templateId: Type.String({ description: 'Id of an approved template (`_id`).' }),
    recipients: Type.Array(Recipient, {
      minItems: 1,
      maxItems: 1000,
      description: 'The recipients, each phone once.',
    }),
    ...templateContent,
    metadata: Type.Optional(Metadata),
    senderId: Type.Optional(
      Type.String({ description: 'Id of the sender. Default: the default sender of the business account.' }),
    ),
    expiresInSeconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 2_592_000,
        description:
          'How long a message may wait, from the request or from `sendAt`. Default: 86,400; authentication templates 600.',
      }),
    ),
    name: Type.Optional(filled(256, 'Name of the send; the list of sends shows it.')),
    sendAt: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'When to send, at most 90 days ahead; a past instant sends now. Not for authentication templates.',
      }),
    ),
  },
  {
    additionalProperties: false,
    title: 'SendTemplate',
    description: 'A template and its recipients.',
    examples: [
      {
        templateId: '019a0b5e-7c00-7000-8000-000000000000',
        recipients: [
          { phone: '15551234567', name: 'Ada', variables: { '1': 'Ada', '2': 'A-1001', '3': 'Friday' } },
        ],
      },
    ],
  },
);

export const MessageError = Type.Object(
  {
    code: Type.Number({ description: "The platform's error code; from 900001 the gateway's own." }),
    title: Type.String({ description: 'Short name of the error.' }),
    message: Type.String({ description: 'Explanation of the error.' }),
  },
  {
    title: 'MessageError',
    description: 'Why a message failed; only with status `failed`.',
    examples: [{ code: 131026, title: 'Message undeliverable', message: 'The recipient cannot be reached.' }],
  },
);

export const sendId = Type.String({ ...Id, description: 'Id of the send (UUIDv7).' });
export const templateId = Type.String({ ...Id, description: 'Id of the template.' });
export const exampleIds = {
  sendId: '019a0b5e-7c00-7000-8000-000000000005',
  templateId: '019a0b5e-7c00-7000-8000-000000000000',
};
export const wamidExample = 'wamid.HBgLMTU1NTEyMzQ1NjcVAgARGBI5QTNDQTVCM0Q0Q0Q2RTY3RTcA';
export const SendResult = Type.Object(
  {
    sendId,
    templateId,
    total: Type.Integer({ description: 'Number of recipients.' }),
    accepted: Type.Integer({ description: 'Messages that the platform accepted.' }),
    failed: Type.Integer({ description: 'Messages that the platform rejected.' }),
    queued: Type.Integer({ description: 'Messages without a result yet.' }),
    messages: Type.Array(
      Type.Object(
        {
          id: Type.String({ ...Id, description: 'Id of the message (UUIDv7).' }),
          messageId: nullable(
            Type.String({
              description: "The platform's message identifier; null until the platform accepts the message.",
            }),
          ),
          recipientPhone: Type.String({ description: 'As the request gave it.' }),
          name: nullable(Type.String({ description: 'As the request gave it.' })),
          status: Type.Enum(['accepted', 'failed', 'queued'], {
            description: '`queued`: no result yet when the response was sent.',
          }),
          error: nullable(MessageError),
        },
        { title: 'SentMessage', description: 'The result for one recipient.' },
      ),
      { description: 'The results, in the order of the recipients.' },
    ),
  },
  {
    title: 'SendResult',
    description: 'The results of a send.',
    examples: [
      {
        ...exampleIds,
        total: 1,
        accepted: 1,
        failed: 0,
        queued: 0,
        messages: [
          {
            id: '019a0b5e-7c00-7000-8000-000000000004',
            messageId: wamidExample,
            recipientPhone: '15551234567',
            name: 'Ada',
            status: 'accepted',
            error: null,
          },
        ],
      },
    ],
  },
);

export const SendParams = Type.Object({ sendId: Type.String() }, { additionalProperties: false });
