// Where a list is when its viewer returns to it from another page, in a real browser.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { number } from '../harness/gateway.ts';
import { offer } from '../harness/phone-templates.ts';
import { until } from '../harness/until.ts';

let dashboard: Dashboard;
const count = 60;

beforeAll(async () => {
  dashboard = await startDashboard([offer], { sandbox: true });
  const { gateway, templateIds } = dashboard;
  const people = Array.from({ length: count }, (_, at) => ({
    ...{ phone: `155577920${String(at).padStart(2, '0')}`, name: `Person ${at}` },
  }));
  const recipients = people.map((one) => ({ ...one, variables: { 1: 'Ada', 2: 'Friday' } }));
  await gateway.call('POST', '/v1/templates/send', {
    body: { templateId: templateIds.diwali_offer, recipients },
  });
  for (const from of people)
    await gateway.platform.write(number.id, {
      messages: [{ from, kind: 'text', with: { text: { body: 'Hello' } } }],
    });
  // the order of people is written a moment later
  await until(async () => {
    const path = '/v1/contacts?sort=-lastMessageAt&limit=100';
    const { items } = (await gateway.call<{ items: { unreadCount: number }[] }>('GET', path)).body.data;
    if (items.filter(({ unreadCount }) => unreadCount > 0).length < count) throw new Error('not written yet');
  });
}, 60_000);
afterAll(async () => dashboard?.close());

test('back after older messages were loaded goes to the place in them, in their newer states', async () => {
  const { page, problems } = await dashboard.openAt('/messages');
  const rows = page.locator('.table tbody tr');
  await page.getByRole('button', { name: 'Load older' }).click();
  await expect.poll(() => rows.count()).toBe(count);
  const link = page.getByRole('link', { name: 'Person 3', exact: true });
  await link.scrollIntoViewIfNeeded();
  const before = await page.evaluate('scrollY');
  await link.click();
  await page.getByRole('heading', { level: 1, name: /Person 3/ }).waitFor();
  // what the event stream said in the meantime was not for this page
  await page.route(/\/v1\/messages\?.*cursor=/, async (route) => {
    const response = await route.fetch();
    const { data, ...rest } = await response.json();
    const items = data.items.map((item: object) => ({ ...item, status: 'failed' }));
    await route.fulfill({ response, json: { ...rest, data: { ...data, items } } });
  });
  await page.goBack();
  await link.waitFor();
  expect(await page.evaluate('scrollY')).toBe(before);
  expect(await rows.count()).toBe(count);
  await rows.filter({ has: link }).getByText('Failed').waitFor();
  expect(problems).toEqual([]);
});

test('an older page that could not be read is not an error of another filter', async () => {
  const { page } = await dashboard.openAt('/messages');
  const body = { success: false, message: 'The gateway is held.', code: 'held', requestId: 'r' };
  await page.route(/\/v1\/messages\?.*cursor=/, (route) => route.fulfill({ status: 503, json: body }));
  await page.getByRole('button', { name: 'Load older' }).click();
  const alert = page.locator('#main').getByRole('alert');
  await alert.waitFor();
  await page.getByRole('button', { name: 'Failed', exact: true }).click();
  await page
    .getByText(/No message|No failed/)
    .first()
    .waitFor();
  expect(await alert.count()).toBe(0);
});

test('a person who is opened stays in their place in the list of people', async () => {
  const { page, problems } = await dashboard.openAt('/conversations');
  const people = page.getByRole('region', { name: 'People' });
  const rows = people.locator('.person');
  await people.getByRole('button', { name: 'Load more' }).click();
  await expect.poll(() => rows.count()).toBe(count);
  const link = rows.nth(count - 5);
  const name = (await link.locator('[dir=auto]').first().innerText()).trim();
  await link.scrollIntoViewIfNeeded();
  const top = () => people.evaluate(({ scrollTop }) => scrollTop);
  const before = await top();
  expect(before).toBeGreaterThan(1_000);
  await link.click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  expect(await rows.count()).toBe(count);
  expect(await top()).toBe(before);
  await page.locator('.side a[href="/settings"]').click();
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  expect(await rows.count()).toBe(count);
  expect(await top()).toBe(before);
  expect(problems).toEqual([]);
});

test('on a phone, the way from a person to the list goes to its place, and keeps what it is limited to', async () => {
  const { gateway, openAt } = dashboard;
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true };
  const { page, problems } = await openAt('/conversations?state=unanswered', phone);
  const rows = page.locator('.person');
  const link = rows.nth(40);
  await link.scrollIntoViewIfNeeded();
  const before = await page.evaluate('scrollY');
  expect(before).toBeGreaterThan(1_000);
  await link.click();
  const toPeople = page.getByRole('link', { name: 'People' });
  await toPeople.click();
  await rows.first().waitFor();
  await expect.poll(() => page.evaluate('scrollY')).toBe(before);
  expect(new URL(page.url()).search).toBe('?state=unanswered');
  // opened by its address, a person has no list before it
  const path = await link.getAttribute('href');
  await page.goto(`${gateway.url}${path}`);
  await toPeople.click();
  await rows.first().waitFor();
  expect(new URL(page.url()).pathname).toBe('/conversations');
  expect(new URL(page.url()).search).toBe('?state=unanswered');
  expect(problems).toEqual([]);
});

test('conversations are as high as their window, and are answered one after the other by keyboard', async () => {
  const { page, problems } = await dashboard.openAt('/conversations');
  const names = page.locator('.unread-name');
  await names.first().waitFor();
  const [, second = '', third = ''] = (await names.allInnerTexts()).map((name) => name.trim());
  const height = () => page.evaluate('document.documentElement.scrollHeight - innerHeight');
  expect(await height()).toBe(0);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: second, exact: true }).waitFor();
  await page.keyboard.press('r');
  await page.keyboard.type('At nine.');
  expect(await page.getByRole('textbox', { name: 'Reply' }).inputValue()).toBe('At nine.');
  expect(await height()).toBe(0);
  // out of the field, to the next person
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 1, name: third, exact: true }).waitFor();
  expect(problems).toEqual([]);
});
