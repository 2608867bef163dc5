// What holds for an account's bookings once nothing is pending: each matches its event, its time and its webhook events.
import { sql } from 'kysely';
import type { ShownEvent } from '../../sandbox/google/control-client.ts';
import type { AppointmentsFixture } from '../harness/appointments-fixture.ts';

interface StoredBooking {
  id: string;
  staff_id: string;
  state: string;
  event_id: string;
  starts_at: Date;
  ends_at: Date;
  pending: string | null;
  calendar_state: string;
  occupied: { from: string; to: string }[];
  published: { event: string; startsAt: string }[];
}

const bookingsOf = async (fixture: AppointmentsFixture, accountId: string) =>
  (
    await sql<StoredBooking>`
      select id, staff_id, state, event_id, starts_at, ends_at, wish as pending, hand as calendar_state,
        (select coalesce(json_agg(json_build_object('from', lower(during), 'to', upper(during))), '[]')
          from occupancies where booking_id = b.id) as occupied,
        (select coalesce(json_agg(json_build_object('event', body::json->>'event', 'startsAt', body::json#>>'{data,startsAt}')
            order by d.id), '[]')
          from deliveries d where d.account_id = b.account_id and body::json#>>'{data,_id}' = b.id::text) as published
      from bookings b where account_id = ${accountId}`.execute(fixture.database.db)
  ).rows;

const times = (event: ShownEvent) =>
  [event.start.dateTime, event.end.dateTime].map((text) => Date.parse(text ?? ''));

function problemsOf(booking: StoredBooking, event: ShownEvent | undefined): string[] {
  const { state, calendar_state, occupied, published } = booking;
  const count = (name: string) => published.filter((one) => one.event === `appointments.${name}`).length;
  const starts = booking.starts_at.getTime();
  const ends = booking.ends_at.getTime();
  const isConfirmed = state === 'confirmed';
  const isInStep = isConfirmed && calendar_state === 'in_step';
  const wasBooked = isConfirmed || state === 'cancelled';
  const rules: [string, boolean][] = [
    ['is unfinished', !wasBooked && state !== 'undone'],
    ['has a pending change', booking.pending !== null],
    ['has no event', isConfirmed && !event && calendar_state !== 'deleted'],
    ['has an event that counts as deleted', isConfirmed && !!event && calendar_state === 'deleted'],
    ['has an event at another time', isInStep && !!event && times(event).join() !== `${starts},${ends}`],
    ['left an event', !isConfirmed && event !== undefined],
    ['occupies no time, or two', occupied.length !== (isConfirmed ? 1 : 0)],
    [
      'occupies another time',
      isInStep && occupied.some(({ from, to }) => Date.parse(from) > starts || Date.parse(to) < ends),
    ],
    ['was not published once', count('booked') !== (wasBooked ? 1 : 0)],
    ['was not cancelled once', count('cancelled') !== (state === 'cancelled' ? 1 : 0)],
    [
      'was last published at another time',
      wasBooked && published.at(-1)?.startsAt !== booking.starts_at.toISOString(),
    ],
  ];
  return rules.flatMap(([rule, isBroken]) =>
    isBroken ? [`${booking.id}, ${state}, ${calendar_state}: ${rule}`] : [],
  );
}

/**
 * Everything that is wrong with an account's bookings. `emails`: the calendar of each staff member. `answered`: bookings whose
 * request got 200. `restored`: events that a person brought back after a deletion.
 */
export async function problemsOfBookings(
  fixture: AppointmentsFixture,
  of: {
    accountId: string;
    emails: ReadonlyMap<string, string>;
    answered: readonly string[];
    restored: ReadonlySet<string>;
  },
): Promise<string[]> {
  const bookings = await bookingsOf(fixture, of.accountId);
  const problems: string[] = [];
  const events = new Map<string, ShownEvent>();
  for (const email of new Set(of.emails.values()))
    for (const event of await fixture.control.liveEvents(email)) events.set(`${email} ${event.id}`, event);
  for (const booking of bookings) {
    const event = events.get(`${of.emails.get(booking.staff_id)} ${booking.event_id}`);
    const isRestored = booking.state !== 'confirmed' && of.restored.has(booking.event_id);
    problems.push(...problemsOf(booking, isRestored ? undefined : event));
  }
  const known = new Set(bookings.map(({ event_id }) => event_id));
  for (const event of events.values())
    if (event.extendedProperties?.private?.bookingId && !known.has(event.id))
      problems.push(`event ${event.id} has no booking`);
  const booked = new Set(bookings.filter(({ state }) => state !== 'undone').map(({ id }) => id));
  for (const id of of.answered) if (!booked.has(id)) problems.push(`${id} was booked and is not there`);
  const { rows: open } = await sql<{ operation: string }>`
    select operation from idempotency_keys where account_id = ${of.accountId} and status is null`.execute(
    fixture.database.db,
  );
  for (const { operation } of open) problems.push(`a key of ${operation} has no response`);
  return problems;
}
