// Staff who are hidden from visitors: their appointments stay in the calendar, and their pages say what hides them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { addBooking, addStaff } from '../harness/dashboard-staff.ts';
import { comingMonday } from '../harness/dates.ts';

let dashboard: Dashboard;
let zoe: string;
const monday = comingMonday();

beforeAll(async () => {
  dashboard = await startDashboard([]);
  const { gateway } = dashboard;
  await addStaff(gateway, { name: 'Ana' });
  await addStaff(gateway, { name: 'Left long ago', active: false });
  zoe = await addStaff(gateway, { name: 'Zoe' });
  const at = { date: monday, from: '10:00', to: '10:30' };
  await addBooking(gateway, { appointmentUserId: zoe, ...at, name: 'Grace Hopper' });
  await gateway.call('PATCH', `/v1/appointments/users/${zoe}`, { body: { active: false } });
}, 60_000);
afterAll(async () => dashboard?.close());

test('the calendar has the appointments of somebody who was hidden since, and nobody else who is hidden', {
  timeout: 60_000,
}, async () => {
  const { page, problems } = await dashboard.openAt(`/appointments?view=week&date=${monday}`);
  await page.getByText('Grace Hopper').waitFor();
  const chips = page.getByRole('group', { name: 'Staff' });
  expect(await chips.getByRole('button').allInnerTexts()).toEqual(['Ana', 'Zoe']);
  await page.goto(`${dashboard.gateway.url}/appointments?view=day&date=${monday}`);
  await page.getByText('Grace Hopper').waitFor();
  // a week without appointments of hers, which her page leads to
  await page.goto(`${dashboard.gateway.url}/appointments?view=week&date=2027-11-03&staff=${zoe}`);
  await expect.poll(() => chips.getByRole('button').allInnerTexts()).toEqual(['Zoe']);
  expect(problems).toEqual([]);
});

test('the pages of somebody who is hidden say so instead of failing', { timeout: 60_000 }, async () => {
  const { page, problems } = await dashboard.openAt(`/users/${zoe}/hours`);
  await page.getByText('Hidden from visitors').waitFor();
  await page.goto(`${dashboard.gateway.url}/users/${zoe}/open?date=${monday}`);
  await page.getByText('Hidden from visitors').waitFor();
  expect(await page.getByText('This did not work').count()).toBe(0);
  expect(problems).toEqual([]);
});

test('moving an appointment of somebody who is hidden says why no times are listed, and what to do', {
  timeout: 60_000,
}, async () => {
  const { page } = await dashboard.openAt(`/appointments?view=week&date=${monday}`);
  await page.getByText('Grace Hopper').click();
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  const form = page.getByRole('form', { name: 'Move' });
  await form.getByText('Open times are listed only for people who can be booked.').waitFor();
  expect(await page.getByText('This did not work').count()).toBe(0);
  await form.getByRole('link', { name: 'Open their details' }).click();
  await page.waitForURL(new RegExp(`/users/${zoe}/details$`));
  await page.getByText('Can be booked; otherwise hidden from visitors').waitFor();
});
