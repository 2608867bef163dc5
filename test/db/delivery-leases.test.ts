// Leases of deliveries: what they cover, and what becomes of it when they expire or their process ends.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { openLog } from '../../src/base/log.ts';
import {
  claimDeliveries,
  completeDeliveries,
  releaseDeliveriesOf,
} from '../../src/webhooks/delivery/store.ts';
import { takeOverExpired, takeOverFrom } from '../../src/webhooks/delivery/take-over.ts';
import { maintainWebhooks } from '../../src/webhooks/maintenance/maintenance.ts';
import { insertDeliveries } from '../../src/webhooks/publish-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { insertAccount, insertEndpoint } from '../harness/rows.ts';
import { until } from '../harness/until.ts';
import { stageEvent } from '../harness/webhooks-fixture.ts';

let database: TestDatabase;
let accountId: string;
let endpointId: string;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

beforeEach(async () => {
  await sql`delete from deliveries`.execute(database.db);
  await sql`delete from delivery_leases`.execute(database.db);
  ({ accountId, endpointId } = await addAccount());
});

/** Adds an account with an endpoint. */
async function addAccount() {
  const accountId = await insertAccount(database.db);
  return { accountId, endpointId: await insertEndpoint(database.db, accountId) };
}

const stages = { sent: 3, delivered: 4 } as const;

/** Inserts a delivery in a state (0 under the lease, 1 delivered, 3 behind an earlier stage) without a time of its own. */
async function delivery(stage: keyof typeof stages, state: number, leasedBy: number, subjectId = uuidv7()) {
  const id = uuidv7();
  await sql`
    insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, body, state, leased_by)
    values (${id}, ${accountId}, ${endpointId}, ${subjectId}, ${stages[stage]}, 'messages.status', '{}', ${state},
      ${leasedBy})`.execute(database.db);
  return { id, subjectId, endpointId, stage: stages[stage] };
}

async function rowOf({ id }: { id: string }) {
  const { rows } = await sql<{ state: number; due: boolean | null }>`
    select state, due_at <= now() as due from deliveries where id = ${id}`.execute(database.db);
  return rows[0];
}

const inTransaction = <T>(run: Parameters<ReturnType<TestDatabase['hot']['transaction']>['execute']>[0]) =>
  database.hot.transaction().execute(run) as Promise<T>;

it('a claimed delivery is due again when the process that claimed it has ended, not when another has', async () => {
  const claimed = async (processId: number) => {
    const one = await delivery('sent', 0, 0);
    await sql`update deliveries set due_at = now() where id = ${one.id}`.execute(database.db);
    const claim = { perEndpoint: 10, total: 100, except: [], processId };
    expect(await claimDeliveries(database.hot, claim)).toMatchObject([{ id: one.id }]);
    return one;
  };
  const [ours, ended] = [await claimed(1), await claimed(2)];
  expect(await inTransaction<number>((tx) => releaseDeliveriesOf(tx, [2]))).toBe(1);
  expect([await rowOf(ours), await rowOf(ended)]).toMatchObject([{ due: false }, { due: true }]);
});

describe('the lease of published deliveries', () => {
  const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
  /** Inserts the lease of a process that ends in that many seconds and covers all deliveries of the account. */
  const lease = (processId: number, endsInSeconds: number) =>
    sql`insert into delivery_leases (id, leased_by, due_at, account_ids, first_id, last_id)
      values (${uuidv7()}, ${processId}, now() + ${endsInSeconds}::float8 * interval '1 second', ${[accountId]},
        '00000000-0000-0000-0000-000000000000', ${highestId})`.execute(database.db);
  const takeOver = () => takeOverExpired({ hot: database.hot });
  const leases = async () => (await sql`select from delivery_leases`.execute(database.db)).rows.length;
  const publish = (stage: 'sent' | 'delivered', subjectId: string) =>
    inTransaction<{ id: string }[]>((tx) =>
      insertDeliveries(tx, {
        events: [stageEvent(accountId, subjectId, stage)],
        busyEndpointIds: [],
        processId: 1,
      }),
    );

  it('that expired makes due what is left of it, and a later stage an hour later', async () => {
    const subjectId = uuidv7();
    const [first, behind] = [
      await delivery('sent', 0, 1, subjectId),
      await delivery('delivered', 3, 1, subjectId),
    ];
    const done = await delivery('sent', 1, 1);
    const ofAnother = await delivery('sent', 0, 2);
    await lease(1, -1);
    expect(await takeOver()).toBe(1);
    expect([await rowOf(first), await rowOf(behind)]).toMatchObject([
      { state: 0, due: true },
      { state: 3, due: false },
    ]);
    expect([await rowOf(done), await rowOf(ofAnother)]).toMatchObject([
      { state: 1, due: null },
      { state: 0, due: null },
    ]);
    expect([await takeOver(), await leases()]).toEqual([0, 0]);
  });

  it('that expired long after the endpoint was deleted leaves dead deliveries, none that are pending for ever', async () => {
    const one = await delivery('sent', 0, 1);
    await lease(1, -600);
    await sql`update endpoints set status = 'deleted', bury_until = now() - interval '1 minute' where id = ${endpointId}`.execute(
      database.db,
    );
    const maintain = () => maintainWebhooks({ db: database.db, log: openLog('silent') });
    expect(await maintain()).toBe(0);
    expect(await takeOver()).toBe(1);
    expect(await maintain()).toBe(1);
    expect(await rowOf(one)).toMatchObject({ state: 2 });
    expect(await maintain()).toBe(0);
    const { rows } = await sql`select bury_until from endpoints where id = ${endpointId}`.execute(
      database.db,
    );
    expect(rows).toEqual([{ bury_until: null }]);
  });

  it('is left alone until it expires, except that of an ended process', async () => {
    const [ours, ended] = [await delivery('sent', 0, 1), await delivery('sent', 0, 2)];
    await lease(1, 10);
    await lease(2, 10);
    expect(await takeOver()).toBe(0);
    expect(await inTransaction<number>((tx) => takeOverFrom(tx, [2]))).toBe(1);
    expect([await rowOf(ours), await rowOf(ended)]).toMatchObject([{ due: null }, { due: true }]);
    expect(await leases()).toBe(1);
  });

  it('gives back nothing that its process records as delivered in the meantime', async () => {
    const late = await delivery('sent', 0, 1);
    await lease(1, -1);
    const recording = await database.hot.startTransaction().execute();
    await completeDeliveries(recording, [{ ...late, status: 200, durationMs: 1, answer: null }]);
    const taken = takeOver();
    await until(async () => {
      const { rows } =
        await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
          database.db,
        );
      expect(rows).toHaveLength(1);
    });
    await recording.commit().execute();
    await taken;
    expect(await rowOf(late)).toMatchObject({ state: 1, due: null });
  });

  it('makes a later stage wait, although its deliveries have no time of their own', async () => {
    const subjectId = uuidv7();
    expect(await publish('sent', subjectId)).toHaveLength(1);
    expect(await publish('delivered', subjectId)).toEqual([]);
    expect(
      await claimDeliveries(database.hot, { perEndpoint: 10, total: 100, except: [], processId: 1 }),
    ).toEqual([]);
  });

  it('covers what one statement published, of every account', async () => {
    const other = await addAccount();
    const events = [accountId, other.accountId].map((id) => stageEvent(id, uuidv7(), 'sent'));
    const published = await inTransaction<{ id: string }[]>((tx) =>
      insertDeliveries(tx, { events, busyEndpointIds: [], processId: 1 }),
    );
    expect(published).toHaveLength(2);
    await sql`update delivery_leases set due_at = now()`.execute(database.db);
    expect(await takeOver()).toBe(1);
    for (const one of published) expect(await rowOf(one)).toEqual({ state: 0, due: true });
  });

  it('does not count deliveries that wait in the database: they have their own time', async () => {
    const subjectId = uuidv7();
    await publish('sent', subjectId);
    await publish('delivered', subjectId);
    expect(await leases()).toBe(1);
    const { rows } = await sql<{ stage: number; due: boolean | null }>`
      select stage, due_at <= now() as due from deliveries order by stage`.execute(database.db);
    expect(rows).toEqual([
      { stage: 3, due: null },
      { stage: 4, due: false },
    ]);
  });
});
