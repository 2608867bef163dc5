// Events of bookings that staff move in their calendars: bookings follow, or keep their time, and receivers are told once.
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

describe('an event that is moved in the calendar', () => {
  test('takes its booking along: time, lists, slots, and one event for receivers', async () => {
    const staff = await fixture.staff(account);
    const made = await book(staff.id, '10:00', '10:30');
    await read(staff.id);
    expect(await changesOf(staff.id)).toEqual([]);
    await moveTo(staff.email, made.calendarEventId, '11:00', '11:45');
    await read(staff.id);
    await read(staff.id);
    const item = await shown(made.bookingId);
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

  test('onto another booking: its time is told with the conflict, which ends once the other one is gone', async () => {
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

  test('onto the booking of somebody who shares the calendar, by staff who need none by now: the same', async () => {
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

  test('made an all-day event: the booking keeps its time, since there is none to follow', async () => {
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

  test('to an earlier day, then back: told twice, and the booking is where the event is', async () => {
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

describe('staff whose bookings keep what they have', () => {
  test('a move takes the range along; onto another booking it is a conflict; back it is in step', async () => {
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
    const other = await fixture.book(account, bookingOf(staff.id, date, '09:30', '10:00'));
    expect(other.status).toBe(200);
    await moveTo(staff.email, made.calendarEventId, '09:45', '10:15');
    expect(await followed(staff.id, made.bookingId)).toMatchObject({ state: 'moved', conflict: true });
    await moveTo(staff.email, made.calendarEventId, '10:30', '11:00');
    expect(await followed(staff.id, made.bookingId)).toMatchObject({ state: 'moved', conflict: false });
    await fixture.control.removeEvent(staff.email, other.json.data.calendarEventId);
    expect(await followed(staff.id, other.json.data.bookingId)).toEqual({ state: 'deleted' });
  });

  test('what was done while Google forgot the sync token, or while the calendar was disconnected, is noticed', async () => {
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
    // what is gone from the calendar keeps its slot until somebody cancels it
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
  /** Reads over a calendar that does something more once it has answered the call. */
  async function readWhile(staffId: string, call: 'changedEvents' | 'getEvent', act: () => Promise<unknown>) {
    let isDone = false;
    const calendar = new Proxy(fixture.calendar, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (name !== call) return member;
        return async (...given: unknown[]) => {
          const answer = await member.apply(target, given);
          if (!isDone) {
            isDone = true;
            await act();
          }
          return answer;
        };
      },
    });
    await read(staffId, fixture.depsOn(fixture.deps.db, { google: calendar }));
  }

  test.each(['changedEvents', 'getEvent'] as const)(
    'whose %s is older than a move of ours undoes nothing of it',
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

  test('that is older than what another one noted undoes nothing of it', async () => {
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
