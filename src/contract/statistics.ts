// Statistics on the wire.
import { type TProperties, type TSchema, Type } from 'typebox';
import { Id, instant, nullable } from './envelope.ts';

const range = {
  from: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'Start of the range, rounded down to a quarter hour. Default: 30 days before `to`.',
    }),
  ),
  to: Type.Optional(
    Type.String({
      format: 'date-time',
      description: 'End of the range (exclusive), rounded up to a quarter hour. Default: now.',
    }),
  ),
  interval: Type.Optional(
    Type.Enum(['hour', 'day'], {
      default: 'day',
      description: 'Length of an interval. A range has at most 2,000 intervals.',
    }),
  ),
  timezone: Type.Optional(
    Type.String({
      maxLength: 64,
      default: 'UTC',
      description: 'IANA time zone in which hours and days begin.',
    }),
  ),
};

const query = <By extends string>(by: By[], what: string) =>
  Type.Object(
    {
      ...range,
      by: Type.Optional(
        Type.Enum(by, { description: `Also count by ${what}. A range has at most 100 of them.` }),
      ),
    },
    { additionalProperties: false },
  );

export const MessageStatisticsQuery = query(
  ['sender', 'template', 'category'],
  'sender, template or category',
);
export const WebhookStatisticsQuery = query(['endpoint'], 'endpoint');
export const AppointmentStatisticsQuery = query(['staff'], 'staff member');

const count = (description: string) => Type.Integer({ minimum: 0, description });
const at = instant('Start of the interval. The first one can begin before `from`; it counts from there.');
const by = (schema: TSchema) => Type.Optional(schema);

/** Up to when the counts are exact. */
export const foldedUntil = instant('Everything that was recorded before this instant is counted.');

const foldedUntilExample = '2026-03-11T09:30:02.114Z';

const statistics = <T extends TProperties>(title: string, description: string, item: T, example: object) => {
  const items = Type.Array(
    Type.Object(item, { title, description, examples: [{ at: '2026-03-10T00:00:00.000Z', ...example }] }),
    { description: 'By `at`. Intervals in which nothing was counted are left out.' },
  );
  return Type.Object(
    {
      foldedUntil,
      items,
    },
    {
      title: `${title}List`,
      description: 'Counts by interval.',
      examples: [
        { foldedUntil: foldedUntilExample, items: [{ at: '2026-03-10T00:00:00.000Z', ...example }] },
      ],
    },
  );
};

/** The counts of messages. */
export const messageCounts = {
  queued: count('Messages that entered the queue.'),
  accepted: count('Messages that the platform accepted.'),
  sent: count('Messages that the platform sent.'),
  delivered: count('Messages that were delivered.'),
  read: count('Messages that were read.'),
  failed: count('Messages that failed, without failures that a later report replaced.'),
  optedOut: count('Of `failed`: messages to people who had opted out (900005).'),
};

/** The counts of attempts and deliveries. */
export const deliveryCounts = {
  attempts: count('Attempts.'),
  delivered: count('Attempts that succeeded.'),
  failed: count('Attempts that failed.'),
  dead: count('Deliveries that were given up.'),
  p50Ms: nullable(
    Type.Integer({
      description: 'Half of the attempts took no longer, in ms and at most 10 % off; null without attempts.',
    }),
  ),
  p95Ms: nullable(
    Type.Integer({
      description: '95 % of the attempts took no longer, in ms and at most 10 % off; null without attempts.',
    }),
  ),
};

/** The counts of bookings. */
export const bookingCounts = {
  booked: count('Bookings that were confirmed.'),
  rescheduled: count('Bookings that were moved, also in the calendar.'),
  cancelled: count('Bookings that were cancelled, also in the calendar.'),
};

export const MessageStatistics = statistics(
  'MessageStatistics',
  'Messages by the stage that they entered in an interval. Each message counts once in every stage that it enters.',
  {
    at,
    senderId: by(Type.String({ ...Id, description: 'With `by=sender`: the sender.' })),
    templateId: by(
      nullable(Type.String({ ...Id, description: 'With `by=template`: the template; null for replies.' })),
    ),
    category: by(
      nullable(
        Type.String({
          description: 'With `by=category`: `AUTHENTICATION`, `UTILITY` or `MARKETING`; null for replies.',
        }),
      ),
    ),
    ...messageCounts,
  },
  { queued: 120, accepted: 118, sent: 118, delivered: 116, read: 74, failed: 2, optedOut: 1 },
);

export const WebhookStatistics = statistics(
  'WebhookStatistics',
  'Attempts to deliver webhook events in an interval.',
  {
    at,
    endpointId: by(Type.String({ ...Id, description: 'With `by=endpoint`: the endpoint.' })),
    ...deliveryCounts,
  },
  { attempts: 310, delivered: 306, failed: 4, dead: 0, p50Ms: 41, p95Ms: 172 },
);

export const AppointmentStatistics = statistics(
  'AppointmentStatistics',
  'Bookings that were confirmed or changed in an interval.',
  {
    at,
    appointmentUserId: by(Type.String({ ...Id, description: 'With `by=staff`: the staff member.' })),
    ...bookingCounts,
  },
  { booked: 14, rescheduled: 2, cancelled: 1 },
);
