// The migration for shared calendars: computed keys of existing rows, and existing overlaps.
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { identityOf } from '../../src/adapters/caldav/identity.ts';
import { calendarKeyOf } from '../../src/appointments/calendar/connection.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { migrateToLatest } from '../../src/db/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

const all = fileURLToPath(new URL('../../migrations', import.meta.url));
const account = uuidv7();
let database: TestDatabase;
let before: string;

beforeAll(async () => {
  database = await createTestDatabase('empty');
  before = await mkdtemp(join(tmpdir(), 'migrations-'));
  for (const name of await readdir(all)) {
    if (name < '0008') await cp(join(all, name), join(before, name));
  }
  await migrateToLatest(database.db, before);
  await sql`insert into accounts (id, name) values (${account}, 'clinic')`.execute(database.db);
});
afterAll(async () => {
  await database.drop();
  await rm(before, { recursive: true });
});

interface Connected {
  provider: string;
  calendarId: string;
  email: string | null;
}

async function staff({ provider, calendarId, email }: Connected): Promise<string> {
  const id = uuidv7();
  await sql`insert into staff (id, account_id, name) values (${id}, ${account}, 'Ada')`.execute(database.db);
  await sql`insert into calendar_connections (id, account_id, staff_id, provider, credential, account_email, calendar_id, busy_calendar_ids)
    values (${uuidv7()}, ${account}, ${id}, ${provider}, '', ${email}, ${calendarId}, '{}')`.execute(
    database.db,
  );
  return id;
}

async function booking(staffId: string, { provider, calendarId }: Connected, at: string): Promise<string> {
  const id = uuidv7();
  await sql`insert into bookings (id, account_id, staff_id, state, starts_at, ends_at, timezone, email, phone_number,
      source, answers, provider, calendar_id, fallback_link)
    values (${id}, ${account}, ${staffId}, 'confirmed', ${at}, ${at}::timestamptz + interval '30 minutes', 'UTC',
      'a@b.example', '1', 'x', '[]', ${provider}, ${calendarId}, 'x')`.execute(database.db);
  await sql`insert into occupancies (account_id, staff_id, booking_id, part, during)
    select account_id, staff_id, id, 'kept', tstzrange(starts_at, ends_at) from bookings where id = ${id}`.execute(
    database.db,
  );
  return id;
}

test('gives existing rows the keys that the program computes, and succeeds despite existing overlaps', async () => {
  const google = { provider: 'google', calendarId: 'primary', email: 'Ada@Clinic.example' };
  const urls = [
    'https://DAV.example:443/ada%40clinic/w%C3%a4rk%2f1%20a%7E',
    'http://ada@dav.example/%61da@clinic/w%c3%A4rk%2F1%20a~//?x',
    'https://dav.example:8443',
  ];
  const connections: Connected[] = [
    google,
    { ...google, email: 'ada@clinic.example' },
    { ...google, email: null },
    ...urls.map((calendarId) => ({ provider: 'caldav', calendarId, email: 'ada@clinic.example' })),
  ];
  const ids: string[] = [];
  for (const connection of connections) ids.push(await staff(connection));
  const [first = '', second = ''] = ids;
  const kept = await booking(first, google, '2027-03-01T10:00Z');
  const overlapping = await booking(second, google, '2027-03-01T10:15Z');
  const apart = await booking(second, google, '2027-03-01T11:00Z');

  await migrateToLatest(database.db);

  const { rows } = await sql<{ staff_id: string; calendar_key: string | null }>`
    select staff_id, calendar_key from calendar_connections order by staff_id`.execute(database.db);
  const ada = calendarKeyOf('google', 'ada@clinic.example');
  const dav = urls.map((url) => calendarKeyOf('caldav', identityOf(url, 'ada@clinic.example')));
  expect(dav[0]).toBe(dav[1]);
  expect(rows.map(({ calendar_key }) => calendar_key)).toEqual([ada, ada, null, ...dav]);
  const occupied = await sql<{ booking_id: string; calendar_key: string | null }>`
    select booking_id, calendar_key from occupancies order by booking_id`.execute(database.db);
  expect(occupied.rows).toEqual([
    { booking_id: kept, calendar_key: ada },
    { booking_id: overlapping, calendar_key: null },
    { booking_id: apart, calendar_key: ada },
  ]);
});
