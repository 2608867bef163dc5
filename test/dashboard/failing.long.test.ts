// What pages say and offer while requests fail, and where the viewer goes on when a page is left, in a real browser.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Dashboard, flawsOf, startDashboard } from '../harness/dashboard.ts';
import { addStaff } from '../harness/dashboard-staff.ts';
import { addEndpoint, number } from '../harness/gateway.ts';
import { offer } from '../harness/phone-templates.ts';

let dashboard: Dashboard;
const count = 60;

beforeAll(async () => {
  dashboard = await startDashboard([offer]);
  const { gateway, templateIds } = dashboard;
  await addEndpoint(gateway);
  await addStaff(gateway, { name: 'Ana' });
  const recipients = Array.from({ length: count }, (_, at) => ({
    ...{ phone: `155577910${String(at).padStart(2, '0')}`, name: `Person ${at}` },
    variables: { 1: 'Ada', 2: 'Friday' },
  }));
  await gateway.call('POST', '/v1/templates/send', {
    body: { templateId: templateIds.diwali_offer, recipients },
  });
}, 60_000);
afterAll(async () => dashboard?.close());

/** Requests of this kind fail until the returned function is called. */
async function failRequests(page: Page, pattern: RegExp): Promise<() => Promise<void>> {
  const body = { success: false, message: 'The gateway is held.', code: 'held', requestId: 'r' };
  await page.route(pattern, (route) => route.fulfill({ status: 503, json: body }));
  return () => page.unroute(pattern);
}

test('older messages that could not be read are read by the button of the error', async () => {
  const { page, problems } = await dashboard.openAt('/messages');
  const rows = page.locator('.table tbody tr');
  await expect.poll(() => rows.count()).toBe(50);
  const end = await failRequests(page, /\/v1\/messages\?.*cursor=/);
  await page.getByRole('button', { name: 'Load older' }).click();
  await page.locator('#main').getByRole('alert').waitFor();
  await end();
  await page.getByRole('button', { name: 'Try now' }).click();
  await expect.poll(() => rows.count()).toBe(count);
  expect(await page.locator('#main').getByRole('alert').count()).toBe(0);
  expect(problems).toEqual([]);
});

test.each([
  ['/senders', /\/v1\/senders/, 'No number is connected'],
  ['/webhooks', /\/v1\/webhooks/, '0 of 10 endpoints'],
])('%s claims nothing that it could not read', async (path, pattern, claim) => {
  const { page } = await dashboard.openAt('/settings');
  await failRequests(page, pattern);
  await page.locator(`.side a[href="${path}"]`).click();
  await page.locator('#main').getByRole('alert').waitFor();
  expect(await page.locator('#main').innerText()).not.toContain(claim);
});

test.each([
  ['figures', /\/v1\/statistics\/webhooks/],
  ['latest deliveries', /\/v1\/webhooks\/deliveries/],
])('%s of webhooks that could not be read are an error', async (_what, pattern) => {
  const { page } = await dashboard.openAt('/settings');
  const end = await failRequests(page, pattern);
  await page.locator('.side a[href="/webhooks"]').click();
  const alert = page.locator('#main').getByRole('alert');
  await alert.waitFor();
  // no attempts are a claim
  expect(await page.locator('#main .bars').count()).toBe(pattern.source.includes('statistics') ? 0 : 1);
  expect(await flawsOf(page)).toEqual([]);
  await end();
  await alert.getByRole('button', { name: 'Try now' }).click();
  await alert.waitFor({ state: 'detached' });
  await page.locator('#main .bars').waitFor({ state: 'attached' });
});

test('figures of an endpoint that could not be read are no zeros', async () => {
  const { page } = await dashboard.openAt('/webhooks');
  await failRequests(page, /\/v1\/statistics\/webhooks/);
  await page.locator('#main [data-row-link]').first().click();
  await page.locator('#main').getByRole('alert').waitFor();
  expect(await page.locator('.figure-tiles').count()).toBe(0);
});

test('what a conversation could not read or do is said there', async () => {
  const { gateway, openAt } = dashboard;
  const from = { phone: '15557791099', name: 'Ada' };
  await gateway.platform.write(number.id, {
    messages: [{ from, kind: 'text', with: { text: { body: 'Hello' } } }],
  });
  const { page } = await openAt('/conversations');
  await page.getByRole('link', { name: 'Ada' }).click();
  const thread = page.getByRole('region', { name: 'Conversation' });
  const alert = thread.getByRole('alert');
  await failRequests(page, /\/v1\/messages\/received\/.*read/);
  await thread.getByRole('button', { name: 'Mark 1 as read' }).click();
  await alert.waitFor();
  expect(await flawsOf(page)).toEqual([]);
  await page.reload();
  const end = await failRequests(page, /\/preview/);
  await thread.getByRole('button', { name: 'Template' }).click();
  await thread.getByRole('combobox', { name: 'Template' }).selectOption({ index: 1 });
  await alert.waitFor();
  await end();
  await alert.getByRole('button', { name: 'Try now' }).click();
  await thread.locator('.template-words').waitFor();
  await alert.waitFor({ state: 'detached' });
});

test('changed hours say that the bookings outside them could not be read', async () => {
  const { page } = await dashboard.openAt('/settings');
  await failRequests(page, /\/v1\/appointments\/bookings/);
  await page.locator('.side a[href="/users"]').click();
  await page.locator('#main').getByRole('link', { name: 'Ana' }).click();
  await page.getByRole('spinbutton', { name: 'Notice' }).fill('120');
  await page.locator('#main').getByRole('alert').waitFor();
});

test('a calendar whose staff cannot be read has a heading', async () => {
  const { page } = await dashboard.openAt('/settings');
  await failRequests(page, /\/v1\/appointments\/users/);
  await page.locator('.side a[href="/appointments"]').click();
  await page.locator('#main').getByRole('alert').waitFor();
  expect(await flawsOf(page)).toEqual([]);
});

test('a page that is opened by keyboard goes on in the page, and the menu keeps the keyboard', async () => {
  const { page, problems } = await dashboard.openAt('/messages');
  const focused = () => page.evaluate('document.activeElement.id || document.activeElement.textContent');
  await page.getByRole('link', { name: 'Person 47', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /Person 47/ }).waitFor();
  await expect.poll(focused).toBe('main');
  await page.keyboard.press('Tab');
  expect(await page.evaluate('document.activeElement.closest("#main") !== null')).toBe(true);
  await page.locator('.side a[href="/settings"]').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  expect(await focused()).toBe('Settings');
  expect(problems).toEqual([]);
});

test('back goes to the place in the list, also on the page that one signed in on', async () => {
  const { page } = await dashboard.openAt('/messages', { viewport: { width: 1_440, height: 700 } });
  const link = page.getByRole('link', { name: 'Person 19', exact: true });
  await link.scrollIntoViewIfNeeded();
  const before = await page.evaluate('scrollY');
  expect(before).toBeGreaterThan(500);
  await link.click();
  await page.getByRole('heading', { level: 1, name: /Person 19/ }).waitFor();
  await page.goBack();
  await link.waitFor();
  expect(await page.evaluate('scrollY')).toBe(before);
});

test('a zone that the browser knows by an older name is shown by that of today', async () => {
  const { page } = await dashboard.openAt('/', { timezoneId: 'Asia/Calcutta' });
  await page.locator('.page-head').getByText('Asia/Kolkata').waitFor();
});
