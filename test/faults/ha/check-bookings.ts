// The check of bookings: compares the responses to callers, the rows and the calendars' events. Pure.
import type { Report } from '../guarantees.ts';

export interface WantedBooking {
  key: string;
  slot: { staffId: string; date: string; from: string; to: string };
  responses: { status: number; code?: string | undefined; bookingId?: string | undefined }[];
  /** Number of tries without any response. */
  unanswered: number;
}

export interface BookingRecord {
  id: string;
  state: string;
  eventId: string | null;
}

export interface CalendarEvent {
  id: string;
  calendar: string;
  startsAt: string;
}

export interface BookingEvidence {
  wanted: WantedBooking[];
  rows: BookingRecord[];
  /** The calendars' events that are not deleted. */
  events: CalendarEvent[];
}

/** Responses that may precede the outcome: the caller repeats the request. */
const retryable = new Set(['idempotency_in_progress', 'conflict', 'slot_unavailable']);

const slotOf = ({ slot }: WantedBooking) => `${slot.staffId} ${slot.date} ${slot.from}`;
const bookedBy = ({ responses }: WantedBooking) =>
  new Set(responses.filter(({ status }) => status === 200).map(({ bookingId }) => bookingId ?? ''));

/** Reports every violation, and counts the bookings in `figures`. */
export function checkBookings(
  { wanted, rows, events }: BookingEvidence,
  report: Report,
  figures: Record<string, number>,
): void {
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  const eventIds = new Set(events.map(({ id }) => id));
  const confirmed = rows.filter(({ state }) => state === 'confirmed');
  for (const one of wanted) {
    const ids = bookedBy(one);
    if (ids.size > 1) report('booking_twice', one.key, `its responses name ${ids.size} bookings`);
    for (const id of ids) checkAnswered(id, rowOf.get(id), eventIds, report);
    for (const { status, code } of one.responses)
      if (status !== 200 && status !== 503 && !(status === 409 && retryable.has(code ?? '')))
        report('unexpected_response', `the booking of ${slotOf(one)}`, `${status} ${code ?? ''}`);
    if (ids.size === 0 && !one.responses.some(({ code }) => code === 'slot_unavailable'))
      report('unanswered', one.key, `${one.responses.length + one.unanswered} tries for ${slotOf(one)}`);
  }
  for (const [slot, all] of Map.groupBy(wanted, slotOf)) {
    const winners = all.filter((one) => bookedBy(one).size > 0);
    if (winners.length > 1) report('booking_twice', slot, `${winners.length} callers were given it`);
  }
  for (const { id, eventId } of confirmed)
    if (!eventIds.has(eventId ?? '')) report('booking_event', id, 'the booking has no event');
  const ofBookings = new Set(confirmed.map(({ eventId }) => eventId));
  for (const { id, calendar } of events)
    if (!ofBookings.has(id)) report('booking_event', id, `the event of ${calendar} has no booking`);
  for (const [at, all] of Map.groupBy(events, ({ calendar, startsAt }) => `${calendar} ${startsAt}`))
    if (all.length > 1) report('booking_twice', at, `${all.length} events are there`);
  figures['bookings wanted'] = wanted.length;
  figures['bookings answered 200'] = wanted.filter((one) => bookedBy(one).size > 0).length;
  figures['bookings confirmed'] = confirmed.length;
  figures['calendar events'] = events.length;
}

function checkAnswered(
  id: string,
  row: BookingRecord | undefined,
  eventIds: Set<string>,
  report: Report,
): void {
  if (!row) report('booking_lost', id, 'it is in a response, but has no row');
  else if (row.state !== 'confirmed')
    report('booking_lost', id, `the response says confirmed, the row ${row.state}`);
  else if (!eventIds.has(row.eventId ?? '')) report('booking_lost', id, 'its event is not in the calendar');
}
