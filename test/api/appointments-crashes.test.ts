// Bookings and their changes when the process dies at any point: completed, or rolled back without a trace.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { book } from '../../src/appointments/booking/book.ts';
import { cancelBooking } from '../../src/appointments/booking/cancel.ts';
import { rescheduleBooking } from '../../src/appointments/booking/reschedule.ts';
import {
  type AppointmentsFixture,
  bookingOf,
  comingMonday,
  openAppointmentsFixture,
} from '../harness/appointments-fixture.ts';
import { crashAt } from '../harness/crash-point.ts';

let fixture: AppointmentsFixture;
let account: string;
const date = comingMonday();

beforeAll(async () => {
  fixture = await openAppointmentsFixture();
  account = await fixture.account();
});
afterAll(() => fixture.close());

const ten = (staffId: string) => bookingOf(staffId, date, '10:00', '10:30');
const startsOf = (email: string) => fixture.startsOf(email);
const at = (clock: string) => `${date}T${clock}:00.000Z`;

/** Runs `act` once for each step, in a process that dies at that step, until it completes. The worker runs before `check`. */
async function dieAtEveryStep(
  prepare: () => Promise<{ id: string; email: string }>,
  act: (deps: AppointmentsFixture['deps'], staff: { id: string; email: string }) => Promise<unknown>,
  check: (staff: { id: string; email: string }, step: number) => Promise<void>,
): Promise<number> {
  for (let step = 1; ; step += 1) {
    const staff = await prepare();
    const dying = crashAt(fixture.deps.db, fixture.calendar, step);
    const died = await act(fixture.depsOn(dying.db, { google: dying.calendar }), staff).then(
      () => false,
      () => true,
    );
    await fixture.reconcileAll();
    await check(staff, step);
    if (!died && dying.steps() < step) return step;
    if (step > 80) throw new Error('the process dies at every step');
  }
}

describe('the process dies at every point', () => {
  test('confirms the booking with one event or leaves neither, and the same key then gets its booking', async () => {
    let recovered = 0;
    const points = await dieAtEveryStep(
      () => fixture.staff(account),
      (deps, staff) => book(deps, { accountId: account, key: staff.id, body: ten(staff.id) }),
      async (staff, step) => {
        const rows = await fixture.bookingRows(staff.id);
        const events = await fixture.control.liveEvents(staff.email);
        const confirmed = rows.filter(({ state }) => state === 'confirmed');
        recovered += confirmed.length;
        expect([step, events.map(({ id }) => id)]).toEqual([step, confirmed.map(({ event_id }) => event_id)]);
        expect(rows.filter(({ state }) => state !== 'confirmed' && state !== 'undone')).toEqual([]);
        expect(await fixture.occupancies(staff.id)).toBe(confirmed.length);
        const again = await fixture.book(account, ten(staff.id), staff.id);
        expect([step, again.status, again.json.data.guestInvited]).toEqual([step, 200, true]);
        expect(again.headers.has('idempotency-replayed')).toBe(confirmed.length === 1);
        expect(await fixture.control.liveEvents(staff.email)).toHaveLength(1);
        expect(await fixture.occupancies(staff.id)).toBe(1);
      },
    );
    expect(points).toBeGreaterThan(12);
    // at least the deaths after the insert, and the run that completed
    expect(recovered).toBeGreaterThan(2);
  });

  test('reschedules the booking and its event, or neither', async () => {
    const points = await dieAtEveryStep(
      async () => {
        const staff = await fixture.staff(account, { schedule: { slotStepMinutes: 15 } });
        await fixture.book(account, ten(staff.id));
        return staff;
      },
      async (deps, staff) => {
        const [booking] = await fixture.bookingRows(staff.id);
        const to = { date, from: '10:15', to: '10:45' };
        return rescheduleBooking(deps, { accountId: account, bookingId: booking?.id ?? '', ...to });
      },
      async (staff, step) => {
        const [booking] = await fixture.bookingRows(staff.id);
        const shown = await fixture.call(account, 'GET', `/v1/appointments/bookings/${booking?.id}`);
        const { startsAt, status, pendingChange } = shown.json.data;
        expect([status, pendingChange]).toEqual(['confirmed', null]);
        expect([at('10:00'), at('10:15')]).toContain(startsAt);
        expect([step, await startsOf(staff.email)]).toEqual([step, [startsAt]]);
        expect(await fixture.occupancies(staff.id)).toBe(1);
      },
    );
    expect(points).toBeGreaterThan(10);
  });

  test('cancels the booking and its event, or neither', async () => {
    const points = await dieAtEveryStep(
      async () => {
        const staff = await fixture.staff(account);
        await fixture.book(account, ten(staff.id));
        return staff;
      },
      async (deps, staff) => {
        const [booking] = await fixture.bookingRows(staff.id);
        return cancelBooking(deps, { accountId: account, bookingId: booking?.id ?? '' });
      },
      async (staff, step) => {
        const [booking] = await fixture.bookingRows(staff.id);
        const left = booking?.state === 'cancelled' ? 0 : 1;
        expect(['cancelled', 'confirmed']).toContain(booking?.state);
        expect([step, (await fixture.control.liveEvents(staff.email)).length]).toEqual([step, left]);
        expect(await fixture.occupancies(staff.id)).toBe(left);
      },
    );
    expect(points).toBeGreaterThan(5);
  });
});

test('a hold whose event id belongs to the event of another booking is compensated, never confirmed', async () => {
  const staff = await fixture.staff(account);
  const silent = new Proxy(fixture.calendar, {
    get: (calendar, name) =>
      name === 'insertEvent'
        ? async (...given: Parameters<typeof calendar.insertEvent>) => {
            await calendar.insertEvent(...given);
            throw new Error('the process died');
          }
        : Reflect.get(calendar, name),
  });
  const dying = fixture.depsOn(fixture.deps.db, { google: silent });
  await expect(book(dying, { accountId: account, key: staff.id, body: ten(staff.id) })).rejects.toThrow();
  expect(await fixture.bookingRows(staff.id)).toMatchObject([{ state: 'held' }]);
  const foreign = new Proxy(fixture.calendar, {
    get: (calendar, name) =>
      name === 'getEvent'
        ? async (...given: Parameters<typeof calendar.getEvent>) => {
            const event = await calendar.getEvent(...given);
            return event && { ...event, bookingId: 'another booking' };
          }
        : Reflect.get(calendar, name),
  });
  await fixture.reconcileAll(fixture.depsOn(fixture.deps.db, { google: foreign }));
  expect(await fixture.bookingRows(staff.id)).toMatchObject([{ state: 'undone' }]);
  expect(await fixture.occupancies(staff.id)).toBe(0);
});
