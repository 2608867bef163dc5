// Erasures of people about whom other transactions write at the same time.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeKey, openCipher, parseKeyRing } from '../../src/base/cipher.ts';
import { systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { openLog } from '../../src/base/log.ts';
import type { Tx } from '../../src/db/db.ts';
import { type EraseDeps, type Erased, erase } from '../../src/erasure/erase.ts';
import { lockFolding } from '../../src/messaging/contacts/changed-contacts-store.ts';
import type { NamedPerson } from '../../src/messaging/contacts/identity.ts';
import { recordPeople } from '../../src/messaging/contacts/record-people.ts';
import { insertWords, writeListed } from '../../src/messaging/conversations/fold-store.ts';
import { recordPersonActs } from '../../src/messaging/opt-outs/change.ts';
import { scope, source } from '../../src/messaging/opt-outs/opt-out.ts';
import { publish } from '../../src/webhooks/publish.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { insertAccount, insertEndpoint } from '../harness/rows.ts';
import { until } from '../harness/until.ts';

let database: TestDatabase;
let deps: EraseDeps;
beforeAll(async () => {
  database = await createTestDatabase();
  deps = {
    ...{ db: database.db, hot: database.hot, clock: systemClock, log: openLog('silent') },
    cipher: openCipher(parseKeyRing(makeKey())),
    deliveries: { offer() {}, busyEndpoints: () => [], processId: 1 },
    completions: { completed() {} } as never,
  };
});
afterAll(() => database.drop());

const [phone, userId] = ['15550001', 'US.1'];
const senderId = uuidv7();
let accountId: string;
beforeEach(async () => {
  accountId = await insertAccount(database.db);
  await insertEndpoint(database.db, accountId, { events: ['contacts.opted_out'] });
});

/** Stores a message of a person and records who wrote it, as a callback does. */
async function receive(tx: Tx, names: { phone?: string; userId?: string }): Promise<void> {
  const nowMs = Date.now();
  const person = { phone: null, userId: null, name: 'Ada', otherPhones: [], otherUserIds: [], ...names };
  const report: NamedPerson = { accountId, person, atMs: nowMs, wroteTo: senderId };
  await sql`insert into received_messages (account_id, id, sender_id, person, name, type, content, received_at)
    values (${accountId}, ${uuidv7()}, ${senderId}, ${names.phone ?? `u:${names.userId}`}, 'Ada', 'text', '{"text": "Hi"}', now())`.execute(
    tx,
  );
  await recordPeople(tx, [report], nowMs);
}

const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => database.hot.transaction().execute(work);

/** Runs the steps of an erasure to its end, and returns what it erased. */
async function erased(steps = erase(deps, accountId, { phones: [phone], userIds: [], emails: [] })) {
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return value as Erased;
  }
}

/** Erases the person while `write` is not committed. */
async function eraseDuring(write: (tx: Tx) => Promise<unknown>): Promise<Erased> {
  const erasing = await inTransaction(async (tx) => {
    await write(tx);
    const running = erased();
    running.catch(() => undefined);
    await until(async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db);
      expect(rows).toHaveLength(1);
    });
    return { running };
  });
  return erasing.running;
}

/** What is left of the person. */
async function left() {
  const { rows } = await sql<{ text: string }>`
    select to_jsonb(x)::text as text from (
      select null::text as body, person, name, content::text from received_messages where account_id = ${accountId}
      union all select null, identity, null, null from contact_identities where account_id = ${accountId}
      union all select body, null, null, null from deliveries where account_id = ${accountId}) x`.execute(
    database.db,
  );
  return rows.map(({ text }) => text).filter((text) => /1555|US\.|Ada|Hi/.test(text));
}

test.each([
  ['who wrote before', true],
  ['who wrote nothing before', false],
])(
  'a message of a person %s that is stored just before the contact is deleted is erased too',
  async (_, wrote) => {
    if (wrote) await inTransaction((tx) => receive(tx, { phone }));
    else
      await inTransaction((tx) =>
        recordPersonActs(
          tx,
          [
            {
              accountId,
              person: { phone },
              act: { scope: scope.all, source: source.api, reason: null, atMs: null },
            },
          ],
          Date.now(),
        ),
      );
    const { received } = await eraseDuring((tx) => receive(tx, { phone }));
    expect(received).toBe(wrote ? 2 : 1);
    expect(await left()).toEqual([]);
  },
);

test('what a person wrote under an id that becomes theirs during the erasure is erased too', async () => {
  await inTransaction((tx) => receive(tx, { phone }));
  await inTransaction((tx) => receive(tx, { userId }));
  const steps = erase(deps, accountId, { phones: [phone], userIds: [], emails: [] });
  await steps.next();
  await inTransaction((tx) => receive(tx, { phone, userId }));
  let total: Erased | undefined;
  for (let step = await steps.next(); !step.done; step = await steps.next()) {
    total = step.value;
    // only the contact says whom an erasure that another process continues is about
    const texts = await left();
    if (texts.some((text) => text.includes('Hi')))
      expect(texts.join()).toContain(`"person": "${phone}", "content": null`);
  }
  expect(total?.received).toBe(3);
  expect(await left()).toEqual([]);
});

test('a person whose contact is merged into an older one just before it is deleted is erased too', async () => {
  await inTransaction((tx) => receive(tx, { userId }));
  await inTransaction((tx) => receive(tx, { phone }));
  expect((await eraseDuring((tx) => receive(tx, { phone, userId }))).received).toBe(3);
  expect(await left()).toEqual([]);
});

test('what a worker writes about the contact just before it is deleted is erased too', async () => {
  await inTransaction((tx) => receive(tx, { phone }));
  await eraseDuring(async (tx) => {
    expect(await lockFolding(tx)).toBe(true);
    const { rows } = await sql<{
      id: string;
    }>`select id from contacts where account_id = ${accountId}`.execute(tx);
    const key = { accountId, contactId: rows[0]?.id ?? '' };
    await insertWords(tx, [{ ...key, word: `p${phone}` }]);
    await writeListed(tx, [{ ...key, lastId: null, repliedId: null, words: [`p${phone}`] }]);
  });
  const { rows } = await sql`
    select 'row' from conversations where account_id = ${accountId}
    union all select word from conversation_words where account_id = ${accountId}`.execute(database.db);
  expect(rows).toEqual([]);
});

test('an event of a change that is committed just before the contact is deleted is erased too', async () => {
  await inTransaction((tx) => receive(tx, { phone }));
  await eraseDuring(async (tx) => {
    const act = { scope: scope.marketing, source: source.api, reason: null, atMs: null };
    const { events } = await recordPersonActs(tx, [{ accountId, person: { phone }, act }], Date.now());
    expect(await publish(deps, tx, events)).toHaveLength(1);
  });
  expect(await left()).toEqual([]);
});
