// The cache of API keys: concurrent look-ups share one query, and a change is never hidden by a cached row.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openAuthenticator } from '../../src/accounts/authenticate.ts';
import { createAccount } from '../../src/accounts/keys.ts';
import { revokeKey } from '../../src/accounts/store.ts';
import { systemClock as clock } from '../../src/base/clock.ts';
import { openLog } from '../../src/base/log.ts';
import type { Db } from '../../src/db/db.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const log = openLog('silent');

/** A database that counts its statements and delays results while `gate` is closed. */
function watched(db: Db) {
  const watch = { statements: 0, gate: Promise.resolve() };
  const plugged = db.withPlugin({
    transformQuery({ node }) {
      watch.statements += 1;
      return node;
    },
    transformResult: async ({ result }) => {
      await watch.gate;
      return result;
    },
  }) as Db;
  return { db: plugged, watch };
}

test('concurrent requests share one look-up', async () => {
  const { key } = await createAccount({ db: database.db, clock }, 'x');
  const { db, watch } = watched(database.db);
  const { authenticate } = openAuthenticator({ db, clock, log });
  const callers = await Promise.all(Array.from({ length: 50 }, () => authenticate(key.apiKey)));
  expect(new Set(callers.map(({ keyId }) => keyId)).size).toBe(1);
  await authenticate(key.apiKey);
  expect(watch.statements).toBe(1);
  await expect(authenticate('cgw_nonsense')).rejects.toMatchObject({ code: 'api_key_invalid' });
});

test('a key revoked during its look-up is not cached, and later requests are rejected', async () => {
  const { accountId, key } = await createAccount({ db: database.db, clock }, 'x');
  const { db, watch } = watched(database.db);
  const { authenticate, clearCache } = openAuthenticator({ db, clock, log });
  const open = Promise.withResolvers<void>();
  watch.gate = open.promise;
  const before = authenticate(key.apiKey);
  await expect.poll(() => watch.statements).toBe(1);
  const { id: keyId } = await openAuthenticator({ db: database.db, clock, log }).authenticate(key.apiKey);
  expect(await revokeKey(database.db, accountId, keyId, new Date())).toBe(true);
  clearCache();
  const after = authenticate(key.apiKey);
  open.resolve();
  await before.catch(() => {});
  await expect(after).rejects.toMatchObject({ code: 'api_key_invalid' });
  await expect(authenticate(key.apiKey)).rejects.toMatchObject({ code: 'api_key_invalid' });
});
