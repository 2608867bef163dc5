// Bookings when the calendar fails, answers late, or the process dies at any point: confirmed with one event, or gone with none.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { book } from '../../src/appointments/booking/book.ts';
import { cancelBooking, rescheduleBooking } from '../../src/appointments/booking/change.ts';
import { followChanges } from '../../src/appointments/booking/follow.ts';
import {
  type AppointmentsRoom,
  bookingOf,
  comingMonday,
  openAppointmentsRoom,
} from '../harness/appointments-room.ts';
import { deadSwitch } from '../harness/dead-switch.ts';

let room: AppointmentsRoom;
let account: string;
const date = comingMonday();

beforeAll(async () => {
  room = await openAppointmentsRoom({ attemptTimeoutMs: 250 });
  account = await room.account();
});
afterAll(() => room.close());
beforeEach(async () => {
  await room.control.clearFaults();
  await room.control.set({ conference: { kind: 'success' } });
});

const ten = (staffId: string) => bookingOf(staffId, date, '10:00', '10:30');
const startsOf = async (email: string) =>
  (await room.control.liveEvents(email)).map(({ start }) => new Date(start.dateTime ?? '').toISOString());
const at = (clock: string) => `${date}T${clock}:00.000Z`;

describe('the calendar fails', () => {
  test('an insert whose answer is lost: found by the retry inside the request, one event', async () => {
    const staff = await room.staff(account);
    await room.control.addFault({ does: 'reset', on: 'events.insert', when: 'after', times: 1 });
    expect((await room.book(account, ten(staff.id))).status).toBe(200);
    expect(await room.control.liveEvents(staff.email)).toHaveLength(1);
  });

  test('an insert that hangs: tried again inside the request, one event', async () => {
    const staff = await room.staff(account);
    await room.control.addFault({ does: 'hang', on: 'events.insert', times: 1 });
    expect((await room.book(account, ten(staff.id))).status).toBe(200);
    expect(await room.control.liveEvents(staff.email)).toHaveLength(1);
  });

  test('turned away for pace twice: one event', async () => {
    const staff = await room.staff(account);
    await room.control.addFault({
      does: 'refuse',
      on: 'events.insert',
      reason: 'rateLimitExceeded',
      status: 403,
      times: 2,
    });
    expect((await room.book(account, ten(staff.id))).status).toBe(200);
    expect(await room.control.liveEvents(staff.email)).toHaveLength(1);
  });

  test('refused: 502 with its words, and nothing left behind', async () => {
    const staff = await room.staff(account);
    await room.control.addFault({ does: 'refuse', on: 'events.insert', reason: 'invalid', status: 400 });
    const key = randomUUID();
    const answer = await room.book(account, ten(staff.id), key);
    expect([answer.status, answer.json.code]).toEqual([502, 'provider_rejected']);
    expect(answer.json.provider).toMatchObject({ message: expect.any(String) });
    expect(await room.occupancies(staff.id)).toBe(0);
    await room.control.clearFaults();
    expect((await room.book(account, ten(staff.id), key)).status).toBe(200);
    expect(await room.control.liveEvents(staff.email)).toHaveLength(1);
  });

  test('free-busy that answers 200 with an error inside is never "all free"', async () => {
    const staff = await room.staff(account);
    await room.control.addFault({ does: 'inner_errors', on: 'freebusy.query', reason: 'internalError' });
    const slots = await room.slots(account, staff.id, date);
    expect([slots.status, slots.json.code]).toEqual([503, 'provider_unavailable']);
    expect((await room.book(account, ten(staff.id))).status).toBe(503);
    expect(await room.control.liveEvents(staff.email)).toEqual([]);
    await room.settleAll();
    expect(await room.occupancies(staff.id)).toBe(0);
  });

  test('down for the whole request: 503, the slot kept while undoing, then free; the key books anew', async () => {
    const staff = await room.staff(account);
    const key = randomUUID();
    await room.control.addFault({ does: 'reset' });
    const answer = await room.book(account, ten(staff.id), key);
    expect([answer.status, answer.headers.has('retry-after')]).toEqual([503, true]);
    expect((await room.bookingRows(staff.id)).map(({ state }) => state)).toEqual(['undoing']);
    const meanwhile = await room.book(account, ten(staff.id), key);
    expect([meanwhile.status, meanwhile.json.code]).toEqual([409, 'idempotency_in_progress']);
    const rival = await room.book(account, ten(staff.id));
    expect([rival.status, rival.json.code]).toEqual([409, 'slot_unavailable']);
    await room.control.clearFaults();
    await room.settleAll();
    expect(await room.occupancies(staff.id)).toBe(0);
    expect((await room.book(account, ten(staff.id), key)).status).toBe(200);
    expect(await room.control.liveEvents(staff.email)).toHaveLength(1);
  });

  test('an insert that lands after the request gave up leaves no event', async () => {
    const staff = await room.staff(account);
    const key = randomUUID();
    await room.control.addFault({ does: 'land_late', on: 'events.insert' });
    expect((await room.book(account, ten(staff.id), key)).status).toBe(503);
    await room.control.clearFaults();
    await room.settleAll();
    expect((await room.bookingRows(staff.id)).map(({ state }) => state)).toEqual(['undone']);
    expect(await room.control.land()).toBeGreaterThan(0);
    expect(await room.control.liveEvents(staff.email)).toEqual([]);
    expect((await room.book(account, ten(staff.id), key)).status).toBe(200);
    await room.control.land();
    expect(await room.control.liveEvents(staff.email)).toHaveLength(1);
  });
});

describe('the meeting link', () => {
  test('pending first: waited for', async () => {
    const staff = await room.staff(account);
    await room.control.set({ conference: { kind: 'pending', readsUntilSuccess: 2 } });
    const { json } = await room.book(account, ten(staff.id));
    expect(json.data.meetingLink).toMatch(/^https:\/\/meet\.google\.com\//);
  });

  test.each([
    { kind: 'pending', readsUntilSuccess: null },
    { kind: 'failure' },
    { kind: 'refused' },
  ] as const)('$kind: the fallback room, in the answer and in the event', async (conference) => {
    const staff = await room.staff(account);
    await room.control.set({ conference });
    const { json } = await room.book(account, ten(staff.id));
    expect(json.data.meetingLink).toMatch(/^https:\/\/meet\.example\/[0-9a-f]{32}$/);
    await room.control.finishMeetings();
    expect((await room.control.liveEvents(staff.email))[0]).toMatchObject({
      location: json.data.meetingLink,
    });
  });
});

/** Runs `act` in a process that dies at each step in turn until it lives to the end; `check` sees what the worker makes of it. */
async function dyingAtEveryStep(
  prepare: () => Promise<{ id: string; email: string }>,
  act: (deps: AppointmentsRoom['deps'], staff: { id: string; email: string }) => Promise<unknown>,
  check: (staff: { id: string; email: string }, step: number) => Promise<void>,
): Promise<number> {
  for (let step = 1; ; step += 1) {
    const staff = await prepare();
    const doomed = deadSwitch(room.deps.db, room.calendar, step);
    const died = await act(room.depsOn(doomed.db, { google: doomed.calendar }), staff).then(
      () => false,
      () => true,
    );
    await room.settleAll();
    await check(staff, step);
    if (!died && doomed.steps() < step) return step;
    if (step > 80) throw new Error('it never lives to the end');
  }
}

describe('the process dies at every point', () => {
  test('of a booking: confirmed with one event, or gone with none; the same key then has its booking', async () => {
    let recovered = 0;
    const points = await dyingAtEveryStep(
      () => room.staff(account),
      (deps, staff) => book(deps, { accountId: account, key: staff.id, body: ten(staff.id) }),
      async (staff, step) => {
        const rows = await room.bookingRows(staff.id);
        const events = await room.control.liveEvents(staff.email);
        const confirmed = rows.filter(({ state }) => state === 'confirmed');
        recovered += confirmed.length;
        expect([step, events.map(({ id }) => id)]).toEqual([step, confirmed.map(({ event_id }) => event_id)]);
        expect(rows.filter(({ state }) => state !== 'confirmed' && state !== 'undone')).toEqual([]);
        expect(await room.occupancies(staff.id)).toBe(confirmed.length);
        const again = await room.book(account, ten(staff.id), staff.id);
        expect([step, again.status]).toEqual([step, 200]);
        expect(again.headers.has('idempotency-replayed')).toBe(confirmed.length === 1);
        expect(await room.control.liveEvents(staff.email)).toHaveLength(1);
        expect(await room.occupancies(staff.id)).toBe(1);
      },
    );
    expect(points).toBeGreaterThan(15);
    // whoever died after the insert has its booking; one run of all lived
    expect(recovered).toBeGreaterThan(2);
  });

  test('of a reschedule: at one of the two times, in both places', async () => {
    const points = await dyingAtEveryStep(
      async () => {
        const staff = await room.staff(account, { schedule: { slotStepMinutes: 15 } });
        await room.book(account, ten(staff.id));
        return staff;
      },
      async (deps, staff) => {
        const [booking] = await room.bookingRows(staff.id);
        const to = { date, from: '10:15', to: '10:45' };
        return rescheduleBooking(deps, { accountId: account, bookingId: booking?.id ?? '', ...to });
      },
      async (staff, step) => {
        const [booking] = await room.bookingRows(staff.id);
        const shown = await room.call(account, 'GET', `/v1/appointments/bookings/${booking?.id}`);
        const { startsAt, status, pendingChange } = shown.json.data;
        expect([status, pendingChange]).toEqual(['confirmed', null]);
        expect([at('10:00'), at('10:15')]).toContain(startsAt);
        expect([step, await startsOf(staff.email)]).toEqual([step, [startsAt]]);
        expect(await room.occupancies(staff.id)).toBe(1);
      },
    );
    expect(points).toBeGreaterThan(10);
  });

  test('of a cancellation: cancelled without an event, or confirmed with it', async () => {
    const points = await dyingAtEveryStep(
      async () => {
        const staff = await room.staff(account);
        await room.book(account, ten(staff.id));
        return staff;
      },
      async (deps, staff) => {
        const [booking] = await room.bookingRows(staff.id);
        return cancelBooking(deps, { accountId: account, bookingId: booking?.id ?? '' });
      },
      async (staff, step) => {
        const [booking] = await room.bookingRows(staff.id);
        const left = booking?.state === 'cancelled' ? 0 : 1;
        expect(['cancelled', 'confirmed']).toContain(booking?.state);
        expect([step, (await room.control.liveEvents(staff.email)).length]).toEqual([step, left]);
        expect(await room.occupancies(staff.id)).toBe(left);
      },
    );
    expect(points).toBeGreaterThan(5);
  });
});

describe('changes of a booking', () => {
  const change = (id: string, what: 'cancel' | 'reschedule', body: object = {}) =>
    room.call(account, 'POST', `/v1/appointments/bookings/${id}/${what}`, body);

  test('cancelled, then the same slot booked again', async () => {
    const staff = await room.staff(account);
    const first = (await room.book(account, ten(staff.id))).json.data;
    const cancelled = await change(first.bookingId, 'cancel', { reason: 'ill' });
    expect(cancelled.json.data).toMatchObject({
      status: 'cancelled',
      cancelReason: 'ill',
      pendingChange: null,
    });
    expect((await change(first.bookingId, 'cancel')).status).toBe(200);
    const second = await room.book(account, ten(staff.id));
    expect(second.status).toBe(200);
    expect((await room.control.liveEvents(staff.email)).map(({ id }) => id)).toEqual([
      second.json.data.calendarEventId,
    ]);
  });

  test('moved onto a time that overlaps its old one; the link stays', async () => {
    const staff = await room.staff(account, { schedule: { slotStepMinutes: 15 } });
    const made = (await room.book(account, ten(staff.id))).json.data;
    const moved = await change(made.bookingId, 'reschedule', { date, from: '10:15', to: '10:45' });
    expect(moved.json.data).toMatchObject({
      bookingId: made.bookingId,
      from: '10:15',
      meetingLink: made.meetingLink,
    });
    expect(await startsOf(staff.email)).toEqual([at('10:15')]);
    expect(await room.open(account, staff.id, date)).toContain('09:45');
  });

  test('onto a taken or busy slot: 409, and it stays as it was', async () => {
    const staff = await room.staff(account);
    const made = (await room.book(account, ten(staff.id))).json.data;
    await room.book(account, bookingOf(staff.id, date, '11:00', '11:30'));
    const taken = await change(made.bookingId, 'reschedule', { date, from: '11:00', to: '11:30' });
    expect([taken.status, taken.json.code]).toEqual([409, 'slot_unavailable']);
    await room.control.addEvent(staff.email, {
      start: { dateTime: at('09:00') },
      end: { dateTime: at('09:30') },
    });
    const busy = await change(made.bookingId, 'reschedule', { date, from: '09:00', to: '09:30' });
    expect([busy.status, busy.json.code]).toEqual([409, 'slot_unavailable']);
    expect(await room.occupancies(staff.id)).toBe(2);
    expect(await startsOf(staff.email)).toContain(at('10:00'));
  });

  test('while the calendar is down: 503, both times kept, and carried out afterwards', async () => {
    const staff = await room.staff(account);
    const made = (await room.book(account, ten(staff.id))).json.data;
    await room.control.addFault({ does: 'reset', on: 'events.patch' });
    const moving = await change(made.bookingId, 'reschedule', { date, from: '11:00', to: '11:30' });
    expect(moving.status).toBe(503);
    expect(await room.occupancies(staff.id)).toBe(2);
    await room.control.clearFaults();
    await room.settleAll();
    expect(await startsOf(staff.email)).toEqual([at('11:00')]);
    expect(await room.occupancies(staff.id)).toBe(1);
    await room.control.addFault({ does: 'reset', on: 'events.delete' });
    expect((await change(made.bookingId, 'cancel')).status).toBe(503);
    const waiting = await room.call(account, 'GET', `/v1/appointments/bookings/${made.bookingId}`);
    expect(waiting.json.data).toMatchObject({ status: 'confirmed', pendingChange: { kind: 'cancel' } });
    await room.control.clearFaults();
    await room.settleAll();
    expect(await room.control.liveEvents(staff.email)).toEqual([]);
    expect(await room.occupancies(staff.id)).toBe(0);
  });

  test('of a calendar whose grant is gone: noted, and carried out once it is connected again', async () => {
    const staff = await room.staff(account);
    const made = (await room.book(account, ten(staff.id))).json.data;
    await room.control.revokeGrants({ account: staff.email });
    const answer = await change(made.bookingId, 'cancel');
    expect([answer.status, answer.json.code]).toEqual([409, 'calendar_not_connected']);
    await room.connect(account, staff.id);
    await room.settleAll();
    expect(await room.control.liveEvents(staff.email)).toEqual([]);
    expect((await room.bookingRows(staff.id)).map(({ state }) => state)).toEqual(['cancelled']);
  });

  test("unknown ones, and another account's: 404", async () => {
    const staff = await room.staff(account, { calendar: 'none' });
    const made = (await room.book(account, ten(staff.id))).json.data;
    const neighbour = await room.account();
    for (const [caller, id] of [
      [account, 'nonsense'],
      [account, randomUUID()],
      [neighbour, made.bookingId],
    ] as const) {
      const path = `/v1/appointments/bookings/${id}`;
      expect((await room.call(caller, 'GET', path)).status).toBe(404);
      expect((await room.call(caller, 'POST', `${path}/cancel`, {})).status).toBe(404);
      const to = { date, from: '11:00', to: '11:30' };
      expect((await room.call(caller, 'POST', `${path}/reschedule`, to)).status).toBe(404);
    }
  });
});

describe('changes by hand in the calendar', () => {
  async function followed(bookingId: string) {
    await sql`update calendar_connections set changes_due_at = now()`.execute(room.database.db);
    while ((await followChanges(room.deps)) > 0);
    return (await room.call(account, 'GET', `/v1/appointments/bookings/${bookingId}`)).json.data
      .calendarState;
  }
  const moveTo = (email: string, eventId: string, from: string, to: string) =>
    room.control.changeEvent(email, eventId, { start: { dateTime: at(from) }, end: { dateTime: at(to) } });

  test('a move takes the range along; onto another booking it is a conflict; back it is in step', async () => {
    const staff = await room.staff(account, { schedule: { bufferAfterMinutes: 30 } });
    const made = (await room.book(account, ten(staff.id))).json.data;
    expect(await followed(made.bookingId)).toEqual({ state: 'in_step' });
    await moveTo(staff.email, made.calendarEventId, '11:00', '11:30');
    expect(await followed(made.bookingId)).toEqual({
      state: 'moved',
      from: at('11:00'),
      to: at('11:30'),
      conflict: false,
    });
    const other = await room.book(account, bookingOf(staff.id, date, '09:30', '10:00'));
    expect(other.status).toBe(200);
    await moveTo(staff.email, made.calendarEventId, '09:45', '10:15');
    expect(await followed(made.bookingId)).toMatchObject({ state: 'moved', conflict: true });
    await moveTo(staff.email, made.calendarEventId, '10:30', '11:00');
    expect(await followed(made.bookingId)).toMatchObject({ state: 'moved', conflict: false });
    await room.control.removeEvent(staff.email, other.json.data.calendarEventId);
    expect(await followed(other.json.data.bookingId)).toEqual({ state: 'deleted' });
  });
});
