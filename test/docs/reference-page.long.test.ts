// The reference page in a browser: accessible at phone width, without CSP violations, and with a key or session to try operations.
import type { Page } from 'playwright-core';
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

test('keeps an API key until it is left, and stores none', { timeout: 60_000 }, async () => {
  const browser = await openBrowser();
  try {
    const { page } = await openPage(browser, new URL(gateway.url).origin);
    await page.goto(`${gateway.url}/docs/`);
    // what earlier versions of the page stored
    await page.evaluate("localStorage.setItem('authorized', '{}')");
    await page.reload();
    await page.waitForSelector('.opblock');
    await page.locator('.auth-wrapper > .authorize').click();
    await page.locator('.auth-container input').first().fill(gateway.apiKey);
    await page.locator('.auth-container button.authorize').first().click();
    await page.locator('.auth-container button.btn-done').first().click();
    expect(await statusOf(page, 'Templates-listTemplates')).toBe('200');
    expect(await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')).toBe('{}');
    await page.goto('about:blank');
    await page.goto(`${gateway.url}/docs/`);
    expect(await statusOf(page, 'Templates-listTemplates')).toBe('401');
  } finally {
    await browser.close();
  }
});

test('needs no key in a browser that is signed in to the dashboard', { timeout: 60_000 }, async () => {
  const browser = await openBrowser();
  try {
    const { page } = await openPage(browser, new URL(gateway.url).origin);
    await page.goto(`${gateway.url}/docs/`);
    const headers = { 'Content-Type': 'application/json', 'X-Requested-With': 'chatbot-gateway' };
    const signIn = { method: 'POST', headers, body: JSON.stringify({ key: gateway.apiKey }) };
    await page.evaluate(`fetch('/v1/session', ${JSON.stringify(signIn)}).then(({ status }) => status)`);
    expect(await statusOf(page, 'Templates-listTemplates')).toBe('200');
    expect(await statusOf(page, 'Directory-createDepartment')).toBe('200');
    const shown = await page.locator('#operations-Directory-createDepartment .curl').textContent();
    expect(shown).not.toContain('X-Requested-With');
  } finally {
    await browser.close();
  }
});

/** The status that the page shows after an operation was tried in it. */
async function statusOf(page: Page, operation: string): Promise<string | null> {
  const block = page.locator(`#operations-${operation}`);
  await block.locator('.opblock-summary-control').click();
  await block.locator('button.execute').click();
  return block.locator('.live-responses-table tbody td.response-col_status').first().textContent();
}
