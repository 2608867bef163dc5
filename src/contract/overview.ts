// The overview on the wire: what a start page shows.
import { Type } from 'typebox';
import { ListedBooking } from './booking-lists.ts';
import { Id, instant, nullable } from './envelope.ts';
import { bookingCounts, deliveryCounts, foldedUntil, messageCounts } from './statistics.ts';

export const OverviewQuery = Type.Object(
  {
    timezone: Type.Optional(
      Type.String({ maxLength: 64, default: 'UTC', description: 'IANA time zone in which days begin.' }),
    ),
  },
  { additionalProperties: false },
);

const counts = Type.Object(
  {
    messages: nullable(
      Type.Object(messageCounts, {
        description: 'Messages by the stage that they entered; null without the scope `messages:read`.',
      }),
    ),
    webhooks: nullable(
      Type.Object(deliveryCounts, {
        description: 'Attempts to deliver webhook events; null without the scope `webhooks:manage`.',
      }),
    ),
    appointments: nullable(
      Type.Object(bookingCounts, { description: 'Bookings; null without the scope `appointments:read`.' }),
    ),
  },
  { title: 'OverviewCounts', description: 'Counts, as in the statistics.' },
);

const noneOf = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, 0]));
const countsExample = {
  messages: noneOf(Object.keys(messageCounts)),
  webhooks: noneOf(Object.keys(deliveryCounts)),
  appointments: noneOf(Object.keys(bookingCounts)),
};

const haltedSender = Type.Object(
  {
    _id: Id,
    name: Type.String({ description: 'Its name.' }),
    displayPhone: nullable(Type.String({ description: 'The number as people see it.' })),
    haltedAt: instant('When it was halted.'),
    haltedReason: nullable(Type.String({ description: 'Why.' })),
    haltedCode: nullable(Type.Integer({ description: "The platform's code of the rejection." })),
  },
  { description: 'A halted sender.' },
);
const failingEndpoint = Type.Object(
  {
    _id: Id,
    url: Type.String({ description: 'Its URL.' }),
    status: Type.String({ description: '`active`, `paused` or `disabled`.' }),
    disabledReason: nullable(Type.String({ description: 'Why it is disabled.' })),
    failingSince: nullable(instant('Since when no delivery has succeeded.')),
    restingUntil: nullable(instant('The gateway delivers nothing before this instant.')),
  },
  { description: 'A failing or disabled endpoint.' },
);
const disconnectedCalendar = Type.Object(
  {
    appointmentUserId: Type.String({ ...Id, description: 'The staff member.' }),
    name: Type.String({ description: 'Name of the staff member.' }),
    provider: Type.String({ description: 'The kind of calendar.' }),
    disconnectedAt: instant('When the authorization was found to be revoked.'),
    error: nullable(Type.String({ description: 'What the calendar answered.' })),
  },
  { description: 'A calendar whose authorization was revoked.' },
);

const failedCheck = Type.Object(
  {
    senderId: Type.String({ ...Id, description: 'The sender.' }),
    senderName: Type.String({ description: 'Its name.' }),
    check: Type.String({ description: 'What was checked.' }),
    detail: Type.String({ description: 'What was found.' }),
    fix: nullable(Type.String({ description: 'What to do.' })),
    checkedAt: instant('When it was checked.'),
  },
  { description: 'A failed check of a sender.' },
);
const stoppedTemplate = Type.Object(
  {
    _id: Id,
    name: Type.String({ description: 'Its name at the platform.' }),
    language: Type.String({ description: "The platform's language code." }),
    providerStatus: Type.String({
      description:
        '`REJECTED`, `PAUSED`, `DISABLED`, or `DELETED`: the platform no longer has it, and messages wait.',
    }),
    rejectedReason: nullable(Type.String({ description: 'Why the platform rejected it.' })),
  },
  { description: 'A template that cannot be sent.' },
);

export const Overview = Type.Object(
  {
    foldedUntil,
    today: counts,
    last30Days: Type.Object(counts.properties, {
      title: 'OverviewMonth',
      description: 'The last 30 days with today.',
      examples: [countsExample],
    }),
    queue: nullable(
      Type.Object(
        {
          waiting: Type.Integer({
            minimum: 0,
            description:
              'Queued messages; at most 100,000 are counted. Recipients of campaigns that are not fed yet are not included.',
          }),
          oldestAt: nullable(instant('When the oldest of them was created; null if the queue is empty.')),
        },
        { description: 'Messages that wait to be sent; null without the scope `messages:read`.' },
      ),
    ),
    haltedSenders: nullable(
      Type.Array(haltedSender, {
        description: 'Halted senders, at most 100; null without the scope `manage`.',
      }),
    ),
    failingEndpoints: nullable(
      Type.Array(failingEndpoint, {
        description: 'Endpoints that fail or are disabled; null without the scope `webhooks:manage`.',
      }),
    ),
    failedChecks: nullable(
      Type.Array(failedCheck, {
        description: 'Failed checks of senders, at most 100; null without the scope `manage`.',
      }),
    ),
    stoppedTemplates: nullable(
      Type.Array(stoppedTemplate, {
        description:
          'Templates that the platform rejected, paused or disabled, at most 100; null without the scope `templates:read`.',
      }),
    ),
    disconnectedCalendars: nullable(
      Type.Array(disconnectedCalendar, {
        description: 'Calendars to reconnect, at most 100; null without the scope `appointments:read`.',
      }),
    ),
    nextBookings: nullable(
      Type.Array(ListedBooking, {
        description:
          'The next five confirmed bookings, by their start; null without the scope `appointments:manage`.',
      }),
    ),
  },
  {
    title: 'Overview',
    description: 'What a start page shows.',
    examples: [
      {
        foldedUntil: '2026-03-11T09:30:02.114Z',
        today: countsExample,
        last30Days: countsExample,
        queue: { waiting: 12, oldestAt: '2026-03-11T09:29:58.000Z' },
        haltedSenders: [],
        failingEndpoints: [],
        failedChecks: [],
        stoppedTemplates: [],
        disconnectedCalendars: [],
        nextBookings: [],
      },
    ],
  },
);
