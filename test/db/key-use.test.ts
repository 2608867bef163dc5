// The time of a key's last use, recorded by requests because an API process has no workers.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAuthenticator } from '../../src/accounts/authenticate.ts';
import { createAccount } from '../../src/accounts/keys.ts';
import { systemClock } from '../../src/base/clock.ts';
import { openLog } from '../../src/base/log.ts';
import { createTestDatabase } from '../harness/database.ts';

let database: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database?.drop());

it('is written with minute precision, at most once a minute, without a worker', async () => {
  let now = Date.parse('2026-03-10T12:00:30Z');
  const clock = { ...systemClock, now: () => now, steady: () => now };
  const { db } = database;
  const { key } = await createAccount({ db, clock }, 'x');
  const authenticator = openAuthenticator({ db, clock, log: openLog('silent') });
  const lastUsed = async () => {
    const { rows } = await sql<{ at: Date | null }>`select last_used_at at from api_keys`.execute(db);
    return rows[0]?.at?.toISOString() ?? null;
  };
  await authenticator.authenticate(key.apiKey);
  now += 59_000;
  await authenticator.authenticate(key.apiKey);
  expect(await lastUsed()).toBeNull();
  now += 1_000;
  await authenticator.authenticate(key.apiKey);
  await expect.poll(lastUsed).toBe('2026-03-10T12:01:00.000Z');
});
