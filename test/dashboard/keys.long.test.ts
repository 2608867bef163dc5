// The keyboard shortcuts of the dashboard in a real browser: what each does, when they are off, and the list of them.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appearances, type Dashboard, flawsOf, pictures, startDashboard } from '../harness/dashboard.ts';
import { addStaff } from '../harness/dashboard-staff.ts';
import { addEndpoint } from '../harness/gateway.ts';
import { until } from '../harness/until.ts';

let dashboard: Dashboard;
let ben: string;

const seed = { language: 'en_US', status: 'APPROVED', category: 'MARKETING' as const };

beforeAll(async () => {
  const components = [{ type: 'BODY', text: 'Hi {{1}}, 20 % off until Friday.' }];
  dashboard = await startDashboard([{ name: 'diwali_offer', ...seed, components }]);
  ben = await addStaff(dashboard.gateway, { name: 'Ben' });
}, 60_000);
afterAll(async () => dashboard?.close());

const send = async (phone: string, more = {}) => {
  const { gateway, templateIds } = dashboard;
  const recipients = [{ phone, name: 'Ada', variables: { 1: 'Ada' } }];
  const body = { templateId: templateIds.diwali_offer, recipients, ...more };
  const { body: sent } = await gateway.call<{ sendId: string; messages: { id: string }[] }>(
    'POST',
    '/v1/templates/send',
    { body },
  );
  return { sendId: sent.data.sendId, id: sent.data.messages[0]?.id as string };
};
const copied = (page: Page) => page.evaluate('navigator.clipboard.readText()');
const withClipboard = { permissions: ['clipboard-read', 'clipboard-write'] };
const listOf = (page: Page) => page.getByRole('dialog', { name: 'Keyboard shortcuts' });

test('? lists the keys of the page and those of every page', async () => {
  const { page, problems } = await dashboard.openAt('/appointments');
  await page.keyboard.press('?');
  const onPage = listOf(page).getByRole('region', { name: 'On this page' });
  await onPage.waitFor();
  const rows = await onPage.locator('dl > div').allInnerTexts();
  expect(rows.map((row) => row.split(/\s*\n\s*/))).toEqual([
    ['Today', 'T'],
    ['Day, week or list', 'D', 'W', 'L'],
  ]);
  const general = listOf(page).getByRole('region', { name: 'On every page' });
  expect(await general.innerText()).toMatch(/Go to or find\s+Ctrl\s+K\s+Show this list\s+\?/);
  // a key of the page does nothing below a dialog
  await page.keyboard.press('d');
  expect(page.url()).not.toContain('view=day');
  await page.keyboard.press('Escape');
  await listOf(page).waitFor({ state: 'detached' });
  await page.keyboard.press('d');
  await page.waitForURL(/view=day/);
  expect(problems).toEqual([]);
});

test('keys open, copy, pause and go where the page says, and ask before they send', {
  timeout: 60_000,
}, async () => {
  const { gateway, openAt } = dashboard;
  await gateway.call('PUT', '/v1/opt-outs/15557770091', { body: { scope: 'marketing' } });
  const { id } = await send('15557770091');
  const { page, problems } = await openAt('/messages', withClipboard);
  await page.getByRole('link', { name: 'Ada' }).first().waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(new RegExp(`/messages/${id}`));
  await page.getByRole('button', { name: 'Send again' }).waitFor();
  await page.keyboard.press('c');
  await expect.poll(() => copied(page)).toBe(id);
  await page.keyboard.press('Control+r');
  expect(await page.getByRole('alertdialog').count()).toBe(0);
  await page.getByRole('button', { name: 'Send again' }).waitFor();
  await page.keyboard.press('r');
  await page.getByRole('alertdialog', { name: 'Send it again?' }).getByText('It failed.').waitFor();
  await page.keyboard.press('Escape');

  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const { sendId } = await send('15557770092', { sendAt });
  await page.goto(`${gateway.url}/sends/${sendId}`);
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.keyboard.press('p');
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  await page.keyboard.press('p');
  await page.getByRole('button', { name: 'Pause' }).waitFor();

  await page.goto(`${gateway.url}/templates`);
  await page.getByRole('textbox', { name: 'Part of the name' }).fill('n');
  await page.keyboard.press('n');
  await page.locator('#main').click({ position: { x: 2, y: 2 } });
  await page.keyboard.press('n');
  await page.waitForURL(/\/templates\/new$/);
  expect(problems).toEqual([]);
});

test('a message that the platform held back is sent again only after a question', async () => {
  const { id } = await send('15550000131049');
  const { page, problems } = await dashboard.openAt(`/messages/${id}`);
  await page.getByRole('button', { name: 'Send again' }).click();
  const question = page.getByRole('alertdialog', { name: 'Send it again?' });
  await question.getByText('Within 24 hours it will probably fail again.').waitFor();
  expect(problems).toEqual([]);
});

test('the tries of a delivery are moved through, and its curl is copied', { timeout: 60_000 }, async () => {
  const { gateway, openAt } = dashboard;
  const { endpointId } = await addEndpoint(gateway, { hook: 'keys' });
  await send('15557770093');
  const found = await until(async () => {
    const { body } = await gateway.call<{ items: { _id: string; attempts: number }[] }>(
      'GET',
      `/v1/webhooks/deliveries?endpointId=${endpointId}&status=delivered`,
    );
    const [first] = body.data.items;
    if (!first) throw new Error('nothing delivered yet');
    return first;
  });
  await gateway.call('POST', `/v1/webhooks/deliveries/${found._id}/replay`, {});
  const { page, problems } = await openAt(`/webhooks/deliveries/${found._id}`, withClipboard);
  await page.getByRole('heading', { name: 'Try 2' }).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('ArrowDown');
  await page.getByRole('heading', { name: 'Try 1' }).waitFor();
  await page.keyboard.press('k');
  await page.getByRole('heading', { name: 'Try 2' }).waitFor();
  await page.keyboard.press('y');
  await expect.poll(() => copied(page)).toMatch(/^curl /);
  await page.getByRole('status').getByText('Copied').waitFor();
  expect(problems).toEqual([]);
});

test('arrows go from day to day, to the side on which the next day is', async () => {
  const { page } = await dashboard.openAt(`/users/${ben}/open?date=2027-03-01`);
  await page.keyboard.press('ArrowRight');
  await page.waitForURL(/date=2027-03-02/);
  const arabic = await dashboard.openAt(`/users/${ben}/open?date=2027-03-01`, { locale: 'ar' });
  await arabic.page.keyboard.press('ArrowRight');
  await arabic.page.waitForURL(/date=2027-02-28/);
});

test('a digit opens a problem at home', async () => {
  const { gateway, openAt } = dashboard;
  await gateway.platform.addFault({ code: 190, subcode: 463, on: 'messages', times: 1 });
  await send('15557770094');
  const { page } = await openAt('/');
  await page.locator('.problem').first().waitFor();
  await page.keyboard.press('1');
  const field = page.getByLabel(/^New access token of /);
  await field.waitFor();
  await field.fill('x');
  await page.locator('h1').click();
  await page.keyboard.press('1');
  expect(await field.evaluate((element) => element.matches(':focus'))).toBe(true);
});

test('the viewer switches letter keys off, which stays, while arrows and Ctrl K go on', async () => {
  const { gateway, openAt } = dashboard;
  const { page, problems } = await openAt('/settings');
  const letters = page.getByRole('checkbox', { name: /Letter keys/ });
  await letters.uncheck();
  await page.keyboard.press('?');
  await page.goto(`${gateway.url}/messages`);
  await page.getByRole('link', { name: 'Ada' }).first().waitFor();
  await page.keyboard.press('j');
  expect(await page.evaluate('document.activeElement.tagName')).toBe('BODY');
  expect(await page.locator('.letter-key').first().isVisible()).toBe(false);
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Go to or find' }).waitFor();
  await page.goto(`${gateway.url}/settings`);
  expect(await letters.isChecked()).toBe(false);
  await page.getByRole('button', { name: 'Show all' }).click();
  await listOf(page).getByText('Letter keys are turned off in Settings.').waitFor();
  expect(problems).toEqual([]);
});

test.each(appearances)(
  'the list has no accessibility violation and no overflow: %s',
  async (name, options) => {
    const { page } = await dashboard.openAt('/messages', options);
    await page.keyboard.press('?');
    await page.locator('dialog[open] dl').first().waitFor();
    await page.screenshot({ path: `${pictures}shortcuts-${name}.png` });
    expect(await flawsOf(page)).toEqual([]);
  },
);
