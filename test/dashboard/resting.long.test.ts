// The pages of an endpoint that rests and of a delivery that was not tried, in a real browser.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appearances, type Dashboard, flawsOf, startDashboard } from '../harness/dashboard.ts';
import { addEndpoint } from '../harness/gateway.ts';
import { offer } from '../harness/phone-templates.ts';

let dashboard: Dashboard;
let endpointId: string;

beforeAll(async () => {
  dashboard = await startDashboard([offer]);
  const { gateway, templateIds } = dashboard;
  ({ endpointId } = await addEndpoint(gateway));
  const recipients = [{ phone: '15557790001', name: 'Ada', variables: { 1: 'Ada', 2: 'Friday' } }];
  const body = { templateId: templateIds.diwali_offer, recipients };
  await gateway.call('POST', '/v1/templates/send', { body });
}, 60_000);
afterAll(async () => dashboard?.close());

/** Every endpoint rests after failures, and every delivery waits for it. */
async function rest(page: Page): Promise<void> {
  const resting = {
    ...{ failingSince: new Date().toISOString(), waiting: 63, description: 'The second system' },
    restingUntil: new Date(Date.now() + 60_000).toISOString(),
  };
  await page.route(/\/v1\/webhooks\/(endpoints\?|deliveries\/)/, async (route) => {
    const response = await route.fetch();
    const { data, ...rest } = await response.json();
    const changed = data.items
      ? { ...data, items: data.items.map((item: object) => ({ ...item, ...resting })) }
      : { ...data, status: 'pending', attempts: 0, attemptLog: [] };
    await route.fulfill({ response, json: { ...rest, data: changed } });
  });
}

test.each(appearances)('have no accessibility violation and no overflow: %s', async (_name, context) => {
  const { gateway, openAt } = dashboard;
  const { page, problems } = await openAt('/settings', context);
  await rest(page);
  await page.goto(`${gateway.url}/webhooks/endpoints/${endpointId}`);
  await page.locator('.note-box.warn').waitFor();
  expect(await flawsOf(page)).toEqual([]);
  const { body } = await gateway.call<{ items: { _id: string }[] }>('GET', '/v1/webhooks/deliveries?limit=1');
  await page.goto(`${gateway.url}/webhooks/deliveries/${body.data.items[0]?._id}`);
  await page.locator('section.code').waitFor();
  expect(await flawsOf(page)).toEqual([]);
  expect(problems).toEqual([]);
});

test('the list of endpoints says when a resting one is tried again before what it is called', async () => {
  const { page } = await dashboard.openAt('/settings', { viewport: { width: 1_440, height: 900 } });
  await rest(page);
  await page.locator('.side a[href="/webhooks"]').click();
  const next = page.getByText(/^Next try/);
  const place = await next.evaluate((element) => {
    const { right } = element.getBoundingClientRect();
    return { right, end: element.parentElement?.getBoundingClientRect().right ?? 0 };
  });
  expect(place.right).toBeLessThan(place.end);
});
