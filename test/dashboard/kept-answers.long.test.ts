// What a person types to another, or sends them, on slow and broken lines and while others are shown.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Dashboard, holdRequests, startDashboard } from '../harness/dashboard.ts';
import { number } from '../harness/gateway.ts';
import { offer } from '../harness/phone-templates.ts';
import { until } from '../harness/until.ts';

let dashboard: Dashboard;

beforeAll(async () => {
  dashboard = await startDashboard([offer], { sandbox: true });
}, 60_000);
afterAll(async () => dashboard?.close());

/** A person who wrote; returns the path of the conversation. */
async function conversationOf(phone: string, name = 'Ada'): Promise<string> {
  const { gateway } = dashboard;
  const messages = [{ from: { phone, name }, kind: 'text', with: { text: { body: 'Hello' } } }];
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

test('an answer that is being sent while another person is shown is gone on return, and is sent once', async () => {
  const { gateway, openAt } = dashboard;
  const phone = '15557780011';
  await conversationOf('15557780012', 'Ben Okri');
  const { page, problems } = await openAt(await conversationOf(phone, 'Cai Lun'));
  const show = async (name: string) => {
    await page.getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
  };
  const reply = page.getByRole('textbox', { name: 'Reply' });
  const answer = await holdRequests(page, '/v1/messages/reply');
  await reply.fill('At ten.');
  await page.keyboard.press('Control+Enter');
  await page.locator('.composer .primary[aria-busy=true]').waitFor();
  await show('Ben Okri');
  expect(await reply.inputValue()).toBe('');
  await page.locator('.composer .primary[aria-busy=false]').waitFor();
  await show('Cai Lun');
  // still on its way: pressed again, it must not go twice
  await page.locator('.composer .primary[aria-busy=true]').waitFor();
  answer();
  await page.locator('.composer .primary[aria-busy=false]').waitFor();
  expect(await reply.inputValue()).toBe('');

  await loseResponse(page, '/v1/messages/reply');
  await reply.fill('Or at noon.');
  await page.keyboard.press('Control+Enter');
  await page.getByRole('alert').waitFor();
  await show('Ben Okri');
  expect(await page.getByRole('alert').count()).toBe(0);
  await show('Cai Lun');
  await page.getByRole('alert').waitFor();
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByRole('alert').waitFor({ state: 'detached' });
  expect(await reply.inputValue()).toBe('');
  const { body } = await gateway.call<{ items: object[] }>('GET', `/v1/messages?kind=reply&phone=${phone}`);
  expect(body.data.items).toHaveLength(2);
  expect(problems).toEqual([]);
});

test('a browser asks before it leaves an answer that was not sent', async () => {
  const { page } = await dashboard.openAt(await conversationOf('15557780031', 'Fay Wray'));
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  const reply = page.getByRole('textbox', { name: 'Reply' });
  await reply.pressSequentially('At nine');
  await page.getByRole('link', { name: 'Messages', exact: true }).click();
  await page.getByRole('searchbox').or(page.getByRole('textbox')).first().waitFor();
  expect(asked).toEqual([]);
  await page.reload();
  expect(asked).toEqual(['beforeunload']);
  await page.goBack();
  await reply.pressSequentially('At nine');
  await page.keyboard.press('Control+Enter');
  await page.locator('.thread').getByText('At nine', { exact: true }).waitFor();
  await page.reload();
  expect(asked).toEqual(['beforeunload']);
});

test('who signs in again goes on typing where they were', async () => {
  const { gateway, openAt } = dashboard;
  const { page, problems } = await openAt(await conversationOf('15557780013'));
  const reply = page.getByRole('textbox', { name: 'Reply' });
  await reply.fill('At nine');
  await page.context().clearCookies();
  await page.keyboard.press('Control+Enter');
  const again = page.getByRole('dialog');
  await again.getByLabel('API key', { exact: true }).fill(gateway.apiKey);
  await page.keyboard.press('Enter');
  await again.waitFor({ state: 'detached' });
  await page.keyboard.type(', or ten');
  await expect.poll(() => reply.inputValue()).toBe('At nine, or ten');
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

test('a template with its values stays while another person is shown, and is sent once', async () => {
  const phone = '15557780021';
  await conversationOf('15557780022', 'Dora Maar');
  const { page, problems } = await dashboard.openAt(await conversationOf(phone, 'Eli Roth'));
  const show = async (name: string) => {
    await page.getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 1, name }).waitFor();
  };
  await page.getByRole('button', { name: 'Template' }).click();
  const choice = page.getByRole('combobox', { name: 'Template' });
  await choice.selectOption({ index: 1 });
  const values = page.locator('.value-grid input');
  await values.first().fill('Eli');
  await values.last().fill('Monday');
  await show('Dora Maar');
  await page.getByRole('textbox', { name: 'Reply' }).waitFor();
  expect(await choice.count()).toBe(0);
  await show('Eli Roth');
  expect(await values.first().inputValue()).toBe('Eli');
  expect(await values.last().inputValue()).toBe('Monday');

  const answer = await holdRequests(page, '/v1/templates/send');
  const send = page.getByRole('button', { name: 'Send the template' });
  await send.click();
  await show('Dora Maar');
  await show('Eli Roth');
  // still on its way: pressed again, it must not go twice
  expect(await send.getAttribute('aria-busy')).toBe('true');
  answer();
  await send.waitFor({ state: 'detached' });
  expect(await choice.inputValue()).toBe('');
  expect(await messagesTo(phone)).toHaveLength(1);

  await choice.selectOption({ index: 1 });
  expect(await values.first().inputValue()).toBe('');
  await values.first().fill('Eli');
  await values.last().fill('Tuesday');
  await loseResponse(page, '/v1/templates/send');
  await send.click();
  await page.getByRole('alert').waitFor();
  await show('Dora Maar');
  await show('Eli Roth');
  await page.getByRole('alert').waitFor();
  await send.click();
  await send.waitFor({ state: 'detached' });
  expect(await messagesTo(phone)).toHaveLength(2);
  expect(problems).toEqual([]);
});

// at the very top, browsers keep nothing in its place
test.each([0, 8])('earlier messages come in above what is read, %i pixels from the top', async (topPx) => {
  const phone = `1555778001${topPx}`;
  const path = await conversationOf(phone);
  const { page } = await dashboard.openAt(path);
  for (let at = 0; at < 60; at++) {
    const text = { body: `Line ${at}.` };
    await dashboard.gateway.platform.write(number.id, {
      messages: [{ from: { phone, name: 'Ada' }, kind: 'text', with: { text } }],
    });
  }
  await page.reload();
  const thread = page.locator('section.thread');
  const messages = thread.getByRole('listitem');
  await expect.poll(() => messages.count()).toBeGreaterThan(30);
  await thread.evaluate((element, top) => element.scrollTo(0, top), topPx);
  const first = ((await messages.first().innerText()).match(/Line \d+\./) ?? ['Hello'])[0];
  const before = await thread.getByText(first, { exact: true }).boundingBox();
  await thread.getByRole('button', { name: 'Load earlier' }).click();
  await expect.poll(() => messages.count()).toBeGreaterThan(50);
  const after = await thread.getByText(first, { exact: true }).boundingBox();
  // the button above is gone, or the line of the day
  expect(Math.abs((after?.y ?? 0) - (before?.y ?? 0))).toBeLessThan(60);
});
