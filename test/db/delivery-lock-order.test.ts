// The order in which concurrent transactions lock messages and deliveries: none waits for one that waits for it.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import type { Tx } from '../../src/db/db.ts';
import { eraseMessages } from '../../src/erasure/messages-store.ts';
import { eraseDeliveries } from '../../src/erasure/traces-store.ts';
import { stages } from '../../src/webhooks/delivery/delivery.ts';
import { completeDeliveries, leaseNextStages } from '../../src/webhooks/delivery/store.ts';
import { releaseDeliveriesOfProcesses, takeOverExpired } from '../../src/webhooks/delivery/take-over.ts';
import { insertDeliveries } from '../../src/webhooks/publish-store.ts';
import { replayDelivery } from '../../src/webhooks/replay/replay.ts';
import { replayOne } from '../../src/webhooks/replay/store.ts';
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
  await sql`truncate deliveries, delivery_leases, messages`.execute(database.db);
  accountId = await insertAccount(database.db);
  endpointId = await insertEndpoint(database.db, accountId);
});

const [ready, waiting] = [0, 3];

/** Inserts a delivery that process 1 attempts, or one that waits behind it. */
async function delivery(subjectId: string, stage: keyof typeof stages, state: number, id = uuidv7()) {
  const row = { id, subjectId, endpointId, stage: stages[stage] };
  await sql`
    insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, body, state, leased_by)
    values (${row.id}, ${accountId}, ${endpointId}, ${subjectId}, ${row.stage}, 'messages.status', '{}', ${state}, 1)`.execute(
    database.db,
  );
  return { ...row, status: 200, durationMs: 1, answer: null };
}

const lockedOut = (count: number) =>
  until(async () => {
    const { rows } = await sql`select from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db);
    expect(rows).toHaveLength(count);
  });

const inTransaction = <T>(work: (tx: Tx) => Promise<T>, db = database.hot) => db.transaction().execute(work);

/** Runs `other` between two steps of a transaction; neither may be the victim of a deadlock. */
async function beside<T>(
  [first, second]: [(tx: Tx) => Promise<unknown>, (tx: Tx) => Promise<unknown>],
  other: () => Promise<T>,
): Promise<T> {
  const running = await inTransaction(async (tx) => {
    await first(tx);
    const running = other();
    running.catch(() => undefined);
    await lockedOut(1);
    await second(tx);
    return { running };
  });
  return running.running;
}

it.each<[string, (subjectId: string, waitingId: string) => Promise<unknown>]>([
  [
    'a publisher of a further stage',
    (subjectId) =>
      inTransaction((tx) =>
        insertDeliveries(tx, {
          events: [stageEvent(accountId, subjectId, 'read')],
          busyEndpointIds: [],
          processId: 2,
        }),
      ),
  ],
  ['a replay', (_, id) => inTransaction((tx) => replayOne(tx, accountId, id), database.db)],
  ['an erasure', (subjectId) => inTransaction((tx) => eraseDeliveries(tx, [subjectId]), database.db)],
])('the record of a failure leases the stage that overtook it beside %s', async (_, other) => {
  const subjectId = uuidv7();
  const failedId = uuidv7();
  const overtaking = await delivery(subjectId, 'delivered', waiting);
  const failed = await delivery(subjectId, 'failed', ready, failedId);
  await sql`analyze deliveries`.execute(database.db);
  await beside(
    [
      (tx) => completeDeliveries(tx, [failed]),
      async (tx) =>
        expect(await leaseNextStages(tx, [failed], 1)).toMatchObject([{ stage: stages.delivered }]),
    ],
    () => other(subjectId, overtaking.id),
  );
});

/** A step of a transaction that locks one row. */
const lock = (table: 'messages' | 'deliveries', id: string) => (tx: Tx) =>
  sql`select from ${sql.table(table)} where ${sql.ref(table === 'messages' ? 'id' : 'subject_id')} = ${id} for update`.execute(
    tx,
  );

/** Adds the lease of these deliveries of a process, which has expired. */
const lease = (id: string, processId: number, deliveries: { id: string }[]) => {
  const ids = deliveries.map((one) => one.id).sort();
  return sql`insert into delivery_leases (id, leased_by, due_at, account_ids, first_id, last_id)
    values (${id}, ${processId}, now(), ${[accountId]}, ${ids[0]}, ${ids.at(-1)})`.execute(database.db);
};

/** Two messages with a delivery each, whose rows are not in the order of their ids. */
async function twoMessages() {
  const [one, two] = [uuidv7(), uuidv7()] as const;
  const deliveries = [];
  for (const id of [two, one]) {
    await sql`insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, state, expires_at)
      values (${accountId}, ${id}, ${id}, ${id}, ${id}, '15550001', '{}', 2, now())`.execute(database.db);
    deliveries.push(await delivery(id, 'sent', ready));
  }
  await sql`analyze messages, deliveries`.execute(database.db);
  return { one, two, deliveries };
}

it('an erasure locks messages and deliveries in the order of their ids, wherever their rows are', async () => {
  const { one, two } = await twoMessages();
  await beside([lock('messages', one), lock('messages', two)], () =>
    inTransaction((tx) => eraseMessages(tx, accountId, [one, two]), database.db),
  );
  await beside([lock('deliveries', one), lock('deliveries', two)], () =>
    inTransaction((tx) => eraseDeliveries(tx, [one, two]), database.db),
  );
});

it('the end of a lease locks deliveries in the order of their ids, wherever their rows are', async () => {
  const { one, two, deliveries } = await twoMessages();
  await lease(uuidv7(), 1, deliveries);
  const taken = await beside([lock('deliveries', one), lock('deliveries', two)], () =>
    takeOverExpired({ hot: database.hot }),
  );
  expect(taken).toBe(1);
});

it('the release of what an ended process claimed does not keep those waiting who lock what it published', async () => {
  const { one, two, deliveries } = await twoMessages();
  await lease(uuidv7(), 1, deliveries);
  await sql`update deliveries set due_at = now() + interval '1 minute' where subject_id = ${two}`.execute(
    database.db,
  );
  const released = await beside([lock('deliveries', one), lock('deliveries', two)], () =>
    inTransaction((tx) => releaseDeliveriesOfProcesses(tx, [1]), database.db),
  );
  expect(released).toBe(2);
});

it('a lease that expires while its last deliveries are recorded ends once, and no record fails', async () => {
  const [one, two] = [uuidv7(), uuidv7()].sort() as [string, string];
  const done = [await delivery(one, 'sent', ready), await delivery(two, 'sent', ready)];
  const leaseId = uuidv7();
  await lease(leaseId, 1, done);
  const { recording, taking } = await inTransaction(async (tx) => {
    await sql`select from deliveries where subject_id = ${two} for update`.execute(tx);
    // it has recorded the first one and waits for the second
    const recording = completeDeliveries(database.hot, done, [leaseId]);
    recording.catch(() => undefined);
    await lockedOut(1);
    const taking = takeOverExpired({ hot: database.hot });
    taking.catch(() => undefined);
    await lockedOut(2);
    return { recording, taking };
  });
  await recording;
  expect(await taking).toBe(0);
  const { rows } = await sql`select state, due_at from deliveries`.execute(database.db);
  expect(rows).toEqual([
    { state: 1, due_at: null },
    { state: 1, due_at: null },
  ]);
});

it('a replay that is the victim of a deadlock is repeated', async () => {
  const { id } = await delivery(uuidv7(), 'sent', ready);
  await sql`update deliveries set state = 1, delivered_at = now() where id = ${id}`.execute(database.db);
  await sql`create sequence tries`.execute(database.db);
  await sql`create function be_victim() returns trigger language plpgsql as $$
    begin
      if nextval('tries') = 1 then raise sqlstate '40P01'; end if;
      return new;
    end $$`.execute(database.db);
  await sql`create trigger be_victim before update on deliveries for each row execute function be_victim()`.execute(
    database.db,
  );
  const item = await replayDelivery({ db: database.db, clock: systemClock }, { accountId, id });
  expect(item).toMatchObject({ _id: id, status: 'pending' });
  await sql`drop trigger be_victim on deliveries`.execute(database.db);
});
