// The reference page in a browser at phone width: complete, accessible, and without CSP violations.
import { existsSync, readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gateway, startGateway } from '../harness/gateway.ts';

const browserPath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const axe = new URL('../../node_modules/axe-core/axe.min.js', import.meta.url);

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.close());

interface Violation {
  id: string;
  nodes: { html: string }[];
}

// skipped without a browser: CI and developers' machines may have none
test('has no accessibility violation at 390 pixels', { timeout: 60_000 }, async () => {
  if (!browserPath) return;
  const browser = await chromium.launch({ executablePath: browserPath, args: flags });
  try {
    const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
    const problems: string[] = [];
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('pageerror', (error) => problems.push(error.message));
    await page.goto(`${gateway.url}/docs/`);
    await page.waitForSelector('.opblock');
    for (const id of ['Messages-sendTemplate', 'Templates-listTemplates']) {
      await page.locator(`#operations-${id} .opblock-summary-control`).click();
      await page.waitForSelector(`#operations-${id} .responses-table`);
    }
    await page.evaluate(readFileSync(axe, 'utf8'));
    const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
      violations: Violation[];
    };
    expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(problems).toEqual([]);
  } finally {
    await browser.close();
  }
});
