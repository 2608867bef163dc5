// State changes of deliveries: allowed states, order, and rows that must stay unchanged.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { failuresToBackOff } from '../../src/webhooks/delivery/delivery.ts';
import {
  claimDeliveries,
  failDeliveries,
  findLaterStages,
  recordEndpointFailures,
  releaseDeliveriesOf,
  releaseLeases,
} from '../../src/webhooks/delivery/store.ts';
import { recoverDeliveries } from '../../src/webhooks/maintenance/store.ts';
import { insertDeliveries } from '../../src/webhooks/publish-store.ts';
import { findReplay, insertReplay, replayOne, replayStep } from '../../src/webhooks/replay/store.ts';
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
  await sql`delete from deliveries`.execute(database.db);
  accountId = await insertAccount(database.db);
  endpointId = await insertEndpoint(database.db, accountId);
});

const stages = { sent: 3, delivered: 4, read: 5, failed: 6 } as const;
interface Row {
  id: string;
  stage: number;
  state: number;
  due: boolean | null;
}

/** Inserts a delivery in a state (0 due or leased, 1 delivered, 2 dead, 3 behind an earlier stage, 4 failed), due in that many seconds. */
async function delivery(
  stage: keyof typeof stages,
  state: number,
  dueInSeconds: number | null,
  { subjectId = uuidv7(), leasedBy = null as number | null } = {},
) {
  const id = uuidv7();
  await sql`
    insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, body, state, due_at, leased_by)
    values (${id}, ${accountId}, ${endpointId}, ${subjectId}, ${stages[stage]}, 'messages.status', '{}', ${state},
      now() + ${dueInSeconds}::float8 * interval '1 second', ${leasedBy})`.execute(database.db);
  return { id, subjectId, endpointId, stage: stages[stage] };
}

async function rowOf({ id }: { id: string }): Promise<Row | undefined> {
  const { rows } = await sql<Row>`
    select id, stage, state, due_at <= now() as due from deliveries where id = ${id}`.execute(database.db);
  return rows[0];
}

const claim = (perEndpoint = 10) =>
  claimDeliveries(database.hot, { perEndpoint, total: 100, except: [], processId: 1 });
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);
const inTransaction = <T>(run: Parameters<ReturnType<TestDatabase['hot']['transaction']>['execute']>[0]) =>
  database.hot.transaction().execute(run) as Promise<T>;

describe('a claim', () => {
  it('skips deliveries that another process has locked, without waiting for them', async () => {
    const [first, second] = [await delivery('sent', 0, -2), await delivery('sent', 0, -1)];
    await database.db.transaction().execute(async (tx) => {
      await sql`select from deliveries where id = ${first.id} for update`.execute(tx);
      expect(idsOf(await claim())).toEqual([second.id]);
    });
    expect(idsOf(await claim())).toEqual([first.id]);
  });

  it('returns the oldest deliveries of an endpoint first', async () => {
    const late = await delivery('sent', 0, -1);
    const early = await delivery('sent', 4, -60);
    expect(idsOf(await claim(1))).toEqual([early.id]);
    expect(idsOf(await claim(1))).toEqual([late.id]);
  });
});

describe('a claim skips deliveries', () => {
  const setEndpoint = (columns: string) =>
    sql.raw(`update endpoints set ${columns} where id = '${endpointId}'`).execute(database.db);

  it.each([
    ['of a paused endpoint', "status = 'paused'", "status = 'active'"],
    ['of a resting endpoint', "paused_until = now() + interval '1 minute'", 'paused_until = now()'],
  ])('%s', async (_which, before, afterwards) => {
    const due = await delivery('sent', 0, -1);
    await setEndpoint(before);
    expect(await claim()).toEqual([]);
    await setEndpoint(afterwards);
    expect(idsOf(await claim())).toEqual([due.id]);
  });
});

describe('a claim returns later stages with the first one', () => {
  const laterThan = async (head: Awaited<ReturnType<typeof delivery>>) => {
    const found = await findLaterStages(database.hot, [
      { ...head, body: '', failedAttempts: 0, version: 1, failures: 0 },
    ]);
    return idsOf(found);
  };

  it('only if they wait for it, not if they were delivered or are due themselves', async () => {
    const head = await delivery('sent', 0, 60);
    const { subjectId } = head;
    await delivery('delivered', 1, null, { subjectId });
    const behind = await delivery('read', 3, 60, { subjectId });
    expect(await laterThan(head)).toEqual([behind.id]);
    await sql`update deliveries set state = 1, due_at = null where id = ${behind.id}`.execute(database.db);
    expect(await laterThan(head)).toEqual([]);
  });

  it('only if no other pending stage precedes them', async () => {
    const head = await delivery('sent', 0, 60);
    const { subjectId } = head;
    await delivery('delivered', 4, 60, { subjectId });
    await delivery('read', 3, 60, { subjectId });
    expect(await laterThan(head)).toEqual([]);
  });
});

describe('a failure', () => {
  const failure = { status: 500, reason: 'status' as const, durationMs: 1, answer: null, detail: null };
  const fail = (key: Awaited<ReturnType<typeof delivery>>, delayMs: number | undefined) =>
    inTransaction<void>((tx) =>
      failDeliveries(tx, [{ ...key, ...failure, delayMs, retryAfterMs: 0, timestampSeconds: 1_773_151_200 }]),
    );

  it('that is recorded late does not change a delivered or dead delivery', async () => {
    const dead = await delivery('sent', 2, null);
    const done = await delivery('sent', 1, null);
    for (const ended of [dead, done]) await fail(ended, 1_000);
    expect(await rowOf(dead)).toMatchObject({ state: 2, due: null });
    expect(await rowOf(done)).toMatchObject({ state: 1, due: null });
  });

  it('does not change a deleted or disabled endpoint', async () => {
    for (const status of ['disabled', 'deleted']) {
      await sql`update endpoints set status = ${status}, disabled_reason = 'gone' where id = ${endpointId}`.execute(
        database.db,
      );
      const trouble = { endpointId, failures: 20, gone: true, retryAfterMs: 0 };
      expect(await inTransaction<unknown[]>((tx) => recordEndpointFailures(tx, [trouble]))).toEqual([]);
      const { rows } = await sql`select status, failures from endpoints where id = ${endpointId}`.execute(
        database.db,
      );
      expect(rows).toEqual([{ status, failures: 0 }]);
    }
  });
});

describe('releasing a lease', () => {
  it('makes the delivery due, but not one that waits for its retry or for an earlier stage', async () => {
    const leasedBy = 7;
    const leased = await delivery('sent', 0, 60, { leasedBy });
    const waiting = await delivery('sent', 4, 60, { leasedBy });
    const behind = await delivery('delivered', 3, 60, { leasedBy, subjectId: leased.subjectId });
    await releaseLeases(database.hot, [leased, waiting, behind], leasedBy);
    expect(await rowOf(leased)).toMatchObject({ state: 0, due: true });
    expect(await rowOf(waiting)).toMatchObject({ state: 4, due: false });
    expect(await rowOf(behind)).toMatchObject({ state: 3, due: false });
  });

  it('does not free a delivery that another process has leased since, and attempts now', async () => {
    const claimed = await delivery('sent', 0, 60, { leasedBy: 8 });
    const published = await delivery('sent', 3, null, { leasedBy: 8 });
    await releaseLeases(database.hot, [claimed, published], 7);
    expect(await rowOf(claimed)).toMatchObject({ state: 0, due: false });
    expect(await rowOf(published)).toMatchObject({ state: 3, due: null });
  });

  it('of an ended process does not change its retries and later stages', async () => {
    const leased = await delivery('sent', 0, 60, { leasedBy: 7 });
    const ofAnother = await delivery('sent', 0, 60, { leasedBy: 8 });
    const waiting = await delivery('sent', 4, 60, { leasedBy: 7 });
    const behind = await delivery('delivered', 3, 60, { subjectId: leased.subjectId, leasedBy: 7 });
    expect(await inTransaction<number>((tx) => releaseDeliveriesOf(tx, [7]))).toBe(1);
    expect(await rowOf(leased)).toMatchObject({ due: true });
    for (const one of [ofAnother, waiting, behind]) expect(await rowOf(one)).toMatchObject({ due: false });
  });
});

describe('a replay', () => {
  it('repeats delivered and dead deliveries, not pending ones', async () => {
    const pending = await delivery('sent', 0, 60);
    const delivered = await delivery('sent', 1, null);
    await sql`update deliveries set delivered_at = now() where id = ${delivered.id}`.execute(database.db);
    for (const { id } of [pending, delivered])
      expect(await inTransaction<boolean>((tx) => replayOne(tx, accountId, id))).toBe(true);
    expect(await rowOf(pending)).toMatchObject({ due: false });
    expect(await rowOf(delivered)).toMatchObject({ state: 0, due: true });
  });

  it('leaves a delivery alone that starts while the replay waits for its row', async () => {
    const failed = await delivery('sent', 4, 60);
    const started = await database.db.transaction().execute(async (tx) => {
      await sql`update deliveries set state = 0, due_at = now() + interval '60 seconds' where id = ${failed.id}`.execute(
        tx,
      );
      const replaying = inTransaction<boolean>((own) => replayOne(own, accountId, failed.id));
      const waiting = async () =>
        (
          await sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(
            database.db,
          )
        ).rows;
      await expect.poll(waiting).toHaveLength(1);
      return { replaying };
    });
    expect(await started.replaying).toBe(true);
    expect(await rowOf(failed)).toMatchObject({ state: 0, due: false });
  });

  it('begins a new retry schedule', async () => {
    const dead = await delivery('sent', 2, null);
    await sql`update deliveries set attempts = 10 where id = ${dead.id}`.execute(database.db);
    await inTransaction<boolean>((tx) => replayOne(tx, accountId, dead.id));
    expect(await claim()).toMatchObject([{ id: dead.id, failedAttempts: 0 }]);
  });
});

describe('a step of a replay', () => {
  it('is left to the process that performs it, without waiting for it', async () => {
    const delivered = await delivery('sent', 1, null);
    await sql`update deliveries set delivered_at = now() where id = ${delivered.id}`.execute(database.db);
    const id = uuidv7();
    const range = { from: new Date(Date.now() - 60_000), to: new Date(Date.now() + 60_000) };
    await inTransaction<void>((tx) => insertReplay(tx, { id, accountId, endpointId, ...range, states: [1] }));
    const step = () => inTransaction<number>((tx) => replayStep(tx, id, 10));
    await database.db.transaction().execute(async (tx) => {
      await sql`select from replays where id = ${id} for update`.execute(tx);
      expect(await step()).toBe(0);
    });
    expect(await rowOf(delivered)).toMatchObject({ state: 1 });
    expect(await step()).toBe(1);
    expect(await step()).toBe(0);
    expect(await inTransaction<unknown>((tx) => findReplay(tx, id))).toMatchObject({ replayed: 1 });
  });
});

describe('a recovery', () => {
  /** A delivery that failed so many seconds ago, and whose retry is an hour ahead. */
  const failed = async (secondsAgo: number) => {
    const key = await delivery('sent', 4, 3_600);
    await sql`update deliveries set last_attempt_at = now() - ${secondsAgo}::int * interval '1 second', attempts = 1
      where id = ${key.id}`.execute(database.db);
    return key;
  };

  it('brings forward what failed before the success, and nothing that failed since', async () => {
    const before = await failed(120);
    const since = await failed(30);
    const recoveredAt = new Date(Date.now() - 60_000);
    const recover = () => inTransaction<unknown>((tx) => recoverDeliveries(tx, endpointId, recoveredAt, 10));
    expect(await recover()).toEqual({ due: 1, left: 0 });
    expect(await rowOf(before)).toMatchObject({ due: true });
    expect(await rowOf(since)).toMatchObject({ due: false });
    expect(await recover()).toEqual({ due: 0, left: 0 });
  });
});

describe('publishing', () => {
  const events = () => [stageEvent(accountId, uuidv7(), 'sent')];
  const publish = () =>
    inTransaction<{ id: string }[]>((tx) =>
      insertDeliveries(tx, { events: events(), busyEndpointIds: [], processId: 1 }),
    );

  it('inserts nothing for a deleted endpoint', async () => {
    await sql`update endpoints set status = 'deleted' where id = ${endpointId}`.execute(database.db);
    expect(await publish()).toEqual([]);
    const { rows } = await sql`select from deliveries`.execute(database.db);
    expect(rows).toEqual([]);
  });

  it('leases nothing to the publisher while the endpoint rests: one probe at a time is enough', async () => {
    expect(await publish()).toHaveLength(1);
    await sql`update endpoints set failures = ${failuresToBackOff} where id = ${endpointId}`.execute(
      database.db,
    );
    expect(await publish()).toEqual([]);
    const { rows } = await sql<{ due: boolean }>`
      select due_at <= now() as due from deliveries order by id desc limit 1`.execute(database.db);
    expect(rows).toEqual([{ due: true }]);
  });
});
