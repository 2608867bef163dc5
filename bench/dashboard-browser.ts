// Chromium as a viewer of the dashboard: signed in, over a throttled line, with the requests and times of each visit.
import { execFileSync } from 'node:child_process';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { openBrowser } from '../test/harness/browser.ts';
import type { Account, BenchFixture } from './bench-fixture.ts';
import { checkoutFile } from './processes.ts';

/** A slow line and a slow processor, as a browser emulates them. */
export interface Throttle {
  kilobitsPerSecond: number;
  latencyMs: number;
  /** How many times slower the processor is. */
  cpu: number;
}

/** One request of a page. */
export interface PageRequest {
  url: string;
  type: string;
  /** As received, with headers; 0 from the cache and of requests that did not end. */
  bytes: number;
}

export interface Visit {
  page: Page;
  /** Milliseconds from the start of the navigation until the page showed what it is for. */
  usefulMs: number;
  requests: PageRequest[];
  /** How many of the requests had begun by then. */
  begun: number;
}

export interface Viewer {
  browser: Browser;
  /** A context with an empty cache, signed in unless `isSignedOut`. The caller closes it. */
  context(options?: { isSignedOut?: boolean }): Promise<BrowserContext>;
  /** What went wrong on any page: errors of its console, and requests to other hosts. */
  problems: string[];
  close(): Promise<void>;
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

/** Where `LANG` is C, a headless browser says that its language is `en-US@posix`, which is no language tag. */
const locality = { locale: 'en-GB', timezoneId: 'Europe/Berlin' };

/** Signs in with the account's key, as the page does. */
async function signedIn(browser: Browser, url: string, account: Account): Promise<Cookies> {
  const context = await browser.newContext(locality);
  const page = await context.newPage();
  await page.goto(url);
  await page.locator('input[type=password]').fill(account.apiKey);
  await page.keyboard.press('Enter');
  await page.locator('#main h1').waitFor();
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

/** Builds the dashboard of the measured checkout unless its build is current. The gateway reads the page when it starts. */
export const buildDashboard = (): void => {
  execFileSync(process.execPath, [checkoutFile('scripts/build-dashboard.cjs')], { stdio: 'inherit' });
};

/** Opens the browser and signs in. */
export async function openViewer({ gateway }: BenchFixture, account: Account): Promise<Viewer> {
  const browser = await openBrowser();
  const { origin } = new URL(gateway.url);
  const problems: string[] = [];
  const cookies = await signedIn(browser, gateway.url, account);
  return {
    browser,
    problems,
    async context({ isSignedOut = false } = {}) {
      const context = await browser.newContext(locality);
      if (!isSignedOut) await context.addCookies(cookies);
      context.on('weberror', (error) => problems.push(error.error().message));
      context.on('request', (request) => {
        const url = new URL(request.url());
        if (url.hostname !== new URL(origin).hostname && !['data:', 'blob:'].includes(url.protocol))
          problems.push(`a request to ${url.origin}`);
      });
      return context;
    },
    close: () => browser.close(),
  };
}

/** Makes the page's line and processor slow. */
async function throttle(session: CDPSession, { kilobitsPerSecond, latencyMs, cpu }: Throttle): Promise<void> {
  const throughput = (kilobitsPerSecond * 1000) / 8;
  await session.send('Network.emulateNetworkConditions', {
    ...{ offline: false, latency: latencyMs, downloadThroughput: throughput, uploadThroughput: throughput },
  });
  await session.send('Emulation.setCPUThrottlingRate', { rate: cpu });
}

/** Records the requests of a page from now on. */
async function recordRequests(session: CDPSession): Promise<PageRequest[]> {
  const byId = new Map<string, PageRequest>();
  const all: PageRequest[] = [];
  session.on('Network.requestWillBeSent', ({ requestId, request, type = 'Other' }) => {
    const one = { url: request.url, type, bytes: 0 };
    byId.set(requestId, one);
    all.push(one);
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const one = byId.get(requestId);
    if (one) one.bytes = encodedDataLength;
  });
  await session.send('Network.enable');
  return all;
}

/** Notes when an element of the selector first exists, after `from`: the navigation, or a form that is submitted. */
export const observe = (
  selector: string,
  from: 'navigation' | 'submit',
): string => `globalThis.useful = new Promise((done, failed) => {
  let began = ${from === 'navigation' ? '0' : 'undefined'};
  const look = () => {
    if (began === undefined || !document.querySelector(${JSON.stringify(selector)})) return;
    observer.disconnect();
    done(performance.now() - began);
  };
  const observer = new MutationObserver(look);
  if (began === undefined) addEventListener('submit', () => { began = performance.now(); }, { capture: true, once: true });
  observer.observe(document, { subtree: true, childList: true });
  setTimeout(() => failed(new Error('not there after 60 s')), 60_000);
}); 0`;

/** Waits until an observed element exists, and returns the milliseconds. */
export const usefulMs = async (page: Page): Promise<number> =>
  Number(await page.evaluate('globalThis.useful'));

/** Opens a page at `url` and waits for an element of the selector; the caller closes it. */
export async function visit(
  context: BrowserContext,
  url: string,
  selector: string,
  slowness?: Throttle,
): Promise<Visit> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  const requests = await recordRequests(session);
  if (slowness) await throttle(session, slowness);
  await page.addInitScript(observe(selector, 'navigation'));
  await page.goto(url, { waitUntil: 'commit' });
  const ms = await usefulMs(page).catch(async (error: Error) => {
    throw new Error(`${url} shows no ${selector}: ${await page.locator('body').innerText()}`, {
      cause: error,
    });
  });
  return { page, usefulMs: ms, requests, begun: requests.length };
}
