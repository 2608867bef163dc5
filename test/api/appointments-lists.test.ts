// Lists of bookings: filters, orders and pages.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  type AppointmentsFixture,
  bookingOf,
  comingMonday,
  openAppointmentsFixture,
} from '../harness/appointments-fixture.ts';

let fixture: AppointmentsFixture;
const base = '/v1/appointments';

beforeAll(async () => {
  fixture = await openAppointmentsFixture();
});
afterAll(() => fixture.close());

const items = async (account: string, path: string) =>
  (await fixture.must(fixture.call(account, 'GET', `${base}${path}`))).items;

test('are listed newest first, filtered, and paged by cursor', async () => {
  const account = await fixture.account();
  const staff = await fixture.staff(account, { calendar: 'none' });
  const date = comingMonday();
  const times = ['09:00', '09:30', '10:00', '10:30'];
  for (const [index, from] of times.slice(0, 3).entries()) {
    const guest = { email: `Guest${index}@example.com`, phoneNumber: `+1 555 000 000${index}` };
    const response = await fixture.book(
      account,
      bookingOf(staff.id, date, from, times[index + 1] ?? '', guest),
    );
    expect(response.status).toBe(200);
  }
  const froms = async (query: string) =>
    (await items(account, `/bookings?${query}`)).map(({ from }: { from: string }) => from);
  expect(await froms('')).toEqual(['10:00', '09:30', '09:00']);
  expect(await froms('email=guest1@EXAMPLE.com')).toEqual(['09:30']);
  expect(await froms('phoneNumber=15550000002')).toEqual(['10:00']);
  expect(await froms(`from=${date}T09:30:00Z&to=${date}T10:00:00Z`)).toEqual(['09:30']);
  expect(await froms('status=cancelled')).toEqual([]);
  const first = await fixture.must(fixture.call(account, 'GET', `${base}/bookings?limit=2`));
  const cursor = first.pagination.nextCursor;
  const second = await fixture.must(
    fixture.call(account, 'GET', `${base}/bookings?limit=2&cursor=${cursor}`),
  );
  expect(second).toMatchObject({ items: [{ from: '09:00' }], pagination: { nextCursor: null } });
  expect((await fixture.call(account, 'GET', `${base}/bookings?cursor=abc`)).status).toBe(400);
});

test('are sorted by their start, of all staff, paged in both directions, and name their staff member', async () => {
  const account = await fixture.account();
  const [asha, ben] = [
    await fixture.staff(account, { calendar: 'none', name: 'Asha' }),
    await fixture.staff(account, { calendar: 'none', name: 'Ben' }),
  ];
  const date = comingMonday();
  const booked: [string, string, string][] = [
    [ben.id, '10:00', '10:30'],
    [asha.id, '11:00', '11:30'],
    [asha.id, '10:00', '10:30'],
    [ben.id, '09:00', '09:30'],
  ];
  for (const [staffId, from, to] of booked)
    expect((await fixture.book(account, bookingOf(staffId, date, from, to))).status).toBe(200);
  const pages = async (query: string) => {
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await fixture.must(
        fixture.call(account, 'GET', `${base}/bookings?${query}${cursor && `&cursor=${cursor}`}`),
      );
      for (const { from, staffName } of page.items) seen.push(`${from} ${staffName}`);
      cursor = page.pagination.nextCursor ?? '';
    } while (cursor !== '');
    return seen;
  };
  // of two with the same start the older one comes first
  const inOrder = ['09:00 Ben', '10:00 Ben', '10:00 Asha', '11:00 Asha'];
  for (const limit of [1, 2, 3, 10]) {
    expect(await pages(`sort=startsAt&limit=${limit}`)).toEqual(inOrder);
    expect(await pages(`sort=-startsAt&limit=${limit}`)).toEqual(inOrder.toReversed());
  }
  for (const from of ['', 'sort=startsAt', 'sort=-startsAt']) {
    const first = await fixture.must(fixture.call(account, 'GET', `${base}/bookings?limit=1&${from}`));
    for (const to of ['', 'sort=startsAt', 'sort=-startsAt']) {
      const path = `${base}/bookings?cursor=${first.pagination.nextCursor}&${to}`;
      const { status, json } = await fixture.call(account, 'GET', path);
      expect([from, to, status]).toEqual([from, to, from === to ? 200 : 400]);
      if (status === 400) expect(json.errors[0].message).toContain('send it with the same `sort` as before');
    }
  }
  expect(await pages(`sort=startsAt&appointmentUserId=${asha.id}&limit=1`)).toEqual([
    '10:00 Asha',
    '11:00 Asha',
  ]);
  expect(await pages(`sort=startsAt&from=${date}T10:30:00Z`)).toEqual(['11:00 Asha']);
  const { items: all } = await fixture.must(fixture.call(account, 'GET', `${base}/bookings`));
  await sql`update bookings set hand = 'moved' where id = ${all[0]._id}`.execute(fixture.database.db);
  expect(await pages('calendarState=moved')).toEqual(['09:00 Ben']);
  expect(await pages('sort=-startsAt&calendarState=in_step')).toEqual(inOrder.toReversed().slice(0, 3));
  // a staff member who left keeps their bookings
  await sql`update staff set deleted_at = now() where id = ${ben.id}`.execute(fixture.database.db);
  expect(await pages('sort=startsAt')).toEqual(inOrder);
  expect(await fixture.must(fixture.call(account, 'GET', `${base}/bookings/${all[0]._id}`))).toMatchObject({
    staffName: 'Ben',
  });
});
