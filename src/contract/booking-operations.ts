// The operations of bookings.
import type { Operation } from './operation.ts';

const bookings = { tag: 'Bookings' };
const calendar = ['calendar_not_connected', 'provider_rejected', 'provider_unavailable'] as const;

export const bookingOperations: Record<string, Operation> = {
  'POST /v1/appointments/book': {
    ...bookings,
    id: 'bookAppointment',
    summary: 'Book an appointment',
    description:
      'Holds the slot, creates the calendar event and returns the meeting link. If you get no response, repeat the request with the same Idempotency-Key: it never books twice.',
    errors: ['held', 'appointment_user_not_found', 'slot_unavailable', ...calendar],
    message: 'Appointment booked.',
  },
  'GET /v1/appointments/bookings': {
    ...bookings,
    id: 'listBookings',
    summary: 'List bookings',
    description: 'Newest first, or with `sort` by their start.',
    errors: ['appointment_user_not_found'],
    message: 'Bookings listed.',
  },
  'GET /v1/appointments/bookings/{id}': {
    ...bookings,
    id: 'getBooking',
    summary: 'Get a booking',
    errors: ['booking_not_found'],
    message: 'Booking read.',
  },
  'POST /v1/appointments/bookings/{id}/cancel': {
    ...bookings,
    id: 'cancelBooking',
    summary: 'Cancel a booking',
    description:
      'Deletes the calendar event, then frees the slot. Cancelling again returns 200. A 503 means that the cancellation is still in progress.',
    errors: ['held', 'booking_not_found', 'booking_not_changeable', ...calendar],
    message: 'Booking cancelled.',
  },
  'POST /v1/appointments/bookings/{id}/reschedule': {
    ...bookings,
    id: 'rescheduleBooking',
    summary: 'Reschedule a booking',
    description:
      'Keeps the id and the meeting link. The old slot is freed only once the calendar shows the new one. Rescheduling to the current time changes nothing.',
    errors: [
      'held',
      'booking_not_found',
      'appointment_user_not_found',
      'booking_not_changeable',
      'slot_unavailable',
      ...calendar,
    ],
    message: 'Booking rescheduled.',
  },
};
