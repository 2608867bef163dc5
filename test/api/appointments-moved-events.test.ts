// Events of bookings that staff move in their calendars: bookings follow or keep their time, and each change is published once.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type AppointmentsFixture,
  bookingOf,
  openAppointmentsFixture,
} from '../harness/appointments-fixture.ts';
import {
  at,
  type CalendarChanges,
  calendarChanges,
  date,
  moved,
  pathOf,
} from '../harness/calendar-changes.ts';

let fixture: AppointmentsFixture;
let account: string;
let shown: CalendarChanges['shown'];
let read: CalendarChanges['read'];
let book: CalendarChanges['book'];
let moveTo: CalendarChanges['moveTo'];
let followed: CalendarChanges['followed'];
let changesOf: CalendarChanges['changesOf'];

beforeAll(async () => {
  fixture = await openAppointmentsFixture();
  account = await fixture.account();
  ({ shown, read, book, moveTo, followed, changesOf } = calendarChanges(fixture, account));
});
afterAll(() => fixture.close());
beforeEach(() => fixture.control.clearFaults());

const ten = (staffId: string) => bookingOf(staffId, date, '10:00', '10:30');
const keeping = { onCalendarMove: 'keep', onCalendarDelete: 'keep' } as const;

describe('an event that is moved externally', () => {
  test('moves its booking: time, lists, slots, and one webhook event', async () => {
    const staff = await fixture.staff(account);
    const made = await book(staff.id, '10:00', '10:30');
    await read(staff.id);
    expect(await changesOf(staff.id)).toEqual([]);
    await moveTo(staff.email, made.calendarEventId, '11:00', '11:45');
    await read(staff.id);
    await read(staff.id);
    const { staffName: _ofLists, ...item } = await shown(made.bookingId);
    expect(item).toMatchObject({
      ...{ from: '11:00', to: '11:45', startsAt: at('11:00'), endsAt: at('11:45') },
      ...{ status: 'confirmed', calendarState: { state: 'in_step' } },
    });
    expect(await changesOf(staff.id)).toEqual([moved]);
    const event = (await fixture.events(account, staff.id)).at(-1);
    expect(event?.data).toEqual({ ...item, by: 'calendar' });
    const listed = async (from: string, to: string) =>
      (
        await fixture.must(
          fixture.call(
            account,
            'GET',
            `/v1/appointments/bookings?appointmentUserId=${staff.id}&from=${at(from)}&to=${at(to)}`,
          ),
        )
      ).items.length;
    expect([await listed('10:00', '10:30'), await listed('11:00', '11:30')]).toEqual([0, 1]);
    expect(await fixture.open(account, staff.id, date)).toEqual(['09:00', '09:30', '10:00', '10:30']);
    await fixture.must(
      fixture.call(account, 'POST', `${pathOf(made.bookingId)}/reschedule`, {
        ...{ date, from: '09:00', to: '09:30' },
      }),
    );
    expect((await fixture.events(account, staff.id)).at(-1)?.data).toMatchObject({
      by: 'api',
      from: '09:00',
    });
  });

  test('onto another booking is reported with a conflict, which ends when the other one is cancelled', async () => {
    const staff = await fixture.staff(account);
    const other = await book(staff.id, '09:00', '09:30');
    const made = await book(staff.id, '10:00', '10:30');
    await read(staff.id);
    await moveTo(staff.email, made.calendarEventId, '09:15', '09:45');
    await read(staff.id);
    expect(await shown(made.bookingId)).toMatchObject({
      startsAt: at('09:15'),
      calendarState: { state: 'moved', from: at('09:15'), to: at('09:45'), conflict: true },
    });
    expect(await changesOf(staff.id)).toEqual([moved]);
    await fixture.must(fixture.call(account, 'POST', `${pathOf(other.bookingId)}/cancel`, {}));
    await read(staff.id);
    expect(await shown(made.bookingId)).toMatchObject({
      startsAt: at('09:15'),
      calendarState: { state: 'in_step' },
    });
    expect(await changesOf(staff.id)).toEqual([moved, 'appointments.cancelled by api']);
    expect(await fixture.open(account, staff.id, date)).toContain('10:00');
  });

  test('onto the booking of another member of a shared calendar is a conflict, also for staff who no longer need a calendar', async () => {
    const staff = await fixture.staff(account);
    const other = await fixture.staff(account, { email: staff.email });
    const made = await book(staff.id, '09:00', '09:30');
    await book(other.id, '10:00', '10:30');
    const path = `/v1/appointments/users/${staff.id}`;
    await fixture.must(fixture.call(account, 'PATCH', path, { calendar: 'none' }));
    await moveTo(staff.email, made.calendarEventId, '10:15', '10:45');
    await read(staff.id);
    expect(await shown(made.bookingId)).toMatchObject({
      startsAt: at('10:15'),
      calendarState: { state: 'moved', conflict: true },
    });
    expect(await changesOf(staff.id)).toEqual([moved]);
  });

  test('does not move its booking when it becomes an all-day event', async () => {
    const staff = await fixture.staff(account);
    const made = await book(staff.id, '10:00', '10:30');
    await read(staff.id);
    const next = Temporal.PlainDate.from(date).add({ days: 1 }).toString();
    await fixture.control.changeEvent(staff.email, made.calendarEventId, {
      start: { date },
      end: { date: next },
    });
    await read(staff.id);
    expect(await shown(made.bookingId)).toMatchObject({
      startsAt: at('10:00'),
      calendarState: { state: 'moved', from: at('00:00') },
    });
    expect(await changesOf(staff.id)).toEqual([]);
  });

  test('that became a series does not block the time that its booking is rescheduled to', async () => {
    const staff = await fixture.staff(account, { schedule: { bufferBeforeMinutes: 15 } });
    const made = await book(staff.id, '10:00', '10:30');
    await fixture.control.changeEvent(staff.email, made.calendarEventId, {
      start: { dateTime: at('10:00'), timeZone: 'UTC' },
      end: { dateTime: at('10:30'), timeZone: 'UTC' },
      recurrence: ['RRULE:FREQ=WEEKLY'],
    });
    const to = { date, from: '10:30', to: '11:00' };
    await fixture.must(fixture.call(account, 'POST', `${pathOf(made.bookingId)}/reschedule`, to));
    expect(await fixture.startsOf(staff.email)).toEqual([at('10:30')]);
  });

  test('to an earlier day and back moves its booking twice', async () => {
    const staff = await fixture.staff(account);
    const made = await book(staff.id, '10:00', '10:30');
    await read(staff.id);
    const past = { start: { dateTime: '2020-01-01T10:00:00Z' }, end: { dateTime: '2020-01-01T10:30:00Z' } };
    await fixture.control.changeEvent(staff.email, made.calendarEventId, past);
    await read(staff.id);
    expect(await shown(made.bookingId)).toMatchObject({ startsAt: '2020-01-01T10:00:00.000Z' });
    await moveTo(staff.email, made.calendarEventId, '10:00', '10:30');
    await read(staff.id);
    expect(await shown(made.bookingId)).toMatchObject({
      startsAt: at('10:00'),
      calendarState: { state: 'in_step' },
    });
    expect(await changesOf(staff.id)).toEqual([moved, moved]);
  });
});

describe('with onCalendarMove and onCalendarDelete "keep"', () => {
  test('a moved event blocks its new time, its booking keeps its own, and it is a conflict on another booking', async () => {
    const staff = await fixture.staff(account, { ...keeping, schedule: { bufferAfterMinutes: 30 } });
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    expect(await followed(staff.id, made.bookingId)).toEqual({ state: 'in_step' });
    await moveTo(staff.email, made.calendarEventId, '11:00', '11:30');
    expect(await followed(staff.id, made.bookingId)).toEqual({
      state: 'moved',
      from: at('11:00'),
      to: at('11:30'),
      conflict: false,
    });
    expect(await fixture.open(account, staff.id, date)).toEqual(['09:00', '11:30']);
    const other = await fixture.book(account, bookingOf(staff.id, date, '09:00', '09:30'));
    expect(other.status).toBe(200);
    await moveTo(staff.email, made.calendarEventId, '09:15', '09:45');
    expect(await followed(staff.id, made.bookingId)).toMatchObject({ state: 'moved', conflict: true });
    await moveTo(staff.email, made.calendarEventId, '10:30', '11:00');
    expect(await followed(staff.id, made.bookingId)).toMatchObject({ state: 'moved', conflict: false });
    await fixture.control.removeEvent(staff.email, other.json.data.calendarEventId);
    expect(await followed(staff.id, other.json.data.bookingId)).toEqual({ state: 'deleted' });
    expect(await fixture.occupancies(staff.id)).toBe(2);
  });

  test('a booking whose event was moved to another date counts towards the daily limit of its own', async () => {
    const staff = await fixture.staff(account, { ...keeping, schedule: { dailyLimit: 1 } });
    const made = (await fixture.book(account, ten(staff.id))).json.data;
    const next = Temporal.PlainDate.from(date).add({ days: 1 }).toString();
    await fixture.control.changeEvent(staff.email, made.calendarEventId, {
      start: { dateTime: `${next}T10:00:00Z` },
      end: { dateTime: `${next}T10:30:00Z` },
    });
    expect(await followed(staff.id, made.bookingId)).toMatchObject({ state: 'moved' });
    expect(await fixture.open(account, staff.id, date)).toEqual([]);
    expect(await fixture.open(account, staff.id, next)).toEqual([
      '09:00',
      '09:30',
      '10:30',
      '11:00',
      '11:30',
    ]);
  });

  test('changes are found that were made while the sync token expired or the calendar was disconnected', async () => {
    const staff = await fixture.staff(account, keeping);
    const book = async (from: string, to: string) =>
      (await fixture.book(account, bookingOf(staff.id, date, from, to))).json.data;
    const [first, second] = [await book('09:00', '09:30'), await book('10:00', '10:30')];
    expect(await followed(staff.id, first.bookingId)).toEqual({ state: 'in_step' });
    await fixture.control.removeEvent(staff.email, first.calendarEventId);
    await fixture.control.expireSyncTokens();
    expect(await followed(staff.id, first.bookingId)).toEqual({ state: 'deleted' });
    await fixture.control.revokeGrants({ account: staff.email });
    await fixture.control.removeEvent(staff.email, second.calendarEventId);
    expect(await followed(staff.id, second.bookingId)).toEqual({ state: 'in_step' });
    await fixture.connect(account, staff.id);
    expect(await followed(staff.id, second.bookingId)).toEqual({ state: 'deleted' });
    // a booking whose event was deleted keeps its slot until it is cancelled
    expect(await fixture.open(account, staff.id, date)).not.toContain('10:00');
    const path = `/v1/appointments/bookings/${second.bookingId}`;
    const moving = await fixture.call(account, 'POST', `${path}/reschedule`, {
      date,
      from: '11:00',
      to: '11:30',
    });
    expect([moving.status, moving.json.code]).toEqual([409, 'booking_not_changeable']);
    expect((await fixture.call(account, 'POST', `${path}/cancel`, {})).status).toBe(200);
    expect(await fixture.open(account, staff.id, date)).toContain('10:00');
  });
});

describe('a reading', () => {
  /** Reads the calendar, and runs `act` after the first response to `call`. */
  async function readWhile(staffId: string, call: 'changedEvents' | 'getEvent', act: () => Promise<unknown>) {
    let isDone = false;
    const calendar = new Proxy(fixture.calendar, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (name !== call) return member;
        return async (...given: unknown[]) => {
          const response = await member.apply(target, given);
          if (!isDone) {
            isDone = true;
            await act();
          }
          return response;
        };
      },
    });
    await read(staffId, fixture.depsOn(fixture.deps.db, { google: calendar }));
  }

  test.each(['changedEvents', 'getEvent'] as const)(
    'whose %s is older than a reschedule does not revert it',
    async (call) => {
      const staff = await fixture.staff(account);
      const made = await book(staff.id, '10:00', '10:30');
      await read(staff.id);
      await moveTo(staff.email, made.calendarEventId, '11:00', '11:30');
      const moving = { date, from: '09:00', to: '09:30' };
      await readWhile(staff.id, call, () =>
        fixture.must(fixture.call(account, 'POST', `${pathOf(made.bookingId)}/reschedule`, moving)),
      );
      for (let round = 0; round < 2; round += 1) {
        expect(await shown(made.bookingId)).toMatchObject({
          startsAt: at('09:00'),
          calendarState: { state: 'in_step' },
        });
        const { rows } = await sql`select 1 from occupancies where staff_id = ${staff.id}
        and during @> ${new Date(at('09:00'))}::timestamptz`.execute(fixture.database.db);
        expect(rows).toHaveLength(1);
        await read(staff.id);
      }
      expect(await changesOf(staff.id)).toEqual(['appointments.rescheduled by api']);
    },
  );

  test('that is older than a recorded external change does not revert it', async () => {
    const staff = await fixture.staff(account);
    const made = await book(staff.id, '10:00', '10:30');
    await read(staff.id);
    await moveTo(staff.email, made.calendarEventId, '11:00', '11:30');
    await readWhile(staff.id, 'getEvent', async () => {
      await moveTo(staff.email, made.calendarEventId, '09:00', '09:30');
      await read(staff.id);
    });
    expect((await shown(made.bookingId)).startsAt).toBe(at('09:00'));
    expect(await changesOf(staff.id)).toEqual([moved]);
  });
});
