// The page that a person sees after the consent page: what went wrong, in words and never as JSON.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type AppointmentsFixture, openAppointmentsFixture } from '../harness/appointments-fixture.ts';

let fixture: AppointmentsFixture;
let account: string;
let staffId: string;

beforeAll(async () => {
  fixture = await openAppointmentsFixture();
  account = await fixture.account();
  ({ id: staffId } = await fixture.staff(account, { calendar: 'unconnected' }));
});
afterAll(() => fixture.close());
afterEach(async () => {
  await fixture.control.clearFaults();
  await fixture.control.set({ untickedScopes: [] });
});

/** The address to which the provider returns the browser. */
async function returned(): Promise<string> {
  const path = `/v1/appointments/ext-calendar/auth-url?appointmentUserId=${staffId}`;
  const { authUrl } = await fixture.must(fixture.call(account, 'GET', path));
  const consent = await fetch(authUrl, { redirect: 'manual' });
  return consent.headers.get('location') ?? '';
}

async function pageAt(url: string): Promise<{ status: number; text: string }> {
  const page = await fetch(url);
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  const text = (await page.text()).replace(/^.*<main>|<\/main>.*$/gs, '').replaceAll('&quot;', '"');
  return { status: page.status, text };
}

test('names the permission whose box was cleared, and offers to try again', async () => {
  await fixture.control.set({ untickedScopes: ['https://www.googleapis.com/auth/calendar.freebusy'] });
  const page = await pageAt(await returned());
  expect(page.status).toBe(409);
  expect(page.text).toContain('The permission "See when you are free or busy" was not granted.');
  expect(page.text).toContain('Try again');
});

test("says what to check if Google rejects the gateway's client", async () => {
  const rejected = { does: 'refuse', on: 'oauth.token', reason: 'invalid_client', status: 401 } as const;
  await fixture.control.addFault({ ...rejected, message: 'Unauthorized' });
  const page = await pageAt(await returned());
  expect(page.status).toBe(502);
  expect(page.text).toContain('Check GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET.');
});

test('is a page while the gateway cannot answer, and works when it is reloaded', async () => {
  const url = await returned();
  await sql`alter table oauth_states rename to oauth_states_elsewhere`.execute(fixture.database.db);
  const failed = await pageAt(url);
  expect([failed.status, failed.text]).toEqual([500, expect.stringContaining('Reload this page')]);
  await sql`alter table oauth_states_elsewhere rename to oauth_states`.execute(fixture.database.db);
  expect((await pageAt(url)).status).toBe(200);
});
