// Bookings on the wire.
import { type Static, Type } from 'typebox';
import { ClockText, DateText, StaffId } from './appointments.ts';
import { Id, instant, nullable } from './envelope.ts';
import { optionsMax } from './form-questions.ts';

const closed = { additionalProperties: false } as const;

/** The states of a booking: held → confirmed → cancelled, or held → compensating → compensated. */
export const bookingState = {
  held: 'held',
  confirmed: 'confirmed',
  compensating: 'undoing',
  compensated: 'undone',
  cancelled: 'cancelled',
} as const;
export type BookingState = (typeof bookingState)[keyof typeof bookingState];
export const bookingStates = Object.values(bookingState);

/** What an external change did to the event of a booking. */
export const calendarState = { inStep: 'in_step', moved: 'moved', deleted: 'deleted' } as const;

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
    question: Type.Optional(
      nullable(Type.String({ maxLength: 1000, description: 'Text of the question, as listed.' })),
    ),
    questionType: Type.Optional(
      nullable(Type.String({ maxLength: 64, description: 'Kind of answer, as listed.' })),
    ),
    isRequired: Type.Optional(
      nullable(Type.Boolean({ description: 'Ignored: the setting of the staff member applies.' })),
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
          'Text. For `multiselect` a JSON array as text. For `checkbox` `true` or `false`; a required checkbox must be `true`.',
      },
    ),
    options: Type.Optional(
      nullable(Type.Array(Type.String(), { maxItems: optionsMax, description: 'Ignored.' })),
    ),
    placeholder: Type.Optional(nullable(Type.String({ description: 'Ignored.' }))),
  },
  { ...closed, title: 'FormAnswer', description: 'An answer to one question of the booking form.' },
);

export const BookBody = Type.Object(
  {
    appointmentUserId: StaffId,
    date: DateText,
    from: ClockText,
    to: ClockText,
    timezone: Type.Optional(nullable(Timezone)),
    staticQuestionAnswers: Type.Optional(
      nullable(Type.Array(QuestionAnswer, { maxItems: 200, description: 'Answers to the form questions.' })),
    ),
    email: Type.String({
      format: 'idn-email',
      maxLength: 254,
      description: 'E-mail address of the guest. The domain may be internationalized.',
    }),
    phoneNumber: Phone,
    name: Type.Optional(nullable(Type.String({ maxLength: 200, description: 'Name of the guest.' }))),
    source: Type.Optional(
      nullable(
        Type.String({
          minLength: 1,
          maxLength: 64,
          description: 'Label of the origin of the booking. Default: `api`.',
        }),
      ),
    ),
  },
  {
    ...closed,
    title: 'BookAppointment',
    description: 'A slot, its guest and the answers to the form questions.',
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
  bookingId: Type.String({ ...Id, description: 'Id of the booking (UUIDv7).' }),
  status: Type.Enum([...bookingStates], {
    description:
      '`held`: being written to the calendar. `undoing` and `undone`: given up, because the calendar could not confirm it.',
  }),
  appointmentUserId: Type.String({ ...Id, description: 'Id of the staff member.' }),
  date: Type.String({ description: 'Civil date in `timezone`, `YYYY-MM-DD`.' }),
  from: Type.String({ description: 'Local start, `HH:MM`.' }),
  to: Type.String({ description: 'Local end, `HH:MM`.' }),
  timezone: Type.String({ description: 'IANA time zone of `date`, `from` and `to`.' }),
  startsAt: instant('Start of the appointment.'),
  endsAt: instant('End of the appointment.'),
  meetingLink: nullable(Type.String({ description: 'Link of the video meeting.' })),
  guestInvited: nullable(
    Type.Boolean({
      description:
        'Whether the calendar invites the guest by e-mail. `false`: nobody does, so send the guest `meetingLink`. `null`: not known; a CalDAV server decides this itself.',
    }),
  ),
  calendarEventId: nullable(Type.String({ description: 'Id of the event in the calendar.' })),
  calendarEventLink: nullable(Type.String({ description: 'Link to the event in the calendar.' })),
  email: Type.String({ description: 'E-mail address of the guest.' }),
  phoneNumber: Type.String({ description: 'Phone number of the guest, digits only.' }),
  name: nullable(Type.String({ description: 'Name of the guest.' })),
  source: Type.String({ description: 'Label of the origin of the booking.' }),
  createdAt: instant('When the booking was made.'),
};
const answerExample = {
  bookingId: '019a0b5e-7c00-7000-8000-000000000003',
  status: 'confirmed',
  appointmentUserId: '019a0b5e-7c00-7000-8000-000000000001',
  date: '2026-03-10',
  from: '10:00',
  to: '10:30',
  timezone: 'Europe/Berlin',
  startsAt: '2026-03-10T09:00:00.000Z',
  endsAt: '2026-03-10T09:30:00.000Z',
  meetingLink: 'https://meet.example.com/abc-defg-hij',
  guestInvited: true,
  calendarEventId: 'cgw019a0b5e7c0070008000000000000003',
  calendarEventLink: 'https://calendar.example.com/event?eid=abc',
  email: 'guest@example.com',
  phoneNumber: '15551234567',
  name: 'Grace Hopper',
  source: 'chatbot',
  createdAt: '2026-03-09T14:00:00.000Z',
};
export const BookResult = Type.Object(answerFields, {
  title: 'BookedAppointment',
  description: 'The confirmed booking.',
  examples: [answerExample],
});
export type BookResult = Static<typeof BookResult>;

const CalendarState = Type.Object(
  {
    state: Type.Enum(Object.values(calendarState), {
      description: '`in_step`: the event matches the booking.',
    }),
    from: Type.Optional(instant('Where the event starts now, if it was moved.')),
    to: Type.Optional(instant('Where the event ends now, if it was moved.')),
    conflict: Type.Optional(
      Type.Boolean({ description: 'The event was moved onto a time that another booking occupies.' }),
    ),
  },
  { title: 'CalendarState', description: 'External changes of the calendar event.' },
);

const bookingFields = {
  _id: Id,
  ...answerFields,
  staticQuestionAnswers: Type.Array(
    Type.Object(
      {
        _id: Type.String({ description: 'Id of the question.' }),
        question: Type.String({ description: 'Text of the question at the time of the booking.' }),
        questionType: Type.String({ description: 'Kind of answer.' }),
        isRequired: Type.Boolean({ description: 'Whether the question had to be answered.' }),
        answer: Type.String({ description: 'The answer, as text.' }),
      },
      { title: 'GivenAnswer', description: 'A question of the booking form with its answer.' },
    ),
    { description: 'The answered form questions.' },
  ),
  pendingChange: nullable(
    Type.Object(
      {
        kind: Type.Enum(['cancel', 'reschedule'], { description: 'What was requested.' }),
        startsAt: nullable(instant('The new start; null for a cancellation.')),
        endsAt: nullable(instant('The new end; null for a cancellation.')),
      },
      {
        title: 'PendingChange',
        description: 'A requested change that the calendar does not show yet.',
      },
    ),
  ),
  calendarState: CalendarState,
  cancelledAt: nullable(instant('When the booking was cancelled.')),
  cancelReason: nullable(Type.String({ description: 'Why the booking was cancelled.' })),
};
/** A booking in examples. */
export const bookingExample = {
  _id: answerExample.bookingId,
  ...answerExample,
  staticQuestionAnswers: [
    {
      _id: '019a0b5e-7c00-7000-8000-000000000002',
      question: 'What is it about?',
      questionType: 'text',
      isRequired: true,
      answer: 'A check-up',
    },
  ],
  pendingChange: null,
  calendarState: { state: 'in_step' },
  cancelledAt: null,
  cancelReason: null,
};
export const BookingItem = Type.Object(bookingFields, {
  title: 'Booking',
  description: 'A booking.',
  examples: [bookingExample],
});
export type BookingItem = Static<typeof BookingItem>;
/** Who changed a booking: a caller of the API, or somebody in the calendar itself. */
const bookingChangedBy = ['api', 'calendar'] as const;
export type BookingChangedBy = (typeof bookingChangedBy)[number];
/** A booking as the events of its changes show it. */
export const ChangedBookingItem = Type.Object(
  {
    ...bookingFields,
    by: Type.Enum([...bookingChangedBy], {
      description: '`api`: a request. `calendar`: the event was moved or deleted in the calendar.',
    }),
  },
  {
    title: 'ChangedBooking',
    description: 'A booking, and who changed it.',
    examples: [{ ...bookingExample, by: 'api' }],
  },
);

export const CancelBody = Type.Object(
  {
    reason: Type.Optional(
      nullable(Type.String({ maxLength: 500, description: 'Why the booking is cancelled.' })),
    ),
  },
  {
    ...closed,
    title: 'CancelBooking',
    description: 'Why the booking is cancelled.',
    examples: [{ reason: 'The guest cannot come' }],
  },
);
export const RescheduleBody = Type.Object(
  { date: DateText, from: ClockText, to: ClockText, timezone: Type.Optional(nullable(Timezone)) },
  {
    ...closed,
    title: 'RescheduleBooking',
    description: 'The new slot.',
    examples: [{ date: '2026-03-11', from: '10:00', to: '10:30' }],
  },
);
