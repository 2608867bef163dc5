// Responses for repeats of a send: stored and never replaced, or made from the only message once that was accepted.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { state } from '../../src/messaging/messages/message.ts';
import { recordAccepted } from '../../src/messaging/messages/moves-store.ts';
import { listResults } from '../../src/messaging/messages/store.ts';
import { makeResponse, settleResponse } from '../../src/messaging/sending/send-response.ts';
import type { SendSteps } from '../../src/messaging/sending/send-steps.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { keyed, message, openSendStore, openSteps, type SendStore } from '../harness/sends-in-database.ts';

let database: TestDatabase;
let store: SendStore;
let steps: SendSteps;

beforeAll(async () => {
  database = await createTestDatabase();
  store = await openSendStore(database);
  steps = openSteps(database);
});
afterAll(() => database.drop());

/** Stores a send with a key that its message answers, unless `answeredBy` names another. */
async function stored({ answeredBy }: { answeredBy?: string } = {}) {
  const [key, only] = [uuidv7(), message()];
  const given = keyed(key).key;
  const one = store.send(
    await store.addTemplate(),
    {},
    { messages: [only], key: { ...given, answeredBy: answeredBy ?? only.id } },
  );
  await steps.store(one);
  const row = () => steps.findKey({ accountId: store.accountId, operation: 'send', key });
  const { id } = one.send;
  return {
    ...{ id, messageId: only.id, row },
    accept: () =>
      recordAccepted(database.hot, [
        { accountId: store.accountId, id: only.id, messageRef: `wamid.${only.id}` },
      ]),
    /** What a request gets whose results are these, and all that repeats find. */
    async settle(results = listResults(database.db, store.accountId, id)) {
      const send = { id, templateId: one.send.templateId, sendAt: null, isAsync: false, hasKey: true };
      const deps = { ...{ db: database.db, hot: database.hot }, sendSteps: steps };
      const found = await row();
      return settleResponse(
        deps,
        store.accountId,
        { ...send, answeredBy: found?.answered_by ?? null },
        await results,
      );
    },
    async made() {
      const found = await row();
      return found && (await makeResponse(database.db, store.accountId, found))?.body;
    },
  };
}

it('a response is made from the accepted message, stored nowhere, and stays the same whatever is reported later', async () => {
  const one = await stored();
  expect(await one.made()).toBeUndefined();
  await one.accept();
  const { status, body } = await one.settle();
  expect(status).toBe(200);
  expect(JSON.parse(body).data).toMatchObject({ accepted: 1, failed: 0, messages: [{ status: 'accepted' }] });
  expect(await one.row()).toMatchObject({ status: null, body: null, answered_by: one.messageId });
  expect(await one.made()).toBe(body);
  await sql`update messages set state = ${state.failed}, error = '{"code": 131026}' where id = ${one.messageId}`.execute(
    database.db,
  );
  expect(await one.made()).toBe(body);
  // a report was faster than the response of the platform's call
  expect((await one.settle()).body).toBe(body);
});

it('a response that was stored before the acceptance stays', async () => {
  const one = await stored();
  const queued = await one.settle();
  expect(JSON.parse(queued.body).data).toMatchObject({ queued: 1 });
  await one.accept();
  expect(await one.row()).toMatchObject({ status: 200, body: queued.body });
});

it('a request whose time is up gives the acceptance that a repeat may have found in the meantime', async () => {
  const one = await stored();
  const results = await listResults(database.db, store.accountId, one.id);
  await one.accept();
  const found = await one.made();
  expect(found).toBeDefined();
  expect((await one.settle(Promise.resolve(results))).body).toBe(found);
  expect(await one.row()).toMatchObject({ status: null, body: null });
});

/** How many sessions wait for a lock. */
async function blocked(): Promise<number> {
  const { rows } = await sql`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
    database.db,
  );
  return rows.length;
}

it('an acceptance waits for the response that is being stored', async () => {
  const one = await stored();
  const settled = await database.db.transaction().execute(async (tx) => {
    await sql`select from idempotency_keys where subject_id = ${one.id} for update`.execute(tx);
    const settling = one.settle();
    await expect.poll(blocked).toBe(1);
    const accepting = one.accept();
    await expect.poll(blocked).toBe(2);
    expect(await one.made()).toBeUndefined();
    return { settling, accepting };
  });
  await settled.accepting;
  expect(await one.row()).toMatchObject({ body: (await settled.settling).body });
});

it('a key that names the message of an earlier send stores its response, as one without a message', async () => {
  const one = await stored({ answeredBy: uuidv7() });
  await one.accept();
  expect(await one.made()).toBeUndefined();
  const { body } = await one.settle();
  expect(await one.row()).toMatchObject({ status: 200, body });
});

it('a request gets the response that is already stored, and beside it the others get theirs', async () => {
  const [early, late] = [await stored(), await stored()];
  await steps.recordResponse({ subjectId: early.id, status: 200, body: 'early' });
  const given = [early, late].map(({ id }) =>
    steps.recordResponse({ subjectId: id, status: 200, body: 'late' }),
  );
  expect((await Promise.all(given)).map(({ body }) => body)).toEqual(['early', 'late']);
  expect(await late.row()).toMatchObject({ body: 'late' });
});
