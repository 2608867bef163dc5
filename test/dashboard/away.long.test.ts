// The dashboard while the gateway does not answer, and once it does again, in a real browser.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Dashboard, flawsOf, startDashboard } from '../harness/dashboard.ts';
import { number } from '../harness/gateway.ts';
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

/** Reads of this path get no response until the returned function is called; `reads` counts them. */
async function hang(page: Page, path: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const hanging = { reads: 0, end: resolve };
  await page.route(`**${path}**`, async (route) => {
    hanging.reads++;
    await promise;
    // a read that was given up takes no response
    await route.continue().catch(() => undefined);
  });
  return hanging;
}

test('a read without a response is said to take long after ten seconds, and is begun again by a button', async () => {
  const { page, problems } = await dashboard.openAt('/settings');
  const hanging = await hang(page, '/v1/senders');
  await page.clock.install();
  await page.locator('.side a[href="/senders"]').click();
  await page.locator('.loading').waitFor();
  const slow = page.getByRole('status').filter({ hasText: 'The gateway takes long to answer' });
  await page.clock.fastForward(9_000);
  expect(await slow.count()).toBe(0);
  await page.clock.fastForward(1_100);
  await slow.waitFor();
  expect(await flawsOf(page)).toEqual([]);
  const { reads } = hanging;
  const aborted = page.waitForEvent('requestfailed');
  await slow.getByRole('button', { name: 'Try now' }).click();
  await aborted;
  await expect.poll(() => hanging.reads).toBe(reads + 1);
  await slow.waitFor({ state: 'detached' });
  hanging.end();
  await page.getByRole('table').waitFor();
  expect(problems).toEqual([]);
});

test('a read without a response ends after half a minute, is not repeated in silence, and goes on by itself later', async () => {
  const { page } = await dashboard.openAt('/settings');
  const hanging = await hang(page, '/v1/senders');
  await page.clock.install();
  await page.locator('.side a[href="/senders"]').click();
  await page.locator('.loading').waitFor();
  const { reads } = hanging;
  await page.clock.fastForward(30_100);
  await page.locator('#main').getByRole('alert').getByText('The gateway does not answer').waitFor();
  expect(hanging.reads).toBe(reads);
  hanging.end();
  await page.clock.fastForward(10_100);
  await page.getByRole('table').waitFor();
});

test('a page whose session is not answered says that it takes long', async () => {
  const { page } = await dashboard.openAt('/settings');
  const hanging = await hang(page, '/v1/session');
  await page.clock.install();
  await page.reload();
  await expect.poll(() => hanging.reads).toBe(1);
  await page.clock.fastForward(10_100);
  await page.getByRole('status').getByText('The gateway takes long to answer').waitFor();
  await page.getByRole('button', { name: 'Try now' }).click();
  await expect.poll(() => hanging.reads).toBe(2);
  hanging.end();
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
});

test('a conversation that takes long says so, and can be answered', async () => {
  const from = { phone: '15557790009', name: 'Grace' };
  await dashboard.gateway.platform.write(number.id, {
    messages: [{ from, kind: 'text', with: { text: { body: 'Hello' } } }],
  });
  const { page } = await dashboard.openAt('/conversations', { viewport: { width: 390, height: 844 } });
  const hanging = await hang(page, '/messages?limit');
  await page.clock.install();
  await page.getByRole('link', { name: 'Grace' }).click();
  await page.locator('.thread .loading').waitFor();
  await page.clock.fastForward(10_100);
  await page.getByRole('status').getByText('The gateway takes long to answer').waitFor();
  await page.getByRole('textbox', { name: 'Reply' }).fill('At nine.');
  await page.getByRole('button', { name: 'Send', exact: true }).click({ trial: true });
  await page.getByRole('button', { name: 'Template' }).click({ trial: true });
  hanging.end();
});
