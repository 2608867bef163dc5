// Lists of bookings on the wire.
import { Type } from 'typebox';
import { StaffId } from './appointments.ts';
import { BookingItem, bookingExample, bookingStates, calendarState } from './bookings.ts';
import { cursorProperties } from './envelope.ts';

/** A booking as lists and lookups show it. */
export const ListedBooking = Type.Object(
  {
    ...BookingItem.properties,
    staffName: Type.String({ description: 'Name of the staff member, also of one who was deleted.' }),
  },
  {
    title: 'ListedBooking',
    description: 'A booking, with the name of the staff member.',
    examples: [{ ...bookingExample, staffName: 'Asha Rao' }],
  },
);

export const ListBookingsQuery = Type.Object(
  {
    appointmentUserId: Type.Optional(StaffId),
    status: Type.Optional(Type.Enum([...bookingStates], { description: 'Only bookings with this status.' })),
    from: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only bookings that start at or after this instant.' }),
    ),
    to: Type.Optional(
      Type.String({ format: 'date-time', description: 'Only bookings that start before this instant.' }),
    ),
    email: Type.Optional(
      Type.String({ maxLength: 254, format: 'idn-email', description: 'Only bookings of this address.' }),
    ),
    phoneNumber: Type.Optional(
      Type.String({ maxLength: 32, description: 'Only bookings of this phone number.' }),
    ),
    calendarState: Type.Optional(
      Type.Enum(Object.values(calendarState), {
        description: 'Only bookings whose calendar event is unchanged, was moved, or was deleted.',
      }),
    ),
    sort: Type.Optional(
      Type.Enum(['startsAt', '-startsAt'], {
        description: 'By the start, earliest or latest first. Default: newest booking first.',
      }),
    ),
    ...cursorProperties,
  },
  { additionalProperties: false },
);
