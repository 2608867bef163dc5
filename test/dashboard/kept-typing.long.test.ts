// What a person typed or was shown once stays on slow and broken lines, and is not left behind without a question.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { confirm, type Dashboard, holdRequests, startDashboard } from '../harness/dashboard.ts';
import { addStaff } from '../harness/dashboard-staff.ts';
import { comingMonday } from '../harness/dates.ts';
import { addEndpoint } from '../harness/gateway.ts';
import { offer } from '../harness/phone-templates.ts';

let dashboard: Dashboard;
let ana: string;

beforeAll(async () => {
  dashboard = await startDashboard([offer], { sandbox: true });
  ana = await addStaff(dashboard.gateway, { name: 'Ana' });
  await addStaff(dashboard.gateway, { name: 'Ben' });
}, 60_000);
afterAll(async () => dashboard?.close());

test('details that are not saved are asked about, and are no longer called saved', async () => {
  const { page, problems } = await dashboard.openAt(`/users/${ana}/details`);
  await page.getByLabel('Title').fill('Doctor');
  await page.getByRole('button', { name: 'Questions' }).click();
  await page.getByRole('alertdialog', { name: 'Leave without saving?' }).waitFor();
  await page.keyboard.press('Escape');
  expect(await page.getByLabel('Title').inputValue()).toBe('Doctor');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('status').getByText('Saved').waitFor();
  await page.getByLabel('Title').fill('Head doctor');
  await page.getByRole('status').getByText('Saved').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Questions' }).click();
  await confirm(page, 'Leave');
  await page.waitForURL(/questions$/);
  expect(problems).toEqual([]);
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

test('a campaign whose recipients are being added is not left half full without a question', async () => {
  const { gateway, openAt, templateIds } = dashboard;
  const body = { templateId: templateIds.diwali_offer, name: 'Half' };
  const draft = await gateway.call<{ sendId: string }>('POST', '/v1/sends', { body });
  const { page } = await openAt(`/sends/${draft.body.data.sendId}`);
  const rows = Array.from({ length: 1_500 }, (_, at) => `1555${7_000_000 + at},Ada,Friday`);
  await page.getByRole('textbox', { name: 'Paste' }).fill(['phone,body.1,body.2', ...rows].join('\n'));
  await page.getByRole('button', { name: 'Use these rows' }).click();
  const answer = await holdRequests(page, '/recipients');
  await page.getByRole('button', { name: 'Add 1,500 rows' }).click();
  await page.getByRole('progressbar').waitFor();
  await page.getByRole('link', { name: 'Messages', exact: true }).click();
  await page.getByRole('alertdialog', { name: 'Leave without saving?' }).waitFor();
  await page.keyboard.press('Escape');
  answer();
  await page.getByRole('progressbar').waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Messages', exact: true }).click();
  await page.waitForURL(/messages$/);
});

test('a secret that is shown once is not left without a question', async () => {
  const { page } = await dashboard.openAt('/keys');
  const form = page.getByRole('region', { name: 'New key' });
  await form.getByLabel('Name').fill('Nightly import');
  await form.getByLabel(/read messages/).check();
  await form.getByRole('button').last().click();
  await page.getByRole('button', { name: 'I have stored it' }).waitFor();
  await page.getByRole('link', { name: 'Messages', exact: true }).click();
  await page.getByRole('alertdialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'I have stored it' }).click();
  await page.getByRole('link', { name: 'Messages', exact: true }).click();
  await page.waitForURL(/messages$/);
});

test('a double click does once what a button says', async () => {
  const { gateway, openAt } = dashboard;
  const { endpointId } = await addEndpoint(gateway);
  const { page } = await openAt(`/webhooks/endpoints/${endpointId}`);
  await page.getByRole('button', { name: 'Replay the range' }).dblclick({ delay: 40 });
  await page.getByRole('list', { name: 'Replays' }).getByRole('listitem').first().waitFor();
  await page.goto(`${gateway.url}/keys`);
  const form = page.getByRole('region', { name: 'New key' });
  await form.getByLabel('Name').fill('Twice');
  await form.getByLabel(/read messages/).check();
  await form.getByRole('button').last().dblclick();
  await page.getByRole('button', { name: 'I have stored it' }).waitFor();
  await page.waitForLoadState('networkidle');
  const replays = await gateway.call<{ items: object[] }>(
    'GET',
    `/v1/webhooks/endpoints/${endpointId}/replays`,
  );
  const keys = await gateway.call<{ items: { name: string }[] }>('GET', '/v1/keys?limit=100');
  expect(replays.body.data.items).toHaveLength(1);
  expect(keys.body.data.items.filter((one) => one.name === 'Twice')).toHaveLength(1);
});
