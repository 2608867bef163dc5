// The times of a key: its last use, recorded by requests because an API process has no workers, and its expiry after a rotation.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openAuthenticator } from '../../src/accounts/authenticate.ts';
import { createAccount, createKey } from '../../src/accounts/keys.ts';
import { endKeyAt, findKeyById, touchKeys } from '../../src/accounts/store.ts';
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

it('ends at the expiry of a key, although the key was read before', async () => {
  let now = Date.now();
  const clock = { ...systemClock, now: () => now, steady: () => now };
  const { db } = database;
  const { accountId } = await createAccount({ db, clock }, 'brief');
  const expiresAt = new Date(now + 1_500);
  const { apiKey } = await createKey({ db, clock }, { accountId, name: 'k', scopes: ['manage'], expiresAt });
  const authenticator = openAuthenticator({ db, clock, log: openLog('silent') });
  const accepts = () =>
    authenticator.authenticate(apiKey).then(
      (caller) => caller !== undefined,
      () => false,
    );
  expect(await accepts()).toBe(true);
  now += 1_499;
  expect(await accepts()).toBe(true);
  now += 1;
  expect(await accepts()).toBe(false);
});

it('never goes back when an earlier use is recorded late', async () => {
  const { db } = database;
  const { key } = await createAccount({ db, clock: systemClock }, 'late');
  const [earlier, later] = [new Date('2026-03-10T12:00:00Z'), new Date('2026-03-10T12:01:00Z')];
  for (const at of [later, earlier]) await touchKeys(db, [key.id], at);
  const { rows } = await sql`select last_used_at as at from api_keys where id = ${key.id}`.execute(db);
  expect(rows).toEqual([{ at: later }]);
});

it('does not change the expiry of a key that ends before the overlap of its rotation', async () => {
  const { db } = database;
  const { accountId, key } = await createAccount({ db, clock: systemClock }, 'rotated');
  const inMinutes = (minutes: number) => new Date(Math.floor(Date.now() / 1_000) * 1_000 + minutes * 60_000);
  const expiry = async () => (await findKeyById(db, accountId, key.id, new Date()))?.expires_at;
  for (const minutes of [60, 120, 30]) await endKeyAt(db, key.id, inMinutes(minutes));
  expect((await expiry())?.getTime()).toBeLessThanOrEqual(inMinutes(31).getTime());
  await endKeyAt(db, key.id, inMinutes(60));
  expect((await expiry())?.getTime()).toBeLessThanOrEqual(inMinutes(31).getTime());
});
