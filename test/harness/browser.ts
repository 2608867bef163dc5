// A real Chromium for tests of pages: the system's, or the one of the registry. One browser a file, a clean context a page.
import { existsSync, readFileSync } from 'node:fs';
import registryChromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const systemPath = ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
/** What the registry's build adds for cloud functions, and a test of security must not have. */
const unwanted = /single-process|disable-web-security|no-zygote|allow-running-insecure-content/;
const axeFile = new URL('../../node_modules/axe-core/axe.min.js', import.meta.url);

export async function openBrowser(): Promise<Browser> {
  if (systemPath) return chromium.launch({ executablePath: systemPath, args: flags });
  const args = [...registryChromium.args.filter((flag) => !unwanted.test(flag)), ...flags];
  return chromium.launch({ executablePath: await registryChromium.executablePath(), args });
}

/** A page, with what went wrong in it so far: errors of its console, and requests to other origins than `origin`. */
export async function openPage(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; problems: string[] }> {
  // uPlot needs a real language tag
  const context = await browser.newContext({ locale: 'en-GB', timezoneId: 'Europe/Berlin', ...options });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    // a failed request is shown on the page, and expected where a test provokes it
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource'))
      problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && !['data:', 'blob:'].includes(url.protocol))
      problems.push(`a request to ${url.origin}`);
  });
  return { page, problems };
}

interface Violation {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** The accessibility violations of the page as it is now, by axe. */
export async function violationsOf(page: Page): Promise<string[]> {
  // as an extension would: the page's policy forbids inline scripts
  await page.evaluate(readFileSync(axeFile, 'utf8'));
  const { violations } = (await page.evaluate('axe.run(document, { resultTypes: ["violations"] })')) as {
    violations: Violation[];
  };
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}
