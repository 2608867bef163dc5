// Explained slots on the wire.
import { type Static, Type } from 'typebox';
import { Id, instant, nullable } from './envelope.ts';

/** Why a step is not open, in the order in which a step lists its reasons. */
const slotReasons = [
  'outside_hours',
  'window',
  'notice',
  'clock_change',
  'daily_limit',
  'booked',
  'calendar_busy',
] as const;
export type SlotReason = (typeof slotReasons)[number];

const by = Type.Object(
  {
    kind: Type.Enum(['booking', 'event'], {
      description: 'A booking, or a busy time of a connected calendar.',
    }),
    id: nullable(
      Type.String({
        ...Id,
        description:
          'Id of the booking. Null for an event, and for a booking of another account in a shared calendar.',
      }),
    ),
    until: instant('When it ends, with the buffer after a booking.'),
  },
  { title: 'TakenBy', description: 'What takes the time.' },
);

const Step = Type.Object(
  {
    from: Type.String({ description: 'Local start, `HH:MM`.' }),
    to: Type.String({ description: 'Local end, `HH:MM`.' }),
    startsAt: nullable(instant('Start; null for a local time that the clocks skip.')),
    endsAt: nullable(instant('End; null for a local time that the clocks skip.')),
    open: Type.Boolean({ description: 'True if the slot can be booked: the same as in `available-slots`.' }),
    reasons: Type.Array(
      Type.Enum([...slotReasons], {
        description:
          '`outside_hours`: the staff member is not there for the whole slot. `window`: the date is after the booking window. `notice`: it starts too soon, or has passed. `clock_change`: the clocks skip this local time, or it is the second of two. `daily_limit`: the date has as many bookings as it may. `booked`: a booking takes the slot or its buffers. `calendar_busy`: an event does.',
      }),
      { description: 'All reasons why it is not open; none if it is.' },
    ),
    by: nullable(by),
  },
  { title: 'ExplainedStep', description: 'A time at which a slot starts, or would start.' },
);

export const ExplainedSlots = Type.Object(
  {
    appointmentUserId: Type.String({ ...Id, description: 'Id of the staff member.' }),
    date: Type.String({ description: 'The requested date, `YYYY-MM-DD`.' }),
    timezone: Type.String({ description: 'IANA time zone of `date`, `from` and `to`.' }),
    slotMinutes: Type.Integer({ description: 'Length of a slot, in minutes.' }),
    slotStepMinutes: Type.Integer({ description: 'Minutes from one start to the next.' }),
    steps: Type.Array(Step, {
      description:
        'The steps of the date, in order: those of the opening hours, and in between every `slotStepMinutes` from midnight.',
    }),
  },
  {
    title: 'ExplainedSlots',
    description: 'Why the slots of one date are open or not.',
    examples: [
      {
        appointmentUserId: '019a0b5e-7c00-7000-8000-000000000001',
        date: '2026-03-10',
        timezone: 'Europe/Berlin',
        slotMinutes: 30,
        slotStepMinutes: 30,
        steps: [
          {
            ...{ from: '10:00', to: '10:30' },
            ...{ startsAt: '2026-03-10T09:00:00.000Z', endsAt: '2026-03-10T09:30:00.000Z' },
            ...{ open: false, reasons: ['booked'] },
            by: {
              kind: 'booking',
              id: '019a0b5e-7c00-7000-8000-000000000003',
              until: '2026-03-10T09:45:00.000Z',
            },
          },
        ],
      },
    ],
  },
);
export type ExplainedSlots = Static<typeof ExplainedSlots>;
