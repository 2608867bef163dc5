// The dashboard's pages for sending and answering, in a real browser, against the real gateway and sandbox.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';

let dashboard: Dashboard;

const seed = { language: 'en_US', status: 'APPROVED', category: 'MARKETING' as const };
const offer = [{ type: 'BODY', text: 'Hi {{1}}, 20 % off until {{2}}.' }];

beforeAll(async () => {
  dashboard = await startDashboard([{ name: 'diwali_offer', ...seed, components: offer }]);
}, 60_000);
afterAll(async () => dashboard?.close());

test('a campaign goes from a file with faults to its results', { timeout: 30_000 }, async () => {
  const { gateway, openAt } = dashboard;
  await gateway.call('PUT', '/v1/opt-outs/15557770003', { body: { scope: 'marketing' } });
  const { page, problems } = await openAt('/sends');
  await page.getByRole('link', { name: 'New campaign' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Week 48');
  await page.getByRole('radio', { name: /diwali_offer/ }).check();
  await page.locator('.phone').waitFor();
  await page.getByRole('button', { name: 'Continue to recipients' }).click();
  const rows = [
    ...[
      'Mobile;Full name;greeting;until',
      '+1 555 777 0001;Ada;Ada;Friday',
      '15557770001;Ada again;Ada;Friday',
    ],
    ...['15557770003;Opted;Out;Friday', '0555 777 0004;Zero;Zed;Friday', '15557770005;Empty;;Friday'],
  ];
  const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(rows.join('\n')) };
  await page.locator('input[type=file]').first().setInputFiles(file);
  await page.getByLabel('Column greeting goes to').selectOption('body.1');
  await page.getByLabel('Column until goes to').selectOption('body.2');
  await page.locator('.phone').getByText('Hi Ada, 20 % off until Friday.').waitFor();
  await page.getByRole('button', { name: 'Add 5 rows' }).click();
  const figures = page.locator('.sum dd');
  await page.getByRole('heading', { name: '2 rows have a problem' }).waitFor();
  expect(await figures.allTextContents()).toEqual(['1', '1', '1', '2']);
  await page.getByRole('textbox', { name: 'Country code' }).first().fill('1');
  await page
    .getByRole('row', { name: /0555 777 0004/ })
    .getByRole('button', { name: 'Fix it' })
    .click();
  await page.getByRole('heading', { name: '1 row has a problem' }).waitFor();
  await page.getByRole('button', { name: 'Continue with 3 recipients' }).click();
  await page.getByRole('radio', { name: /Test/ }).waitFor();
  await page.getByRole('button', { name: 'Save and check' }).click();
  await page.getByText('3 recipients were checked: all fit.').waitFor();
  await page.getByRole('button', { name: 'Send to 3 people' }).click();
  await page.getByText('3 of 3').waitFor();
  await page.getByRole('heading', { level: 1, name: /Week 48 Done/ }).waitFor();
  await page.getByText('900005').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'All as CSV' }).click();
  expect((await download).suggestedFilename()).toMatch(/\.csv$/);
  expect(problems).toEqual([]);
});

test('a scheduled campaign is paused, resumed and cancelled', async () => {
  const { gateway, openAt, templateIds } = dashboard;
  const recipients = [{ phone: '15557770010', variables: { 1: 'Ada', 2: 'Friday' } }];
  const sendAt = new Date(Date.now() + 3_600_000).toISOString();
  const body = { templateId: templateIds.diwali_offer, name: 'Later', recipients, sendAt };
  const sent = await gateway.call<{ sendId: string }>('POST', '/v1/templates/send', { body });
  const { page, problems } = await openAt(`/sends/${sent.body.data.sendId}`);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.getByText(/Begins in/).waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByRole('button', { name: 'Cancel the rest (1)' }).click();
  await page.getByRole('heading', { level: 1, name: /Later Cancelled/ }).waitFor();
  await page.getByText('900003').waitFor();
  expect(problems).toEqual([]);
});

test('a template is written by the rules, saved, edited and submitted', {
  timeout: 30_000,
}, async () => {
  const { openAt } = dashboard;
  const { page, problems } = await openAt('/templates');
  await page.getByRole('link', { name: 'New template' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('visit_reminder');
  const body = page.getByRole('textbox', { name: 'Body' });
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
