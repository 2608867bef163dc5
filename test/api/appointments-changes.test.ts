// Cancelling and rescheduling bookings, in the gateway and in the calendar.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type AppointmentsFixture,
  bookingOf,
  comingMonday,
  openAppointmentsFixture,
  plainSchedule,
} from '../harness/appointments-fixture.ts';
import { type CalendarChanges, calendarChanges, moved } from '../harness/calendar-changes.ts';

let fixture: AppointmentsFixture;
let account: string;
let read: CalendarChanges['read'];
let book: CalendarChanges['book'];
let moveTo: CalendarChanges['moveTo'];
let changesOf: CalendarChanges['changesOf'];
const date = comingMonday();

beforeAll(async () => {
  fixture = await openAppointmentsFixture();
  account = await fixture.account();
  ({ read, book, moveTo, changesOf } = calendarChanges(fixture, account));
});
afterAll(() => fixture.close());
beforeEach(() => fixture.control.clearFaults());

const ten = (staffId: string) => bookingOf(staffId, date, '10:00', '10:30');
const startsOf = (email: string) => fixture.startsOf(email);
const rowOf = async (id: string) => {
  const { rows } = await sql<{ wish_no: number }>`select * from bookings where id = ${id}`.execute(
    fixture.database.db,
  );
  return rows[0] as { wish_no: number };
};
const at = (clock: string) => `${date}T${clock}:00.000Z`;

describe('a change of a booking', () => {
  const change = (id: string, what: 'cancel' | 'reschedule', body: object = {}) =>
    fixture.call(account, 'POST', `/v1/appointments/bookings/${id}/${what}`, body);

  test('cancels it, and the same slot can be booked again', async () => {
    const staff = await fixture.staff(account);
    const first = (await fixture.book(account, ten(staff.id))).json.data;
    const cancelled = await change(first.bookingId, 'cancel', { reason: 'ill' });
    expect(cancelled.json.data).toMatchObject({
      status: 'cancelled',
      cancelReason: 'ill',
      pendingChange: null,
    });
    expect((await change(first.bookingId, 'cancel')).status).toBe(200);
    const second = await fixture.book(account, ten(staff.id));
    expect(second.status).toBe(200);
    expect((await fixture.control.liveEvents(staff.email)).map(({ id }) => id)).toEqual([
      second.json.data.calendarEventId,
    ]);
  });

  test('moves it to a time that overlaps the old one, and keeps the link', async () => {
    const staff = await fixture.staff(account, { schedule: { slotStepMinutes: 15 } });
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    const moved = await change(made.bookingId, 'reschedule', { date, from: '10:15', to: '10:45' });
    expect(moved.json.data).toMatchObject({
      bookingId: made.bookingId,
      from: '10:15',
      meetingLink: made.meetingLink,
    });
    expect(await startsOf(staff.email)).toEqual([at('10:15')]);
    expect(await fixture.open(account, staff.id, date)).toContain('09:45');
  });

  test("moves it where the primary calendar blocks under its other id, the owner's address", async () => {
    const staff = await fixture.staff(account, { schedule: { slotStepMinutes: 15 } });
    const path = `/v1/appointments/users/${staff.id}/ext-calendar`;
    await fixture.must(fixture.call(account, 'PUT', path, { busyCalendarIds: [staff.email] }));
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    expect(await fixture.open(account, staff.id, date)).not.toContain('10:15');
    const moved = await change(made.bookingId, 'reschedule', { date, from: '10:15', to: '10:45' });
    expect([moved.status, await startsOf(staff.email)]).toEqual([200, [at('10:15')]]);
  });

  test('returns 409 for a move and frees the slot on cancellation when another provider replaced the calendar', async () => {
    const staff = await fixture.staff(account);
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    await sql`update bookings set provider = 'caldav', calendar_id = 'https://dav.example/ada/'
      where id = ${made.bookingId}`.execute(fixture.database.db);
    const moving = await change(made.bookingId, 'reschedule', { date, from: '11:00', to: '11:30' });
    expect([moving.status, moving.json.code]).toEqual([409, 'calendar_not_connected']);
    expect((await change(made.bookingId, 'cancel')).status).toBe(200);
    expect(await fixture.occupancies(staff.id)).toBe(0);
  });

  test('returns 409 for a move and frees the slot on cancellation when another account replaced the calendar, which is not called', async () => {
    const staff = await fixture.staff(account);
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    const email = `other-${staff.email}`;
    await fixture.control.putAccount({ email, timeZone: 'UTC' });
    await fixture.must(fixture.call(account, 'PATCH', `/v1/appointments/users/${staff.id}`, { email }));
    await fixture.connect(account, staff.id);
    expect(await fixture.open(account, staff.id, date)).not.toContain('10:00');
    const calls = (await fixture.control.calls()).length;
    const moving = await change(made.bookingId, 'reschedule', { date, from: '11:00', to: '11:30' });
    expect([moving.status, moving.json.code]).toEqual([409, 'calendar_not_connected']);
    expect(moving.json.message).toContain('a calendar that is no longer connected');
    expect((await change(made.bookingId, 'cancel')).status).toBe(200);
    expect((await fixture.control.calls()).slice(calls)).toEqual([]);
    expect([await fixture.occupancies(staff.id), await startsOf(staff.email)]).toEqual([0, [at('10:00')]]);
  });

  test('returns 409 and changes nothing for a taken or busy slot', async () => {
    const staff = await fixture.staff(account);
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    await fixture.book(account, bookingOf(staff.id, date, '11:00', '11:30'));
    const taken = await change(made.bookingId, 'reschedule', { date, from: '11:00', to: '11:30' });
    expect([taken.status, taken.json.code]).toEqual([409, 'slot_unavailable']);
    await fixture.control.addEvent(staff.email, {
      start: { dateTime: at('09:00') },
      end: { dateTime: at('09:30') },
    });
    const busy = await change(made.bookingId, 'reschedule', { date, from: '09:00', to: '09:30' });
    expect([busy.status, busy.json.code]).toEqual([409, 'slot_unavailable']);
    expect(await fixture.occupancies(staff.id)).toBe(2);
    expect(await startsOf(staff.email)).toContain(at('10:00'));
  });

  test('returns 503 and keeps both times while the calendar is down, and applies the change afterwards', async () => {
    const staff = await fixture.staff(account);
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    await fixture.control.addFault({ does: 'reset', on: 'events.patch' });
    const later = { date, from: '11:00', to: '11:30' };
    const moving = await fixture.withoutDelays(() => change(made.bookingId, 'reschedule', later));
    expect(moving.status).toBe(503);
    expect(await fixture.occupancies(staff.id)).toBe(2);
    await fixture.control.clearFaults();
    await fixture.reconcileAll();
    expect(await startsOf(staff.email)).toEqual([at('11:00')]);
    expect(await fixture.occupancies(staff.id)).toBe(1);
    await fixture.control.addFault({ does: 'reset', on: 'events.delete' });
    expect((await fixture.withoutDelays(() => change(made.bookingId, 'cancel'))).status).toBe(503);
    const waiting = await fixture.call(account, 'GET', `/v1/appointments/bookings/${made.bookingId}`);
    expect(waiting.json.data).toMatchObject({ status: 'confirmed', pendingChange: { kind: 'cancel' } });
    await fixture.control.clearFaults();
    await fixture.reconcileAll();
    expect(await fixture.control.liveEvents(staff.email)).toEqual([]);
    expect(await fixture.occupancies(staff.id)).toBe(0);
  });

  test('is stored when the authorization was revoked, and applied once the calendar is reconnected', async () => {
    const staff = await fixture.staff(account);
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    await fixture.control.revokeGrants({ account: staff.email });
    const response = await change(made.bookingId, 'cancel');
    expect([response.status, response.json.code]).toEqual([409, 'calendar_not_connected']);
    await fixture.connect(account, staff.id);
    await fixture.reconcileAll();
    expect(await fixture.control.liveEvents(staff.email)).toEqual([]);
    expect((await fixture.bookingRows(staff.id)).map(({ state }) => state)).toEqual(['cancelled']);
  });

  test('returns 200 for a move to the present time, and writes nothing to the calendar', async () => {
    const staff = await fixture.staff(account);
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    // even if the slot is no longer offered
    const path = `/v1/appointments/users/${staff.id}/schedule`;
    await fixture.must(fixture.call(account, 'PUT', path, { ...plainSchedule, weekly: [], timezone: 'UTC' }));
    const changed = (await fixture.control.changes()).length;
    const before = await rowOf(made.bookingId);
    for (const to of [
      { date, from: '10:00', to: '10:30' },
      { date, from: '15:30', to: '16:00', timezone: 'Asia/Kolkata' },
    ]) {
      const response = await change(made.bookingId, 'reschedule', to);
      expect([response.status, response.json.data.startsAt]).toEqual([200, at('10:00')]);
    }
    expect(await rowOf(made.bookingId)).toEqual(before);
    expect((await fixture.control.changes()).length).toBe(changed);
    const longer = await change(made.bookingId, 'reschedule', { date, from: '10:00', to: '11:00' });
    expect(longer.json.code).toBe('slot_unavailable');
  });

  test('moves the event back when it was moved externally and the present time is requested', async () => {
    const staff = await fixture.staff(account);
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    await fixture.control.changeEvent(staff.email, made.calendarEventId, {
      start: { dateTime: at('11:00') },
      end: { dateTime: at('11:30') },
    });
    await sql`update bookings set hand = 'moved', hand_starts_at = ${new Date(at('11:00'))},
      hand_ends_at = ${new Date(at('11:30'))} where id = ${made.bookingId}`.execute(fixture.database.db);
    const moved = await change(made.bookingId, 'reschedule', { date, from: '10:00', to: '10:30' });
    expect([moved.status, await startsOf(staff.email)]).toEqual([200, [at('10:00')]]);
  });

  test('returns 409 for a move to the present time when the event was deleted externally', async () => {
    const staff = await fixture.staff(account);
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    await fixture.control.changeEvent(staff.email, made.calendarEventId, { status: 'cancelled' });
    const moved = await change(made.bookingId, 'reschedule', { date, from: '10:00', to: '10:30' });
    expect([moved.status, moved.json.code]).toEqual([409, 'booking_not_changeable']);
  });

  test('moves and cancels a booking of an inactive staff member', async () => {
    const staff = await fixture.staff(account, { calendar: 'none' });
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    const path = `/v1/appointments/users/${staff.id}`;
    await fixture.must(fixture.call(account, 'PATCH', path, { active: false }));
    const moved = await change(made.bookingId, 'reschedule', { date, from: '11:00', to: '11:30' });
    expect([moved.status, moved.json.data?.startsAt]).toEqual([200, at('11:00')]);
    expect((await change(made.bookingId, 'cancel')).status).toBe(200);
  });

  test('returns 404 for unknown bookings and those of another account', async () => {
    const staff = await fixture.staff(account, { calendar: 'none' });
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    const otherAccount = await fixture.account();
    for (const [caller, id] of [
      [account, 'nonsense'],
      [account, randomUUID()],
      [otherAccount, made.bookingId],
    ] as const) {
      const path = `/v1/appointments/bookings/${id}`;
      expect((await fixture.call(caller, 'GET', path)).status).toBe(404);
      expect((await fixture.call(caller, 'POST', `${path}/cancel`, {})).status).toBe(404);
      const to = { date, from: '11:00', to: '11:30' };
      expect((await fixture.call(caller, 'POST', `${path}/reschedule`, to)).status).toBe(404);
    }
  });
});

describe('a change by the time of the event', () => {
  const change = (id: string, what: 'cancel' | 'reschedule', body: object = {}) =>
    fixture.call(account, 'POST', `/v1/appointments/bookings/${id}/${what}`, body);
  const later = (days: number) => Temporal.PlainDate.from(date).add({ days }).toString();
  const moveToDay = (email: string, eventId: string, day: string) =>
    fixture.control.changeEvent(email, eventId, {
      start: { dateTime: `${day}T10:00:00Z` },
      end: { dateTime: `${day}T10:30:00Z` },
    });
  const to = { date: later(9), from: '11:00', to: '11:30' };

  test.each([
    ['follow', 'after the last reading'],
    ['keep', 'after the last reading'],
    ['keep', 'before the last reading'],
  ] as const)(
    'with "%s", is allowed for a booking whose event was moved to a later week %s, after its first time has passed',
    async (onCalendarMove, when) => {
      const staff = await fixture.staff(account, { onCalendarMove });
      const [first, second, past] = [
        await book(staff.id, '09:00', '09:30'),
        await book(staff.id, '10:00', '10:30'),
        await book(staff.id, '11:00', '11:30'),
      ];
      await read(staff.id);
      await moveToDay(staff.email, first.calendarEventId, later(7));
      await moveToDay(staff.email, second.calendarEventId, later(8));
      if (when === 'before the last reading') await read(staff.id);
      const before = fixture.clock.aheadMs;
      fixture.clock.aheadMs += Date.parse(at('12:00')) - fixture.clock.now();
      try {
        const cancelling = await change(first.bookingId, 'cancel');
        expect([cancelling.status, cancelling.json.data?.status]).toEqual([200, 'cancelled']);
        const moving = await change(second.bookingId, 'reschedule', to);
        expect([moving.status, moving.json.data?.from]).toEqual([200, '11:00']);
        const late = await change(past.bookingId, 'cancel');
        expect([late.status, late.json.code]).toEqual([409, 'booking_not_changeable']);
      } finally {
        fixture.clock.aheadMs = before;
      }
    },
  );

  test('moves an event back that was moved externally a moment ago', async () => {
    const staff = await fixture.staff(account);
    const made = await book(staff.id, '10:00', '10:30');
    await read(staff.id);
    await moveTo(staff.email, made.calendarEventId, '11:00', '11:30');
    const back = await change(made.bookingId, 'reschedule', { date, from: '10:00', to: '10:30' });
    expect([back.status, back.json.data.startsAt]).toEqual([200, at('10:00')]);
    expect(await fixture.startsOf(staff.email)).toEqual([at('10:00')]);
    expect(await changesOf(staff.id)).toEqual([moved, 'appointments.rescheduled by api']);
  });

  test('returns 409 for a booking that has ended when the calendar does not respond', async () => {
    const staff = await fixture.staff(account);
    const made = await book(staff.id, '10:00', '10:30');
    const before = fixture.clock.aheadMs;
    fixture.clock.aheadMs += Date.parse(at('12:00')) - fixture.clock.now();
    await fixture.control.addFault({ does: 'reset', on: 'events.get' });
    try {
      const response = await change(made.bookingId, 'cancel');
      expect([response.status, response.json.code]).toEqual([409, 'booking_not_changeable']);
    } finally {
      fixture.clock.aheadMs = before;
    }
  });
});
