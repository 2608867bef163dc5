// Event ids of bookings. Pure.

/** The UID and file name of a booking's event: the booking's id. */
export function eventIdFor(bookingId: string, generation = 0): string {
  return generation === 0 ? bookingId : `${bookingId}-g${generation}`;
}

/** True if an event id has the form of `eventIdFor`. */
export const isBookingEventId = (eventId: string) =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-g\d+)?$/.test(eventId);
