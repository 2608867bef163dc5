// Open bookings of a staff member, who is not removed while there are any: unfinished and future ones.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hasOpenBookings } from '../../src/appointments/directory/store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { insertAccount } from '../harness/rows.ts';

let database: TestDatabase;
const [accountId, staffId] = [randomUUID(), randomUUID()];
beforeAll(async () => {
  database = await createTestDatabase();
  await insertAccount(database.db, accountId);
  await sql`insert into staff (id, account_id, name) values (${staffId}, ${accountId}, 'Ada')`.execute(
    database.db,
  );
});
afterAll(() => database.drop());

test.each([
  ['compensating', 'undoing', 60, { before: true, after: true }],
  ['compensated', 'undone', null, { before: false, after: false }],
  ['confirmed', 'confirmed', null, { before: true, after: false }],
])('a %s booking counts before and after its time: %s', async (_what, state, dueInSeconds, expected) => {
  await sql`delete from bookings`.execute(database.db);
  await sql`
    insert into bookings (id, account_id, staff_id, state, starts_at, ends_at, timezone, email, phone_number, source,
      answers, fallback_link, due_at)
    values (${randomUUID()}, ${accountId}, ${staffId}, ${state}, '2030-01-01T10:00Z', '2030-01-01T10:30Z', 'UTC',
      'guest@example.com', '15551234567', 'test', '[]', 'https://meet.example/1',
      now() + ${dueInSeconds}::int * interval '1 second')`.execute(database.db);
  const isOpen = (at: string) =>
    database.db.transaction().execute((tx) => hasOpenBookings(tx, staffId, new Date(at)));
  expect({ before: await isOpen('2030-01-01T10:15Z'), after: await isOpen('2030-01-01T10:45Z') }).toEqual(
    expected,
  );
});
