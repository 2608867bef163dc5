// Appointments in the whole program: scopes, the consent page, a booking, and its webhook events.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bookingOf, comingMonday, plainSchedule } from '../harness/appointments-fixture.ts';
import { addEndpoint, type Gateway, startGateway } from '../harness/gateway.ts';

let gateway: Gateway;
const base = '/v1/appointments';
const date = comingMonday();
const email = 'ada@clinic.example';

beforeAll(async () => {
  gateway = await startGateway();
  await gateway.google.putAccount({ email, timeZone: 'UTC' });
});
afterAll(() => gateway.close());

async function must<T>(
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<T> {
  const response = await gateway.call<T>(method, path, { body, ...(headers ? { headers } : {}) });
  if (response.status !== 200) throw new Error(`${method} ${path}: ${response.text}`);
  return response.body.data;
}

test('an empty account is set up, and a booking is made, moved, cancelled and published', async () => {
  const kinds = ['appointments.booked', 'appointments.rescheduled', 'appointments.cancelled'];
  const { hook } = await addEndpoint(gateway, { events: kinds });
  const { _id: departmentId } = await must<{ _id: string }>('POST', `${base}/departments`, { name: 'Heart' });
  const { _id } = await must<{ _id: string }>('POST', `${base}/users`, {
    name: 'Ada',
    email,
    departmentIds: [departmentId],
  });
  await must('PUT', `${base}/users/${_id}/schedule`, plainSchedule);
  const { authUrl } = await must<{ authUrl: string }>(
    'GET',
    `${base}/ext-calendar/auth-url?appointmentUserId=${_id}`,
  );
  const page = await fetch(authUrl);
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('Calendar connected')]);

  const headers = { 'Idempotency-Key': randomUUID() };
  const body = bookingOf(_id, date, '10:00', '10:30');
  const booked = await must<{ bookingId: string; meetingLink: string }>(
    'POST',
    `${base}/book`,
    body,
    headers,
  );
  const again = await gateway.call('POST', `${base}/book`, { body, headers });
  expect([again.headers.get('idempotency-replayed'), again.body.data]).toEqual(['true', booked]);
  const path = `${base}/bookings/${booked.bookingId}`;
  await must('POST', `${path}/reschedule`, { date, from: '11:00', to: '11:30' });
  await must('POST', `${path}/cancel`);
  expect(await gateway.google.liveEvents(email)).toEqual([]);

  const published: { event: string; data: Record<string, unknown> }[] = [];
  for (const kind of kinds) {
    const [event] = await gateway.receiver.events({ hook, kind, waitSeconds: 30 });
    published.push(JSON.parse(event?.body ?? 'null'));
  }
  const byKind = Object.fromEntries(published.map(({ event, data }) => [event, data]));
  expect(byKind['appointments.booked']).toMatchObject({
    ...booked,
    _id: booked.bookingId,
    status: 'confirmed',
  });
  expect(byKind['appointments.rescheduled']).toMatchObject({ bookingId: booked.bookingId, from: '11:00' });
  expect(byKind['appointments.cancelled']).toMatchObject({
    bookingId: booked.bookingId,
    status: 'cancelled',
  });
});

test('operations return 403 without their scope', async () => {
  const { apiKey } = await must<{ apiKey: string }>('POST', '/v1/keys', {
    name: 'reader',
    scopes: ['appointments:read'],
  });
  const status = async (method: string, path: string, body?: unknown) =>
    (await gateway.call(method, `${base}${path}`, { body, key: apiKey })).status;
  expect(await status('GET', '/departments')).toBe(200);
  expect(await status('GET', '/bookings')).toBe(403);
  expect(await status('POST', '/book', {})).toBe(403);
  expect(await status('POST', '/departments', { name: 'x' })).toBe(403);
  expect(await status('GET', `/ext-calendar/auth-url?appointmentUserId=${randomUUID()}`)).toBe(403);
});
