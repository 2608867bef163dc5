// The plan of the slots query: it reads rows by key, also if it was planned on an empty database.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readStaff, readTaken } from '../../src/appointments/slots/staff-days-store.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { planOf } from '../harness/plans.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const member = { accountId: uuidv7(), staffId: uuidv7() };
const day = { from: 0, to: 86_400_000 };

test('reading staff', async () => {
  const db = database.open({ maxConnections: 1, hot: true });
  await sql`select 1`.execute(db);
  const plan = await planOf(db, (one) => readStaff(one, [member]));
  expect(plan).not.toContain('Seq Scan');
  expect(plan).toContain('staff_of');
});

test.each([false, true])('reading what bookings take (locked: %s)', async (lock) => {
  const db = database.open({ maxConnections: 1, hot: true });
  await sql`select 1`.execute(db);
  const asked = [{ ...member, window: { occupied: day, counted: day }, withQuestions: true }];
  const plan = await planOf(db, (one) => readTaken(one, asked, { lock }));
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
