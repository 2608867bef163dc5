// What the overview lists, and how much of it; its counts are tested with the statistics.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../harness/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

/** A call that succeeds. */
async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { 'Idempotency-Key': randomUUID() };
  const answer = await gateway.call<T>(method, path, { ...(body && { body }), headers });
  expect([answer.status, path]).toEqual([200, path]);
  return answer.body.data;
}

it('shows the next five bookings, the earliest first', async () => {
  const users = '/v1/appointments/users';
  const staff = await call<{ _id: string }>('POST', users, { name: 'Asha', calendar: 'none' });
  const date = Temporal.Now.plainDateISO('UTC').add({ days: 3 }).toString();
  const overrides = [{ date, windows: [{ from: '09:00', to: '15:00' }] }];
  const schedule = { timezone: 'UTC', slotMinutes: 60, weekly: [], overrides };
  await call('PUT', `${users}/${staff._id}/schedule`, schedule);
  const guest = { email: 'ada@example.com', phoneNumber: '15550100001' };
  for (const from of ['14:00', '13:00', '12:00', '11:00', '10:00', '09:00']) {
    const to = `${Number(from.slice(0, 2)) + 1}:00`;
    await call('POST', '/v1/appointments/book', { appointmentUserId: staff._id, date, from, to, ...guest });
  }
  const { nextBookings } = await call<{ nextBookings: { from: string }[] }>('GET', '/v1/overview');
  expect(nextBookings.map(({ from }) => from)).toEqual(['09:00', '10:00', '11:00', '12:00', '13:00']);
});
