// Erasure of a person, on the wire.
import { type Static, Type } from 'typebox';
import { Id, instant, nullable } from './envelope.ts';

export const EraseBody = Type.Object(
  {
    phone: Type.Optional(
      Type.String({
        format: 'phone',
        maxLength: 40,
        description: 'The number of the person, with the country code.',
        examples: ['15551234567'],
      }),
    ),
    userId: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: "The platform's id of the person." }),
    ),
    email: Type.Optional(
      Type.String({
        minLength: 3,
        maxLength: 254,
        description: 'The address that bookings of the person have.',
      }),
    ),
    cancelBookings: Type.Optional(
      Type.Boolean({ description: 'Cancel their open bookings. Default false: 409 `booking_open`.' }),
    ),
  },
  {
    additionalProperties: false,
    minProperties: 1,
    title: 'ErasePerson',
    description: 'Exactly one of `phone`, `userId` and `email`.',
    examples: [{ phone: '15551234567', cancelBookings: true }],
  },
);
export type EraseBody = Static<typeof EraseBody>;

const count = (description: string) => Type.Integer({ description });

export const Erasure = Type.Object(
  {
    _id: { ...Id, description: 'Id of the erasure, also in the audit log.' },
    finished: Type.Boolean({
      description:
        'False: the rest is erased within minutes, also if this process dies. Repeat the request to see it.',
    }),
    messages: count('Messages that were erased by now.'),
    received: count('Received messages.'),
    recipients: count('Recipients of drafts, scheduled and paused sends, who were removed.'),
    deliveries: count('Webhook deliveries.'),
    bookings: count('Bookings.'),
    calendarEvents: Type.Array(
      Type.Object(
        {
          bookingId: Id,
          startsAt: instant('When the appointment began.'),
          calendarEventId: Type.String({ description: 'Id of the event in the calendar.' }),
          calendarEventLink: nullable(Type.String({ description: 'Link to it.' })),
        },
        { title: 'RemainingEvent', description: 'An event of a past booking.' },
      ),
      {
        description:
          'Events that stay in the calendars of staff, with what they say about the person: delete them there.',
      },
    ),
    backups: Type.String({ description: 'What backups keep.' }),
  },
  {
    title: 'Erasure',
    description: 'What was erased, and what was not.',
    examples: [
      {
        _id: '019a0b5e-7c00-7000-8000-000000000000',
        finished: true,
        messages: 12,
        received: 3,
        recipients: 1,
        deliveries: 20,
        bookings: 1,
        calendarEvents: [
          {
            bookingId: '019a0b5e-7c00-7000-8000-000000000003',
            startsAt: '2026-03-10T09:00:00.000Z',
            calendarEventId: 'cgw019a0b5e7c0070008000000000000003',
            calendarEventLink: 'https://calendar.example.com/event?eid=abc',
          },
        ],
        backups: 'Backups that were made before keep the person until they are deleted.',
      },
    ],
  },
);
export type Erasure = Static<typeof Erasure>;
