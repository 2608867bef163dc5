// The id of a booking's event. Pure.

/** The name of the event's file and its UID: the booking's id itself. */
export function eventIdFor(bookingId: string, generation = 0): string {
  return generation === 0 ? bookingId : `${bookingId}-g${generation}`;
}

/** True if an event id may be one of ours. */
export const isOurs = (eventId: string) =>
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-g\d+)?$/.test(eventId);
