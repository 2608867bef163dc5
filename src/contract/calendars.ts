// Calendar connections of staff on the wire.
import { type Static, Type } from 'typebox';
import { StaffId } from './appointments.ts';
import { Id, instant, nullable } from './envelope.ts';

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
export const AuthUrlResult = Type.Object(
  {
    authUrl: Type.String({
      description: 'Open it in a browser as the owner of the calendar. Valid for one connection.',
    }),
    expiresAt: instant('When the link expires.'),
  },
  {
    title: 'CalendarAuthUrl',
    description: 'A link that connects a calendar.',
    examples: [
      {
        authUrl: 'https://accounts.example.com/o/oauth2/v2/auth?client_id=abc&state=xyz',
        expiresAt: '2026-03-10T15:00:00.000Z',
      },
    ],
  },
);
const EventProblems = Type.Object(
  {
    count: Type.Integer({ description: 'Number of such events.' }),
    items: Type.Array(
      Type.Object(
        {
          event: Type.String({ description: 'Address of the event in the calendar.' }),
          problem: Type.Enum(['time_zone_unknown', 'event_unreadable'], { description: 'What is wrong.' }),
          message: Type.String({ description: 'The problem in words.' }),
        },
        { title: 'EventProblem', description: 'An event whose times are uncertain.' },
      ),
      { description: 'The first 20.' },
    ),
  },
  {
    title: 'EventProblems',
    description:
      'Events within the booking window whose times are uncertain. They block the times that can be read. Null if the provider expands events itself, or the calendar could not be queried.',
  },
);
export const CalendarStatus = Type.Object(
  {
    connected: Type.Boolean({ description: 'Whether the connection works.' }),
    provider: nullable(Type.String({ description: '`google` or `caldav`; null if none is connected.' })),
    calendarId: nullable(Type.String({ description: 'The calendar to which bookings are written.' })),
    busyCalendarIds: Type.Array(Type.String(), { description: 'The calendars that block slots.' }),
    accountEmail: nullable(Type.String({ description: 'Account at the provider.' })),
    lastSyncedAt: nullable(instant('When the calendar was last read.')),
    error: nullable(Type.String({ description: 'What is wrong with the connection, and what to do.' })),
    eventProblems: nullable(EventProblems),
  },
  {
    title: 'CalendarStatus',
    description: 'The calendar connection of a staff member.',
    examples: [
      {
        connected: true,
        provider: 'google',
        calendarId: 'ada@example.com',
        busyCalendarIds: ['ada@example.com'],
        accountEmail: 'ada@example.com',
        lastSyncedAt: '2026-03-10T14:00:00.000Z',
        error: null,
        eventProblems: null,
      },
    ],
  },
);
export type CalendarStatus = Static<typeof CalendarStatus>;
/** `data` of `calendars.status` events. */
export const CalendarChange = Type.Object(
  {
    appointmentUserId: Type.String({ ...Id, description: 'Id of the staff member.' }),
    reason: Type.Enum(['connected', 'disconnected', 'bookings_missing'], {
      description:
        '`disconnected`: removed, or its authorization was revoked. `bookings_missing`: the events of many bookings disappeared together. No booking is cancelled: decide what to do.',
    }),
    connected: Type.Boolean({ description: 'Whether the connection works.' }),
    provider: Type.String({ description: '`google` or `caldav`.' }),
    calendarId: Type.String({ description: 'The calendar to which bookings are written.' }),
    accountEmail: nullable(Type.String({ description: 'Account at the provider.' })),
    error: nullable(Type.String({ description: 'What is wrong with the connection, and what to do.' })),
    missing: nullable(
      Type.Object(
        {
          count: Type.Integer({ description: 'Future bookings whose events are missing.' }),
          of: Type.Integer({ description: 'Future bookings in total.' }),
          bookingIds: Type.Array(Id, { description: 'Up to 100 of them.' }),
        },
        { title: 'MissingBookings', description: 'For `bookings_missing` only.' },
      ),
    ),
  },
  {
    title: 'CalendarChange',
    description: 'What happened to the calendar of a staff member.',
    examples: [
      {
        appointmentUserId: '019a0b5e-7c00-7000-8000-000000000001',
        reason: 'disconnected',
        connected: false,
        provider: 'google',
        calendarId: 'ada@example.com',
        accountEmail: 'ada@example.com',
        error: 'The authorization was revoked. Reconnect with a new link to fix it.',
        missing: null,
      },
    ],
  },
);
export type CalendarChange = Static<typeof CalendarChange>;
const BusyCalendarIds = Type.Array(Type.String({ minLength: 1, maxLength: 1024 }), {
  minItems: 1,
  maxItems: 50,
  uniqueItems: true,
  description:
    'The calendars of the account that block slots. Default: the one to which bookings are written.',
});
export const PutCalendarBody = Type.Object(
  {
    provider: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The calendar provider; one that takes a user name and a password.',
        examples: ['caldav'],
      }),
    ),
    url: Type.Optional(
      Type.String({ format: 'uri', maxLength: 2000, description: 'Address of the CalDAV server.' }),
    ),
    username: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: 'User name at the CalDAV server.' }),
    ),
    password: Type.Optional(
      Type.String({ minLength: 1, maxLength: 500, description: 'Password. It is never returned.' }),
    ),
    calendarUrl: Type.Optional(
      Type.String({
        format: 'uri',
        maxLength: 2000,
        description: 'The calendar for bookings. Default: the default calendar of the user.',
      }),
    ),
    busyCalendarIds: Type.Optional(BusyCalendarIds),
  },
  {
    ...closed,
    minProperties: 1,
    title: 'ConnectCalendar',
    description:
      'With `provider`, `url`, `username` and `password`: connects a CalDAV account. With `busyCalendarIds` alone: sets which calendars of the connected account block slots.',
    examples: [
      { provider: 'caldav', url: 'https://dav.example.com', username: 'ada', password: 'app-password' },
    ],
  },
);
export type PutCalendarBody = Static<typeof PutCalendarBody>;
