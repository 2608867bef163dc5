// Failures by reason on the wire.
import { Type } from 'typebox';
import { idFilter, instant, nullable } from './envelope.ts';

export const FailureStatisticsQuery = Type.Object(
  {
    from: Type.Optional(
      Type.String({
        format: 'date-time',
        description:
          'Only messages created at or after this instant. Default: 30 days before `to`; with `sendId`, the creation of the send.',
      }),
    ),
    to: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Only messages created before this instant. Default: now.',
      }),
    ),
    senderId: idFilter('Only messages of this sender.'),
    sendId: idFilter('Only messages of this send.'),
  },
  { additionalProperties: false },
);

const Reason = Type.Object(
  {
    code: nullable(
      Type.Integer({ description: "The platform's code, or one of ours from 900001; null if it gave none." }),
    ),
    title: nullable(Type.String({ description: 'Short name of the error.' })),
    failed: Type.Integer({ minimum: 1, description: 'Messages that ended with it.' }),
    lastAt: instant('When the last of them failed.'),
  },
  { title: 'FailureReason', description: 'A reason for which messages failed.' },
);

export const FailureStatistics = Type.Object(
  {
    countedFrom: instant(
      'Since when messages are counted: `from`, or later if there are more than 20,000 failures in the range.',
    ),
    items: Type.Array(Reason, { description: 'The most frequent reason first, at most 100.' }),
  },
  {
    title: 'FailureStatistics',
    description: 'Failed messages by their reason, as they are now.',
    examples: [
      {
        countedFrom: '2026-02-08T14:00:00.000Z',
        items: [
          { code: 131026, title: 'Message undeliverable', failed: 14, lastAt: '2026-03-10T13:58:12.000Z' },
        ],
      },
    ],
  },
);
