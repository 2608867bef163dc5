// Responses for repeats of a send: stored with the acceptance of its message, and never replaced.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { recordAccepted } from '../../src/messaging/sending/messages-moves-store.ts';
import type { SendSteps } from '../../src/messaging/sending/send-steps.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { keyed, openSendStore, openSteps, type SendStore } from '../harness/sends-in-database.ts';

let database: TestDatabase;
let store: SendStore;
let steps: SendSteps;

beforeAll(async () => {
  database = await createTestDatabase();
  store = await openSendStore(database);
  steps = openSteps(database);
});
afterAll(() => database.drop());

/** Stores a send with a key; returns its ids. */
async function stored() {
  const key = uuidv7();
  const one = store.send(await store.addTemplate(), {}, keyed(key));
  await steps.store(one);
  const row = () => steps.findKey({ accountId: store.accountId, operation: 'send', key });
  return { subjectId: one.send.id, messageId: one.messages[0]?.id as string, row };
}

const accept = (messageId: string, response?: { subjectId: string; status: number; body: string }) =>
  recordAccepted(database.hot, [
    { accountId: store.accountId, id: messageId, messageRef: `wamid.${messageId}`, response },
  ]);

it('a response is stored in the commit that records the acceptance', async () => {
  const [first, second] = [await stored(), await stored()];
  await accept(first.messageId, { subjectId: first.subjectId, status: 200, body: 'first' });
  await accept(second.messageId);
  expect(await first.row()).toMatchObject({ status: 200, body: 'first' });
  expect(await second.row()).toMatchObject({ status: null, body: null });
  const { rows } = await sql`select from messages m join idempotency_keys k on k.subject_id = m.send_id
    where m.id = ${first.messageId} and m.xmin = k.xmin`.execute(database.db);
  expect(rows).toHaveLength(1);
});

it('a repeated acceptance keeps the first response', async () => {
  const { subjectId, messageId, row } = await stored();
  await accept(messageId, { subjectId, status: 200, body: 'first' });
  await accept(messageId, { subjectId, status: 200, body: 'second' });
  expect(await row()).toMatchObject({ body: 'first' });
});

it('a request gets the response that is already stored, and beside it the others get theirs', async () => {
  const [early, late] = [await stored(), await stored()];
  await accept(early.messageId, { subjectId: early.subjectId, status: 200, body: 'accepted' });
  const given = [early, late].map(({ subjectId }) =>
    steps.recordResponse({ subjectId, status: 200, body: 'queued' }),
  );
  expect((await Promise.all(given)).map(({ body }) => body)).toEqual(['accepted', 'queued']);
  expect(await late.row()).toMatchObject({ body: 'queued' });
});
