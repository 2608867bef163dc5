// What a person has to see in windows of every width, also of people and campaigns with long names, in a real browser.
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Dashboard, flawsOf, startDashboard } from '../harness/dashboard.ts';
import { addEndpoint, number } from '../harness/gateway.ts';
import { offer } from '../harness/phone-templates.ts';
import { until } from '../harness/until.ts';

let dashboard: Dashboard;
let paths: Record<'messages' | 'message' | 'send' | 'conversation', string>;

/** As long as the API takes, without a space. */
const name = 'Wolfeschlegelsteinhausenbergerdorff'.repeat(7);
const phone = '15557760001';

beforeAll(async () => {
  dashboard = await startDashboard([offer], { sandbox: true });
  const { gateway, templateIds } = dashboard;
  await addEndpoint(gateway);
  const body = {
    templateId: templateIds.diwali_offer,
    name,
    recipients: [
      { phone, name, variables: { 1: name, 2: 'Friday' }, metadata: { note: name.slice(0, 200) } },
    ],
  };
  const sent = await gateway.call<{ sendId: string; messages: { id: string }[] }>(
    'POST',
    '/v1/templates/send',
    { body },
  );
  const messages = [
    { from: { phone, name: name.slice(0, 80) }, kind: 'text', with: { text: { body: 'Hello' } } },
  ];
  await gateway.platform.write(number.id, { messages });
  const conversation = await until(async () => {
    const found = await gateway.call<{ items: { _id: string }[] }>('GET', `/v1/contacts?phone=${phone}`);
    if (!found.body.data.items[0]) throw new Error('not stored yet');
    return `/conversations/${found.body.data.items[0]._id}`;
  });
  paths = {
    conversation,
    messages: '/messages',
    message: `/messages/${sent.body.data.messages[0]?.id}`,
    send: `/sends/${sent.body.data.sendId}`,
  };
}, 60_000);
afterAll(async () => dashboard?.close());

/** True if the element is shown, at least so wide, within its card. */
async function isSeen(element: Locator, leastPx: number): Promise<boolean> {
  const box = await element.boundingBox();
  const card = await element.locator('xpath=ancestor::*[contains(@class, "card")][1]').boundingBox();
  return box !== null && card !== null && box.width >= leastPx && box.x + box.width <= card.x + card.width;
}

test.each([360, 768, 1_120, 1_440])('%i pixels show what a long name must not push away', async (width) => {
  const { gateway, openAt } = dashboard;
  const { page } = await openAt('/', { viewport: { width, height: 900 } });
  for (const path of Object.values(paths)) {
    await page.goto(`${gateway.url}${path}`);
    await page.locator('#main h1').waitFor();
    await page.waitForLoadState('networkidle');
    expect([path, await flawsOf(page)]).toEqual([path, []]);
    if (path === paths.conversation) {
      const box = await page.locator('.thread-name').boundingBox();
      expect(box?.width).toBeGreaterThan(100);
    }
    if (path === paths.messages || path === paths.send) {
      const row = page.locator('.table tbody tr').first();
      expect([path, await isSeen(row.locator('.state').first(), 40)]).toEqual([path, true]);
    }
    // wider ones scroll to their last column
    if (path === paths.messages && width < 760) {
      const time = page.locator('.table tbody tr').first().locator('time:visible');
      expect(await isSeen(time, 30)).toBe(true);
    }
    if (path === paths.send) {
      const legend = page.locator('.stage-legend li');
      expect(await Promise.all((await legend.all()).map((one) => isSeen(one, 100)))).toEqual(
        Array(5).fill(true),
      );
    }
    if (path === paths.message) {
      const words = page.locator('.timeline-text > :first-child');
      await words.first().waitFor();
      const cut = await page
        .locator('.timeline-text')
        .evaluateAll((all) => all.filter((one) => one.clientWidth < 100).length);
      expect(cut).toBe(0);
    }
  }
});

test('a page that the session may not open has a heading', async () => {
  const { page } = await dashboard.openAt('/health');
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await flawsOf(page)).toEqual([]);
});

test('a long Latin name is cut at its end, also in a page that is read from the right', async () => {
  const { page } = await dashboard.openAt(paths.message, {
    locale: 'ar',
    viewport: { width: 390, height: 844 },
  });
  const crumb = page.locator('.crumbs .cut').last();
  await crumb.filter({ hasText: name }).waitFor();
  const seen = await crumb.evaluate((element) => [
    element.matches(':dir(ltr)'),
    element.scrollWidth > element.clientWidth,
  ]);
  expect(seen).toEqual([true, true]);
});
