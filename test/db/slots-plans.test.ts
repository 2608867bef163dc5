// The plan of the slots query: it reads rows by key, also if it was planned on an empty database.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readStaffDays } from '../../src/appointments/slots/staff-days-store.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { planOf } from '../harness/plans.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

test.each([false, true])('reading staff on dates (locked: %s)', async (lock) => {
  const db = database.open({ maxConnections: 1, hot: true });
  await sql`select 1`.execute(db);
  const asked = [{ accountId: uuidv7(), staffId: uuidv7(), dayMs: 0 }];
  const plan = await planOf(db, (one) => readStaffDays(one, asked, { lock }));
  expect(plan).not.toContain('Seq Scan');
  for (const index of [
    'occupancies_apart',
    'occupancies_calendar_apart',
    'bookings_day',
    'bookings_moved',
    'staff_of',
  ])
    expect(plan).toContain(index);
});
