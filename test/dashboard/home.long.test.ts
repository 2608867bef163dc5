// The start page in a real browser: its tiles and the lists behind them, its charts, and addresses that lead nowhere.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Dashboard, flawsOf, signIn, startDashboard } from '../harness/dashboard.ts';
import { offer } from '../harness/phone-templates.ts';
import { until } from '../harness/until.ts';

let dashboard: Dashboard;
const people = ['Ada Lovelace', 'Ben'];

beforeAll(async () => {
  dashboard = await startDashboard([offer]);
  const { gateway, templateIds } = dashboard;
  const recipients = people.map((name, at) => ({
    ...{ phone: `1555779000${at}`, name },
    variables: { 1: name, 2: 'Friday' },
  }));
  await gateway.call('POST', '/v1/templates/send', {
    body: { templateId: templateIds.diwali_offer, recipients },
  });
  const counts = async () => (await gateway.call('GET', '/v1/overview?timezone=Europe/Berlin')).text;
  await until(async () => {
    if (!(await counts()).includes('"read":2')) throw new Error('not counted yet');
  });
}, 60_000);
afterAll(async () => dashboard?.close());

test.each(['Sent', 'Delivered', 'Read'])(
  'the tile %s opens the messages of today that it counts',
  async (tile) => {
    const { page, problems } = await dashboard.openAt('/');
    await page.getByRole('region', { name: 'Today' }).getByRole('link', { name: tile, exact: true }).click();
    await page.waitForURL(/\/messages/);
    const time = page.getByRole('combobox', { name: 'Time' });
    expect(await time.locator('option:checked').textContent()).toBe('today');
    for (const name of people) await page.getByRole('link', { name, exact: true }).waitFor();
    expect(problems).toEqual([]);
  },
);

test('a chart is drawn once while it does not change', async () => {
  const { gateway, open } = dashboard;
  const { page, problems } = await open();
  // no hour ends while time passes
  const hour = new Date();
  hour.setMinutes(30, 0, 0);
  await page.clock.install({ time: hour });
  await signIn(page, gateway);
  const chart = await page.locator('.uplot').first().elementHandle();
  const clock = page.locator('.page-head .number').first();
  await clock.getByText(':30').waitFor();
  await page.clock.runFor(65_000);
  await clock.getByText(':31').waitFor();
  expect(await chart?.evaluate((element) => element.isConnected)).toBe(true);
  expect(problems).toEqual([]);
});

test.each([320, 390, 800, 1_440])('a chart has labels in a window of %i pixels', async (width) => {
  const { page } = await dashboard.openAt('/', {
    viewport: { width: width === 800 ? 1_440 : width, height: 900 },
  });
  const canvas = page.locator('.uplot canvas').first();
  await canvas.waitFor();
  await page.setViewportSize({ width, height: 900 });
  const drawnBelow = () =>
    page.evaluate(`(() => {
      const canvas = document.querySelector('.uplot canvas');
      const strip = [0, canvas.height - 14, canvas.width, 14];
      return canvas.getContext('2d').getImageData(...strip).data.some((value) => value > 0);
    })()`);
  await expect.poll(drawnBelow).toBe(true);
});

test.each([320, 390])('%i pixels cut no name and no figure while there is room', async (width) => {
  const { gateway, openAt } = dashboard;
  const { page } = await openAt('/messages', { viewport: { width, height: 844 } });
  const link = page.getByRole('link', { name: people[0] as string, exact: true });
  await link.waitFor();
  expect(await link.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  await page.goto(`${gateway.url}/`);
  await page.locator('.tiles .spark').first().waitFor({ state: 'attached' });
  const tiles = page.locator('.tiles');
  expect(await tiles.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  expect(await flawsOf(page)).toEqual([]);
});

test('an address that does not exist says so, and leads back', async () => {
  const { page, problems } = await dashboard.openAt('/no/such-page');
  await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
  expect(await flawsOf(page)).toEqual([]);
  await page.locator('#main').getByRole('link', { name: 'Home' }).click();
  await page.getByRole('heading', { level: 1, name: 'Nothing needs you' }).waitFor();
  expect(problems).toEqual([]);
});

test('the sandbox of a gateway that has none is an address that does not exist', async () => {
  const { page, problems } = await dashboard.openAt('/sandbox');
  await page.getByRole('heading', { level: 1, name: 'There is no such page' }).waitFor();
  expect(problems).toEqual([]);
});
