// Connecting another calendar account: the authorization of the previous one is revoked if nobody else uses it.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type AppointmentsFixture, openAppointmentsFixture } from '../harness/appointments-fixture.ts';

let fixture: AppointmentsFixture;
let account: string;

beforeAll(async () => {
  fixture = await openAppointmentsFixture();
  account = await fixture.account();
});
afterAll(() => fixture.close());
beforeEach(() => fixture.control.clearFaults());

const status = (staffId: string) =>
  fixture.must(
    fixture.call(account, 'GET', `/v1/appointments/ext-calendar/status?appointmentUserId=${staffId}`),
  );
const revocations = async () => (await fixture.control.calls('oauth.revoke')).length;

/** Connects the account of another address. */
async function connectOther(staffId: string): Promise<string> {
  const email = `other-${randomUUID()}@clinic.example`;
  await fixture.control.putAccount({ email, timeZone: 'UTC' });
  await fixture.must(fixture.call(account, 'PATCH', `/v1/appointments/users/${staffId}`, { email }));
  await fixture.connect(account, staffId);
  return email;
}

test('revokes the authorization of the previous account', async () => {
  const staff = await fixture.staff(account);
  const before = await revocations();
  const accountEmail = await connectOther(staff.id);
  expect(await revocations()).toBe(before + 1);
  expect(await status(staff.id)).toMatchObject({ connected: true, accountEmail, error: null });
});

test('does not revoke it if the same account is connected again', async () => {
  const staff = await fixture.staff(account);
  const before = await revocations();
  await fixture.connect(account, staff.id);
  expect(await revocations()).toBe(before);
  expect(await status(staff.id)).toMatchObject({ connected: true, error: null });
});

test('keeps the calendars that block slots if the same account is connected again, and not if another one is', async () => {
  const staff = await fixture.staff(account);
  const second = `second-${staff.email}`;
  await fixture.control.putCalendar({ id: second, owner: staff.email });
  const busyCalendarIds = ['primary', second];
  const path = `/v1/appointments/users/${staff.id}/ext-calendar`;
  await fixture.must(fixture.call(account, 'PUT', path, { busyCalendarIds }));
  await fixture.control.revokeGrants({ account: staff.email });
  await fixture.connect(account, staff.id);
  expect(await status(staff.id)).toMatchObject({ busyCalendarIds, error: null });
  await connectOther(staff.id);
  expect(await status(staff.id)).toMatchObject({ busyCalendarIds: ['primary'], error: null });
});

test('does not revoke it while another staff member uses that account, also one of another account here', async () => {
  const staff = await fixture.staff(account);
  const elsewhere = await fixture.account();
  const { _id: other } = await fixture.must(
    fixture.call(elsewhere, 'POST', '/v1/appointments/users', { name: 'Also Ada', email: staff.email }),
  );
  await fixture.connect(elsewhere, other);
  const before = await revocations();
  await connectOther(staff.id);
  expect(await revocations()).toBe(before);
  expect(
    await fixture.must(
      fixture.call(elsewhere, 'GET', `/v1/appointments/ext-calendar/status?appointmentUserId=${other}`),
    ),
  ).toMatchObject({ connected: true, accountEmail: staff.email, error: null });
});

test('connects although the revocation fails', async () => {
  const staff = await fixture.staff(account);
  await fixture.control.addFault({ does: 'reset', on: 'oauth.revoke' });
  const accountEmail = await connectOther(staff.id);
  await fixture.control.clearFaults();
  expect(await status(staff.id)).toMatchObject({ connected: true, accountEmail, error: null });
});
