// The hot statements of webhooks meet their rows by key, on an empty database too, where a plan is made and kept.
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import type { Tx } from '../../src/db/db.ts';
import {
  claimDeliveries,
  completeDeliveries,
  failDeliveries,
  giveBack,
  releaseNext,
} from '../../src/webhooks/delivering/store.ts';
import { insertDeliveries } from '../../src/webhooks/store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { stageEvent } from '../harness/webhook-room.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** The SQL of the one statement that `run` makes, without running it. */
async function textOf(run: (tx: Tx) => Promise<unknown>): Promise<string> {
  const texts: string[] = [];
  const paper = new Kysely({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
    log: (event) => void texts.push(event.query.sql),
  });
  await run(paper as unknown as Tx);
  expect(texts).toHaveLength(1);
  return texts[0] ?? '';
}

async function planOf(run: (tx: Tx) => Promise<unknown>): Promise<string> {
  const text = await textOf(run);
  const { rows } = await sql
    .raw<{ 'QUERY PLAN': string }>(`explain (generic_plan, costs off) ${text}`)
    .execute(database.hot);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
}

const delivery = {
  subjectId: uuidv7(),
  endpointId: uuidv7(),
  stage: 3,
  status: 200,
  durationMs: 3,
  reason: 'timeout',
  answer: null,
  delayMs: 5_000,
};

describe('on an empty database', () => {
  it.each([
    [
      'publishing',
      (tx: Tx) => insertDeliveries(tx, [stageEvent(uuidv7(), uuidv7(), 'sent')], []),
      'deliveries_default_pkey',
    ],
    ['completing', (tx: Tx) => completeDeliveries(tx, [delivery]), 'deliveries_default_pkey'],
    ['releasing', (tx: Tx) => releaseNext(tx, [delivery]), 'deliveries_default_pkey'],
    ['failing', (tx: Tx) => failDeliveries(tx, [delivery]), 'deliveries_default_pkey'],
    ['giving back', (tx: Tx) => giveBack(tx, [delivery]), 'deliveries_default_pkey'],
    [
      'claiming',
      (tx: Tx) => claimDeliveries(tx, { perEndpoint: 10, total: 100, except: [] }),
      'deliveries_default_endpoint_id_due_at_idx',
    ],
  ] as const)('%s enters deliveries by their index', async (_what, run, index) => {
    const plan = await planOf(run);
    expect(plan).toContain(index);
    expect(plan).toContain('deliveries_default_pkey');
    expect(plan).not.toMatch(
      /Seq Scan on deliveries|deliveries_default_account_id|deliveries_default_message_id/,
    );
  });
});
