// Schedules of staff on the wire.
import { type Static, Type } from 'typebox';
import { DateText } from './appointments.ts';
import { nullable } from './envelope.ts';

const closed = { additionalProperties: false } as const;
const Zone = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'IANA time zone.',
  examples: ['Europe/Berlin'],
});
/** `HH:MM`; 24:00 only where a window ends. */
const clock = '([01][0-9]|2[0-3]):[0-5][0-9]';
const Window = Type.Object(
  {
    from: Type.String({ pattern: `^${clock}$`, description: 'Local start, `HH:MM`.', examples: ['09:00'] }),
    to: Type.String({
      pattern: `^(${clock}|24:00)$`,
      description:
        'Local end, `HH:MM`. Before `from`: the window ends on the next day. A whole day is `00:00` to `24:00`. `from` and `to` must differ.',
      examples: ['17:00'],
    }),
  },
  closed,
);
const scheduleFields = {
  timezone: Zone,
  slotMinutes: Type.Integer({
    minimum: 5,
    maximum: 1440,
    description: 'Length of an appointment, in minutes.',
  }),
  slotStepMinutes: Type.Integer({
    minimum: 5,
    maximum: 1440,
    description: 'Minutes between the starts of slots. Default: `slotMinutes`.',
  }),
  bufferBeforeMinutes: Type.Integer({
    minimum: 0,
    maximum: 1440,
    default: 0,
    description: 'Free minutes before an appointment.',
  }),
  bufferAfterMinutes: Type.Integer({
    minimum: 0,
    maximum: 1440,
    default: 0,
    description: 'Free minutes after an appointment.',
  }),
  minimumNoticeMinutes: Type.Integer({
    minimum: 0,
    maximum: 525_600,
    default: 0,
    description: 'Minutes between now and the earliest slot.',
  }),
  bookingWindowDays: Type.Integer({
    minimum: 0,
    maximum: 730,
    default: 60,
    description: 'Number of days after today that are open for booking.',
  }),
  dailyLimit: nullable(
    Type.Integer({
      minimum: 1,
      maximum: 1000,
      description: 'Maximum number of bookings per date; null: no limit.',
    }),
  ),
  weekly: Type.Array(
    Type.Object(
      {
        weekday: Type.Enum(['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'], {
          description: 'Day on which the window starts.',
        }),
        ...Window.properties,
      },
      { ...closed, description: 'One window of opening hours.' },
    ),
    { maxItems: 100, description: 'Opening hours of a week; a day can have several windows.' },
  ),
  overrides: Type.Array(
    Type.Object(
      {
        date: DateText,
        windows: Type.Array(Window, { maxItems: 20, description: 'Hours of this date; empty: closed.' }),
      },
      { ...closed, description: 'The hours of one date.' },
    ),
    { maxItems: 1000, description: 'Dates with different hours.' },
  ),
};
const scheduleExample = {
  timezone: 'Europe/Berlin',
  slotMinutes: 30,
  slotStepMinutes: 30,
  bufferBeforeMinutes: 0,
  bufferAfterMinutes: 10,
  minimumNoticeMinutes: 120,
  bookingWindowDays: 60,
  dailyLimit: null,
  weekly: [
    { weekday: 'monday', from: '09:00', to: '12:00' },
    { weekday: 'monday', from: '13:00', to: '17:00' },
  ],
  overrides: [{ date: '2026-12-24', windows: [] }],
};
export const ScheduleItem = Type.Object(
  { ...scheduleFields },
  { title: 'Schedule', description: 'When a staff member can be booked.', examples: [scheduleExample] },
);
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
    title: 'SetSchedule',
    description: 'The whole new schedule.',
    examples: [scheduleExample],
  },
);
export type PutScheduleBody = Static<typeof PutScheduleBody>;
