// State changes of bookings: each applies only to the states it names, and only to the pending change it read.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  claimDue,
  claimExpiredLease,
  findBooking,
  postpone,
  releaseBookings,
} from '../../src/appointments/booking/bookings-store.ts';
import {
  changeEventId,
  confirmHolds,
  deleteHold,
  finishCompensation,
  insertHolds,
  type NewHold,
  recordRemoval,
  startCompensation,
  startInserts,
} from '../../src/appointments/booking/holds-store.ts';
import { lockStaffBookings, tryLockStaffBookings } from '../../src/appointments/booking/locks-store.ts';
import {
  clearPendingChange,
  finishCancel,
  finishMove,
  leasePendingChange,
  setPendingCancel,
  setPendingMove,
  startMove,
} from '../../src/appointments/booking/pending-changes-store.ts';
import { type BookingState, bookingStates } from '../../src/contract/bookings.ts';
import type { Db, Tx } from '../../src/db/db.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { insertAccount } from '../harness/rows.ts';

let database: TestDatabase;
let db: Db;
const accountId = randomUUID();
const staffId = randomUUID();

beforeAll(async () => {
  database = await createTestDatabase();
  db = database.db;
  await insertAccount(db, accountId);
  await sql`insert into staff (id, account_id, name) values (${staffId}, ${accountId}, 'Ada')`.execute(db);
});
afterAll(() => database.drop());

/** A booking in that state, due in so many seconds; with null it waits for nothing. */
async function insertBooking(state: BookingState, dueInSeconds: number | null = 0): Promise<string> {
  const id = randomUUID();
  await sql`
    insert into bookings (id, account_id, staff_id, state, starts_at, ends_at, timezone, email, phone_number, source,
      answers, provider, event_id, fallback_link, due_at)
    values (${id}, ${accountId}, ${staffId}, ${state}, '2030-01-01T10:00Z', '2030-01-01T10:30Z', 'UTC',
      'guest@example.com', '15551234567', 'test', '[]', 'google', ${id}, 'https://meet.example/1',
      now() + ${dueInSeconds}::int * interval '1 second')`.execute(db);
  return id;
}

const inTx = <T>(run: (tx: Tx) => Promise<T>) => db.transaction().execute(run);
const stateOf = async (id: string) => (await findBooking(db, accountId, id))?.state;
const confirmation = (id: string) => ({
  id,
  eventId: id,
  meetingLink: 'https://meet.example/2',
  ...{ eventLink: null, guestInvited: null },
});

describe('in any other state', () => {
  test.each(bookingStates.filter((state) => state !== 'held'))(
    'a booking that is %s is not confirmed',
    async (state) => {
      const id = await insertBooking(state);
      expect(await inTx((tx) => confirmHolds(tx, [confirmation(id)]))).toEqual(new Map());
      expect(await stateOf(id)).toBe(state);
    },
  );

  test('a hold is confirmed while another one is compensating', async () => {
    const held = await insertBooking('held');
    const compensating = await insertBooking('undoing');
    const confirmed = await inTx((tx) => confirmHolds(tx, [held, compensating].map(confirmation)));
    expect([...confirmed.keys()]).toEqual([held]);
    expect([await stateOf(held), await stateOf(compensating)]).toEqual(['confirmed', 'undoing']);
  });

  test.each(bookingStates.filter((state) => state !== 'held'))(
    'a booking that is %s starts no insert, keeps its event id, and is neither deleted nor compensated',
    async (state) => {
      const id = await insertBooking(state);
      expect(await startInserts(db, [id], 1_000)).toEqual(new Set());
      expect(await changeEventId(db, id, { id: 'other', generation: 1 })).toBe(false);
      expect(await inTx((tx) => deleteHold(tx, id))).toBe(false);
      await startCompensation(db, id, 0);
      expect(await stateOf(id)).toBe(state);
    },
  );

  test.each(['confirmed', 'cancelled', 'undone'] as const)(
    'a booking that is %s is not compensated',
    async (state) => {
      const id = await insertBooking(state);
      expect(await inTx((tx) => finishCompensation(tx, id))).toBe(false);
      expect(await stateOf(id)).toBe(state);
    },
  );

  test('a hold whose insert has started is not deleted', async () => {
    const id = await insertBooking('held');
    await startInserts(db, [id], 1_000);
    expect(await inTx((tx) => deleteHold(tx, id))).toBe(false);
  });
});

const actor = { kind: 'system', id: null, name: null, address: null } as const;
const to = {
  ...{ startsAt: new Date('2030-01-01T11:00Z'), endsAt: new Date('2030-01-01T11:30Z') },
  ...{ timezone: 'UTC', actor },
};

describe('the state and the event id that a statement read', () => {
  test.each(bookingStates.filter((state) => state !== 'undoing'))(
    'a booking that is %s is not due again after the removal of an event',
    async (state) => {
      const id = await insertBooking(state, null);
      await recordRemoval(db, id, 0);
      expect(await findBooking(db, accountId, id)).toMatchObject({ due_at: null, removed_once: false });
    },
  );

  test.each(bookingStates.filter((state) => state !== 'confirmed'))(
    'a booking that is %s gets no pending change',
    async (state) => {
      const id = await insertBooking(state);
      // they return the row, which there must be
      await inTx((tx) => setPendingMove(tx, id, to, 1_000)).catch(() => undefined);
      await inTx((tx) => setPendingCancel(tx, id, { reason: null, actor }, 1_000)).catch(() => undefined);
      expect(await findBooking(db, accountId, id)).toMatchObject({ state, pending_change: null });
    },
  );

  test('a hold takes the next event id once', async () => {
    const id = await insertBooking('held');
    expect(await changeEventId(db, id, { id: 'second', generation: 1 })).toBe(true);
    expect(await changeEventId(db, id, { id: 'another second', generation: 1 })).toBe(false);
    expect(await findBooking(db, accountId, id)).toMatchObject({ event_id: 'second', event_generation: 1 });
  });
});

describe('leases', () => {
  const dueAt = async (id: string) => (await findBooking(db, accountId, id))?.due_at;

  test('a booking is leased by one process: not before its lease has expired, and not once it is finished', async () => {
    const [due, leased, finished] = [
      await insertBooking('held'),
      await insertBooking('held', 60),
      await insertBooking('confirmed', null),
    ];
    expect(await claimExpiredLease(db, due, 60_000)).toMatchObject({ id: due });
    for (const id of [due, leased, finished]) expect(await claimExpiredLease(db, id, 60_000)).toBeUndefined();
  });

  test('a claim takes what is due, and passes over what is leased or locked', async () => {
    await sql`update bookings set due_at = null`.execute(db);
    const [due, locked] = [await insertBooking('held'), await insertBooking('held')];
    await insertBooking('held', 60);
    await db.transaction().execute(async (tx) => {
      await sql`select from bookings where id = ${locked} for update`.execute(tx);
      expect((await claimDue(db, 10, 60_000)).map(({ id }) => id)).toEqual([due]);
    });
    expect((await claimDue(db, 10, 60_000)).map(({ id }) => id)).toEqual([locked]);
  });

  test('a finished booking does not become due again', async () => {
    const id = await insertBooking('confirmed', null);
    await postpone(db, id, 0);
    await releaseBookings(db, [id]);
    await inTx((tx) => leasePendingChange(tx, id, 0));
    expect(await dueAt(id)).toBeNull();
    const open = await insertBooking('held', 60);
    await releaseBookings(db, [open]);
    expect((await dueAt(open))?.getTime()).toBeLessThan(Date.now() + 30_000);
  });
});

describe('the lock of the bookings of a staff member', () => {
  /** Adds a staff member whose calendar has that key. */
  async function connectedStaff(calendarKey: string): Promise<string> {
    const id = randomUUID();
    await sql`insert into staff (id, account_id, name) values (${id}, ${accountId}, 'Ada')`.execute(db);
    await sql`insert into calendar_connections (id, account_id, staff_id, provider, credential, calendar_id, busy_calendar_ids, calendar_key)
      values (${randomUUID()}, ${accountId}, ${id}, 'google', '', 'primary', '{}', ${calendarKey})`.execute(
      db,
    );
    return id;
  }

  test.each([
    ['a hold', (tx: Tx, id: string) => tryLockStaffBookings(tx, [id])],
    ['a change', lockStaffBookings],
  ])('taken by %s also locks staff with the same calendar, and nobody else', async (_by, lock) => {
    const [calendar, otherCalendar] = [randomUUID(), randomUUID()];
    const [ada, bea, cem] = [
      await connectedStaff(calendar),
      await connectedStaff(calendar),
      await connectedStaff(otherCalendar),
    ];
    const lockedNow = (id: string) => inTx(async (tx) => (await tryLockStaffBookings(tx, [id])).has(id));
    const waits = (id: string) =>
      inTx(async (tx) => {
        await sql`set local lock_timeout = '100ms'`.execute(tx);
        await lockStaffBookings(tx, id);
      });
    await inTx(async (tx) => {
      await lock(tx, ada);
      expect([await lockedNow(ada), await lockedNow(bea), await lockedNow(cem)]).toEqual([
        false,
        false,
        true,
      ]);
      for (const id of [ada, bea]) await expect(waits(id)).rejects.toMatchObject({ code: '55P03' });
      await waits(cem);
    });
    expect([await lockedNow(ada), await lockedNow(bea)]).toEqual([true, true]);
  });

  test('covers staff without a calendar', async () => {
    await inTx(async (tx) => {
      expect(await tryLockStaffBookings(tx, [staffId])).toEqual(new Map([[staffId, null]]));
      expect(await inTx((other) => tryLockStaffBookings(other, [staffId]))).toEqual(new Map());
    });
  });
});

test('a hold is skipped whose key another booking has', async () => {
  const hold = (): NewHold => ({
    ...{ id: randomUUID(), account_id: accountId, staff_id: staffId, timezone: 'UTC', source: 'test' },
    ...{ email: 'guest@example.com', phone_number: '15551234567', name: null, answers: [] },
    ...{ provider: null, calendar_id: null, calendar_key: null, event_id: null },
    ...{ starts_at: to.startsAt, ends_at: to.endsAt, created_at: new Date() },
    fallback_link: 'https://meet.example/1',
  });
  const key = { accountId, operation: 'book', key: randomUUID(), fingerprint: Buffer.alloc(33) };
  const insert = (one: NewHold) => {
    const occupied = { from: one.starts_at.getTime(), to: one.ends_at.getTime() };
    return inTx((tx) => insertHolds(tx, [{ hold: one, occupied, key }], 60_000));
  };
  const [first, second] = [hold(), hold()];
  expect([...(await insert(first)).keys()]).toEqual([first.id]);
  expect([...(await insert(second)).keys()]).toEqual([]);
  expect(await findBooking(db, accountId, second.id)).toBeUndefined();
  const { rows } =
    await sql`select subject_id, leased_by from idempotency_keys where key = ${key.key}`.execute(db);
  // no process: a call of an ended one may still reach the calendar, so only the time counts
  expect(rows).toEqual([{ subject_id: first.id, leased_by: null }]);
});

describe('a step of an older change', () => {
  /** A booking with a second pending move, and the first one as it was read. */
  async function movedTwice() {
    const id = await insertBooking('confirmed');
    const older = await inTx((tx) => setPendingMove(tx, id, to, 1_000));
    const newer = await inTx((tx) => setPendingMove(tx, id, to, 1_000));
    return { older, newer };
  }

  test('does not start, finish or drop a newer reschedule', async () => {
    const { older, newer } = await movedTwice();
    expect(await startMove(db, older)).toBe(false);
    expect(await inTx((tx) => finishMove(tx, older))).toBeUndefined();
    expect(await inTx((tx) => clearPendingChange(tx, older))).toBe(false);
    expect(await findBooking(db, accountId, newer.id)).toEqual(newer);
    expect(await startMove(db, newer)).toBe(true);
    expect(await inTx((tx) => finishMove(tx, newer))).toMatchObject({
      starts_at: to.startsAt,
      pending_change: null,
    });
  });

  test('does not finish or drop a newer cancellation', async () => {
    const id = await insertBooking('confirmed');
    const older = await inTx((tx) => setPendingCancel(tx, id, { reason: 'first', actor }, 1_000));
    const newer = await inTx((tx) => setPendingCancel(tx, id, { reason: 'second', actor }, 1_000));
    expect(await inTx((tx) => finishCancel(tx, older))).toBeUndefined();
    expect(await inTx((tx) => clearPendingChange(tx, older))).toBe(false);
    expect(await findBooking(db, accountId, id)).toEqual(newer);
    expect(await inTx((tx) => finishCancel(tx, newer))).toMatchObject({ state: 'cancelled' });
  });

  test('does not finish a change of the other kind', async () => {
    const { newer } = await movedTwice();
    expect(await inTx((tx) => finishCancel(tx, newer))).toBeUndefined();
    const cancel = await inTx((tx) => setPendingCancel(tx, newer.id, { reason: null, actor }, 1_000));
    expect(await inTx((tx) => finishMove(tx, cancel))).toBeUndefined();
    expect(await startMove(db, cancel)).toBe(false);
  });
});
