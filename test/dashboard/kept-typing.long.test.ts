// What a person typed or was shown once stays on slow and broken lines, and is not left behind without a question.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { confirm, type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { addStaff } from '../harness/dashboard-staff.ts';
import { comingMonday } from '../harness/dates.ts';
import { number } from '../harness/gateway.ts';
import { offer } from '../harness/phone-templates.ts';
import { until } from '../harness/until.ts';

let dashboard: Dashboard;
let ana: string;

beforeAll(async () => {
  dashboard = await startDashboard([offer], { sandbox: true });
  ana = await addStaff(dashboard.gateway, { name: 'Ana' });
  await addStaff(dashboard.gateway, { name: 'Ben' });
}, 60_000);
afterAll(async () => dashboard?.close());

/** A person who wrote; returns the path of the conversation. */
async function conversationOf(phone: string): Promise<string> {
  const { gateway } = dashboard;
  const messages = [{ from: { phone, name: 'Ada' }, kind: 'text', with: { text: { body: 'Hello' } } }];
  await gateway.platform.write(number.id, { messages });
  return until(async () => {
    const { body } = await gateway.call<{ items: { _id: string }[] }>('GET', `/v1/contacts?phone=${phone}`);
    if (!body.data.items[0]) throw new Error('not stored yet');
    return `/conversations/${body.data.items[0]._id}`;
  });
}

/** The next request of this kind reaches the gateway, but its response does not arrive. */
const loseResponse = (page: Page, path: string) =>
  page.route(
    `**${path}`,
    async (route) => {
      await route.fetch();
      await route.abort();
    },
    { times: 1 },
  );

/** Requests of this kind wait until the returned function is called. */
async function holdRequests(page: Page, path: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(`**${path}`, async (route) => {
    await promise;
    await route.continue();
  });
  return resolve;
}

const messagesTo = async (phone: string) =>
  (await dashboard.gateway.call<{ items: object[] }>('GET', `/v1/messages?phone=${phone}`)).body.data.items;

test('what is typed while an answer is being sent stays', async () => {
  const { page, problems } = await dashboard.openAt(await conversationOf('15557780001'));
  const reply = page.getByRole('textbox', { name: 'Reply' });
  const answer = await holdRequests(page, '/v1/messages/reply');
  await reply.fill('At nine.');
  await page.keyboard.press('Control+Enter');
  await page.locator('.composer [aria-busy=true]').waitFor();
  await reply.pressSequentially(' And bring');
  answer();
  await page.locator('.composer [aria-busy=false]').waitFor();
  await page.locator('.thread').getByText('At nine.', { exact: true }).waitFor();
  expect(await reply.inputValue()).toBe('And bring');
  await reply.pressSequentially(' the letter.');
  await page.keyboard.press('Control+Enter');
  await page.locator('.thread').getByText('And bring the letter.').waitFor();
  expect(await reply.inputValue()).toBe('');
  expect(problems).toEqual([]);
});

test('a template that is sent again because its response was lost arrives once', async () => {
  const { templateIds, openAt } = dashboard;
  const { page } = await openAt(await conversationOf('15557780002'));
  await page.getByRole('button', { name: 'Template' }).click();
  await page.getByRole('combobox', { name: 'Template' }).selectOption({ index: 1 });
  await page.getByLabel(/1/).first().fill('Ada');
  await page.getByLabel(/2/).first().fill('Friday');
  await loseResponse(page, '/v1/templates/send');
  const send = page.getByRole('button', { name: 'Send the template' });
  await send.click();
  await page.getByRole('alert').waitFor();
  await send.click();
  await send.waitFor({ state: 'detached' });
  expect(await messagesTo('15557780002')).toHaveLength(1);

  await page.goto(`${dashboard.gateway.url}/templates/${templateIds.diwali_offer}`);
  await page.getByLabel(/1/).first().fill('Ada');
  await page.getByLabel(/2/).first().fill('Friday');
  await page.getByLabel('Phone with country code').fill('15557780003');
  await loseResponse(page, '/v1/templates/send');
  const sendTest = page.getByRole('button', { name: 'Send test' });
  await sendTest.click();
  await page.getByRole('alert').waitFor();
  await sendTest.click();
  await page.getByRole('link', { name: /Open the message/ }).waitFor();
  expect(await messagesTo('15557780003')).toHaveLength(1);
  // pressed again after it arrived, it is another test
  await sendTest.click();
  await expect.poll(() => messagesTo('15557780003')).toHaveLength(2);
});

test('a guest stays when another member of the staff is chosen', async () => {
  const { page } = await dashboard.openAt(`/appointments/new?date=${comingMonday()}`);
  await page.getByRole('radio', { name: /Ana/ }).check();
  await page.getByRole('button', { name: '10:00' }).click();
  await page.getByLabel('Name').fill('Grace Hopper');
  await page.getByLabel('E-mail').fill('grace@example.com');
  await page.getByLabel('Phone with country code').fill('15557780004');
  await page.getByRole('radio', { name: /Ben/ }).check();
  await page.getByRole('button', { name: '11:00' }).click();
  expect(await page.getByLabel('Name').inputValue()).toBe('Grace Hopper');
  expect(await page.getByLabel('E-mail').inputValue()).toBe('grace@example.com');
  expect(await page.getByLabel('Phone with country code').inputValue()).toBe('15557780004');
});
