// Slots on the wire, and schemas shared by all appointment operations.
import { type Static, Type } from 'typebox';
import { Id, instant } from './envelope.ts';

const closed = { additionalProperties: false } as const;
export const DateText = Type.String({
  maxLength: 10,
  description: 'Civil date, `YYYY-MM-DD`.',
  examples: ['2026-03-10'],
});
export const ClockText = Type.String({
  maxLength: 5,
  description: 'Local time, `HH:MM`.',
  examples: ['10:00'],
});
export const StaffId = Type.String({ maxLength: 64, description: 'Id of a staff member (`_id` of a user).' });

export const AppointmentParams = Type.Object({ id: Type.String({ maxLength: 64 }) }, closed);

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
const slotExample = {
  from: '10:00',
  to: '10:30',
  startsAt: '2026-03-10T09:00:00.000Z',
  endsAt: '2026-03-10T09:30:00.000Z',
};
const Slot = Type.Object(
  {
    from: Type.String({ description: 'Local start, `HH:MM`.' }),
    to: Type.String({ description: 'Local end, `HH:MM`.' }),
    startsAt: instant('Start of the slot.'),
    endsAt: instant('End of the slot.'),
  },
  { title: 'Slot', description: 'A time that can be booked.', examples: [slotExample] },
);
export const SlotsResult = Type.Object(
  {
    appointmentUserId: Type.String({ ...Id, description: 'Id of the staff member.' }),
    date: Type.String({ description: 'The requested date, `YYYY-MM-DD`.' }),
    timezone: Type.String({ description: 'IANA time zone of `date`, `from` and `to`.' }),
    slotMinutes: Type.Integer({ description: 'Length of a slot, in minutes.' }),
    slots: Type.Array(Slot, { description: 'The open slots, in order.' }),
  },
  {
    title: 'AvailableSlots',
    description: 'The open slots of one date.',
    examples: [
      {
        appointmentUserId: '019a0b5e-7c00-7000-8000-000000000001',
        date: '2026-03-10',
        timezone: 'Europe/Berlin',
        slotMinutes: 30,
        slots: [slotExample],
      },
    ],
  },
);
export type SlotsResult = Static<typeof SlotsResult>;
