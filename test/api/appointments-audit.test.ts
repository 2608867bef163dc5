// Changes of bookings in the audit log: those that the calendar has, by those who asked for them.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { cancelBooking } from '../../src/appointments/booking/cancel.ts';
import { rescheduleBooking } from '../../src/appointments/booking/reschedule.ts';
import { type Actor, actingAs } from '../../src/audit/actor.ts';
import { type AppointmentsFixture, openAppointmentsFixture } from '../harness/appointments-fixture.ts';
import { at, type CalendarChanges, calendarChanges, date } from '../harness/calendar-changes.ts';

let fixture: AppointmentsFixture;
let account: string;
let book: CalendarChanges['book'];
const maria: Actor = { kind: 'session', id: null, name: 'Maria', address: '203.0.113.7' };

beforeAll(async () => {
  fixture = await openAppointmentsFixture();
  account = await fixture.account();
  ({ book } = calendarChanges(fixture, account));
});
afterAll(() => fixture.close());
beforeEach(() => fixture.control.clearFaults());

/** A booking at 10:00, changes of it by Maria, which return the code of their error, and the log. */
async function booked() {
  const staff = await fixture.staff(account);
  const { bookingId } = await book(staff.id, '10:00', '10:30');
  const byMaria = (act: () => Promise<unknown>) =>
    actingAs(maria, act).then(
      () => 'done',
      ({ code }: { code: string }) => code,
    );
  const of = { accountId: account, bookingId };
  return {
    staff,
    cancel: () => byMaria(() => cancelBooking(fixture.deps, of)),
    move: (from: string, to: string) =>
      byMaria(() => rescheduleBooking(fixture.deps, { ...of, date, from, to })),
    logged: async () => {
      const { rows } = await sql<{ action: string; actor_name: string; address: string }>`
        select action, actor_name, address from audit_log where subject_id = ${bookingId} order by id`.execute(
        fixture.database.db,
      );
      return rows.map(({ action, actor_name, address }) => [action, actor_name, address]);
    },
  };
}

test('have no entry if the calendar rejects them', async () => {
  const { staff, cancel, move, logged } = await booked();
  await fixture.control.addEvent(staff.email, {
    start: { dateTime: at('11:00') },
    end: { dateTime: at('11:30') },
  });
  expect(await move('11:00', '11:30')).toBe('slot_unavailable');
  await fixture.control.addFault({ does: 'refuse', on: 'events.delete', reason: 'invalid', status: 400 });
  expect(await cancel()).toBe('provider_rejected');
  expect(await logged()).toEqual([]);
  await fixture.control.clearFaults();
  expect([await move('09:00', '09:30'), await cancel()]).toEqual(['done', 'done']);
  expect(await logged()).toEqual([
    ['booking.rescheduled', 'Maria', '203.0.113.7'],
    ['booking.cancelled', 'Maria', '203.0.113.7'],
  ]);
});

test('that the worker finishes have the entry of those who asked for them', async () => {
  const { move, logged } = await booked();
  await fixture.control.addFault({ does: 'reset', on: 'events.patch' });
  expect(await fixture.withoutDelays(() => move('11:00', '11:30'))).toBe('provider_unavailable');
  expect(await logged()).toEqual([]);
  await fixture.control.clearFaults();
  await fixture.reconcileAll();
  expect(await logged()).toEqual([['booking.rescheduled', 'Maria', '203.0.113.7']]);
  const { rows } = await sql`select 1 from bookings where wish_actor is not null`.execute(
    fixture.database.db,
  );
  expect(rows).toEqual([]);
});
