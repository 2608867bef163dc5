// The hot statements of webhooks meet their rows by key, on an empty database too, where a plan is made and kept.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import type { Tx } from '../../src/db/db.ts';
import { lockPublished, releasePublished } from '../../src/webhooks/delivery/leases-store.ts';
import {
  claimDeliveries,
  completeDeliveries,
  failDeliveries,
  findLaterStages,
  leaseNextStages,
  releaseLeases,
} from '../../src/webhooks/delivery/store.ts';
import { insertDeliveries } from '../../src/webhooks/publish-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { planOf } from '../harness/plans.ts';
import { stageEvent } from '../harness/webhooks-fixture.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

const delivery = {
  subjectId: uuidv7(),
  endpointId: uuidv7(),
  stage: 3,
  status: 200,
  durationMs: 3,
  reason: 'timeout' as const,
  answer: null,
  detail: null,
  delayMs: 5_000,
  retryAfterMs: 0,
  timestampSeconds: 1_773_151_200,
};

describe('on an empty database', () => {
  it.each([
    [
      'publishing',
      (tx: Tx) =>
        insertDeliveries(tx, {
          events: [stageEvent(uuidv7(), uuidv7(), 'sent')],
          busyEndpointIds: [],
          processId: 0,
        }),
      'deliveries_default_pkey',
    ],
    ['completing', (tx: Tx) => completeDeliveries(tx, [delivery]), 'deliveries_default_pkey'],
    ['releasing', (tx: Tx) => leaseNextStages(tx, [delivery], 0), 'deliveries_default_pkey'],
    ['failing', (tx: Tx) => failDeliveries(tx, [delivery]), 'deliveries_default_pkey'],
    [
      'finding what follows',
      (tx: Tx) =>
        findLaterStages(tx, [
          { ...delivery, id: uuidv7(), body: '', failedAttempts: 0, version: 1, failures: 0 },
        ]),
      'deliveries_default_pkey',
    ],
    ['giving back', (tx: Tx) => releaseLeases(tx, [delivery], 0), 'deliveries_default_pkey'],
    [
      'claiming',
      (tx: Tx) => claimDeliveries(tx, { perEndpoint: 10, total: 100, except: [], processId: 0 }),
      'deliveries_default_endpoint_id_due_at_idx',
    ],
  ] as const)('%s enters deliveries by their index', async (_what, run, index) => {
    const plan = await planOf(database.hot, run);
    expect(plan).toContain(index);
    expect(plan).toContain('deliveries_default_pkey');
    expect(plan).not.toMatch(
      /Seq Scan on deliveries|deliveries_default_account_id|deliveries_default_message_id/,
    );
  });
});

it.each([
  ['locking', lockPublished],
  ['releasing', releasePublished],
])(
  '%s what ended leases cover reads the range of each lease by its index in a large table',
  async (_what, run) => {
    await sql`
    insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, body, state, delivered_at)
    select uuid7(), ${delivery.subjectId}, ${delivery.endpointId}, uuid7(), 3, 'messages.status', '{}', 1, now()
    from generate_series(1, 20000)`.execute(database.db);
    await sql`vacuum analyze deliveries`.execute(database.db);
    const lease = { id: uuidv7(), leasedBy: 1, accountIds: [uuidv7()], firstId: uuidv7(), lastId: uuidv7() };
    const plan = await planOf(database.hot, (tx) => run(tx, [lease]));
    expect(plan).toContain(
      'Index Cond: ((account_id = l.account_id) AND (id >= l.first_id) AND (id <= l.last_id))',
    );
    expect(plan).toMatch(
      /Index Cond: \(\(subject_id = \w+\.subject_id\) AND \(endpoint_id = \w+\.endpoint_id\)/,
    );
    expect(plan).not.toContain('Seq Scan');
  },
);
