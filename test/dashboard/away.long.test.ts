// The dashboard while the gateway does not answer, and once it does again, in a real browser.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Dashboard, flawsOf, startDashboard } from '../harness/dashboard.ts';
import { offer } from '../harness/phone-templates.ts';

let dashboard: Dashboard;

beforeAll(async () => {
  dashboard = await startDashboard([offer]);
}, 60_000);
afterAll(async () => dashboard?.close());

test('a page that cannot be loaded leaves the menu, and appears by itself later', async () => {
  const { gateway, openAt, templateIds } = dashboard;
  const recipients = [{ phone: '15557790001', name: 'Ada', variables: { 1: 'Ada', 2: 'Friday' } }];
  const body = { templateId: templateIds.diwali_offer, recipients };
  await gateway.call('POST', '/v1/templates/send', { body });
  const { page } = await openAt('/messages');
  const link = page.getByRole('link', { name: 'Ada' });
  await link.waitFor();
  await page.context().setOffline(true);
  await page.getByRole('link', { name: 'Staff' }).click();
  await page.getByRole('alert').getByText('The gateway does not answer').waitFor();
  expect(new URL(page.url()).pathname).toBe('/users');
  await page.getByRole('link', { name: 'Messages', exact: true }).click();
  // its texts are there already, its code is not
  await link.click();
  await page.getByRole('alert').getByText('The gateway does not answer').waitFor();
  await page.context().setOffline(false);
  await page.getByRole('heading', { level: 1, name: /Ada/ }).waitFor();
});

test('Ctrl K that cannot be loaded says so, and keeps what was typed', async () => {
  const { page } = await dashboard.openAt('/keys');
  const name = page.getByRole('region', { name: 'New key' }).getByLabel('Name');
  await name.fill('Nightly import');
  await page.context().setOffline(true);
  await page.keyboard.press('Control+k');
  const alert = page.getByRole('banner').getByRole('alert');
  await alert.getByText('This did not work').waitFor();
  expect(await name.inputValue()).toBe('Nightly import');
  expect(await flawsOf(page)).toEqual([]);
  await page.context().setOffline(false);
  await alert.getByRole('button', { name: 'Try now' }).click();
  await page.getByRole('button', { name: /^Go to or find/ }).click();
  await page.getByRole('combobox', { name: 'Go to or find' }).waitFor();
});
