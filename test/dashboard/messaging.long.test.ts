// More journeys through the dashboard's pages for sending and answering, in a real browser.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { confirm, type Dashboard, flawsOf, startDashboard } from '../harness/dashboard.ts';
import { number } from '../harness/gateway.ts';
import { offer } from '../harness/phone-templates.ts';

let dashboard: Dashboard;

beforeAll(async () => {
  dashboard = await startDashboard([offer], { sandbox: true });
}, 60_000);
afterAll(async () => dashboard?.close());

test('a scheduled campaign is paused, resumed and cancelled', async () => {
  const { gateway, openAt, templateIds } = dashboard;
  const recipients = [{ phone: '15557770010', variables: { 1: 'Ada', 2: 'Friday' } }];
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const body = { templateId: templateIds.diwali_offer, name: 'Later', recipients, sendAt };
  const sent = await gateway.call<{ sendId: string }>('POST', '/v1/templates/send', { body });
  const { page, problems } = await openAt(`/sends/${sent.body.data.sendId}`);
  await page.getByText(/Begins in/).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  const cancel = page.getByRole('button', { name: 'Cancel the rest (1)' });
  await cancel.click();
  const question = page.getByRole('alertdialog', { name: 'Cancel the campaign?' });
  await question.waitFor();
  expect(await flawsOf(page)).toEqual([]);
  const focused = () => page.evaluate('document.activeElement.textContent');
  expect(await focused()).toBe('Keep it');
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  expect(await focused()).toBe('Cancel the rest (1)');
  await cancel.click();
  expect(await confirm(page, 'Cancel the rest (1)')).toBe('1 message that still waits will not be sent.');
  await page.getByRole('heading', { level: 1, name: /Later Cancelled/ }).waitFor();
  await page.getByRole('region', { name: 'Why messages failed' }).getByText('900003').waitFor();
  expect(problems).toEqual([]);
});

test('a campaign of more than 10,000 recipients starts after their number was typed', {
  timeout: 60_000,
}, async () => {
  const { gateway, openAt, templateIds } = dashboard;
  const body = { templateId: templateIds.diwali_offer, name: 'Everybody' };
  const draft = await gateway.call<{ sendId: string }>('POST', '/v1/sends', { body });
  const { sendId } = draft.body.data;
  const variables = { 1: 'Ada', 2: 'Friday' };
  for (const from of Array.from({ length: 11 }, (_, index) => index * 1_000)) {
    const count = Math.min(1_000, 10_001 - from);
    const recipients = Array.from({ length: count }, (_, at) => ({
      phone: `1555${6_000_000 + from + at}`,
      variables,
    }));
    await gateway.call('POST', `/v1/sends/${sendId}/recipients`, { body: { recipients } });
  }
  const { page, problems } = await openAt(`/sends/${sendId}?step=check`);
  await page.getByText('10,001 recipients were checked').waitFor();
  await page.getByRole('button', { name: 'Send to 10,001 people' }).click();
  const question = page.getByRole('alertdialog', { name: 'Start the campaign?' });
  const start = question.getByRole('button', { name: 'Send to 10,001 people' });
  await start.waitFor();
  expect(await start.isDisabled()).toBe(true);
  await page.keyboard.type('1001');
  expect(await start.isDisabled()).toBe(true);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('10,001');
  expect(await flawsOf(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await gateway.call('POST', `/v1/sends/${sendId}/cancel`);
  expect(problems).toEqual([]);
});

test('after the window a template is the only answer', async () => {
  const { gateway, openAt } = dashboard;
  const dayAgo = Math.floor(Date.now() / 1_000) - 90_000;
  const from = { phone: '15557770021', name: 'Rafał Wiśniewski' };
  const old = { from, kind: 'text', with: { text: { body: 'Dzień dobry' } }, timestamp: dayAgo };
  await gateway.platform.write(number.id, { messages: [old] });
  const { page, problems } = await openAt('/conversations');
  await page.getByRole('link', { name: /Rafał Wiśniewski/ }).click();
  await page.getByText(/The reply window closed on/).waitFor();
  expect(await page.getByRole('textbox', { name: 'Reply' }).count()).toBe(0);
  await page.getByLabel('Template').selectOption({ label: 'diwali_offer en_US' });
  await page.getByLabel('Body 1 body.1').fill('Rafał');
  await page.getByLabel('Body 2 body.2').fill('Friday');
  await page.getByRole('button', { name: 'Send the template' }).click();
  await page.locator('.said.out').getByText('Hi Rafał, 20 % off until Friday.').waitFor();
  expect(problems).toEqual([]);
});

test('a template is written by the rules, saved, edited and submitted', {
  timeout: 30_000,
}, async () => {
  const { openAt } = dashboard;
  const { page, problems } = await openAt('/templates');
  await page.getByRole('link', { name: 'New template' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('visit_reminder');
  const body = page.getByRole('textbox', { name: 'Body', exact: true });
  await body.fill('Hi {{1}}, your next visit to us is at {{2}}');
  const rules = page.getByRole('region', { name: 'Before it can be submitted' });
  await rules.getByText(/Begins or ends with a variable/).waitFor();
  expect(await page.getByRole('button', { name: 'Submit for review' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Add a full stop' }).click();
  await page.getByLabel('Example for 1').fill('Mathilde');
  await page.getByLabel('Example for 2').fill('11:00');
  await page.getByRole('button', { name: '+ Quick reply' }).click();
  await page.getByLabel('Text of the button').fill('Confirm');
  await rules.getByText('Nothing is missing').waitFor();
  await page.locator('.phone').getByText('Hi Mathilde, your next visit to us is at 11:00.').waitFor();
  await page.getByRole('button', { name: 'Save the draft' }).click();
  await page.getByRole('heading', { level: 1, name: /visit_reminder Draft/ }).waitFor();
  await page.getByRole('link', { name: 'Edit' }).click();
  await body.fill('Hello {{1}}, your next visit to us is at {{2}}.');
  await page.getByRole('button', { name: 'Submit for review' }).click();
  await page.getByRole('heading', { level: 1, name: /visit_reminder (Submitted|Approved)/ }).waitFor();
  await page.getByRole('button', { name: 'History' }).click();
  await page.getByRole('cell', { name: 'Submitted for review' }).waitFor();
  await page.getByRole('button', { name: 'Statistics' }).click();
  await page.getByText('Messages by day').waitFor();
  expect(problems).toEqual([]);
});

test('the pause of a template ends by a button, once the platform ends it', async () => {
  const { gateway, openAt, templateIds } = dashboard;
  const id = templateIds.diwali_offer ?? '';
  const detail = async () =>
    (await gateway.call<{ providerStatus: string; providerTemplateId: string }>('GET', `/v1/templates/${id}`))
      .body.data;
  await gateway.platform.changeTemplate((await detail()).providerTemplateId, { status: 'PAUSED' });
  await expect.poll(async () => (await detail()).providerStatus).toBe('PAUSED');
  const { page, problems } = await openAt(`/templates/${id}`);
  const notice = page.getByRole('status').filter({ hasText: 'The platform paused this template' });
  await notice.getByRole('button', { name: 'End the pause' }).click();
  await notice.waitFor({ state: 'detached' });
  await expect.poll(async () => (await detail()).providerStatus).toBe('APPROVED');
  expect(problems).toEqual([]);
});

test('conversations are narrowed to those without an answer, and stay so while one is read', {
  timeout: 30_000,
}, async () => {
  const { gateway, openAt } = dashboard;
  const from = { phone: '15557770041', name: 'Kofi' };
  await gateway.platform.write(number.id, {
    messages: [{ from, kind: 'text', with: { text: { body: 'Are you open?' } } }],
  });
  const { page, problems } = await openAt('/conversations');
  await page.getByRole('button', { name: 'Unanswered' }).click();
  await page.getByRole('link', { name: /Kofi/ }).click();
  await page.waitForURL(/state=unanswered/);
  await page.getByRole('textbox', { name: 'Reply' }).fill('Until six.');
  await page.keyboard.press('Control+Enter');
  await page.locator('.said.out').getByText('Until six.').waitFor();
  await page.getByRole('link', { name: /Kofi/ }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Window open' }).click();
  await page.getByRole('link', { name: /Kofi/ }).waitFor();
  expect(problems).toEqual([]);
});
