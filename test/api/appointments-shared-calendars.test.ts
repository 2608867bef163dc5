// Staff who share one calendar share its time, whatever races, and before the calendar shows it.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AppointmentsRoom,
  bookingOf,
  comingMonday,
  openAppointmentsRoom,
} from '../harness/appointments-room.ts';

let room: AppointmentsRoom;
let account: string;
const date = comingMonday();

beforeAll(async () => {
  room = await openAppointmentsRoom({ speed: 1 });
  account = await room.account();
});
afterAll(() => room.close());

async function sharing() {
  const first = await room.staff(account);
  return [first, await room.staff(account, { email: first.email })] as const;
}

test('200 rivals for one hour of a calendar that two staff members share: one booking, one event', async () => {
  const [first, second] = await sharing();
  await room.control.addFault({ does: 'delay', ms: 300, on: 'events.insert' });
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      room.book(account, bookingOf(index % 2 === 0 ? first.id : second.id, date, '10:00', '10:30')),
    ),
  );
  await room.control.clearFaults();
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ json }) => json.code === 'slot_unavailable')).toHaveLength(199);
  expect(await room.control.liveEvents(first.email)).toHaveLength(1);
  expect((await room.occupancies(first.id)) + (await room.occupancies(second.id))).toBe(1);
});

test('what one staff member holds of a shared calendar is not open to the other one, before the event is there', async () => {
  const [first, second] = await sharing();
  await room.control.addFault({ does: 'land_late', on: 'events.insert', times: 2 });
  const held = [
    room.book(account, bookingOf(first.id, date, '10:00', '10:30')),
    room.book(account, bookingOf(first.id, date, '10:30', '11:00')),
  ];
  await expect.poll(() => room.occupancies(first.id)).toBe(2);
  expect(await room.control.liveEvents(first.email)).toEqual([]);
  expect(await room.open(account, second.id, date)).not.toContain('10:00');
  const rival = await room.book(account, bookingOf(second.id, date, '10:00', '10:30'));
  expect([rival.status, rival.json.code]).toEqual([409, 'slot_unavailable']);
  expect(rival.json.alternatives.map(({ from }: { from: string }) => from)).not.toContain('10:00');
  // nor may what the second one has be moved there
  const other = (await room.book(account, bookingOf(second.id, date, '11:00', '11:30'))).json.data;
  const path = `/v1/appointments/bookings/${other.bookingId}/reschedule`;
  const moving = await room.call(account, 'POST', path, { date, from: '10:00', to: '10:30' });
  expect([moving.status, moving.json.code]).toEqual([409, 'slot_unavailable']);
  expect(moving.json.alternatives.map(({ from }: { from: string }) => from)).toEqual([
    '09:00',
    '09:30',
    '11:00',
  ]);
  await room.control.land();
  expect((await Promise.all(held)).map(({ status }) => status)).toEqual([200, 200]);
});

test('the database itself refuses two overlapping bookings in one calendar', async () => {
  const [first, second] = await sharing();
  await room.book(account, bookingOf(first.id, date, '10:00', '10:30'));
  const other = await room.book(account, bookingOf(second.id, date, '11:00', '11:30'));
  const onto = sql`update occupancies set during = tstzrange(${`${date}T10:29Z`}, ${`${date}T11:00Z`})
    where booking_id = ${other.json.data.bookingId}`;
  await expect(onto.execute(room.database.db)).rejects.toMatchObject({ code: '23P01' });
});

test('staff of another account who share the calendar share its time too', async () => {
  const [first] = await sharing();
  const neighbour = await room.account();
  const other = await room.staff(neighbour, { email: first.email });
  await room.control.addFault({ does: 'land_late', on: 'events.insert', times: 1 });
  const held = room.book(account, bookingOf(first.id, date, '10:00', '10:30'));
  await expect.poll(() => room.occupancies(first.id)).toBe(1);
  const rival = await room.book(neighbour, bookingOf(other.id, date, '10:00', '10:30'));
  expect([rival.status, rival.json.code]).toEqual([409, 'slot_unavailable']);
  await room.control.land();
  expect((await held).status).toBe(200);
});
