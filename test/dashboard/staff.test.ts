// The dashboard's pages for staff, in a real browser, against the real gateway and sandbox.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Dashboard, startDashboard } from '../harness/dashboard.ts';

let dashboard: Dashboard;

beforeAll(async () => {
  dashboard = await startDashboard([]);
  await dashboard.gateway.google.putAccount({
    email: 'ana@nadi.example',
    name: 'Ana',
    timeZone: 'Europe/Berlin',
  });
}, 60_000);
afterAll(async () => dashboard?.close());

test('somebody is added with hours, questions and a calendar, and offers slots', {
  timeout: 60_000,
}, async () => {
  const { gateway, openAt } = dashboard;
  const { page, problems } = await openAt('/users');
  page.on('dialog', (dialog) => void dialog.accept());
  await page.getByLabel('New department').fill('Cardiology');
  await page.getByRole('button', { name: 'Add department' }).click();
  await page.getByText('no people').waitFor();
  await page.getByRole('button', { name: 'Add a staff member' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Ana Duarte');
  await page.getByRole('checkbox', { name: 'Cardiology' }).check();
  await page.getByRole('button', { name: 'Add and set the hours' }).click();

  await page.getByRole('heading', { level: 1, name: 'Ana Duarte Disconnected' }).waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1) as string;
  await page.getByLabel('Time zone').selectOption('Europe/Berlin');
  await page.getByRole('button', { name: 'Add hours on Monday' }).click();
  await page.getByLabel('Monday, to').fill('12:00');
  await page.getByRole('button', { name: 'Copy Monday to all workdays' }).click();
  await page.getByRole('button', { name: 'Add hours on Saturday' }).click();
  await page.getByLabel('Saturday, from').fill('22:00');
  await page.getByLabel('Saturday, to').fill('02:00');
  await page.getByTitle('until the next day').waitFor();
  await page.getByLabel('Date with other hours').fill('2026-12-24');
  await page.getByRole('button', { name: 'Add date' }).click();
  await page.getByLabel('Notice').fill('120');
  await page.getByRole('button', { name: 'Save hours' }).click();
  await page.getByRole('button', { name: 'Save hours' }).waitFor({ state: 'detached' });
  const { body } = await gateway.call('GET', `/v1/appointments/users/${id}/schedule`);
  expect(body.data).toMatchObject({ timezone: 'Europe/Berlin', minimumNoticeMinutes: 120 });
  expect(body.data.overrides).toEqual([{ date: '2026-12-24', windows: [] }]);
  expect(body.data.weekly).toHaveLength(6);
  expect(body.data.weekly).toContainEqual({ weekday: 'friday', from: '09:00', to: '12:00' });
  expect(body.data.weekly).toContainEqual({ weekday: 'saturday', from: '22:00', to: '02:00' });

  await page.getByRole('button', { name: 'Questions' }).click();
  await page.getByRole('button', { name: 'Add a question' }).click();
  await page.getByRole('textbox', { name: 'Question 1', exact: true }).fill('Languages');
  await page.getByLabel('Kind of question 1').selectOption('Several');
  await page.getByLabel('Options, one a line').fill('English\nHindi\n');
  await page.getByRole('button', { name: 'Save questions' }).click();
  await page.getByRole('button', { name: 'Save questions' }).waitFor({ state: 'detached' });
  const questions = await gateway.call<{ items: object[] }>(
    'GET',
    `/v1/appointments/form-questions?appointmentUserId=${id}`,
  );
  expect(questions.body.data.items).toMatchObject([{ question: 'Languages', options: ['English', 'Hindi'] }]);

  await page
    .getByRole('navigation', { name: 'Ana Duarte' })
    .getByRole('button', { name: 'Calendar' })
    .click();
  await page.getByRole('button', { name: 'Make a link' }).click();
  const link = (await page.getByRole('link', { name: 'Open the link here' }).getAttribute('href')) as string;
  // the owner of the calendar opens it elsewhere: the simulated consent page accepts everybody
  expect((await fetch(link)).status).toBe(200);
  await page.getByText('ana@nadi.example').waitFor();
  await page.getByRole('heading', { level: 1, name: 'Ana Duarte Connected' }).waitFor();
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ana Duarte Disconnected' }).waitFor();
  expect(problems).toEqual([]);
});

test('the audit log says who changed what, and is filtered by action', async () => {
  const { page, problems } = await dashboard.openAt('/audit');
  await page.getByRole('row', { name: /staff.created.*calendar: required/ }).waitFor();
  await page.getByLabel('Action').selectOption('department.created');
  await page.getByRole('row', { name: /department.created.*name: Cardiology/ }).waitFor();
  await page.getByRole('row', { name: /staff.created/ }).waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('action')).toBe('department.created');
  expect(problems).toEqual([]);
});
