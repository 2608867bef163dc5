// Counts of deliveries: attempts with their durations, and dead deliveries.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { foldChanges } from '../../src/statistics/fold-store.ts';
import { measure } from '../../src/statistics/measures.ts';
import { completeDeliveries, failDeliveries } from '../../src/webhooks/delivery/store.ts';
import { deadLetterDeliveries } from '../../src/webhooks/maintenance/store.ts';
import { publish } from '../../src/webhooks/publish.ts';
import { insertAttemptedDelivery, insertDeliveries } from '../../src/webhooks/publish-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { insertAccount, insertEndpoint } from '../harness/rows.ts';
import { stageEvent } from '../harness/webhooks-fixture.ts';

let database: TestDatabase;
let accountId: string;
let endpointId: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());
beforeEach(async () => {
  accountId = await insertAccount(database.db);
  endpointId = await insertEndpoint(database.db, accountId);
});

/** Inserts a due delivery. */
async function delivery() {
  const subjectId = uuidv7();
  await sql`
    insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, body, state, due_at)
    values (${uuidv7()}, ${accountId}, ${endpointId}, ${subjectId}, 3, 'messages.status', '{}', 0, now())`.execute(
    database.db,
  );
  return { subjectId, endpointId, stage: 3 };
}

type Key = Awaited<ReturnType<typeof delivery>>;
const done = (key: Key, durationMs: number) => ({ ...key, status: 200, durationMs, answer: null });
const failed = (key: Key, durationMs: number, delayMs: number | undefined) => ({
  ...{ ...key, delayMs, durationMs, status: 500, reason: 'status' as const },
  ...{ answer: null, detail: null, retryAfterMs: 0, timestampSeconds: 1_773_151_200 },
});
const inTx = (run: (tx: Parameters<typeof failDeliveries>[0]) => Promise<unknown>) =>
  database.hot.transaction().execute(run);

/** The counts of the endpoint, with its attempts by class of duration. */
async function counts() {
  await database.db.transaction().execute((tx) => foldChanges(tx, 1_000, new Date()));
  const { rows } = await sql<{ delivered: number; failed: number; dead: number; classes: object | null }>`
    select delivered, failed, dead, (select jsonb_object_agg(class, attempts) from attempt_durations d
      where d.endpoint_id = c.endpoint_id and d.minutes = 60) as classes
    from delivery_counts c where endpoint_id = ${endpointId} and minutes = 60`.execute(database.db);
  return rows[0];
}

it('a success counts once, however often it is recorded', async () => {
  const one = await delivery();
  await completeDeliveries(database.hot, [done(one, 0)]);
  await completeDeliveries(database.hot, [done(one, 3)]);
  expect(await counts()).toEqual({ delivered: 1, failed: 0, dead: 0, classes: { '-1': 1 } });
});

it('a failed attempt counts, and the delivery as dead only after its last one', async () => {
  const one = await delivery();
  await inTx((tx) => failDeliveries(tx, [failed(one, 1, 1_000)]));
  expect(await counts()).toEqual({ delivered: 0, failed: 1, dead: 0, classes: { 0: 1 } });
  await inTx((tx) => failDeliveries(tx, [failed(one, 150, undefined)]));
  await inTx((tx) => failDeliveries(tx, [failed(one, 150, undefined)]));
  expect(await counts()).toEqual({ delivered: 0, failed: 2, dead: 1, classes: { 0: 1, 52: 1 } });
});

it('deliveries of a disabled endpoint count as dead: those that wait, and new ones', async () => {
  await delivery();
  await delivery();
  await database.db
    .transaction()
    .execute((tx) => deadLetterDeliveries(tx, endpointId, 'endpoint_disabled', 10));
  await sql`update endpoints set status = 'disabled' where id = ${endpointId}`.execute(database.db);
  await inTx((tx) =>
    insertDeliveries(tx, {
      events: [stageEvent(accountId, uuidv7(), 'sent')],
      busyEndpointIds: [],
      processId: 1,
    }),
  );
  expect(await counts()).toEqual({ delivered: 0, failed: 0, dead: 3, classes: null });
});

it('a test event counts with its only attempt', async () => {
  const event = { ...stageEvent(accountId, uuidv7(), 'sent'), stage: 0, kind: 'test', endpointId };
  const attempt = { durationMs: 20, answer: null };
  await inTx((tx) =>
    insertAttemptedDelivery(tx, {
      ...event,
      id: uuidv7(),
      result: { ...attempt, delivered: true, status: 200 },
    }),
  );
  const reason = 'timeout' as const;
  await inTx((tx) =>
    insertAttemptedDelivery(tx, {
      ...{ ...event, subjectId: uuidv7(), id: uuidv7() },
      result: {
        ...attempt,
        delivered: false,
        status: null,
        reason,
        detail: null,
        retryAfterMs: 0,
        timestampSeconds: 1_773_151_200,
      },
    }),
  );
  expect(await counts()).toMatchObject({ delivered: 1, failed: 1, dead: 1 });
});

it('changes of counts are recorded also when there is no event to deliver', async () => {
  const deliveries = { processId: 0, offer: () => undefined, busyEndpoints: () => [] };
  const of = { accountId, subjectId: uuidv7(), templateId: null };
  const change = { ...of, at: 1_800_000_000, measure: measure.failed, class: null, amount: 1 };
  await inTx((tx) => publish({ deliveries }, tx, [], [change]));
  const { rows } = await sql`
    select measure, amount from statistics_changes where subject_id = ${of.subjectId}`.execute(database.db);
  expect(rows).toEqual([{ measure: measure.failed, amount: 1 }]);
});
