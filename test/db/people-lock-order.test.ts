// The order in which transactions lock contacts and their windows: contacts first, each kind in one order.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { makeKey, openCipher, parseKeyRing } from '../../src/base/cipher.ts';
import { systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import type { Tx } from '../../src/db/db.ts';
import { serializationFailure } from '../../src/db/failure.ts';
import { foldConversations } from '../../src/messaging/conversations/fold.ts';
import { changeOptOuts } from '../../src/messaging/opt-outs/change.ts';
import { eraseContacts } from '../../src/messaging/opt-outs/erased.ts';
import { scope, source } from '../../src/messaging/opt-outs/opt-out.ts';
import { openApplyReceived } from '../../src/messaging/received/apply-received.ts';
import type { ReceivedCallback } from '../../src/messaging/received/people-in-batch.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { insertAccount } from '../harness/rows.ts';
import { putStopWords } from '../harness/stop-words.ts';
import { until } from '../harness/until.ts';

let database: TestDatabase;
let accountId: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const senderId = uuidv7();
const [ada, ben, cem] = ['15550001', '15550002', '15550003'] as const;
const deps = () => ({
  ...{ db: database.db, hot: database.hot, clock: systemClock, log: { error() {}, warn() {} } as never },
  cipher: openCipher(parseKeyRing(makeKey())),
  metrics: { batchItems: { observe() {} } } as never,
  deliveries: { offer() {}, busyEndpoints: () => [], processId: 1 },
});

let last = 0;
/** A callback with one message of each person: their number, what they write, and their name. */
function callback(...texts: [phone: string, text: string, name?: string][]): ReceivedCallback {
  const messages = texts.map(([phone, text, name = 'Name']) => {
    last += 1;
    const person = { phone, userId: null, name, otherPhones: [], otherUserIds: [] };
    const message = {
      ...{ phoneNumberId: '1', messageRef: `wamid.${last}`, phone, userId: null, person, type: 'text' },
      ...{ isFromPerson: true, timestamp: Math.floor(Date.now() / 1000), content: { text } },
      ...{ mediaRef: null, contextRef: null, raw: '{}' },
    };
    return { message, to: [{ accountId, senderId }] };
  });
  return { messages, identities: [], preferences: [] };
}
const receive = (...texts: Parameters<typeof callback>) => openApplyReceived(deps())(callback(...texts));
const stop = { scope: scope.marketing, source: source.api, reason: null, atMs: null };
const erased = (...people: string[]) =>
  eraseContacts(deps(), { accountId, people, eraseLate: async () => undefined });

beforeEach(async () => {
  accountId = await insertAccount(database.db);
  for (const phone of [ada, ben, cem]) await receive([phone, 'Hi']);
});

type Table = 'contacts' | 'contact_windows';
const contactOf = (phone: string) =>
  sql`(select contact_id from contact_identities where account_id = ${accountId} and identity = ${phone})`;
/** Locks the row of a person, or fails if another transaction has locked it. */
const lockRow = (table: Table, phone: string) =>
  table === 'contacts'
    ? sql`select from contacts where account_id = ${accountId} and id = ${contactOf(phone)} for update nowait`
    : sql`select from contact_windows where account_id = ${accountId} and contact_id = ${contactOf(phone)} for update nowait`;

const oneWaits = () =>
  until(async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db);
    expect(rows).toHaveLength(1);
  });

/** Holds one row until `work` waits for it; then nobody may hold the other. */
async function holds(first: [Table, string], then: [Table, string], work: () => Promise<unknown>) {
  const working = await database.db.transaction().execute(async (tx) => {
    expect((await lockRow(...first).execute(tx)).rows).toHaveLength(1);
    const running = work();
    running.catch(() => undefined);
    await oneWaits();
    expect((await lockRow(...then).execute(tx)).rows).toHaveLength(1);
    return { running };
  });
  await working.running;
}

describe('who waits for a contact holds no window', () => {
  it('of a person who says a stop word', async () => {
    await putStopWords(database.db, accountId, ['stop']);
    await holds(['contacts', ada], ['contact_windows', ada], () => receive([ada, 'Stop']));
    const { rows } = await sql<{ scope: number }>`
      select scope from opt_outs where account_id = ${accountId}`.execute(database.db);
    expect(rows).toEqual([{ scope: scope.marketing }]);
  });

  it('of a person who says a stop word to a process that knows the words', async () => {
    await putStopWords(database.db, accountId, ['stop']);
    const apply = openApplyReceived(deps());
    await apply(callback([ada, 'Hi']));
    await holds(['contacts', ada], ['contact_windows', ada], () => apply(callback([ada, 'Stop'])));
  });

  it('of somebody who writes beside a person with a new name', () =>
    holds(['contacts', ben], ['contact_windows', ada], () => receive([ada, 'Hi'], [ben, 'Hi', 'New'])));

  it('of somebody who writes beside a person with a notice', () =>
    holds(['contacts', ben], ['contact_windows', ada], () => {
      const person = { phone: ben, userId: null, name: null, otherPhones: [], otherUserIds: [] };
      const report = {
        businessAccountId: '1',
        phoneNumberId: '1',
        person,
        wantsMarketing: false,
        detail: null,
        timestamp: null,
      };
      const preferences = [{ report, accountIds: [accountId] }];
      return openApplyReceived(deps())({ ...callback([ada, 'Hi']), preferences });
    }));

  it('that another act of the API merges', () =>
    holds(['contacts', cem], ['contact_windows', ada], () =>
      changeOptOuts(deps(), [
        { accountId, person: { phone: ada, otherPhones: [ben] }, act: stop },
        { accountId, person: { phone: cem }, act: stop },
      ]),
    ));
});

describe('who waits for the window of a contact holds none of a later one', () => {
  it('when they write beside a person with a new name', () =>
    holds(['contact_windows', ada], ['contact_windows', ben], () =>
      receive([ada, 'Hi', 'New'], [ben, 'Hi']),
    ));

  it('when they are merged', () =>
    holds(['contact_windows', ada], ['contact_windows', ben], () =>
      changeOptOuts(deps(), [{ accountId, person: { phone: ben, otherPhones: [ada] }, act: stop }]),
    ));

  it('when they are erased', () =>
    holds(['contact_windows', ada], ['contact_windows', ben], () => erased(ben, ada)));
});

it('folding is repeated after a deadlock with an erasure', async () => {
  let deadlocks = 1;
  const execute = async <T>(work: (tx: Tx) => Promise<T>) => {
    return database.hot.transaction().execute(async (tx) => {
      const result = await work(tx);
      if (deadlocks > 0) throw serializationFailure('An erasure locked the same contacts.');
      return result;
    });
  };
  const hot = {
    transaction: () => ({ execute: (work: never) => execute(work).finally(() => (deadlocks -= 1)) }),
  };
  await foldConversations({ hot: hot as never, changes: { heardAccounts: () => [], note() {} } });
  const { rows } = await sql`select from conversations where account_id = ${accountId}`.execute(database.db);
  expect(rows).toHaveLength(3);
});

it('a message without a word of an account that has some waits for nobody who holds the contact', async () => {
  await putStopWords(database.db, accountId, ['stop']);
  const apply = openApplyReceived(deps());
  await database.db.transaction().execute(async (tx) => {
    await lockRow('contacts', ada).execute(tx);
    for (const text of ['Hi', 'Hello'])
      expect(await apply(callback([ada, text]))).toMatchObject({ stored: 1 });
  });
});
