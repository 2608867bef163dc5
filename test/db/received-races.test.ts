// Inbound messages of new people whom another process records at the same time.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { type ApplyReceived, openApplyReceived } from '../../src/messaging/received/apply-received.ts';
import type { ReceivedCallback } from '../../src/messaging/received/people-in-batch.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { insertAccount } from '../harness/rows.ts';
import { putStopWords } from '../harness/stop-words.ts';

let database: TestDatabase;
let apply: ApplyReceived;
beforeAll(async () => {
  database = await createTestDatabase();
  apply = openApplyReceived({
    hot: database.hot,
    clock: systemClock,
    log: { error() {} } as never,
    metrics: { batchItems: { observe() {} } } as never,
    deliveries: { offer() {}, busyEndpoints: () => [], processId: 1 },
  });
});
afterAll(() => database.drop());

const senderId = uuidv7();
const phone = '15550001';
const userId = 'US.1';
let accountId: string;
beforeEach(() => {
  accountId = uuidv7();
});

let last = 0;

/** A callback with a text message of a person who is named so. */
function callback(names: { phone?: string; userId?: string }): ReceivedCallback {
  last += 1;
  const person = { phone: null, userId: null, name: null, otherPhones: [], otherUserIds: [], ...names };
  const message = {
    ...{
      phoneNumberId: '1',
      messageRef: `wamid.${last}`,
      phone: person.phone,
      userId: person.userId,
      person,
    },
    ...{
      type: 'text',
      isFromPerson: true,
      timestamp: Math.floor(Date.now() / 1000),
      content: { text: 'Hi' },
    },
    ...{ mediaRef: null, contextRef: null, raw: '{}' },
  };
  return { messages: [{ message, to: [{ accountId, senderId }] }], identities: [], preferences: [] };
}

/** Applies a callback while another process has recorded the person's number, and not yet committed. */
async function applyDuringRecording(otherContactId: string): Promise<number> {
  let applied: ReturnType<ApplyReceived> | undefined;
  await database.db.transaction().execute(async (tx) => {
    await sql`insert into contact_identities (account_id, identity, contact_id)
      values (${accountId}, ${phone}, ${otherContactId})`.execute(tx);
    await sql`insert into contacts (account_id, id, phone) values (${accountId}, ${otherContactId}, ${phone})`.execute(
      tx,
    );
    applied = apply(callback({ phone, userId }));
    applied.catch(() => {});
    await expect
      .poll(async () => {
        const { rows } = await sql`select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db);
        return rows.length;
      })
      .toBeGreaterThan(0);
  });
  return (await applied)?.stored ?? 0;
}

async function contactsOfIdentities() {
  const { rows } = await sql<{ identity: string; phone: string | null; user_id: string | null }>`
    select i.identity, c.phone, c.user_id from contact_identities i
    left join contacts c on c.account_id = i.account_id and c.id = i.contact_id
    where i.account_id = ${accountId} order by i.identity`.execute(database.db);
  return rows;
}

test.each([
  ['an older', '00000000-0000-7000-8000-000000000001'],
  ['a newer', 'ffffffff-0000-7000-8000-000000000001'],
])(
  'a new person whose number another process records first, with %s contact, is that contact, and can write again',
  async (_, id) => {
    expect(await applyDuringRecording(id)).toBe(1);
    const contact = { phone, user_id: userId };
    expect(await contactsOfIdentities()).toEqual([
      { identity: phone, ...contact },
      { identity: `u:${userId}`, ...contact },
    ]);
    for (const names of [{ phone, userId }, { userId }, { phone }])
      expect(await apply(callback(names))).toMatchObject({ stored: 1 });
  },
);

test('the same where stop words were set in the meantime', async () => {
  await insertAccount(database.db, accountId);
  await putStopWords(database.db, accountId, ['stop']);
  expect(await applyDuringRecording('ffffffff-0000-7000-8000-000000000002')).toBe(1);
  expect((await contactsOfIdentities()).map(({ phone }) => phone)).toEqual([phone, phone]);
});
