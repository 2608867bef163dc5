// Every page for appointments in light, dark, on a phone and right to left: accessible, without overflow, and as pictures.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appearances, type Dashboard, flawsOf, pictures, startDashboard } from '../harness/dashboard.ts';
import { addBooking, addStaff, browserZone, signInAsOperator } from '../harness/dashboard-staff.ts';

let dashboard: Dashboard;
let paths: Record<string, string>;

const guests = ['Oluwaseun Adeyemi', 'अंजलि देशमुख', 'يوسف الهاشمي', 'Nguyễn Thị Mai', 'Jürgen Weiß', 'Li'];

beforeAll(async () => {
  dashboard = await startDashboard([]);
  const { gateway } = dashboard;
  const department = await gateway.call<{ _id: string }>('POST', '/v1/appointments/departments', {
    body: { name: 'Cardiology' },
  });
  const departmentIds = [department.body.data._id];
  const weekly = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'].flatMap((weekday) => [
    { weekday, from: '08:30', to: '12:00' },
    { weekday, from: '13:00', to: '17:00' },
  ]);
  const names = ['Dr. Tomás Ferreira', 'Kenji Watanabe', 'Siobhán O’Brien', 'Dr. Amina Yusuf'];
  const staff: string[] = [];
  for (const name of names)
    staff.push(await addStaff(gateway, { name, title: 'Cardiologist', departmentIds }, { weekly }));
  const [first = ''] = staff;
  const questions = [
    { question: 'What would you like to talk about?', questionType: 'textarea', isRequired: false },
    { question: 'Languages', questionType: 'multiselect', isRequired: false, options: ['Arabic', 'English'] },
    { question: 'I have been here before', questionType: 'checkbox', isRequired: false },
  ];
  await gateway.call('PUT', `/v1/appointments/users/${first}/form-questions`, { body: questions });
  const today = Temporal.Now.plainDateISO(browserZone);
  const monday = today.add({ days: 8 - today.dayOfWeek });
  const date = monday.toString();
  const ids: string[] = [];
  for (const [index, name] of guests.entries())
    for (const [at, appointmentUserId] of staff.slice(0, 3).entries()) {
      const hour = String(9 + ((index + at) % 3)).padStart(2, '0');
      const slot = { date: monday.add({ days: index % 5 }).toString(), from: `${hour}:00`, to: `${hour}:30` };
      const answers = at > 0 ? [] : [{ question: 'Languages', answer: '["Arabic","English"]' }];
      ids.push(
        await addBooking(gateway, { appointmentUserId, ...slot, name, staticQuestionAnswers: answers }),
      );
    }
  await gateway.call('POST', `/v1/appointments/bookings/${ids[4]}/cancel`, { body: { reason: 'Ill' } });
  const booking = ids[6];
  paths = {
    calendar: `/appointments?date=${date}`,
    'calendar-booking': `/appointments?date=${date}&booking=${booking}`,
    'calendar-move': `/appointments?date=${date}&booking=${booking}&move=true`,
    'calendar-day': `/appointments?view=day&date=${date}`,
    'calendar-list': `/appointments?view=list&date=${date}`,
    'calendar-cancelled': `/appointments?view=list&date=${date}&booking=${ids[4]}`,
    audit: '/audit',
    settings: '/settings',
    health: '/health',
    users: '/users',
    'user-hours': `/users/${first}`,
    'user-questions': `/users/${first}/questions`,
    'user-open': `/users/${first}/open?date=${date}`,
    'user-calendar': `/users/${first}/calendar`,
    'user-details': `/users/${first}/details`,
    'booking-new': `/appointments/new?date=${date}&staff=${first}`,
  };
}, 60_000);
afterAll(async () => dashboard?.close());

/** Brings a page into the state that the picture shows. */
const prepare: Record<string, (page: import('playwright-core').Page) => Promise<void>> = {
  'booking-new': async (page) => {
    await page.locator('.slot').first().click();
    await page.locator('textarea').waitFor();
  },
  'user-hours': async (page) => {
    await page.locator('.week-day').nth(4).locator('.icon-button').last().waitFor();
    // Friday afternoon off, with bookings in it, and a Saturday night
    await page.locator('.week-day').nth(4).locator('.time-input').first().fill('11:30');
    await page.locator('.week-day').nth(5).locator('.row.tight .icon-button').first().click();
    await page.locator('.week-day').nth(5).locator('.time-input').last().fill('02:00');
    await page.locator('input[type=date]').first().fill('2026-12-24');
    await page.locator('.list-row .button').click();
  },
  'calendar-move': (page) => page.locator('.booking-panel .slot').first().waitFor(),
};

describe.each(appearances)('%s', (appearance, options) => {
  test('has no accessibility violation, no error and no overflow', { timeout: 120_000 }, async () => {
    const { gateway, open } = dashboard;
    const { page, problems } = await open(options);
    await signInAsOperator(page, gateway);
    for (const [name, path] of Object.entries(paths)) {
      await page.goto(`${gateway.url}${path}`);
      await page.locator('#main h1').waitFor({ state: 'attached' });
      await prepare[name]?.(page);
      await page.waitForLoadState('networkidle').catch(() => undefined);
      await page.screenshot({
        path: `${pictures}${name}-${appearance}.png`,
        fullPage: !name.startsWith('calendar'),
      });
      expect([path, await flawsOf(page)]).toEqual([path, []]);
    }
    expect(problems).toEqual([]);
  });
});
