// A gateway with a template, and a browser that opens its dashboard.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { openBrowser, openPage, violationsOf } from './browser.ts';
import { addSender, type Gateway, type GatewayOptions, startGateway } from './gateway.ts';

/** Where pictures go, for people to look at; they are not compared. */
export const pictures = new URL('../dashboard/out/', import.meta.url).pathname;

/** Starts both. `templates` exist at the platform and in the gateway. */
export async function startDashboard(
  templates: Parameters<typeof addSender>[1],
  options: GatewayOptions = {},
) {
  const [gateway, browser] = await Promise.all([startGateway(options), openBrowser()]);
  const { senderId, templateIds } = await addSender(gateway, templates);
  const open = (context: BrowserContextOptions = {}) =>
    openPage(browser, new URL(gateway.url).origin, context);
  return {
    gateway,
    browser,
    senderId,
    templateIds,
    open,
    /** Opens a page, signed in with the key of the account. */
    async openAt(path: string, context: BrowserContextOptions = {}) {
      const opened = await open(context);
      // less than a test has: the error names what was waited for
      opened.page.setDefaultTimeout(20_000);
      await signIn(opened.page, gateway, path);
      return opened;
    },
    close: async () => {
      await browser.close();
      await gateway.close();
    },
  };
}
export type Dashboard = Awaited<ReturnType<typeof startDashboard>>;

/** Signs in with the key of the account, in any language. */
export async function signIn(page: Page, gateway: Gateway, path = '/'): Promise<void> {
  await page.goto(`${gateway.url}${path}`);
  await page.locator('input[type=password]').fill(gateway.apiKey);
  await page.keyboard.press('Enter');
  await page
    .locator('#main h1')
    .waitFor()
    .catch(async (error: Error) => {
      throw new Error(`${error.message}\nThe page shows: ${await page.locator('body').innerText()}`);
    });
}

/** Requests of this kind wait until the returned function is called. */
export async function holdRequests(page: Page, path: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(`**${path}`, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

/** Answers the question that is open by its button; returns what it said would happen. */
export async function confirm(page: Page, verb: string): Promise<string> {
  const question = page.getByRole('alertdialog');
  const effect = await question.locator('p').first().innerText();
  await question.getByRole('button', { name: verb, exact: true }).click();
  return effect;
}

/** What is wrong with the page as it is now: violations of accessibility, and content wider than the window. */
export async function flawsOf(page: Page): Promise<string[]> {
  const { scrollWidth, innerWidth } = (await page.evaluate(
    '({ scrollWidth: document.documentElement.scrollWidth, innerWidth })',
  )) as { scrollWidth: number; innerWidth: number };
  const overflow =
    scrollWidth > innerWidth ? [`${scrollWidth} pixels wide in a window of ${innerWidth}`] : [];
  return [...(await violationsOf(page)), ...overflow];
}

/** Every choice of appearance, each in one of the combinations. */
export const appearances: [string, BrowserContextOptions][] = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true }],
  ['phone-rtl-dark', { colorScheme: 'dark', locale: 'ar', viewport: { width: 390, height: 844 } }],
  ['tablet', { colorScheme: 'light', viewport: { width: 768, height: 1024 } }],
  ['rtl', { colorScheme: 'light', locale: 'ar' }],
];
