// The dashboard in a real browser, against the real gateway and sandbox.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser, openPage, violationsOf } from '../harness/browser.ts';
import { addSender, app, type Gateway, startGateway } from '../harness/gateway.ts';

let gateway: Gateway;
let browser: Browser;
let templateId: string;

beforeAll(async () => {
  [gateway, browser] = await Promise.all([startGateway(), openBrowser()]);
  const components = [{ type: 'BODY', text: 'Hi {{1}}, your order is on its way.' }];
  const seed = { language: 'en_US', status: 'APPROVED', category: 'UTILITY' as const, components };
  templateId = (await addSender(gateway, [{ name: 'order_update', ...seed }])).templateIds
    .order_update as string;
}, 60_000);
afterAll(async () => {
  await browser?.close();
  await gateway?.close();
});

const origin = () => new URL(gateway.url).origin;
const open = (options = {}) => openPage(browser, origin(), options);

async function signIn(page: Page, path = '/'): Promise<void> {
  await page.goto(`${gateway.url}${path}`);
  await page.getByLabel('API key').fill(gateway.apiKey);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('navigation', { name: 'Main', exact: true }).waitFor();
}

async function send(phone: string, name: string): Promise<string> {
  const { body } = await gateway.call<{ messages: { id: string }[] }>('POST', '/v1/templates/send', {
    body: { templateId, recipients: [{ phone, name, variables: { 1: name } }] },
  });
  return body.data.messages[0]?.id as string;
}

test('somebody who is not signed in is asked to, and a key opens the page', async () => {
  const { page, problems } = await open();
  await signIn(page);
  await page.getByRole('heading', { level: 1, name: 'Nothing needs you' }).waitFor();
  expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain(gateway.apiKey);
  expect(problems).toEqual([]);
});

test('a browser whose language has no valid tag shows the page in English', async () => {
  const { page, problems } = await open();
  await page.addInitScript(() =>
    Object.defineProperty(navigator, 'languages', { get: () => ['en-US@posix'] }),
  );
  await signIn(page, '/templates');
  await page.getByRole('link', { name: 'order_update' }).waitFor();
  expect(problems).toEqual([]);
});

test('a link says what it gives, and signs in only when its button is pressed, once', async () => {
  const { body } = await gateway.call<{ url: string }>('POST', '/v1/dashboard-links', {
    body: { name: 'Front desk', scopes: ['messages:read'] },
  });
  const { hash } = new URL(body.data.url);
  const { page } = await open();
  await page.goto(`${gateway.url}/${hash}`);
  const facts = page.getByRole('definition');
  await facts.getByText('Front desk').waitFor();
  expect(await facts.allTextContents()).toEqual(expect.arrayContaining(['read messages']));
  await page.getByRole('button', { name: 'Sign in on this browser' }).click();
  await page.getByRole('navigation', { name: 'Main', exact: true }).getByText('Front desk').waitFor();
  expect(new URL(page.url()).hash).toBe('');
  const again = await open();
  await again.page.goto(`${gateway.url}/${hash}`);
  await again.page.getByRole('alert').waitFor();
  expect(await again.page.getByRole('alert').textContent()).toContain('was used or has expired');
  expect(await again.page.getByRole('button', { name: 'Sign in on this browser' }).count()).toBe(0);
});

test('a message that is sent appears in the list by itself, and opens with what happened', async () => {
  const { page, problems } = await open();
  await signIn(page, '/messages');
  await page.getByText('No messages yet').waitFor();
  await send('15551230001', 'Ada Lovelace');
  const row = page.getByRole('link', { name: 'Ada Lovelace' });
  await row.waitFor();
  await page.getByRole('cell', { name: 'Read' }).waitFor();
  await page.getByRole('textbox', { name: /Phone, name/ }).fill('lovelace');
  await page.keyboard.press('Enter');
  await page.waitForURL(/name=lovelace/);
  await row.waitFor();
  await page.getByLabel('Time').selectOption('last hour');
  await row.waitFor();
  await page.getByRole('cell', { name: 'Read' }).click();
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: /Ada Lovelace/ }).waitFor();
  const steps = await page.locator('.timeline li').allTextContents();
  expect(steps.map((step) => /Send requested|Queued|Accepted|Sent|Delivered|Read/.exec(step)?.[0])).toEqual(
    expect.arrayContaining(['Send requested', 'Queued', 'Accepted', 'Sent', 'Delivered', 'Read']),
  );
  expect(await page.locator('.phone').textContent()).toContain('Hi Ada Lovelace, your order is on its way.');
  expect(problems).toEqual([]);
});

test('a template is filled as it will arrive, and a test of it is sent', async () => {
  const { page, problems } = await open();
  await signIn(page, '/templates');
  await page.getByRole('link', { name: 'order_update' }).click();
  await page.getByText('1 value is missing or wrong').waitFor();
  const crumbs = page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('listitem');
  expect(await crumbs.allTextContents()).toEqual(['Templates', 'order_update']);
  expect(await page.title()).toMatch(/^order_update · Templates · /);
  await page.getByRole('textbox', { name: 'Body' }).fill('Grace');
  await page.locator('.phone').getByText('Hi Grace, your order is on its way.').waitFor();
  await page.getByLabel('Phone with country code').fill('+1 555 123 0009');
  await page.getByRole('button', { name: 'Send test' }).click();
  await page.getByRole('link', { name: /Open the message/ }).click();
  await page.getByRole('heading', { level: 1, name: /15551230009/ }).waitFor();
  expect(await page.getByText('test = true').count()).toBe(1);
  expect(problems).toEqual([]);
});

test('an endpoint is added, tested, and its deliveries are shown and replayed', async () => {
  const { page, problems } = await open();
  await signIn(page, '/webhooks');
  await page.getByRole('button', { name: 'Add an endpoint' }).first().click();
  await page.getByLabel('Address').fill(`${gateway.urls.receiver}/hooks/dashboard`);
  await page.getByRole('button', { name: 'Add an endpoint' }).last().click();
  await page.getByText('Shown only once').waitFor();
  const secret = (await page.locator('.id-chip').first().getAttribute('title')) as string;
  await gateway.receiver.setSecrets('dashboard', secret);
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.getByRole('status').getByText('200').waitFor();
  await send('15551230007', 'Mary');
  await page.getByRole('link', { name: 'messages.status' }).first().click();
  await page.getByRole('heading', { level: 1, name: /messages.status/ }).waitFor();
  const deliveryId = new URL(page.url()).pathname.split('/').at(-1) as string;
  const { body } = await gateway.call<{ body: string }>('GET', `/v1/webhooks/deliveries/${deliveryId}`);
  const shown = (await page.getByRole('region', { name: 'Indented' }).textContent()) ?? '';
  expect(JSON.parse(shown)).toEqual(JSON.parse(body.data.body));
  await page.getByRole('button', { name: 'Exact bytes' }).click();
  await page
    .getByRole('region', { name: 'Exact bytes' })
    .getByText(body.data.body, { exact: true })
    .waitFor();
  await page.getByRole('button', { name: 'Replay now' }).click();
  await page.getByRole('listitem').getByText('2', { exact: true }).waitFor();
  const path = page.getByRole('navigation', { name: 'Breadcrumb' });
  await path.getByRole('link', { name: /hooks\/dashboard/ }).click();
  await page.waitForURL(/\/webhooks\/endpoints\//);
  expect(problems).toEqual([]);
});

test('a range is replayed, and a secret is rotated in three steps', async () => {
  const { page, problems } = await open();
  await signIn(page, '/webhooks');
  await page
    .getByRole('link', { name: /hooks\/dashboard/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Main CRM');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.page-head').getByText('Main CRM').waitFor();
  await page.getByRole('button', { name: '30 days' }).click();
  await page.getByRole('img', { name: /^[1-9]\d* tries, of which 0 failed$/ }).waitFor();
  await page.getByRole('combobox').selectOption({ label: 'All' });
  await page.getByRole('button', { name: 'Replay the range' }).click();
  await page.getByRole('list', { name: 'Replays' }).getByText('Done').waitFor();
  expect(await page.getByText(/[1-9]\d* sent again/).count()).toBe(1);
  const step = page.locator('[aria-current=step]');
  expect(await step.textContent()).toContain('Make a new secret');
  await page.getByRole('button', { name: 'Make the secret' }).click();
  await page.getByRole('button', { name: 'I have stored it' }).click();
  expect(await step.textContent()).toContain('Let your server accept either');
  await page.getByRole('button', { name: 'Switch to the new secret' }).click();
  await step.getByText('Remove the old secret', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByText('This endpoint is paused.').waitFor();
  await page.getByRole('button', { name: 'Activate' }).first().click();
  await page.getByText('This endpoint is paused.').waitFor({ state: 'detached' });
  expect(problems).toEqual([]);
});

test('a halted number is the first problem at home, and a new token resumes it there', async () => {
  await gateway.platform.addFault({ code: 190, subcode: 463, on: 'messages', times: 1 });
  await send('15551230008', 'Waiting');
  const { page, problems: errors } = await open();
  await signIn(page);
  await page.getByRole('heading', { level: 1, name: /^[1-9]\d* things? needs? you$/ }).waitFor();
  const problems = page.getByRole('list', { name: 'What needs you' });
  await problems.getByText('Test is halted').waitFor();
  await page.getByRole('button', { name: 'Enter a new token' }).click();
  await page.getByLabel('New access token').fill(app.token);
  await page.getByRole('button', { name: 'Verify and continue' }).click();
  await problems.getByText('Test is halted').waitFor({ state: 'detached' });
  await page.goto(`${gateway.url}/senders`);
  await page.getByRole('cell', { name: 'Active' }).waitFor();
  await page.getByRole('button', { name: 'Run again' }).click();
  await page.getByText('Messaging limit').waitFor();
  expect(errors).toEqual([]);
});

test('a number that cannot be connected says which value is wrong', async () => {
  const { page } = await open();
  await signIn(page, '/senders');
  await page.getByRole('link', { name: 'Connect a number' }).click();
  const values = { Name: 'Desk', 'Phone number id': '1', 'Business account id': '2', 'Access token': 'x' };
  for (const [label, value] of Object.entries(values)) await page.getByLabel(label).fill(value);
  await page.getByLabel('App secret').fill('not a secret');
  await page.getByRole('button', { name: 'Verify and continue' }).click();
  await page.locator('.note-box[role=alert]').waitFor();
  expect(await page.getByLabel('App secret').getAttribute('aria-invalid')).toBe('true');
});

test('an invited colleague sees only what the link allows, until their session is ended', async () => {
  const { page, problems } = await open();
  await signIn(page, '/keys');
  const invitation = page.getByRole('region', { name: 'Invite a colleague' });
  await invitation.getByLabel('Who').fill('Reception');
  await invitation.getByLabel(/read messages/).check();
  await invitation.getByRole('button', { name: 'Make a link' }).click();
  const url = (await page.getByRole('status').locator('.id-chip').getAttribute('title')) as string;
  const guest = await open();
  await guest.page.goto(`${gateway.url}/${new URL(url).hash}`);
  await guest.page.getByRole('button', { name: 'Sign in on this browser' }).click();
  const menu = guest.page.getByRole('navigation', { name: 'Main', exact: true });
  await menu.waitFor();
  expect(await menu.getByRole('link').allTextContents()).toEqual([
    'Home',
    'Messages',
    'Campaigns',
    'Settings',
  ]);
  await guest.page.goto(`${gateway.url}/keys`);
  await guest.page.getByText('Your session lacks the scope manage.').waitFor();
  await page.reload();
  await page
    .getByRole('row', { name: /Reception/ })
    .getByRole('button', { name: 'End' })
    .click();
  await page.getByRole('row', { name: /Reception/ }).waitFor({ state: 'detached' });
  await guest.page.goto(`${gateway.url}/messages`);
  await guest.page.getByLabel('API key').waitFor();
  expect(problems).toEqual([]);
});

test('a gateway without a sandbox has no page of it', async () => {
  expect((await fetch(`${gateway.url}/sandbox`)).status).toBe(404);
  const { page } = await open();
  await signIn(page);
  expect(await page.getByRole('link', { name: 'Sandbox' }).count()).toBe(0);
});

/** Pictures for people to look at; not compared. */
const pictures = new URL('./out/', import.meta.url).pathname;

// the one that differs most; `appearance.long.test.ts` has all
describe.each([
  [
    'dark, right to left, at 390 pixels',
    { colorScheme: 'dark' as const, locale: 'ar', viewport: { width: 390, height: 844 } },
  ],
])('%s', (name, options) => {
  test('has no accessibility violation, no error and no overflow', { timeout: 60_000 }, async () => {
    const id = await send('15551230002', 'يوسف الهاشمي');
    const { page, problems } = await open(options);
    await page.goto(`${gateway.url}/`);
    await page.locator('input[type=password]').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.locator('input[type=password]').fill(gateway.apiKey);
    await page.keyboard.press('Enter');
    await page.locator('#main h1').waitFor();
    const paths = {
      ...{ home: '/', messages: '/messages', message: `/messages/${id}` },
      ...{ templates: '/templates', template: `/templates/${templateId}` },
      ...{ webhooks: '/webhooks', deliveries: '/webhooks/deliveries' },
      ...{ senders: '/senders', connect: '/senders/connect', keys: '/keys' },
    };
    for (const [picture, path] of Object.entries(paths)) {
      await page.goto(`${gateway.url}${path}`);
      await page.locator(path === '/' ? '.tiles' : '#main h1').waitFor();
      await page.screenshot({ path: `${pictures}${picture}-${name}.png` });
      expect([path, await violationsOf(page)]).toEqual([path, []]);
      const { scrollWidth, innerWidth } = (await page.evaluate(
        '({ scrollWidth: document.documentElement.scrollWidth, innerWidth })',
      )) as { scrollWidth: number; innerWidth: number };
      expect([path, scrollWidth]).toEqual([path, Math.min(scrollWidth, innerWidth)]);
    }
    expect(problems).toEqual([]);
  });
});
