// The limit of 100 active keys per account, also with concurrent requests.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount, createKey, rotateKey } from '../../src/accounts/keys.ts';
import { listKeys } from '../../src/accounts/store.ts';
import { systemClock as clock } from '../../src/base/clock.ts';
import { httpStatus } from '../../src/http/reply.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Inserts keys directly. */
const add = (accountId: string, count: number, hasEnded = false) =>
  sql`
    insert into api_keys (id, account_id, name, scopes, hash, hint, expires_at)
    select gen_random_uuid(), ${accountId}, 'added', array['templates:read'],
      sha256(convert_to(gen_random_uuid()::text, 'UTF8')), 'none',
      case when ${hasEnded} then now() - interval '1 second' end
    from generate_series(1, ${count}::int)`.execute(database.db);
const limit = { code: 'key_limit_reached' };
const wanted = { name: 'one more', scopes: ['templates:read'] };

/** An account with that many active keys, and some expired or revoked ones. */
async function accountWith(count: number) {
  const deps = { db: database.db, clock };
  const { accountId, key } = await createAccount(deps, 'x');
  await add(accountId, count - 1);
  await add(accountId, 50, true);
  const { rows } = await listKeys(database.db, accountId, { limit: 1, offset: 0 }, new Date());
  const keyId = rows[0]?.id ?? '';
  return {
    create: () => createKey(deps, { accountId, ...wanted }),
    rotate: (overlapSeconds: number) =>
      rotateKey(deps, { accountId, keyId, overlapSeconds, creator: { kind: 'key', id: key.id } }),
    first: async () => (await listKeys(database.db, accountId, { limit: 1, offset: 0 }, new Date())).rows[0],
  };
}

test('of six concurrent requests for the last two keys, two succeed', async () => {
  const { create } = await accountWith(98);
  const { db } = database;
  const asking = await db.transaction().execute(async (tx) => {
    // block inserts until all six requests wait
    await sql`lock table api_keys in share mode`.execute(tx);
    const answers = Promise.allSettled(Array.from({ length: 6 }, create));
    const waiting = sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(async () => (await waiting.execute(db)).rows.length).toBe(6);
    return { answers };
  });
  const answers = await asking.answers;
  expect(answers.map(({ status }) => status).sort()).toEqual([
    ...Array<string>(2).fill('fulfilled'),
    ...Array<string>(4).fill('rejected'),
  ]);
  for (const one of answers) if (one.status === 'rejected') expect(one.reason).toMatchObject(limit);
  expect(httpStatus(limit.code)).toBe(409);
});

test('at the limit, a key can be replaced immediately but not with an overlap', async () => {
  const { create, rotate, first } = await accountWith(100);
  await expect(create()).rejects.toMatchObject(limit);
  await expect(rotate(60)).rejects.toMatchObject(limit);
  expect((await first())?.expires_at).toBeNull();
  await rotate(0);
  await expect(create()).rejects.toMatchObject(limit);
});

test('a replaced key counts until its overlap ends', async () => {
  const { create, rotate } = await accountWith(98);
  await rotate(60);
  await create();
  await expect(create()).rejects.toMatchObject(limit);
});
