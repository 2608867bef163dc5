// Appointments on the wire: the directory, slots and calendars.
import { type Static, Type } from 'typebox';
import { Id, Instant, nullable, pageProperties } from './envelope.ts';

const closed = { additionalProperties: false } as const;
const Name = Type.String({ minLength: 1, maxLength: 200, pattern: '\\S' });
const Zone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'IANA time zone.',
  examples: ['Europe/Berlin'],
});
export const DateText = Type.String({
  maxLength: 10,
  description: 'Civil date, `YYYY-MM-DD`.',
  examples: ['2026-03-10'],
});
/** `HH:MM`; 24:00 only where a window ends. */
const clock = '([01][0-9]|2[0-3]):[0-5][0-9]';
export const ClockText = Type.String({
  maxLength: 5,
  description: 'Local time, `HH:MM`.',
  examples: ['10:00'],
});
export const StaffId = Type.String({ maxLength: 64, description: 'Id of a staff member (`_id` of a user).' });

export const AppointmentParams = Type.Object({ id: Type.String({ maxLength: 64 }) }, closed);
/** What a removal answers. */
export const Removed = Type.Object({ _id: Id });

// the directory

export const DepartmentItem = Type.Object({
  _id: Id,
  name: Type.String(),
  description: nullable(Type.String()),
  active: Type.Boolean(),
  createdAt: Instant,
});
const departmentFields = {
  name: Name,
  description: nullable(Type.String({ maxLength: 1000 })),
  active: Type.Boolean({ description: 'Inactive departments are kept and not listed.' }),
};
export const CreateDepartmentBody = Type.Object(
  {
    name: departmentFields.name,
    description: Type.Optional(departmentFields.description),
    active: Type.Optional(departmentFields.active),
  },
  { ...closed, examples: [{ name: 'Cardiology', description: 'Heart and vessels' }] },
);
export const ChangeDepartmentBody = Type.Partial(CreateDepartmentBody, { ...closed, minProperties: 1 });

const includeInactive = Type.Optional(
  Type.Boolean({ default: false, description: 'Lists what is inactive too.' }),
);
export const ListDepartmentsQuery = Type.Object({ includeInactive, ...pageProperties }, closed);
export const ListStaffQuery = Type.Object(
  {
    departmentId: Type.Optional(
      Type.String({ maxLength: 64, description: 'Only staff of this department.' }),
    ),
    includeInactive,
    ...pageProperties,
  },
  closed,
);

const OnCalendarMove = Type.Enum(['follow', 'keep'], {
  description:
    'When somebody moves the event of a booking in the calendar. `follow` (default): the booking moves too. `keep`: it keeps its time, and `calendarState` shows the move.',
});
const OnCalendarDelete = Type.Enum(['cancel', 'keep'], {
  description:
    'When somebody deletes the event of a booking in the calendar. `cancel` (default): the booking is cancelled. `keep`: it stays, and `calendarState` shows the deletion.',
});
export const StaffItem = Type.Object({
  _id: Id,
  name: Type.String(),
  title: nullable(Type.String()),
  email: nullable(Type.String()),
  departmentIds: Type.Array(Type.String()),
  timezone: Type.String(),
  slotMinutes: Type.Integer(),
  calendar: Type.Enum(['required', 'none']),
  calendarConnected: Type.Boolean(),
  onCalendarMove: OnCalendarMove,
  onCalendarDelete: OnCalendarDelete,
  active: Type.Boolean(),
  createdAt: Instant,
});
export type StaffItem = Static<typeof StaffItem>;
export const CreateStaffBody = Type.Object(
  {
    name: Name,
    title: Type.Optional(nullable(Type.String({ maxLength: 200 }))),
    email: Type.Optional(nullable(Type.String({ format: 'idn-email', maxLength: 254 }))),
    departmentIds: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), { maxItems: 100, uniqueItems: true }),
    ),
    active: Type.Optional(Type.Boolean()),
    calendar: Type.Optional(
      Type.Enum(['required', 'none'], {
        description:
          '`required` (default): no slots and no bookings without a connected calendar. `none`: bookings live in the gateway alone.',
      }),
    ),
    onCalendarMove: Type.Optional(OnCalendarMove),
    onCalendarDelete: Type.Optional(OnCalendarDelete),
  },
  { ...closed, examples: [{ name: 'Dr. Ada Okafor', title: 'Cardiologist' }] },
);
export const ChangeStaffBody = Type.Partial(CreateStaffBody, { ...closed, minProperties: 1 });

const Window = Type.Object(
  {
    from: Type.String({ pattern: `^${clock}$`, examples: ['09:00'] }),
    to: Type.String({
      pattern: `^(${clock}|24:00)$`,
      description:
        'Where it is before `from`, the window runs into the next day. A whole day is `00:00` to `24:00`; `from` and `to` may not be the same.',
      examples: ['17:00'],
    }),
  },
  closed,
);
const scheduleFields = {
  timezone: Zone,
  slotMinutes: Type.Integer({ minimum: 5, maximum: 1440, description: 'Length of an appointment.' }),
  slotStepMinutes: Type.Integer({
    minimum: 5,
    maximum: 1440,
    description: 'Distance between the starts of slots. Default: `slotMinutes`.',
  }),
  bufferBeforeMinutes: Type.Integer({ minimum: 0, maximum: 1440, default: 0 }),
  bufferAfterMinutes: Type.Integer({ minimum: 0, maximum: 1440, default: 0 }),
  minimumNoticeMinutes: Type.Integer({ minimum: 0, maximum: 525_600, default: 0 }),
  bookingWindowDays: Type.Integer({
    minimum: 0,
    maximum: 730,
    default: 60,
    description: 'How many days after today are open for booking.',
  }),
  dailyLimit: nullable(
    Type.Integer({ minimum: 1, maximum: 1000, description: 'Most bookings on one date; null: no limit.' }),
  ),
  weekly: Type.Array(
    Type.Object(
      {
        weekday: Type.Enum(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']),
        ...Window.properties,
      },
      closed,
    ),
    { maxItems: 100 },
  ),
  overrides: Type.Array(
    Type.Object({ date: DateText, windows: Type.Array(Window, { maxItems: 20 }) }, closed),
    { maxItems: 1000, description: 'Single dates with hours of their own; no windows: closed.' },
  ),
};
export const ScheduleItem = Type.Object({ ...scheduleFields });
export type ScheduleItem = Static<typeof ScheduleItem>;
export const PutScheduleBody = Type.Object(
  {
    timezone: scheduleFields.timezone,
    slotMinutes: scheduleFields.slotMinutes,
    slotStepMinutes: Type.Optional(scheduleFields.slotStepMinutes),
    bufferBeforeMinutes: Type.Optional(scheduleFields.bufferBeforeMinutes),
    bufferAfterMinutes: Type.Optional(scheduleFields.bufferAfterMinutes),
    minimumNoticeMinutes: Type.Optional(scheduleFields.minimumNoticeMinutes),
    bookingWindowDays: Type.Optional(scheduleFields.bookingWindowDays),
    dailyLimit: Type.Optional(scheduleFields.dailyLimit),
    weekly: scheduleFields.weekly,
    overrides: Type.Optional(scheduleFields.overrides),
  },
  {
    ...closed,
    examples: [
      {
        timezone: 'Europe/Berlin',
        slotMinutes: 30,
        bufferAfterMinutes: 10,
        minimumNoticeMinutes: 120,
        weekly: [
          { weekday: 'monday', from: '09:00', to: '12:00' },
          { weekday: 'monday', from: '13:00', to: '17:00' },
        ],
        overrides: [{ date: '2026-12-24', windows: [] }],
      },
    ],
  },
);
export type PutScheduleBody = Static<typeof PutScheduleBody>;

// form questions

export const questionTypes = [
  'phone',
  'email',
  'text',
  'textarea',
  'number',
  'date',
  'select',
  'multiselect',
  'checkbox',
  'url',
] as const;
export type QuestionType = (typeof questionTypes)[number];
/** Options of one question. */
export const optionsMax = 200;
const questionFields = {
  question: Type.String({ minLength: 1, maxLength: 500, pattern: '\\S' }),
  questionType: Type.Enum([...questionTypes]),
  isRequired: Type.Boolean(),
  options: Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
    maxItems: optionsMax,
    description: 'The choices of `select` and `multiselect`.',
  }),
  placeholder: nullable(Type.String({ maxLength: 200 })),
};
export const QuestionItem = Type.Object({ _id: Id, ...questionFields });
export type QuestionItem = Static<typeof QuestionItem>;
export const ListQuestionsQuery = Type.Object({ appointmentUserId: StaffId, ...pageProperties }, closed);
export const PutQuestionsBody = Type.Array(
  Type.Object(
    {
      question: questionFields.question,
      questionType: questionFields.questionType,
      isRequired: questionFields.isRequired,
      options: Type.Optional(questionFields.options),
      placeholder: Type.Optional(questionFields.placeholder),
    },
    closed,
  ),
  {
    maxItems: 100,
    examples: [[{ question: 'What is it about?', questionType: 'text', isRequired: true }]],
  },
);
export type PutQuestionsBody = Static<typeof PutQuestionsBody>;

// slots

export const SlotsQuery = Type.Object(
  {
    appointmentUserId: StaffId,
    date: DateText,
    timezone: Type.Optional(
      Type.String({
        maxLength: 64,
        description: "IANA zone in which `date`, `from` and `to` are read. Default: the staff member's own.",
      }),
    ),
  },
  closed,
);
export const Slot = Type.Object({
  from: Type.String({ description: 'Local `HH:MM`.' }),
  to: Type.String({ description: 'Local `HH:MM`.' }),
  startsAt: Instant,
  endsAt: Instant,
});
export const SlotsAnswer = Type.Object({
  appointmentUserId: Id,
  date: Type.String(),
  timezone: Type.String(),
  slotMinutes: Type.Integer(),
  slots: Type.Array(Slot),
});
export type SlotsAnswer = Static<typeof SlotsAnswer>;
