// Bookings whose move the calendar has not confirmed yet.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type AppointmentsFixture,
  bookingOf,
  comingMonday,
  openAppointmentsFixture,
} from '../harness/appointments-fixture.ts';

let fixture: AppointmentsFixture;
let account: string;
const date = comingMonday();

beforeAll(async () => {
  fixture = await openAppointmentsFixture();
  account = await fixture.account();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.control.clearFaults());

const change = (id: string, what: 'cancel' | 'reschedule', body: object = {}) =>
  fixture.call(account, 'POST', `/v1/appointments/bookings/${id}/${what}`, body);

test('counts towards the daily limit of both its dates, and once within a date', async () => {
  const next = new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10);
  const limited = (dailyLimit: number) => ({ schedule: { dailyLimit } });
  const moving = await Promise.all([1, 2].map((limit) => fixture.staff(account, limited(limit))));
  const [one, two] = moving as [(typeof moving)[0], (typeof moving)[0]];
  const [away, within] = await Promise.all(
    moving.map(
      async ({ id }) =>
        (await fixture.book(account, bookingOf(id, date, '10:00', '10:30'))).json.data.bookingId as string,
    ),
  );
  await fixture.control.addFault({ does: 'reset', on: 'events.patch' });
  const times = { from: '11:00', to: '11:30' };
  await fixture.withoutDelays(async () => {
    expect((await change(away ?? '', 'reschedule', { date: next, ...times })).status).toBe(503);
    expect((await change(within ?? '', 'reschedule', { date, ...times })).status).toBe(503);
  });
  expect(await fixture.open(account, one.id, date)).toEqual([]);
  expect(await fixture.open(account, one.id, next)).toEqual([]);
  const early = (day: string) => bookingOf(one.id, day, '09:00', '09:30');
  expect((await fixture.book(account, early(date))).json.code).toBe('slot_unavailable');
  const explained = await fixture.must(
    fixture.call(account, 'GET', `/v1/appointments/slots-explained?appointmentUserId=${one.id}&date=${date}`),
  );
  expect(explained.steps.find(({ from }: { from: string }) => from === '09:00').reasons).toEqual([
    'daily_limit',
  ]);
  expect(await fixture.open(account, two.id, date)).toEqual(['09:00', '09:30', '10:30', '11:30']);
  // the calendar rejects the move: the booking stays on its date, which is still full
  await fixture.control.clearFaults();
  await fixture.control.addFault({ does: 'refuse', on: 'events.patch', reason: 'invalid', status: 400 });
  await fixture.reconcileAll();
  expect(await fixture.startsOf(one.email)).toEqual([`${date}T10:00:00.000Z`]);
  expect(await fixture.open(account, one.id, date)).toEqual([]);
  expect(await fixture.open(account, one.id, next)).toContain('11:00');
});
