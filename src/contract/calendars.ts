// Calendar connections of staff on the wire.
import { type Static, Type } from 'typebox';
import { StaffId } from './appointments.ts';
import { Id, Instant, nullable } from './envelope.ts';

const closed = { additionalProperties: false } as const;

export const CalendarQuery = Type.Object({ appointmentUserId: StaffId }, closed);
export const AuthUrlQuery = Type.Object(
  {
    appointmentUserId: StaffId,
    provider: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'The calendar provider to connect. Default: the first configured provider with a consent page.',
      }),
    ),
  },
  closed,
);
export const AuthUrlAnswer = Type.Object({
  authUrl: Type.String({
    description:
      'Open it in a browser as the owner of the calendar. Good for one connection within the hour.',
  }),
  expiresAt: Instant,
});
const EventProblems = Type.Object(
  {
    count: Type.Integer(),
    items: Type.Array(
      Type.Object({
        event: Type.String({ description: 'Where the calendar keeps it.' }),
        problem: Type.Enum(['time_zone_unknown', 'event_unreadable']),
        message: Type.String(),
      }),
      { description: 'The first 20.' },
    ),
  },
  {
    description:
      'Events within the booking window whose times are not certain. They block where they can be read, and no other time. Null where the provider reads events itself, or the calendar could not be asked.',
  },
);
export const CalendarStatus = Type.Object({
  connected: Type.Boolean(),
  provider: nullable(Type.String()),
  calendarId: nullable(Type.String()),
  busyCalendarIds: Type.Array(Type.String()),
  accountEmail: nullable(Type.String()),
  lastSyncedAt: nullable(Instant),
  error: nullable(Type.String({ description: 'What is wrong with the connection, and what to do.' })),
  eventProblems: nullable(EventProblems),
});
export type CalendarStatus = Static<typeof CalendarStatus>;
/** What `calendars.status` events say of a staff member's calendar. */
export const CalendarNews = Type.Object({
  appointmentUserId: Id,
  reason: Type.Enum(['connected', 'disconnected', 'bookings_missing'], {
    description:
      '`disconnected`: removed, or its authorization was revoked. `bookings_missing`: the events of many bookings vanished at once; none is cancelled, and somebody has to decide.',
  }),
  connected: Type.Boolean(),
  provider: Type.String(),
  calendarId: Type.String(),
  accountEmail: nullable(Type.String()),
  error: nullable(Type.String({ description: 'What is wrong with the connection, and what to do.' })),
  missing: nullable(
    Type.Object(
      {
        count: Type.Integer({ description: 'Future bookings whose events are missing.' }),
        of: Type.Integer({ description: 'Future bookings before they went missing.' }),
        bookingIds: Type.Array(Id, { description: 'Up to 100 of them.' }),
      },
      { description: 'For `bookings_missing` only.' },
    ),
  ),
});
export type CalendarNews = Static<typeof CalendarNews>;
const BusyCalendarIds = Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  description: 'Which calendars of the account block slots. Default: the one that bookings are written to.',
});
export const PutCalendarBody = Type.Object(
  {
    provider: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'A provider with password sign-in: `caldav`.',
      }),
    ),
    url: Type.Optional(Type.String({ format: 'uri', maxLength: 2000 })),
    username: Type.Optional(Type.String({ minLength: 1, maxLength: 500 })),
    password: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'Never comes out.' })),
    calendarUrl: Type.Optional(Type.String({ format: 'uri', maxLength: 2000 })),
    busyCalendarIds: Type.Optional(BusyCalendarIds),
  },
  {
    ...closed,
    minProperties: 1,
    description:
      'With `provider`, `url`, `username` and `password`: connects a CalDAV account. With `busyCalendarIds` alone: says which calendars of the connected account block slots.',
    examples: [
      { provider: 'caldav', url: 'https://dav.example.com', username: 'ada', password: 'app-password' },
    ],
  },
);
export type PutCalendarBody = Static<typeof PutCalendarBody>;
