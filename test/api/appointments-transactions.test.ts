// Locks and transactions of bookings: a lock timeout returns 409, a deadlock is retried, no calendar call runs in a transaction.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { book } from '../../src/appointments/booking/book.ts';
import { syncCalendars } from '../../src/appointments/booking/calendar-sync.ts';
import { cancelBooking } from '../../src/appointments/booking/cancel.ts';
import { rescheduleBooking } from '../../src/appointments/booking/reschedule.ts';
import { checkConnection, disconnectCalendar } from '../../src/appointments/calendar/connect.ts';
import { findConnection } from '../../src/appointments/calendar/connections-store.ts';
import { findStaff } from '../../src/appointments/directory/store.ts';
import type { Tx } from '../../src/db/db.ts';
import type { Calendar } from '../../src/ports/calendar.ts';
import {
  type AppointmentsFixture,
  bookingOf,
  comingMonday,
  openAppointmentsFixture,
} from '../harness/appointments-fixture.ts';
import { until } from '../harness/until.ts';

let fixture: AppointmentsFixture;
let account: string;
const date = comingMonday();
const ten = (staffId: string) => bookingOf(staffId, date, '10:00', '10:30');
const eleven = { date, from: '11:00', to: '11:30' };
const applicationName = 'watched';

beforeAll(async () => {
  fixture = await openAppointmentsFixture({ database: { lockTimeoutMs: 300, applicationName } });
  account = await fixture.account();
});
afterAll(() => fixture.close());

const lockStaff = (tx: Tx, staffId: string) =>
  sql`select pg_advisory_xact_lock(hashtextextended(${staffId}, 3))`.execute(tx);
const lockBooking = (tx: Tx, id: string) =>
  sql`select 1 from bookings where id = ${id} for update`.execute(tx);
const change = (id: string, what: 'cancel' | 'reschedule', body: object = {}) =>
  fixture.call(account, 'POST', `/v1/appointments/bookings/${id}/${what}`, body);

/** Runs `act` while another transaction holds a lock beyond every lock timeout. */
const whileLocked = <T>(lock: (tx: Tx) => Promise<unknown>, act: () => Promise<T>): Promise<T> =>
  fixture.database.db.transaction().execute(async (tx) => {
    await lock(tx);
    return act();
  });

/** Moves the clock on while `act` runs, for requests that retry until their time is up. */
function whileTimePasses<T>(act: () => Promise<T>): Promise<T> {
  const ticking = setInterval(() => {
    fixture.clock.aheadMs += 1_000;
  }, 20);
  return act().finally(() => clearInterval(ticking));
}

const deadlocks = async (): Promise<number> =>
  (
    await sql<{ count: number }>`
      select deadlocks as count from pg_stat_database where datname = current_database()`.execute(
      fixture.database.db,
    )
  ).rows[0]?.count ?? 0;

describe('locks of other transactions', () => {
  test('return 409 with Retry-After after the timeout, leave nothing behind, and free the key', async () => {
    const staff = await fixture.staff(account);
    const rejected = await whileLocked(
      (tx) => lockStaff(tx, staff.id),
      () => whileTimePasses(() => fixture.book(account, ten(staff.id), staff.id)),
    );
    expect([rejected.status, rejected.json.code, rejected.headers.get('retry-after')]).toEqual([
      409,
      'conflict',
      '1',
    ]);
    expect(await fixture.bookingRows(staff.id)).toEqual([]);
    expect((await fixture.book(account, ten(staff.id), staff.id)).status).toBe(200);
  });

  test('on the booking return 409 for a cancellation and a move, which succeed when repeated', async () => {
    const staff = await fixture.staff(account);
    const { bookingId } = (await fixture.book(account, ten(staff.id))).json.data;
    for (const [what, body] of [
      ['reschedule', eleven],
      ['cancel', {}],
    ] as const) {
      const rejected = await whileLocked(
        (tx) => lockBooking(tx, bookingId),
        () => change(bookingId, what, body),
      );
      expect([what, rejected.status, rejected.json.code]).toEqual([what, 409, 'conflict']);
      expect((await change(bookingId, what, body)).status).toBe(200);
    }
  });

  test('that deadlock are retried', async () => {
    const patient = fixture.database.open({ applicationName: 'patient' });
    const staff = await fixture.staff(account);
    const { bookingId } = (await fixture.book(account, ten(staff.id))).json.data;
    const deps = fixture.depsOn(patient, { google: fixture.calendar });
    const before = await deadlocks();
    const moving = await fixture.database.db.transaction().execute(async (tx) => {
      await lockBooking(tx, bookingId);
      const moved = rescheduleBooking(deps, { accountId: account, bookingId, ...eleven });
      moved.catch(() => {});
      await until(async () => {
        const { rows } = await sql`
          select 1 from pg_stat_activity where application_name = 'patient' and wait_event_type = 'Lock'`.execute(
          fixture.database.db,
        );
        expect(rows).toHaveLength(1);
      });
      // a deadlock: PostgreSQL aborts the move, which waited first
      await lockStaff(tx, staff.id);
      return { moved };
    });
    expect(await moving.moved).toMatchObject({ starts_at: new Date(`${date}T11:00:00Z`) });
    await until(async () => expect(await deadlocks()).toBe(before + 1));
    expect(await fixture.startsOf(staff.email)).toEqual([`${date}T11:00:00.000Z`]);
  });
});

describe('transactions', () => {
  /** A calendar that counts its calls, and those made while the gateway had an open transaction. */
  function watched(calendar: Calendar) {
    const seen = { calls: new Map<string, number>(), inside: [] as string[] };
    const watching = new Proxy(calendar, {
      get(target, name) {
        const member = Reflect.get(target, name) as unknown;
        if (typeof member !== 'function') return member;
        return async (...given: unknown[]) => {
          const { rows } = await sql`
            select 1 from pg_stat_activity where datname = current_database()
              and application_name = ${applicationName} and xact_start is not null`.execute(
            fixture.database.db,
          );
          if (rows.length > 0) seen.inside.push(String(name));
          seen.calls.set(String(name), (seen.calls.get(String(name)) ?? 0) + 1);
          return (member as (...given: unknown[]) => Promise<unknown>).apply(target, given);
        };
      },
    });
    return { seen, watching };
  }

  test('are never open during a calendar call', async () => {
    const { seen, watching } = watched(fixture.calendar);
    const deps = fixture.depsOn(fixture.deps.db, { google: watching });
    const staff = await fixture.staff(account);
    await fixture.control.set({ conference: { kind: 'failure' } });
    const body = ten(staff.id);
    const { body: response } = await book(deps, { accountId: account, key: staff.id, body });
    await fixture.control.set({ conference: { kind: 'success' } });
    const { bookingId } = JSON.parse(response).data;
    await rescheduleBooking(deps, { accountId: account, bookingId, ...eleven });
    // only this calendar: concurrent reads of others have their own transactions
    await sql`update calendar_connections set changes_due_at = case when staff_id = ${staff.id} then now()
      else 'infinity' end`.execute(fixture.database.db);
    while ((await syncCalendars(deps)) > 0);
    await cancelBooking(deps, { accountId: account, bookingId });
    // a hold without an event: the worker compensates it
    await book(deps, { accountId: account, key: bookingId, body });
    await sql`update bookings set state = 'held', due_at = now(), event_id = 'a' || event_id, event_link = null
      where staff_id = ${staff.id} and state = 'confirmed'`.execute(fixture.database.db);
    await fixture.reconcileAll(deps);
    const connection = await findConnection(fixture.database.db, staff.id);
    const row = await findStaff(fixture.database.db, account, staff.id);
    if (connection && row) await checkConnection(deps, connection, row);
    await disconnectCalendar(deps, account, staff.id);
    expect([...seen.calls.keys()].sort()).toEqual([
      ...['busyTimes', 'changedEvents', 'deleteEvent', 'disconnect', 'getEvent', 'insertEvent'],
      ...['removeForGood', 'replaceMeeting', 'updateEvent'],
    ]);
    expect(seen.inside).toEqual([]);
  });
});

test('a staff member whose calendar cannot be disconnected is not removed', async () => {
  const staff = await fixture.staff(account);
  const lockConnection = (tx: Tx) =>
    sql`select 1 from calendar_connections where staff_id = ${staff.id} for update`.execute(tx);
  const remove = () => fixture.call(account, 'DELETE', `/v1/appointments/users/${staff.id}`);
  const rejected = await whileLocked(lockConnection, remove);
  expect([rejected.status, rejected.json.code]).toEqual([409, 'conflict']);
  expect((await remove()).status).toBe(200);
  expect(await findConnection(fixture.database.db, staff.id)).toBeUndefined();
});
