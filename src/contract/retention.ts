// How long data is kept, on the wire.
import { type Static, Type } from 'typebox';
import { instant, nullable } from './envelope.ts';

const texts = {
  messages: 'Messages, with their sends and the media that nothing names any more, after their last stage.',
  received: 'Received messages, after they came.',
  deliveries: 'Webhook deliveries, after they were delivered or dead; no longer than messages.',
  bookings: 'Bookings, after the appointment.',
  audit: 'The audit log.',
};
type Kind = keyof typeof texts;
const kinds = Object.keys(texts) as Kind[];

const own = (kind: Kind) =>
  Type.Optional(
    nullable(
      Type.Integer({
        minimum: 1,
        maximum: 36_500,
        description: `${texts[kind]} Days; null or left out: as long as the gateway.`,
      }),
    ),
  );

export const RetentionBody = Type.Object(
  Object.fromEntries(kinds.map((kind) => [kind, own(kind)])) as Record<Kind, ReturnType<typeof own>>,
  {
    additionalProperties: false,
    title: 'PutRetention',
    description:
      'The days of the account. They replace the present ones: a kind that is left out has those of the gateway again.',
    examples: [{ messages: 90, received: 14 }],
  },
);
export type RetentionBody = Static<typeof RetentionBody>;

const days = (description: string) => nullable(Type.Integer({ description }));

const RetentionOfKind = Type.Object(
  {
    days: days('Days for which the account keeps them; null: for ever.'),
    ownDays: days('What the account set; null: nothing.'),
    gatewayDays: days('What the gateway keeps at most; null: for ever.'),
    minimumDays: Type.Integer({ description: 'The fewest days that can be set.' }),
    removedFrom: nullable(
      instant('Nothing is removed before; null: removal has begun, or everything is kept.'),
    ),
  },
  {
    title: 'RetentionOfKind',
    description: 'How long one kind of data is kept.',
    examples: [{ days: 90, ownDays: 90, gatewayDays: null, minimumDays: 31, removedFrom: null }],
  },
);

const example = { days: null, ownDays: null, gatewayDays: null, minimumDays: 1, removedFrom: null };
export const Retention = Type.Object(
  {
    messages: RetentionOfKind,
    received: RetentionOfKind,
    deliveries: RetentionOfKind,
    bookings: RetentionOfKind,
    audit: RetentionOfKind,
  },
  {
    title: 'Retention',
    description: 'How long the account keeps what has ended.',
    examples: [
      {
        messages: { ...example, days: 90, ownDays: 90, minimumDays: 31 },
        received: { ...example, days: 14, ownDays: 14, gatewayDays: 30, minimumDays: 8 },
        deliveries: { ...example, days: 90, gatewayDays: 90, minimumDays: 5 },
        bookings: example,
        audit: { ...example, days: 400, gatewayDays: 400, minimumDays: 90 },
      },
    ],
  },
);
export type Retention = Static<typeof Retention>;
