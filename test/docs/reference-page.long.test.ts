// The reference page in a browser at phone width: complete, accessible, and without CSP violations.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser, openPage, violationsOf } from '../harness/browser.ts';
import { type Gateway, startGateway } from '../harness/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

test('has no accessibility violation at 390 pixels', { timeout: 60_000 }, async () => {
  const browser = await openBrowser();
  try {
    const size = { viewport: { width: 390, height: 844 } };
    const { page, problems } = await openPage(browser, new URL(gateway.url).origin, size);
    await page.goto(`${gateway.url}/docs/`);
    await page.waitForSelector('.opblock');
    for (const id of ['Messages-sendTemplate', 'Templates-listTemplates']) {
      await page.locator(`#operations-${id} .opblock-summary-control`).click();
      await page.waitForSelector(`#operations-${id} .responses-table`);
    }
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
  }
});
