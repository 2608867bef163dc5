// Connecting a calendar on the provider's consent page, its status, and disconnecting it.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { findUnknownEvents } from '../../src/appointments/booking/unknown-events.ts';
import { listAudit } from '../../src/audit/store.ts';
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
beforeEach(async () => {
  await fixture.control.clearFaults();
  await fixture.control.set({ consent: 'auto', untickedScopes: [] });
});

const authUrl = async (staffId: string): Promise<string> =>
  (
    await fixture.must(
      fixture.call(account, 'GET', `/v1/appointments/ext-calendar/auth-url?appointmentUserId=${staffId}`),
    )
  ).authUrl;
const status = (staffId: string) =>
  fixture.must(
    fixture.call(account, 'GET', `/v1/appointments/ext-calendar/status?appointmentUserId=${staffId}`),
  );
/** The page that the browser gets in the end, and the address that the provider returned it to. */
async function visitLink(url: string) {
  const consent = await fetch(url, { redirect: 'manual' });
  const returned = consent.headers.get('location') ?? '';
  const page = await fetch(returned);
  return { returned, status: page.status, type: page.headers.get('content-type'), html: await page.text() };
}

test('the link requests offline access with PKCE and a state, and the return from it connects', async () => {
  const staff = await fixture.staff(account, { calendar: 'unconnected' });
  expect(await status(staff.id)).toEqual({
    connected: false,
    provider: null,
    calendarId: null,
    busyCalendarIds: [],
    accountEmail: null,
    lastSyncedAt: null,
    error: null,
    eventProblems: null,
  });
  const url = await authUrl(staff.id);
  expect(Object.fromEntries(new URL(url).searchParams)).toMatchObject({
    access_type: 'offline',
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    redirect_uri: `${fixture.url}/callbacks/calendar`,
    state: expect.any(String),
  });
  const page = await visitLink(url);
  expect([page.status, page.type]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.html).toContain('Calendar connected');
  expect(await status(staff.id)).toMatchObject({
    connected: true,
    provider: 'google',
    calendarId: 'primary',
    accountEmail: staff.email,
    lastSyncedAt: expect.any(String),
    error: null,
  });
});

test('a state is valid for one return, and a forged one is rejected', async () => {
  const staff = await fixture.staff(account, { calendar: 'unconnected' });
  const { returned } = await visitLink(await authUrl(staff.id));
  const again = await fetch(returned);
  const reloaded = await again.text();
  expect([again.status, reloaded]).toEqual([400, expect.stringContaining('was used already')]);
  expect(reloaded).not.toContain('not connected');
  const forged = new URL(returned);
  forged.searchParams.set('state', Buffer.from('made up').toString('base64url'));
  const rejected = await fetch(forged);
  expect([rejected.status, await rejected.text()]).toEqual([400, expect.stringContaining('not valid')]);
  const long = 'x'.repeat(5_000);
  for (const query of ['', '?state=x&state=y', `?state=${long}`, '?state=%00', '?code=1&code=2']) {
    const page = await fetch(`${fixture.url}/callbacks/calendar${query}`);
    expect([page.status, page.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(await page.text()).toContain('This link is not valid.');
  }
});

test('connects nothing and says so when permission is denied or a box is cleared', async () => {
  const staff = await fixture.staff(account, { calendar: 'unconnected' });
  await fixture.control.set({ consent: 'deny' });
  const denied = await visitLink(await authUrl(staff.id));
  expect([denied.status, denied.html]).toEqual([400, expect.stringContaining('not given')]);
  await fixture.control.set({
    consent: 'auto',
    untickedScopes: ['https://www.googleapis.com/auth/calendar.freebusy'],
  });
  const partly = await visitLink(await authUrl(staff.id));
  expect([partly.status, partly.html]).toEqual([409, expect.stringContaining('leave every box ticked')]);
  expect((await status(staff.id)).connected).toBe(false);
  // a reloaded page repeats a used code
  const reloaded = await fetch(partly.returned);
  expect([reloaded.status, await reloaded.text()]).toEqual([400, expect.stringContaining('was reloaded')]);
});

test('a link works again after a denied consent, until it has connected', async () => {
  const staff = await fixture.staff(account, { calendar: 'unconnected' });
  const url = await authUrl(staff.id);
  await fixture.control.set({ consent: 'deny' });
  const denied = await visitLink(url);
  const retry = /href="([^"]+)">Try again/.exec(denied.html)?.[1]?.replaceAll('&amp;', '&') ?? '';
  expect(new URL(retry).searchParams.get('state')).toBe(new URL(url).searchParams.get('state'));
  expect((await visitLink(url)).html).toContain('same link');
  await fixture.control.set({ consent: 'auto' });
  expect((await visitLink(retry)).html).toContain('Calendar connected');
  const late = await visitLink(url);
  expect([late.status, late.html]).toEqual([400, expect.stringContaining('was used already')]);
  expect(late.html).not.toContain('Try again');
});

test('one of two concurrent returns of one link connects', async () => {
  const staff = await fixture.staff(account, { calendar: 'unconnected' });
  const url = await authUrl(staff.id);
  const before = (await fixture.control.calls('oauth.token')).length;
  // both exchanges begin before either ends, so both find the link unused
  await fixture.control.addFault({ does: 'land_late', on: 'oauth.token', times: 2 });
  const visits = [visitLink(url), visitLink(url)];
  await expect.poll(async () => (await fixture.control.calls('oauth.token')).length).toBe(before + 2);
  expect(await fixture.control.land()).toBe(2);
  const pages = await Promise.all(visits);
  expect(pages.map((page) => page.status).sort()).toEqual([200, 400]);
  expect(pages.find((page) => page.status === 400)?.html).toContain('was used already');
  const published = await fixture.events(account, staff.id);
  expect(published.map(({ data }) => data.connected)).toEqual([true]);
  expect((await status(staff.id)).connected).toBe(true);
});

test('an expired link connects nothing', async () => {
  const staff = await fixture.staff(account, { calendar: 'unconnected' });
  const url = await authUrl(staff.id);
  fixture.clock.aheadMs += 61 * 60_000;
  const page = await visitLink(url);
  expect([page.status, page.html]).toEqual([400, expect.stringContaining('has expired')]);
  await authUrl(staff.id);
  expect((await visitLink(url)).html).toContain('has expired');
});

test('a revoked authorization shows at the next check; reconnecting fixes it', async () => {
  const staff = await fixture.staff(account);
  await fixture.control.revokeGrants({ account: staff.email });
  expect(await status(staff.id)).toMatchObject({
    connected: false,
    error: expect.stringContaining('Reconnect'),
  });
  const listed = await fixture.must(fixture.call(account, 'GET', '/v1/appointments/users?limit=100'));
  const shown = listed.items.find(({ _id }: { _id: string }) => _id === staff.id);
  expect(shown.calendarConnected).toBe(false);
  const slots = await fixture.slots(account, staff.id, date);
  expect([slots.status, slots.json.code]).toEqual([409, 'calendar_not_connected']);
  await fixture.connect(account, staff.id);
  expect(await status(staff.id)).toMatchObject({ connected: true, error: null });
});

test('publishes one event each when a calendar is connected, loses its authorization, and is removed', async () => {
  const staff = await fixture.staff(account);
  await fixture.control.revokeGrants({ account: staff.email });
  await Promise.all([status(staff.id), status(staff.id)]);
  await fixture.connect(account, staff.id);
  const path = `/v1/appointments/users/${staff.id}/ext-calendar`;
  await fixture.must(fixture.call(account, 'DELETE', path));
  const audited = await listAudit(fixture.deps.db, account, { subjectId: staff.id, limit: 10 });
  expect(audited.map(({ action, changes }) => [action, changes])).toEqual(
    expect.arrayContaining([
      ['calendar.connected', { provider: 'google' }],
      ['calendar.disconnected', { provider: 'google' }],
    ]),
  );
  const published = await fixture.events(account, staff.id);
  expect(published.map(({ event, data }) => [event, data.reason, data.connected])).toEqual([
    ['calendars.status', 'connected', true],
    ['calendars.status', 'disconnected', false],
    ['calendars.status', 'connected', true],
    ['calendars.status', 'disconnected', false],
  ]);
  expect(published[1]?.data).toMatchObject({
    ...{ provider: 'google', calendarId: 'primary', accountEmail: staff.email, missing: null },
    error: expect.stringContaining('Reconnect the calendar'),
  });
});

test('a calendar that does not respond stays connected, and the status reports the error', async () => {
  const staff = await fixture.staff(account);
  await fixture.control.addFault({ does: 'reset', on: 'freebusy.query' });
  expect(await status(staff.id)).toMatchObject({ connected: true, error: expect.any(String) });
  await fixture.control.clearFaults();
  expect(await status(staff.id)).toMatchObject({ connected: true, error: null });
});

test('disconnecting revokes the authorization, and returns 409 while a booking is being written', async () => {
  const staff = await fixture.staff(account);
  await fixture.control.addFault({ does: 'reset', on: 'events.insert' });
  await fixture.book(account, bookingOf(staff.id, date, '10:00', '10:30'));
  const path = `/v1/appointments/users/${staff.id}/ext-calendar`;
  const early = await fixture.call(account, 'DELETE', path);
  expect([early.status, early.json.code]).toEqual([409, 'conflict']);
  await fixture.control.clearFaults();
  await fixture.reconcileAll();
  const revoked = (await fixture.control.calls('oauth.revoke')).length;
  await fixture.must(fixture.call(account, 'DELETE', path));
  expect((await fixture.control.calls('oauth.revoke')).length).toBe(revoked + 1);
  expect((await status(staff.id)).connected).toBe(false);
  expect((await fixture.call(account, 'DELETE', path)).status).toBe(200);
});

test('the authorization that two staff members share is revoked when the last of them disconnects', async () => {
  const first = await fixture.staff(account);
  const { _id: second } = await fixture.must(
    fixture.call(account, 'POST', '/v1/appointments/users', { name: 'Also Ada', email: first.email }),
  );
  await fixture.connect(account, second);
  const revoked = (await fixture.control.calls('oauth.revoke')).length;
  const disconnect = (id: string) =>
    fixture.must(fixture.call(account, 'DELETE', `/v1/appointments/users/${id}/ext-calendar`));
  await disconnect(first.id);
  expect(await status(second)).toMatchObject({ connected: true, accountEmail: first.email, error: null });
  await disconnect(second);
  expect((await fixture.control.calls('oauth.revoke')).length).toBe(revoked + 1);
});

test('further calendars of the account block slots once busyCalendarIds names them', async () => {
  const staff = await fixture.staff(account);
  const second = `second-${staff.email}`;
  await fixture.control.putCalendar({ id: second, owner: staff.email, timeZone: 'UTC' });
  await fixture.control.addEvent(second, {
    start: { dateTime: `${date}T09:00:00Z` },
    end: { dateTime: `${date}T11:30:00Z` },
  });
  expect(await fixture.open(account, staff.id, date)).toHaveLength(6);
  const put = (body: object) =>
    fixture.call(account, 'PUT', `/v1/appointments/users/${staff.id}/ext-calendar`, body);
  const unknown = await put({ busyCalendarIds: [staff.email, 'nowhere@example.com'] });
  expect([unknown.status, unknown.json.errors[0].path]).toEqual([400, 'busyCalendarIds']);
  expect((await put({ busyCalendarIds: [staff.email, second] })).json.data).toMatchObject({
    busyCalendarIds: [staff.email, second],
  });
  expect(await fixture.open(account, staff.id, date)).toEqual(['11:30']);
});

test('returns 409 for a provider that is not configured, and 400 for an incomplete account', async () => {
  const staff = await fixture.staff(account, { calendar: 'unconnected' });
  const put = (body: object) =>
    fixture.call(account, 'PUT', `/v1/appointments/users/${staff.id}/ext-calendar`, body);
  const partly = await put({ provider: 'caldav', url: 'https://dav.example.com' });
  expect(partly.json.errors.map(({ path }: { path: string }) => path)).toEqual(['username', 'password']);
  const whole = await put({
    provider: 'caldav',
    url: 'https://dav.example.com',
    username: 'ada',
    password: 'secret',
  });
  expect([whole.status, whole.json.code]).toEqual([409, 'calendar_provider_not_configured']);
});

test('says that the provider is not configured, instead of asking to reconnect, when the operator removed its client', async () => {
  const staff = await fixture.staff(account);
  const read = (path: string) => fixture.call(account, 'GET', `/v1/appointments/${path}`);
  const isListedAsConnected = async () => {
    const { items } = await fixture.must(read('users?limit=100'));
    return items.find(({ _id }: { _id: string }) => _id === staff.id).calendarConnected;
  };
  const { google } = fixture.deps.calendars;
  if (!google) throw new Error('no adapter');
  const why = 'The calendar provider "google" is not configured in this gateway.';
  delete fixture.deps.calendars.google;
  try {
    expect(await status(staff.id)).toMatchObject({
      connected: false,
      provider: 'google',
      error: expect.stringContaining(why),
    });
    const slots = await read(`available-slots?appointmentUserId=${staff.id}&date=${date}`);
    expect([slots.status, slots.json.code]).toEqual([409, 'calendar_not_connected']);
    expect(slots.json.message).toContain(why);
    expect(await isListedAsConnected()).toBe(false);
    expect((await findUnknownEvents(fixture.deps)).unread).toBeGreaterThan(0);
  } finally {
    fixture.deps.calendars.google = google;
  }
  expect(await status(staff.id)).toMatchObject({ connected: true, error: null });
  expect(await isListedAsConnected()).toBe(true);
});
