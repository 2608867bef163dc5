// Rows of idempotency keys: insertion, takeover, stored responses, rebinding, and the limit of 24 hours.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import {
  deleteOldKeys,
  findKey,
  freeKeysOf,
  insertKey,
  type KeyOf,
  rebindKey,
  recordKeyResponse,
  releaseKeysOf,
  takeOverKey,
} from '../../src/db/idempotency-keys.ts';
import { lookUpKey } from '../../src/http/idempotency.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

let database: TestDatabase;
let accountId: string;
const fingerprint = Buffer.alloc(33, 1);

async function newAccount(): Promise<string> {
  const id = uuidv7();
  await sql`insert into accounts (id, name) values (${id}, 'a')`.execute(database.db);
  return id;
}
beforeAll(async () => {
  database = await createTestDatabase();
  accountId = await newAccount();
});
afterAll(() => database.drop());

const inTransaction = <T>(run: Parameters<ReturnType<TestDatabase['db']['transaction']>['execute']>[0]) =>
  database.db.transaction().execute(run) as Promise<T>;
const insert = (of: KeyOf & { subjectId: string }) =>
  inTransaction<boolean>((tx) => insertKey(tx, { ...of, fingerprint, leaseSeconds: 60 }));

/** A key of this account with a request in progress. */
async function leasedKey() {
  const of = { accountId, operation: 'book', key: randomUUID(), subjectId: uuidv7() };
  expect(await insert(of)).toBe(true);
  return of;
}
type Key = Awaited<ReturnType<typeof leasedKey>>;

/** A key whose lease has expired without an answer. */
async function expiredKey() {
  const of = await leasedKey();
  await sql`update idempotency_keys set leased_until = now() - interval '60 seconds' where key = ${of.key}`.execute(
    database.db,
  );
  return of;
}
async function answeredKey() {
  const of = await expiredKey();
  await recordKeyResponse(database.db, of.subjectId, { status: 200, body: 'first' });
  return of;
}
const makeOlder = (of: Key, hours: number) =>
  sql`update idempotency_keys set created_at = created_at - ${hours} * interval '1 hour' where key = ${of.key}`.execute(
    database.db,
  );
const subjectOf = async (of: Key) => (await findKey(database.db, of))?.subject_id;

test('a key is replaced only after 24 hours', async () => {
  const of = await answeredKey();
  expect(await insert({ ...of, subjectId: uuidv7() })).toBe(false);
  expect(await subjectOf(of)).toBe(of.subjectId);
  await makeOlder(of, 25);
  const subjectId = uuidv7();
  expect(await insert({ ...of, subjectId })).toBe(true);
  expect(await findKey(database.db, of)).toMatchObject({
    ...{ subject_id: subjectId, status: null, body: null, leased: true },
  });
});

test('a key is found for 24 hours, only by its account and operation', async () => {
  const of = await leasedKey();
  expect(await findKey(database.db, { ...of, operation: 'send' })).toBeUndefined();
  expect(await findKey(database.db, { ...of, accountId: await newAccount() })).toBeUndefined();
  await makeOlder(of, 23);
  expect(await findKey(database.db, of)).toBeDefined();
  await makeOlder(of, 2);
  expect(await findKey(database.db, of)).toBeUndefined();
});

test('only one process takes over a key, and only if its lease expired without a response', async () => {
  const takeOver = (of: Key) => takeOverKey(database.db, { ...of, leaseSeconds: 60 });
  expect(await takeOver(await leasedKey())).toBe(false);
  expect(await takeOver(await answeredKey())).toBe(false);
  const expired = await expiredKey();
  expect(await takeOver(expired)).toBe(true);
  expect(await takeOver(expired)).toBe(false);
});

test('one of two concurrent retries continues after the lease expired; a retry before that gets 409', async () => {
  const consult = (of: Key) =>
    lookUpKey(database.db, { ...of, isSameBody: () => true, leaseSeconds: 60 }).catch(({ code }) => code);
  expect(await consult(await leasedKey())).toBe('idempotency_in_progress');
  const expired = await expiredKey();
  const row = await findKey(database.db, expired);
  const both = [1, 2].map(() =>
    lookUpKey(
      database.db,
      { ...expired, isSameBody: () => true, leaseSeconds: 60 },
      // both read the key before either takes it over
      { find: async () => row },
    ).catch(({ code }) => code),
  );
  const results = await Promise.all(both);
  expect(results).toContainEqual({ kind: 'continue', subjectId: expired.subjectId, answeredBy: null });
  expect(results).toContain('idempotency_in_progress');
  expect(await consult(await answeredKey())).toEqual({ kind: 'answered', status: 200, body: 'first' });
});

test('a stored response is never replaced', async () => {
  const of = await answeredKey();
  await recordKeyResponse(database.db, of.subjectId, { status: 409, body: 'second' });
  expect(await findKey(database.db, of)).toMatchObject({ status: 200, body: 'first' });
});

test('releasing a lease ends it now and does not extend an expired one', async () => {
  const [leased, expired] = [await leasedKey(), await expiredKey()];
  await releaseKeysOf(database.db, [leased.subjectId, expired.subjectId]);
  const { rows } = await sql<{ key: string; seconds: number }>`
    select key, extract(epoch from now() - leased_until)::float8 as seconds from idempotency_keys
    where key in (${leased.key}, ${expired.key})`.execute(database.db);
  const secondsOf = (of: Key) => rows.find(({ key }) => key === of.key)?.seconds;
  expect(secondsOf(leased)).toBeLessThan(30);
  expect(secondsOf(expired)).toBeGreaterThan(30);
});

test('only keys without a response are rebound and freed', async () => {
  const answered = await answeredKey();
  const open = await expiredKey();
  const subjectId = uuidv7();
  for (const key of [answered, open]) await inTransaction<void>((tx) => rebindKey(tx, key, subjectId));
  expect(await subjectOf(answered)).toBe(answered.subjectId);
  expect(await subjectOf(open)).toBe(subjectId);
  await freeKeysOf(database.db, answered.subjectId);
  await freeKeysOf(database.db, subjectId);
  expect(await subjectOf(answered)).toBe(answered.subjectId);
  expect(await subjectOf(open)).toBeUndefined();
});

test('keys are deleted after 24 hours', async () => {
  const [young, old] = [await leasedKey(), await leasedKey()];
  await makeOlder(young, 23);
  await makeOlder(old, 25);
  await deleteOldKeys(database.db, 100);
  const { rows } = await sql<{ key: string }>`
    select key from idempotency_keys where key in (${young.key}, ${old.key})`.execute(database.db);
  expect(rows).toEqual([{ key: young.key }]);
});

test('a response makes no new index entries, because it fits on the page of its key', async () => {
  const keys = Array.from({ length: 100 }, () => ({
    accountId,
    operation: 'send',
    key: randomUUID(),
    subjectId: uuidv7(),
  }));
  for (const of of keys) await insert(of);
  const updates = await inTransaction<{ all: number; heapOnly: number }>(async (tx) => {
    const count = async () => {
      const { rows } = await sql<{ all: number; heapOnly: number }>`
        select pg_stat_get_xact_tuples_updated('idempotency_keys'::regclass)::int as all,
          pg_stat_get_xact_tuples_hot_updated('idempotency_keys'::regclass)::int as "heapOnly"`.execute(tx);
      return rows[0] ?? { all: 0, heapOnly: 0 };
    };
    const before = await count();
    for (const { subjectId } of keys)
      await recordKeyResponse(tx, subjectId, { status: 200, body: 'x'.repeat(600) });
    const after = await count();
    return { all: after.all - before.all, heapOnly: after.heapOnly - before.heapOnly };
  });
  expect(updates.all).toBe(keys.length);
  // one transaction cannot use the space of the rows that it replaces
  expect(updates.heapOnly).toBeGreaterThan(0.5 * keys.length);
});
