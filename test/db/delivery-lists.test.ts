// The list of deliveries in an account with very many: bounded pages without indexes that would slow down deliveries.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { deliveryState } from '../../src/webhooks/delivery/delivery.ts';
import { type DeliveryFilter, listDeliveries } from '../../src/webhooks/history/store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { planOf } from '../harness/plans.ts';

const accountId = uuidv7();
const [endpointId, rareEndpoint] = [uuidv7(), uuidv7()];
const count = 30_000;
let database: TestDatabase;

/** Among the oldest thousand are four of each rare kind; all others were delivered. */
beforeAll(async () => {
  database = await createTestDatabase();
  await sql`
    insert into deliveries (account_id, id, subject_id, endpoint_id, stage, kind, state, body)
    select ${accountId}, uuid7(), uuid7(), case when n % 250 = 1 and n < 1000 then ${rareEndpoint}::uuid else ${endpointId}::uuid end,
      0, case when n % 250 = 2 and n < 1000 then 'test' else 'messages.received' end,
      case when n % 250 = 3 and n < 1000 then 2 when n % 250 = 4 and n < 1000 then 4 else 1 end, '{}'
    from generate_series(1, ${count}::int) n`.execute(database.db);
  await sql`vacuum analyze deliveries`.execute(database.db);
});
afterAll(() => database.drop());

const list = (filter: DeliveryFilter, limit: number, scanLimit: number) =>
  listDeliveries(database.db, accountId, filter, limit, scanLimit);

describe('a filter that few of many deliveries match', () => {
  it.each<[string, DeliveryFilter]>([
    ['an endpoint', { endpointId: rareEndpoint }],
    ['a kind', { kind: 'test' }],
    ['dead ones', { states: [deliveryState.dead] }],
    ['those that wait', { states: [deliveryState.ready, deliveryState.waiting, deliveryState.retrying] }],
  ])('finds %s over all pages, each bounded', async (_, filter) => {
    const ids: string[] = [];
    let [before, pages] = ['ffffffff-ffff-ffff-ffff-ffffffffffff', 0];
    for (let next: string | undefined = before; next !== undefined; pages++) {
      before = next;
      const { rows, scannedTo } = await list({ ...filter, before }, 3, 5_000);
      ids.push(...rows.map(({ id }) => id));
      next = rows.length === 3 ? rows.at(-1)?.id : scannedTo;
    }
    expect(ids).toHaveLength(4);
    expect(ids).toEqual(ids.toSorted().toReversed());
    expect(pages).toBe(7);
  });

  it('returns where a page without a match stopped', async () => {
    const { rows, scannedTo } = await list({ states: [deliveryState.dead] }, 20, 5_000);
    expect(rows).toEqual([]);
    const newer = await list({}, count, 5_000);
    expect(newer.rows.findIndex(({ id }) => id === scannedTo)).toBe(4_999);
    expect(newer.scannedTo).toBeUndefined();
  });

  it('is read by the index of the list, in order and up to the limit', async () => {
    const plan = await planOf(database.db, (db) =>
      listDeliveries(db, accountId, { states: [deliveryState.dead] }, 0),
    );
    expect(plan).toContain('deliveries_default_account_id_id_idx');
    expect(plan).not.toMatch(/Seq Scan on deliveries|Sort/);
  });
});

it('a page without filters reads no more than its rows', async () => {
  const plan = await planOf(database.db, (db) => listDeliveries(db, accountId, {}, 20));
  expect(plan).toContain('deliveries_default_account_id_id_idx');
  expect(plan).toMatch(/Limit\s+->\s+Limit\s+->\s+Index Scan Backward using deliveries/);
});
