// Replays of stages while another process attempts their neighbours.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { openLog } from '../../src/base/log.ts';
import { openClaims } from '../../src/webhooks/delivery/claim.ts';
import { deliveryState, stages } from '../../src/webhooks/delivery/delivery.ts';
import { Recorder } from '../../src/webhooks/delivery/record.ts';
import { replayOne } from '../../src/webhooks/replay/store.ts';
import { webhookSchedule } from '../../src/work/backoff.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { insertAccount, insertEndpoint } from '../harness/rows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

it('a stage that is replayed between two claimed ones follows them, without waiting an hour', async () => {
  const accountId = await insertAccount(database.db);
  const [endpointId, subjectId] = [await insertEndpoint(database.db, accountId), uuidv7()];
  const ids: string[] = [];
  for (const [stage, state, due] of [
    [stages.sent, deliveryState.ready, sql`now()`],
    [stages.delivered, deliveryState.delivered, sql`null`],
    [stages.read, deliveryState.waiting, sql`now() + interval '1 hour'`],
  ] as const) {
    const id = uuidv7();
    await sql`insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, body, state, due_at, attempts, delivered_at)
      values (${id}, ${accountId}, ${endpointId}, ${subjectId}, ${stage}, 'messages.status', '{}', ${state}, ${due}, 1, now())`.execute(
      database.db,
    );
    ids.push(id);
  }
  const [first] = await openClaims(database.hot, 1)({ perEndpoint: 10, total: 10, except: [] });
  expect(first?.laterStages).toMatchObject([{ stage: stages.read }]);
  await database.db.transaction().execute((tx) => replayOne(tx, accountId, ids[1] as string));

  const recorder = new Recorder(
    { hot: database.hot, processId: 1, clock: systemClock, log: openLog('silent') },
    { schedule: webhookSchedule },
  );
  const success = { delivered: true, status: 200, durationMs: 1, answer: null } as const;
  const group = [first, ...(first?.laterStages ?? [])].flatMap((one) => (one ? { ...one, ...success } : []));
  const untilMs = systemClock.steady() + 10_000;
  const next = await recorder.succeeded(group, untilMs, new AbortController().signal);
  expect(next).toMatchObject([{ id: ids[1], stage: stages.delivered }]);
});
