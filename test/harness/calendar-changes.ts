// Helpers for tests of calendar sync: bookings, events moved in the calendar, reads, and published webhook events.
import { sql } from 'kysely';
import { syncCalendars } from '../../src/appointments/booking/calendar-sync.ts';
import { type AppointmentsFixture, bookingOf, comingMonday } from './appointments-fixture.ts';

export const date = comingMonday();
export const at = (clock: string) => `${date}T${clock}:00.000Z`;
export const pathOf = (bookingId: string) => `/v1/appointments/bookings/${bookingId}`;

export const moved = 'appointments.rescheduled by calendar';
export const cancelled = 'appointments.cancelled by calendar';

/** Helpers for one account of a fixture. */
export function calendarChanges(fixture: AppointmentsFixture, account: string) {
  const shown = (bookingId: string) => fixture.must(fixture.call(account, 'GET', pathOf(bookingId)));

  /** Makes only this staff member's calendar due for a read. */
  const makeDue = (staffId: string) =>
    sql`update calendar_connections set changes_due_at = case when staff_id = ${staffId} then now()
      else now() + interval '1 hour' end`.execute(fixture.database.db);

  /** Reads the staff member's calendar once, as if it were due. */
  async function read(staffId: string, deps = fixture.deps): Promise<void> {
    await makeDue(staffId);
    await syncCalendars(deps);
  }

  return {
    ...{ shown, makeDue, read },
    book: async (staffId: string, from: string, to: string) =>
      (await fixture.must(fixture.book(account, bookingOf(staffId, date, from, to)))) as {
        bookingId: string;
        calendarEventId: string;
      },
    moveTo: (email: string, eventId: string, from: string, to: string) =>
      fixture.control.changeEvent(email, eventId, {
        start: { dateTime: at(from) },
        end: { dateTime: at(to) },
      }),
    /** Moves the time at which events were found missing one minute back. */
    aMinuteLater: () =>
      sql`update bookings set gone_at = gone_at - interval '60 seconds' where gone_at is not null`.execute(
        fixture.database.db,
      ),
    followed: async (staffId: string, bookingId: string) => {
      await read(staffId);
      return (await shown(bookingId)).calendarState;
    },
    /** Type and origin of the webhook events about changes of a staff member's bookings. */
    changesOf: async (staffId: string): Promise<string[]> =>
      (await fixture.events(account, staffId))
        .filter(({ event }) => /cancelled|rescheduled/.test(event))
        .map(({ event, data }) => `${event} by ${data.by}`),
  };
}

export type CalendarChanges = ReturnType<typeof calendarChanges>;
