// Settings, retention, and a slot that somebody else takes, in a real browser, against the real gateway and sandbox.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { confirm, type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { addBooking, addStaff } from '../harness/dashboard-staff.ts';
import { comingMonday } from '../harness/dates.ts';

let dashboard: Dashboard;
let ben: string;
const monday = comingMonday();

beforeAll(async () => {
  dashboard = await startDashboard([]);
  ben = await addStaff(dashboard.gateway, { name: 'Ben' });
}, 60_000);
afterAll(async () => dashboard?.close());

test('a slot that was taken in the meantime is said, and what was typed stays', async () => {
  const { page } = await dashboard.openAt(`/appointments/new?date=${monday}`);
  await page.getByRole('button', { name: '10:00' }).click();
  await page.getByLabel('E-mail').fill('late@example.com');
  await page.getByLabel('Phone with country code').fill('15551230101');
  await page.getByRole('button', { name: 'Check the booking' }).click();
  await addBooking(dashboard.gateway, { appointmentUserId: ben, date: monday, from: '10:00', to: '10:30' });
  await page.getByRole('button', { name: /^Book .*10:00/ }).click();
  await page.getByText('slot_unavailable').waitFor();
  await page.getByRole('button', { name: '10:30' }).click();
  expect(await page.getByLabel('E-mail').inputValue()).toBe('late@example.com');
});

test('the viewer chooses a time zone and a language, and both stay', async () => {
  const { page, problems } = await dashboard.openAt('/settings');
  // each choice loads the page again
  const choose = (label: string, option: string) =>
    Promise.all([page.waitForEvent('load'), page.getByLabel(label).selectOption(option)]);
  await choose('Time zone', 'Asia/Kolkata');
  await page.goto(`${dashboard.gateway.url}/appointments`);
  await page.getByText('times in Asia/Kolkata').waitFor();
  await page.goto(`${dashboard.gateway.url}/settings`);
  await choose('Language', 'Español');
  await page.getByRole('heading', { level: 1, name: 'Ajustes' }).waitFor();
  await choose('Zona horaria', 'La del sistema: Europe/Berlin');
  expect(await page.evaluate('localStorage.getItem("zone")')).toBeNull();
  expect(problems).toEqual([]);
});

test('data is kept for fewer days after a confirmation that says what is removed', async () => {
  const { page, problems } = await dashboard.openAt('/settings');
  await page.getByLabel(/^Bookings/).fill('60');
  await page.getByRole('button', { name: 'Save' }).click();
  expect(await confirm(page, 'Save and remove')).toContain('cannot be restored: Bookings.');
  await page.getByText('Kept for 60 days now.').waitFor();
  const { body } = await dashboard.gateway.call<{ bookings: object }>('GET', '/v1/retention');
  expect(body.data.bookings).toMatchObject({ days: 60, ownDays: 60 });
  expect(problems).toEqual([]);
});

test('what a confirmation could not do is said in it, and nothing changed', async () => {
  await addBooking(dashboard.gateway, { appointmentUserId: ben, date: monday, from: '12:00', to: '12:30' });
  const { page } = await dashboard.openAt(`/users/${ben}/details`);
  const ask = page.getByRole('button', { name: 'Delete this staff member' });
  await ask.click();
  await confirm(page, 'Delete this staff member');
  const question = page.getByRole('alertdialog', { name: 'Delete Ben?' });
  await question.getByRole('alert').getByText('conflict').waitFor();
  await page.context().setOffline(true);
  await confirm(page, 'Delete this staff member');
  await question.getByRole('alert').getByText('It is not known whether this was done.').waitFor();
  await page.context().setOffline(false);
  await question.getByRole('button', { name: 'Keep it' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await page.evaluate('document.activeElement.textContent')).toBe('Delete this staff member');
  expect(await page.getByRole('alert').count()).toBe(0);
});

test('a colleague who may only see appointments sees staff and slots, and what they lack', async () => {
  const { gateway, open } = dashboard;
  const made = await gateway.call<{ url: string }>('POST', '/v1/dashboard-links', {
    body: { name: 'Front desk', scopes: ['appointments:read', 'appointments:book'] },
  });
  const { page, problems } = await open();
  await page.goto(`${gateway.url}/${new URL(made.body.data.url).hash}`);
  await page.getByRole('button', { name: 'Sign in on this browser' }).click();
  const menu = page.getByRole('navigation', { name: 'Main', exact: true });
  await menu.getByRole('link', { name: 'Staff' }).click();
  await page.getByRole('link', { name: 'Ben' }).click();
  await page.getByText('Your session lacks the scope manage.').waitFor();
  expect(await page.getByRole('button', { name: 'Save hours' }).count()).toBe(0);
  await page.goto(`${gateway.url}/appointments`);
  await page.getByText('Your session lacks the scope appointments:manage.').waitFor();
  await page.goto(`${gateway.url}/users`);
  await page.getByRole('link', { name: 'Ben' }).click();
  await page.getByRole('link', { name: 'Book' }).click();
  await page.getByLabel('Date').fill(monday);
  await page.getByRole('button', { name: '16:00' }).click();
  await page.getByLabel('E-mail').fill('guest@example.com');
  await page.getByLabel('Phone with country code').fill('15551230102');
  await page.getByRole('button', { name: 'Check the booking' }).click();
  await page.getByRole('button', { name: /^Book .*16:00/ }).click();
  await page
    .getByRole('status')
    .getByText(/Booked.*16:00.*guest@example.com/)
    .waitFor();
  expect(problems).toEqual([]);
});
