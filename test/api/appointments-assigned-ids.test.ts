// Bookings in a calendar whose provider assigns event ids: until the id is stored, the gateway finds the event by its booking.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { book } from '../../src/appointments/booking/book.ts';
import {
  type AppointmentsFixture,
  bookingOf,
  comingMonday,
  openAppointmentsFixture,
} from '../harness/appointments-fixture.ts';
import { calendarChanges } from '../harness/calendar-changes.ts';
import { crashAt } from '../harness/crash-point.ts';
import { openAssignedIds } from '../ports/assigned-ids-calendar.ts';

const date = comingMonday();
const at = (clock: string) => `${date}T${clock}:00.000Z`;
const provider = await openAssignedIds();
let fixture: AppointmentsFixture;
let account: string;

beforeAll(async () => {
  fixture = await openAppointmentsFixture({ calendars: { assigned: provider.calendar } });
  account = await fixture.account();
});
afterAll(() => fixture.close());

/** A staff member with a connected calendar of the provider; the calendar's id is the staff member's e-mail address. */
async function staffMember(): Promise<{ id: string; email: string }> {
  const staff = await fixture.staff(account, { calendar: 'unconnected', schedule: { slotStepMinutes: 15 } });
  const credentials = { url: 'https://calendar.example', username: staff.email, password: 'secret' };
  const path = `/v1/appointments/users/${staff.id}/ext-calendar`;
  await fixture.must(fixture.call(account, 'PUT', path, { provider: 'assigned', ...credentials }));
  return staff;
}

const ten = (staffId: string) => bookingOf(staffId, date, '10:00', '10:30');

test('creates, reschedules, follows and cancels a booking', async () => {
  const staff = await staffMember();
  const { read, shown } = calendarChanges(fixture, account);
  const booked = await fixture.must(fixture.book(account, ten(staff.id)));
  const path = `/v1/appointments/bookings/${booked.bookingId}`;
  expect(await provider.liveEventIds(staff.email)).toEqual([booked.calendarEventId]);

  const to = { date, from: '10:15', to: '10:45' };
  const moved = await fixture.must(fixture.call(account, 'POST', `${path}/reschedule`, to));
  expect(moved).toMatchObject({ startsAt: at('10:15'), calendarEventId: booked.calendarEventId });

  await provider.moveExternally(
    staff.email,
    booked.calendarEventId,
    Date.parse(at('11:00')),
    Date.parse(at('11:30')),
  );
  await read(staff.id);
  expect(await shown(booked.bookingId)).toMatchObject({
    startsAt: at('11:00'),
    calendarState: { state: 'in_step' },
  });

  await fixture.must(fixture.call(account, 'POST', `${path}/cancel`, {}));
  expect(await provider.liveEventIds(staff.email)).toEqual([]);
});

test('confirms a booking with its one event, or leaves neither, when the process dies at any step', async () => {
  const foundByBooking = { confirmed: 0, undone: 0 };
  for (let step = 1, isAlive = false; !isAlive; step += 1) {
    const staff = await staffMember();
    const dying = crashAt(fixture.deps.db, provider.calendar, step);
    const deps = fixture.depsOn(dying.db, { assigned: dying.calendar });
    isAlive = await book(deps, { accountId: account, key: staff.id, body: ten(staff.id) }).then(
      () => dying.steps() < step,
      () => false,
    );
    const [before] = await fixture.bookingRows(staff.id);
    const hadEvent = (await provider.liveEventIds(staff.email)).length > 0;
    await fixture.reconcileAll();
    const [after] = await fixture.bookingRows(staff.id);
    const isConfirmed = after?.state === 'confirmed';
    expect([step, await provider.liveEventIds(staff.email)]).toEqual([
      step,
      isConfirmed ? [after.event_id] : [],
    ]);
    expect(await fixture.occupancies(staff.id)).toBe(isConfirmed ? 1 : 0);
    if (hadEvent && before?.event_id === null) foundByBooking[isConfirmed ? 'confirmed' : 'undone'] += 1;
    expect(step).toBeLessThan(80);
  }
  expect(foundByBooking.confirmed).toBeGreaterThan(0);
});

test('removes an event by its booking when the response to the insert was lost', async () => {
  const staff = await staffMember();
  const lostResponse = new Proxy(provider.calendar, {
    get: (calendar, name) =>
      name === 'insertEvent'
        ? async (...given: Parameters<typeof calendar.insertEvent>) => {
            await calendar.insertEvent(...given);
            await provider.outage(true);
            return calendar.insertEvent(...given);
          }
        : Reflect.get(calendar, name),
  });
  const deps = fixture.depsOn(fixture.deps.db, { assigned: lostResponse });
  const request = { accountId: account, key: staff.id, body: ten(staff.id) };
  await expect(book(deps, request)).rejects.toMatchObject({ code: 'provider_unavailable' });
  expect(await fixture.bookingRows(staff.id)).toMatchObject([{ state: 'undoing', event_id: null }]);
  await provider.outage(false);
  expect(await provider.liveEventIds(staff.email)).toHaveLength(1);
  await fixture.reconcileAll();
  expect(await provider.liveEventIds(staff.email)).toEqual([]);
  expect(await fixture.bookingRows(staff.id)).toMatchObject([{ state: 'undone' }]);
  expect(await fixture.occupancies(staff.id)).toBe(0);
});

test('auth-url returns a link for the named provider, and 409 for one without a consent page', async () => {
  const { id } = await fixture.staff(account, { calendar: 'unconnected' });
  const path = `/v1/appointments/ext-calendar/auth-url?appointmentUserId=${id}`;
  const { authUrl } = await fixture.must(fixture.call(account, 'GET', `${path}&provider=google`));
  expect(new URL(authUrl).pathname).toBe('/o/oauth2/v2/auth');
  const other = await fixture.call(account, 'GET', `${path}&provider=assigned`);
  expect(other.status).toBe(409);
  expect(other.json.code ?? other.json.error?.code).toBe('calendar_provider_not_configured');
});
