// The dashboard's pages for appointments and staff, in a real browser, against the real gateway and sandbox.
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { confirm, type Dashboard, startDashboard } from '../harness/dashboard.ts';
import { addBooking, addStaff, signInAsOperator } from '../harness/dashboard-staff.ts';
import { comingMonday } from '../harness/dates.ts';

let dashboard: Dashboard;
let ana: string;
let ben: string;
const monday = comingMonday();

beforeAll(async () => {
  dashboard = await startDashboard([]);
  const { gateway } = dashboard;
  const department = await gateway.call<{ _id: string }>('POST', '/v1/appointments/departments', {
    body: { name: 'Cardiology' },
  });
  ana = await addStaff(gateway, { name: 'Ana', departmentIds: [department.body.data._id] });
  ben = await addStaff(gateway, { name: 'Ben' });
  const questions = [
    { question: 'Been here before?', questionType: 'checkbox', isRequired: false },
    { question: 'Languages', questionType: 'multiselect', isRequired: true, options: ['English', 'Hindi'] },
  ];
  await gateway.call('PUT', `/v1/appointments/users/${ana}/form-questions`, { body: questions });
  await gateway.google.putAccount({ email: 'ana@nadi.example', name: 'Ana', timeZone: 'Europe/Berlin' });
}, 60_000);
afterAll(async () => dashboard?.close());

const bookingOf = async (id: string) =>
  (
    await dashboard.gateway.call<{ startsAt: string; status: string; cancelReason: string | null }>(
      'GET',
      `/v1/appointments/bookings/${id}`,
    )
  ).body.data;
const panel = (page: Page) => page.getByRole('complementary', { name: 'Booking' });

test('somebody is booked, moved by dragging, and cancelled with a reason', { timeout: 60_000 }, async () => {
  const { page, problems } = await dashboard.openAt(`/appointments?view=day&date=${monday}`);
  await page.getByRole('link', { name: 'Book' }).click();
  await page.getByLabel('Department').selectOption('Cardiology');
  await page.getByRole('radio', { name: /Ana/ }).check();
  await page.getByRole('button', { name: '10:00' }).click();
  await page.getByLabel('Name').fill('Grace Hopper');
  await page.getByLabel('E-mail').fill('grace@example.com');
  await page.getByLabel('Phone with country code').fill('+1 555 123 0100');
  await page.getByRole('checkbox', { name: 'Hindi' }).check();
  await page.getByRole('button', { name: 'Check the booking' }).click();
  await page.getByRole('region', { name: 'Check' }).getByText('Hindi').waitFor();
  await page.getByRole('button', { name: /^Book .*10:00/ }).click();
  await panel(page).getByRole('heading', { name: 'Grace Hopper' }).waitFor();
  await panel(page).getByText('Booked through dashboard').waitFor();
  const id = new URL(page.url()).searchParams.get('booking') as string;
  expect((await bookingOf(id)).status).toBe('confirmed');

  const block = page.locator(`.block[data-booking="${id}"]`);
  const box = await block.boundingBox();
  if (!box) throw new Error('no block');
  await page.mouse.move(box.x + 20, box.y + 8);
  await page.mouse.down();
  await page.mouse.move(box.x + 30, box.y + 40, { steps: 3 });
  await page.locator('.slot-target', { hasText: '11:30' }).hover();
  await page.mouse.up();
  await page
    .getByRole('button', { name: /^Move to .*11:30$/ })
    .and(page.locator('[type=submit]'))
    .click();
  await page.getByText('Moved by').waitFor();
  expect((await bookingOf(id)).startsAt).toMatch(/T(09|10):30/);

  await panel(page).getByRole('button', { name: 'Cancel' }).click();
  await panel(page)
    .getByLabel(/Reason/)
    .fill('Called in sick');
  await panel(page).getByRole('button', { name: 'Cancel the appointment' }).click();
  await panel(page)
    .getByText(/Cancelled by .*: Called in sick/)
    .waitFor();
  expect((await bookingOf(id)).cancelReason).toBe('Called in sick');
  expect(problems).toEqual([]);
});

test('a booking that is made elsewhere appears by itself, and is moved by keyboard alone', async () => {
  const { page, problems } = await dashboard.openAt(`/appointments?view=day&date=${monday}`);
  await page.getByRole('list', { name: /Ana/ }).waitFor();
  const id = await addBooking(dashboard.gateway, {
    ...{ appointmentUserId: ana, date: monday, from: '09:00', to: '09:30', name: 'Ada' },
    staticQuestionAnswers: [{ question: 'Languages', answer: '["English"]' }],
  });
  const block = page.locator(`.block[data-booking="${id}"]`);
  await block.focus();
  await page.keyboard.press('Enter');
  await panel(page).getByText('English').waitFor();
  await page.keyboard.press('m');
  const slot = panel(page).getByRole('button', { name: '14:00', exact: true });
  await slot.focus();
  await page.keyboard.press('Space');
  await page
    .getByRole('button', { name: /^Move to .*14:00$/ })
    .and(page.locator('[type=submit]'))
    .focus();
  await page.keyboard.press('Enter');
  await page.getByText('Moved by').waitFor();
  await page.keyboard.press('Escape');
  await panel(page).waitFor({ state: 'detached' });
  await page.keyboard.press('l');
  await page.getByRole('row', { name: /14:00 – 14:30.*Ada.*Ana/ }).waitFor();
  expect(problems).toEqual([]);
});

test('each start of a date says why it is not open, and leads to what stands in the way', async () => {
  const id = await addBooking(dashboard.gateway, {
    ...{ appointmentUserId: ben, date: monday, from: '15:00', to: '15:30', name: 'Grace' },
  });
  const { page, problems } = await dashboard.openAt(`/users/${ben}/open?date=${monday}`);
  await page.getByRole('row', { name: /15:00.*Booked.*Taken by .Grace., 15:00 – 15:30/ }).waitFor();
  await page.getByRole('button', { name: '15:00', exact: true }).click();
  const chain = page.getByRole('region', { name: '15:00 is not open' });
  expect(await chain.getByRole('listitem').allTextContents()).toContain('Booked');
  await chain.getByText('In the hours').waitFor();
  await page.keyboard.press('ArrowUp');
  await chain.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Outside the hours' }).click();
  await page.getByRole('row', { name: /07:30.*Outside the hours.*Change the rule/ }).waitFor();
  await page.getByRole('button', { name: 'Not open' }).click();
  await page.getByRole('row', { name: /15:00/ }).getByRole('link', { name: 'Open booking' }).click();
  await panel(page).getByRole('heading', { name: 'Grace' }).waitFor();
  expect(new URL(page.url()).searchParams.get('booking')).toBe(id);
  expect(problems).toEqual([]);
});

test('the health of the gateway is for operators alone, with a fix for each finding', async () => {
  const { gateway, open, openAt } = dashboard;
  const colleague = await openAt('/');
  await colleague.page.goto(`${gateway.url}/health`);
  await colleague.page.getByText('Your session lacks the scope operator.').waitFor();
  const { page, problems } = await open();
  await signInAsOperator(page, gateway, '/health');
  await page.getByRole('heading', { name: /checks are fine/ }).waitFor();
  await page.getByRole('region', { name: 'Disks' }).getByText(/free$/).first().waitFor();
  const { fixes } = await page.evaluate(async () => {
    const answer = await fetch('/v1/operator/health');
    const { data } = (await answer.json()) as { data: { findings: { fix: string | null }[] } };
    return { fixes: data.findings.flatMap(({ fix }) => fix ?? []) };
  });
  for (const fix of fixes) await page.getByText(fix).first().waitFor();
  expect(problems).toEqual([]);
});

test('somebody is added with hours, questions and a calendar, and offers slots', {
  timeout: 60_000,
}, async () => {
  const { gateway, openAt } = dashboard;
  const { page, problems } = await openAt('/users');
  await page.getByLabel('New department').fill('Dermatology');
  await page.getByRole('button', { name: 'Add department' }).click();
  await page.getByText('no people').waitFor();
  await page.getByRole('button', { name: 'Add a staff member' }).first().click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Ana Duarte');
  await page.getByRole('checkbox', { name: 'Dermatology' }).check();
  await page.getByRole('button', { name: 'Add and set the hours' }).click();

  await page.getByRole('heading', { level: 1, name: 'Ana Duarte Calendar: Disconnected' }).waitFor();
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
  await page.getByRole('heading', { level: 1, name: 'Ana Duarte Calendar: Connected' }).waitFor();
  await gateway.google.revokeGrants({ account: 'ana@nadi.example' });
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ana Duarte Calendar: Disconnected' }).waitFor();
  await page.getByRole('link', { name: 'Home' }).click();
  await page.getByText('The calendar of Ana Duarte is disconnected').waitFor();
  await page.getByRole('button', { name: 'Make a new link' }).waitFor();
  await page.goBack();
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await confirm(page, 'Disconnect');
  await page.getByText('No calendar', { exact: true }).waitFor();
  expect(problems).toEqual([]);
});

test('the audit log says who changed what, and is filtered by action', async () => {
  const { page, problems } = await dashboard.openAt('/audit');
  await page.getByRole('row', { name: /staff.created.*calendar: required/ }).waitFor();
  await page.getByLabel('Action').selectOption('department.created');
  await page.getByRole('row', { name: /department.created.*name: Dermatology/ }).waitFor();
  await page.getByRole('row', { name: /staff.created/ }).waitFor({ state: 'detached' });
  expect(new URL(page.url()).searchParams.get('action')).toBe('department.created');
  expect(problems).toEqual([]);
});

test('a booking without staff says so, and where staff are added', async () => {
  const { page } = await dashboard.open();
  await page.goto(`${dashboard.gateway.url}/appointments/new`);
  await page.locator('input[type=password]').fill(await dashboard.gateway.otherAccount());
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'No staff yet' }).waitFor();
  await page.getByRole('link', { name: 'Open the staff' }).click();
  await page.waitForURL(/users$/);
});
