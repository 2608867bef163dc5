// A real Chromium for tests of pages: the system's, or the one of the registry. One browser a file, a clean context a page.
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import registryChromium from '@sparticuz/chromium';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { folderForTemporaryFiles } from './temporary-files.ts';

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

const packageFile = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'));
const { version } = JSON.parse(readFileSync(packageFile, 'utf8'));
/** Where the registry's browser is extracted, once for all files of a run and all later runs. */
const extracted = join(folderForTemporaryFiles(), `chromium-${version}`);

/**
 * Extracts the registry's browser unless that was done. Files that come here together extract it each for itself, and the first
 * one's folder stays: a rename is whole or not at all.
 */
async function extractedBrowser(): Promise<{ executablePath: string; libraries: string }> {
  if (!existsSync(extracted)) {
    const folder = await mkdtemp(`${extracted}-`);
    const script = fileURLToPath(new URL('extract-browser.ts', import.meta.url));
    await promisify(execFile)(process.execPath, [script], { env: { ...process.env, TMPDIR: folder } });
    await rename(folder, extracted).catch(() => rm(folder, { recursive: true, force: true }));
  }
  return { executablePath: join(extracted, 'chromium'), libraries: join(extracted, 'al2023', 'lib') };
}

/** Starts the system's browser, or the registry's. */
export async function openBrowser(): Promise<Browser> {
  if (systemPath) return chromium.launch({ executablePath: systemPath, args: flags });
  const { executablePath, libraries } = await extractedBrowser();
  const args = [...registryChromium.args.filter((flag) => !unwanted.test(flag)), ...flags];
  const env = { ...process.env, LD_LIBRARY_PATH: libraries } as Record<string, string>;
  return chromium.launch({ executablePath, args, env });
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
