// Bookings on the wire.
import { type Static, Type } from 'typebox';
import { ClockText, DateText, optionsMax, StaffId } from './appointments.ts';
import { cursorProperties, Id, Instant, nullable } from './envelope.ts';

const closed = { additionalProperties: false } as const;

export const bookingStates = ['held', 'confirmed', 'undoing', 'undone', 'cancelled'] as const;
export type BookingState = (typeof bookingStates)[number];

const Phone = Type.String({
  format: 'phone',
  maxLength: 40,
  description:
    'Digits with the country code, `^[1-9][0-9]{6,14}$`; a plus sign, spaces, dashes, dots and brackets are removed.',
  examples: ['15551234567'],
});
const Timezone = Type.String({
  maxLength: 64,
  description: "IANA zone in which `date`, `from` and `to` are read. Default: the staff member's own.",
});

const QuestionAnswer = Type.Object(
  {
    _id: Type.Optional(
      nullable(Type.String({ maxLength: 64, description: "The question's id; wins over its text." })),
    ),
    question: Type.Optional(nullable(Type.String({ maxLength: 1000 }))),
    questionType: Type.Optional(nullable(Type.String({ maxLength: 64 }))),
    isRequired: Type.Optional(
      nullable(Type.Boolean({ description: 'Never weakens what the staff member asks for.' })),
    ),
    answer: Type.Union(
      [
        Type.String(),
        Type.Number(),
        Type.Boolean(),
        Type.Array(Type.String(), { maxItems: optionsMax }),
        Type.Null(),
      ],
      {
        description:
          'Text; for `multiselect` a JSON array as text, for `checkbox` `true` or `false` (`true` if it is required).',
      },
    ),
    options: Type.Optional(nullable(Type.Array(Type.String(), { maxItems: optionsMax }))),
    placeholder: Type.Optional(nullable(Type.String())),
  },
  closed,
);

export const BookBody = Type.Object(
  {
    appointmentUserId: StaffId,
    date: DateText,
    from: ClockText,
    to: ClockText,
    timezone: Type.Optional(nullable(Timezone)),
    staticQuestionAnswers: Type.Optional(nullable(Type.Array(QuestionAnswer, { maxItems: 200 }))),
    email: Type.String({
      format: 'idn-email',
      maxLength: 254,
      description: 'The domain may be internationalized.',
    }),
    phoneNumber: Phone,
    name: Type.Optional(nullable(Type.String({ maxLength: 200 }))),
    source: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'Where the booking came from. Default `api`.',
        }),
      ),
    ),
  },
  {
    ...closed,
    examples: [
      {
        appointmentUserId: '019a0b5e-7c00-7000-8000-000000000000',
        date: '2026-03-10',
        from: '10:00',
        to: '10:30',
        staticQuestionAnswers: [
          { question: 'What is it about?', questionType: 'text', isRequired: true, answer: 'A check-up' },
        ],
        email: 'guest@example.com',
        phoneNumber: '15551234567',
        source: 'chatbot',
      },
    ],
  },
);
export type BookBody = Static<typeof BookBody>;

const answerFields = {
  bookingId: Id,
  status: Type.Enum([...bookingStates]),
  appointmentUserId: Id,
  date: Type.String(),
  from: Type.String(),
  to: Type.String(),
  timezone: Type.String(),
  startsAt: Instant,
  endsAt: Instant,
  meetingLink: nullable(Type.String({ description: 'Link of the video meeting.' })),
  calendarEventId: nullable(Type.String()),
  calendarEventLink: nullable(Type.String()),
  email: Type.String(),
  phoneNumber: Type.String(),
  name: nullable(Type.String()),
  source: Type.String(),
  createdAt: Instant,
};
export const BookAnswer = Type.Object(answerFields);
export type BookAnswer = Static<typeof BookAnswer>;

export const CalendarState = Type.Object(
  {
    state: Type.Enum(['in_step', 'moved', 'deleted']),
    from: Type.Optional(Instant),
    to: Type.Optional(Instant),
    conflict: Type.Optional(
      Type.Boolean({ description: 'The event was moved onto a time that another booking occupies.' }),
    ),
  },
  { description: 'What was done to the event by hand.' },
);

export const BookingItem = Type.Object({
  _id: Id,
  ...answerFields,
  staticQuestionAnswers: Type.Array(
    Type.Object({
      _id: Type.String(),
      question: Type.String(),
      questionType: Type.String(),
      isRequired: Type.Boolean(),
      answer: Type.String(),
    }),
  ),
  pendingChange: nullable(
    Type.Object(
      { kind: Type.Enum(['cancel', 'reschedule']), startsAt: nullable(Instant), endsAt: nullable(Instant) },
      { description: 'A cancellation or move that the calendar does not show yet.' },
    ),
  ),
  calendarState: CalendarState,
  cancelledAt: nullable(Instant),
  cancelReason: nullable(Type.String()),
});
export type BookingItem = Static<typeof BookingItem>;

/** Who changed a booking: a caller of the API, or somebody in the calendar itself. */
export const bookingChangedBy = ['api', 'calendar'] as const;
export type BookingChangedBy = (typeof bookingChangedBy)[number];
/** A booking as the events of its changes show it. */
export const ChangedBookingItem = Type.Object({
  ...BookingItem.properties,
  by: Type.Enum([...bookingChangedBy], {
    description: '`api`: by a request. `calendar`: the event was moved or deleted in the calendar.',
  }),
});

export const ListBookingsQuery = Type.Object(
  {
    appointmentUserId: Type.Optional(StaffId),
    status: Type.Optional(Type.Enum([...bookingStates])),
    from: Type.Optional(Type.String({ format: 'date-time', description: 'Starts at or after.' })),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'Starts before.' })),
    email: Type.Optional(Type.String({ maxLength: 254 })),
    phoneNumber: Type.Optional(Type.String({ maxLength: 32 })),
    ...cursorProperties,
  },
  closed,
);

export const CancelBody = Type.Object(
  { reason: Type.Optional(nullable(Type.String({ maxLength: 500 }))) },
  { ...closed, examples: [{ reason: 'The guest cannot come' }] },
);
export const RescheduleBody = Type.Object(
  { date: DateText, from: ClockText, to: ClockText, timezone: Type.Optional(nullable(Timezone)) },
  { ...closed, examples: [{ date: '2026-03-11', from: '10:00', to: '10:30' }] },
);
