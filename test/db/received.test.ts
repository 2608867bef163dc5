// The statement that stores inbound messages: what it leaves out.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { insertReceived, type NewReceived } from '../../src/messaging/received/store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { insertAccount, insertEndpoint } from '../harness/rows.ts';
import { putStopWords } from '../harness/stop-words.ts';

let database: TestDatabase;
const accountId = uuidv7();
beforeAll(async () => {
  database = await createTestDatabase();
  await insertAccount(database.db, accountId);
  await insertEndpoint(database.db, accountId, { events: ['messages.received'] });
});
afterAll(() => database.drop());

const received = (): NewReceived => ({
  ...{ account_id: accountId, id: uuidv7(), sender_id: uuidv7(), message_ref: 'wamid.1', person: '15550001' },
  ...{
    phone: '15550001',
    user_id: null,
    name: null,
    type: 'text',
    content: { text: 'STOP' },
    contentJson: '{"text":"STOP"}',
    media_ref: null,
  },
  ...{ context_ref: null, context_id: null, context_send_id: null, sent_at: null, received_at: new Date() },
  raw: null,
});

function insert(row: NewReceived, plainPeople: number | null = null) {
  const event = {
    accountId,
    subjectId: row.id,
    stage: 0,
    kind: 'messages.received',
    messageId: null,
    body: '{}',
  };
  const deliveries = { events: [event], busyEndpointIds: [], processId: 1, changes: [], leaseId: uuidv7() };
  return insertReceived(database.hot, [row], [], { settingsOf: [row.account_id], plainPeople }, deliveries);
}

const deliveriesOf = async ({ id }: NewReceived) =>
  (await sql`select from deliveries where subject_id = ${id}`.execute(database.db)).rows.length;

test('a repeated message is not published again, even when its first delivery was removed', async () => {
  const row = received();
  expect(await insert(row)).toMatchObject({ inserted: [{ id: row.id }], started: [{ no: 1 }] });
  await sql`delete from deliveries where subject_id = ${row.id}`.execute(database.db);
  expect(await insert(row)).toMatchObject({ inserted: [], started: [] });
  expect(await deliveriesOf(row)).toBe(0);
});

test('a message that may say something about opt-outs is not stored without a transaction if its account has stop words', async () => {
  const [before, after] = [received(), received()];
  expect((await insert(before, 0)).inserted).toHaveLength(1);
  await putStopWords(database.db, accountId, ['stop']);
  const { inserted, started, settings } = await insert(after, 0);
  expect([inserted, started, [...settings.keys()]]).toEqual([[], [], [accountId]]);
  expect(await deliveriesOf(after)).toBe(0);
  expect((await insert(after)).inserted).toHaveLength(1);
});

test('a message is not stored before a person who is neither known nor new, unless in their transaction', async () => {
  const other = uuidv7();
  const row = { ...received(), account_id: other };
  expect((await insert(row, 1)).inserted).toEqual([]);
  expect((await insert(row)).inserted).toHaveLength(1);
});
