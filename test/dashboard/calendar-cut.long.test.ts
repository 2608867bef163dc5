// A calendar with more staff and appointments than it loads: it says so, and how to see the others.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Dashboard, flawsOf, startDashboard } from '../harness/dashboard.ts';
import { addStaff } from '../harness/dashboard-staff.ts';
import { comingMonday } from '../harness/dates.ts';

let dashboard: Dashboard;
const monday = comingMonday();

beforeAll(async () => {
  dashboard = await startDashboard([]);
  const { gateway } = dashboard;
  const departments = [];
  for (const name of ['Cardiology', 'Dermatology'])
    departments.push(
      await gateway.call<{ _id: string }>('POST', '/v1/appointments/departments', { body: { name } }),
    );
  const ana = await addStaff(gateway, { name: 'Ana', departmentIds: [departments[0]?.body.data._id] });
  await sql`
    with others as (
      insert into staff (id, account_id, name) select uuid7(), account_id, 'Other ' || lpad(n::text, 3, '0')
      from staff, generate_series(1, 120) n where id = ${ana} returning id)
    insert into bookings (id, account_id, staff_id, state, starts_at, ends_at, timezone, email, phone_number, source, answers, provider, fallback_link)
    select uuid7(), a.account_id, case when n = 1 then a.id else (select id from others limit 1) end, 'confirmed',
      ${`${monday}T10:00Z`}::timestamptz, ${`${monday}T10:30Z`}::timestamptz, 'UTC', 'guest' || n || '@example.com', '1555' || n, 'test', '[]', 'none', 'https://meet.example/1'
    from staff a, generate_series(1, 1001) n where a.id = ${ana}`.execute(gateway.database.db);
}, 60_000);
afterAll(async () => dashboard?.close());

test('a day with more appointments than are loaded is narrowed to one of the staff', {
  timeout: 60_000,
}, async () => {
  const { page, problems } = await dashboard.openAt(`/appointments?view=list&date=${monday}`);
  await page.getByText('The first 1,000 appointments of this day are shown.').waitFor();
  await page.getByText('100 of 121 staff members are shown. Choose a department').waitFor();
  expect(await flawsOf(page)).toEqual([]);
  await page.getByLabel('Staff member').selectOption('Ana');
  await page.getByText('guest1@example.com').waitFor();
  await page.getByText('The first 1,000').waitFor({ state: 'detached' });
  expect(await page.locator('tbody tr').count()).toBe(1);
  await page.getByLabel('Department').selectOption('Cardiology');
  await page.getByText('100 of 121').waitFor({ state: 'detached' });
  await page.goto(`${dashboard.gateway.url}/appointments/new`);
  await page.getByText('100 of 121 staff members are shown. Choose a department').waitFor();
  expect(problems).toEqual([]);
});
