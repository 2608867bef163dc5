// Calendar links used at the same time as others, and while their staff member is removed.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
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

/** The staff member's link for the calendar of a new Google account. */
async function linkOf(staffId: string): Promise<string> {
  const email = `link-${randomUUID()}@clinic.example`;
  await fixture.control.putAccount({ email, timeZone: 'UTC' });
  await fixture.must(fixture.call(account, 'PATCH', `/v1/appointments/users/${staffId}`, { email }));
  const path = `/v1/appointments/ext-calendar/auth-url?appointmentUserId=${staffId}`;
  return (await fixture.must(fixture.call(account, 'GET', path))).authUrl;
}

/** Opens the links; their codes are all exchanged before any exchange ends, and `meanwhile` runs in between. */
async function useAtOnce(links: string[], meanwhile: () => Promise<unknown> = async () => undefined) {
  const exchanges = async () => (await fixture.control.calls('oauth.token')).length;
  const before = await exchanges();
  await fixture.control.addFault({ does: 'land_late', on: 'oauth.token', times: links.length });
  const pages = links.map(async (link) => {
    const page = await fetch(link);
    return { status: page.status, html: await page.text() };
  });
  await expect.poll(exchanges).toBe(before + links.length);
  await meanwhile();
  await fixture.control.land();
  return Promise.all(pages);
}

test('every one of several links connects, and the authorizations of all but the last are revoked', async () => {
  const staff = await fixture.staff(account, { calendar: 'unconnected' });
  const links = [];
  for (let n = 0; n < 4; n++) links.push(await linkOf(staff.id));
  const before = (await fixture.control.calls('oauth.revoke')).length;
  const pages = await useAtOnce(links);
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await fixture.control.calls('oauth.revoke')).length).toBe(before + 3);
  const path = `/v1/appointments/ext-calendar/status?appointmentUserId=${staff.id}`;
  const { connected, error } = await fixture.must(fixture.call(account, 'GET', path));
  expect({ connected, error }).toEqual({ connected: true, error: null });
});

test('a link connects nothing if the staff member was removed in the meantime', async () => {
  const staff = await fixture.staff(account, { calendar: 'unconnected' });
  const [page] = await useAtOnce([await linkOf(staff.id)], () =>
    fixture.must(fixture.call(account, 'DELETE', `/v1/appointments/users/${staff.id}`)),
  );
  expect([page?.status, page?.html]).toEqual([404, expect.stringContaining('no such staff member')]);
  const { rows } = await sql`select 1 from calendar_connections where staff_id = ${staff.id}`.execute(
    fixture.deps.db,
  );
  expect(rows).toEqual([]);
});
