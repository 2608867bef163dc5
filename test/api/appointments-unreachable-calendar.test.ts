// Calendars that do not answer: read less often, and disconnected while bookings in them are unfinished.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type AppointmentsFixture,
  bookingOf,
  comingMonday,
  openAppointmentsFixture,
} from '../harness/appointments-fixture.ts';
import { calendarChanges } from '../harness/calendar-changes.ts';

let fixture: AppointmentsFixture;
let account: string;
const date = comingMonday();

beforeAll(async () => {
  fixture = await openAppointmentsFixture();
  account = await fixture.account();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.control.clearFaults());

/** A staff member with a cancellation and a booking that the calendar does not answer. */
async function unfinished() {
  const staff = await fixture.staff(account);
  const { bookingId } = await fixture.must(
    fixture.book(account, bookingOf(staff.id, date, '10:00', '10:30')),
  );
  for (const on of ['events.delete', 'events.insert', 'events.get'] as const)
    await fixture.control.addFault({ does: 'reset', on });
  const cancelled = await fixture.withoutDelays(() =>
    fixture.call(account, 'POST', `/v1/appointments/bookings/${bookingId}/cancel`, {}),
  );
  const booked = await fixture.withoutDelays(() =>
    fixture.book(account, bookingOf(staff.id, date, '11:00', '11:30')),
  );
  expect([cancelled.status, booked.status]).toEqual([503, 503]);
  const disconnect = () => fixture.call(account, 'DELETE', `/v1/appointments/users/${staff.id}/ext-calendar`);
  /** The last answer of the calendar was `minutes` ago. */
  const answered = (minutes: number) =>
    sql`update calendar_connections set last_synced_at = ${new Date(fixture.clock.now() - minutes * 60_000)}
      where staff_id = ${staff.id}`.execute(fixture.database.db);
  const states = async () => (await fixture.bookingRows(staff.id)).map(({ state }) => state);
  return { staff, disconnect, answered, states };
}

test('disconnecting is possible after 15 minutes without an answer, and ends the unfinished bookings', async () => {
  const { staff, disconnect, answered, states } = await unfinished();
  await answered(14);
  expect((await disconnect()).status).toBe(409);
  await answered(15);
  expect((await disconnect()).status).toBe(200);
  await fixture.reconcileAll();
  expect([await states(), await fixture.occupancies(staff.id)]).toEqual([['cancelled', 'undone'], 0]);
});

test('disconnecting is not possible while the calendar answers, however long ago its last use was recorded', async () => {
  const { staff, disconnect, answered } = await unfinished();
  await answered(60);
  await sql`update calendar_connections set failure = null where staff_id = ${staff.id}`.execute(
    fixture.database.db,
  );
  expect((await disconnect()).status).toBe(409);
});

test.each([
  [1, 60],
  [4, 240],
  [60, 600],
])(
  'a calendar that has not answered for %i minutes is read again after %i seconds, and then every minute',
  async (minutes, seconds) => {
    const staff = await fixture.staff(account);
    const { read } = calendarChanges(fixture, account);
    const nextAfter = async () => {
      const { rows } = await sql<{ seconds: number }>`
      select extract(epoch from changes_due_at - now())::float8 as seconds from calendar_connections
      where staff_id = ${staff.id}`.execute(fixture.database.db);
      return rows[0]?.seconds ?? 0;
    };
    await sql`update calendar_connections set failure = 'It does not answer.',
    last_synced_at = now() - ${minutes} * interval '1 minute' where staff_id = ${staff.id}`.execute(
      fixture.database.db,
    );
    await fixture.control.addFault({
      does: 'refuse',
      on: 'events.list',
      reason: 'backendError',
      status: 503,
    });
    await fixture.withoutDelays(() => read(staff.id));
    expect(Math.abs((await nextAfter()) - seconds)).toBeLessThan(30);
    await fixture.control.clearFaults();
    await read(staff.id);
    expect(Math.abs((await nextAfter()) - 60)).toBeLessThan(30);
  },
);
