// One-time codes in messages: every statement that ends a message removes its code, and no other content.
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { claimDue } from '../../src/messaging/dispatch/claims-store.ts';
import { openCodeRemoval } from '../../src/messaging/dispatch/one-time-codes.ts';
import { removeExpiredCodes, removeOldCodes } from '../../src/messaging/messages/codes-store.ts';
import { foldReports, ownErrors, type StateNumber } from '../../src/messaging/messages/message.ts';
import { applyMoves, failMessages, recordAccepted } from '../../src/messaging/messages/moves-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { planOf } from '../harness/plans.ts';
import { insertAccount, insertSender } from '../harness/rows.ts';

const accountId = uuidv7();
const senderId = uuidv7();
const code = '83917264';
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await insertAccount(database.db, accountId);
  await insertSender(database.db, accountId, { id: senderId });
});
afterAll(() => database.drop());

interface Row {
  state?: number;
  priority?: number;
  /** Seconds from now. */
  expires?: number;
  due?: number | null;
}

/** Inserts a message whose content is the code; returns its key. */
async function message({ state = 1, priority = 0, expires = 600, due = 60 }: Row = {}) {
  const key = { accountId, id: uuidv7() };
  const content = JSON.stringify({
    body: [{ text: code }],
    buttons: [{ index: 0, subType: 'otp', value: code }],
  });
  await sql`
    insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, state, priority, due_at, expires_at)
    values (${accountId}, ${key.id}, ${key.id}, ${senderId}, ${key.id}, '15550100', ${content}, ${state}, ${priority},
      now() + ${due}::float8 * interval '1 second', now() + ${expires} * interval '1 second')`.execute(
    database.db,
  );
  return key;
}
const contentOf = async ({ id }: { id: string }) => {
  const { rows } = await sql<{ content: object }>`select content from messages where id = ${id}`.execute(
    database.db,
  );
  return rows[0]?.content;
};
const removed = { body: [{ text: '••••' }], buttons: [], removed: true };
const kept = { body: [{ text: code }] };

type Key = Awaited<ReturnType<typeof message>>;
const report = (status: 'sent' | 'read' | 'failed') => ({
  ...{
    phoneNumberId: '1',
    messageRef: 'w',
    correlationId: null,
    timestamp: 1,
    priceCategory: null,
    billable: null,
  },
  ...{ status, error: status === 'failed' ? { code: 131026, title: 'f', message: 'f' } : null },
});
const move = (key: Key, status: 'sent' | 'read' | 'failed') =>
  database.hot
    .transaction()
    .execute((tx) => applyMoves(tx, [foldReports(accountId, key.id, [report(status)])]));
const fail = (key: Key, from: StateNumber[]) =>
  database.hot
    .transaction()
    .execute((tx) => failMessages(tx, [{ ...key, error: ownErrors.outcomeUnknown }], from));

test.each<[string, number, (key: Key) => Promise<unknown>]>([
  ['is recorded as accepted', 1, (key) => recordAccepted(database.hot, [{ ...key, messageRef: 'w' }])],
  ['is reported as sent', 1, (key) => move(key, 'sent')],
  ['is reported as read', 1, (key) => move(key, 'read')],
  ['is reported as failed', 1, (key) => move(key, 'failed')],
  ['fails while it is queued', 0, (key) => fail(key, [0])],
  ['fails while it is dispatching', 1, (key) => fail(key, [0, 1])],
])('removes the code when the message %s, and keeps other content', async (_what, state, act) => {
  const [secret, other] = [await message({ state }), await message({ state, priority: 1 })];
  await act(secret);
  await act(other);
  expect(await contentOf(secret)).toEqual(removed);
  expect(await contentOf(other)).toMatchObject(kept);
});

test('does not store a code that a report repeats', async () => {
  const [secret, other] = [await message({ state: 2, due: null }), await message({ state: 2, priority: 1 })];
  for (const { id } of [secret, other]) {
    const failed = {
      ...report('failed'),
      error: { code: 131026, title: `of ${code}`, message: `${code}, 80 %` },
    };
    await database.hot.transaction().execute((tx) => applyMoves(tx, [foldReports(accountId, id, [failed])]));
  }
  const errorOf = async ({ id }: Key) =>
    (await sql<{ error: object }>`select error from messages where id = ${id}`.execute(database.db)).rows[0]
      ?.error;
  expect(await errorOf(secret)).toEqual({ code: 131026, title: 'of ••••', message: '••••, 80 %' });
  expect(await errorOf(other)).toEqual({ code: 131026, title: `of ${code}`, message: `${code}, 80 %` });
});

test('keeps the code of a dispatching message that is not failed', async () => {
  const key = await message({ state: 1 });
  await fail(key, [0]);
  expect(await contentOf(key)).toMatchObject(kept);
});

test('removes the code of an expired message that is leased, dispatching, delayed or of unknown outcome', async () => {
  const over: Key[] = [];
  for (const due of [-700, -5, 55])
    for (const state of [0, 1]) over.push(await message({ state, due, expires: -1 }));
  const open = [
    await message({ state: 0, due: -5 }),
    await message({ state: 1, due: -700 }),
    await message({ state: 0, due: -5, expires: -1, priority: 1 }),
  ];
  expect(await removeExpiredCodes(database.hot, 100)).toBe(over.length);
  for (const key of over) expect(await contentOf(key)).toEqual(removed);
  for (const key of open) expect(await contentOf(key)).toMatchObject(kept);
  expect(await removeExpiredCodes(database.hot, 100)).toBe(0);
});

test('never calls a message without its code, even if a clock step makes it unexpired', async () => {
  const [gone, live] = [
    await message({ state: 0, due: -5, expires: -1 }),
    await message({ state: 0, due: -5 }),
  ];
  for (const { id } of [gone, live])
    await sql`insert into sends (account_id, id, sender_id, template_id, template_name, language, total)
      values (${accountId}, ${id}, ${senderId}, ${id}, 't', 'en', 1)`.execute(database.db);
  await removeExpiredCodes(database.hot, 100);
  await sql`update messages set expires_at = now() + interval '1 hour' where id = ${gone.id}`.execute(
    database.db,
  );
  const { claimed } = await claimDue(database.hot, 100, [], 1);
  const expired = new Map(claimed.map((one) => [one.id, one.expired]));
  expect([expired.get(gone.id), expired.get(live.id)]).toEqual([true, false]);
});

test('removes codes that earlier versions left, in steps that each continue after the last one', async () => {
  const other = uuidv7();
  const old: Key[] = [];
  for (const state of [2, 5, 6]) old.push(await message({ state, due: null }));
  const queued = await message({ state: 0 });
  const plain = await message({ state: 5, due: null, priority: 2 });
  await sql`update messages set account_id = ${other} where id = ${old[2]?.id}`.execute(database.db);
  expect(await removeOldCodes(database.hot, 100)).toBe(true);
  expect(await contentOf(old[0] as Key)).toMatchObject(kept);
  await sql`drop table old_codes`.execute(database.db);
  const migration = new URL('../../migrations/0021_old_codes.sql', import.meta.url);
  await sql.raw(await readFile(migration, 'utf8')).execute(database.db);
  await sql`update old_codes set account_id = ${accountId}, message_id = ${old[0]?.id}`.execute(database.db);
  await database.db.transaction().execute(async (tx) => {
    await sql`select from old_codes for update`.execute(tx);
    // another process has locked the step
    expect(await removeOldCodes(database.hot, 100)).toBe(false);
  });
  expect(await removeOldCodes(database.hot, 1)).toBe(false);
  expect(await contentOf(old[1] as Key)).toEqual(removed);
  expect(await contentOf(old[2] as Key)).toMatchObject(kept);
  const round = openCodeRemoval({ hot: database.hot });
  for (let n = 0; n < 2; n++) await round();
  expect(await contentOf(old[2] as Key)).toEqual(removed);
  // the search starts after this message
  expect(await contentOf(old[0] as Key)).toMatchObject(kept);
  for (const key of [queued, plain]) expect(await contentOf(key)).toMatchObject(kept);
  // a second search a day later: an earlier version may have written codes in the meantime
  await round();
  expect(await contentOf(old[0] as Key)).toMatchObject(kept);
  const { rows: later } = await sql<{ hours: number }>`
    select round(extract(epoch from due_at - now()) / 3600)::int hours from old_codes`.execute(database.db);
  expect(later).toEqual([{ hours: 24 }]);
  await sql`update old_codes set due_at = now()`.execute(database.db);
  for (let n = 0; n < 2; n++) await round();
  expect(await contentOf(old[0] as Key)).toEqual(removed);
  const { rows } = await sql`select from old_codes`.execute(database.db);
  expect(rows).toEqual([]);
});

test('the searches for codes use an index of messages', async () => {
  const expired = await planOf(database.hot, (db) => removeExpiredCodes(db, 500));
  expect(expired).toMatch(
    /sender_id_priority_due_at_idx[\s\S]*Index Cond: \(\(sender_id = [^)]+\) AND \(priority = 0\)/,
  );
  expect(expired).not.toMatch(/Seq Scan on messages/);
});
