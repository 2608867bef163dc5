// The figures of the database in /metrics: what they count, what they cost, and that none is stale.
import { type RawBuilder, sql } from 'kysely';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { makePartitions } from '../../src/db/partitions.ts';
import { openFigures } from '../../src/operator/figures.ts';
import { countDeliveries, countMessages, limitFigures } from '../../src/operator/figures-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { planOf } from '../harness/plans.ts';
import { insertAccount } from '../harness/rows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await makePartitions(database.db);
});
afterAll(() => database.drop());

const accountId = uuidv7();
const ago = (seconds: number) => sql`now() - ${seconds} * interval '1 second'`;

/** Messages of one sender; `state` as in the table. */
const addMessages = (
  count: number,
  of: { senderId: string; state: number; dueAt: RawBuilder<unknown>; leasedBy?: number },
) =>
  sql`insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, state, priority, due_at, leased_by, expires_at)
    select ${accountId}, uuid7(), ${accountId}, ${of.senderId}, ${accountId}, '15550000000', '{}', ${of.state}, 2, ${of.dueAt},
      ${of.leasedBy ?? null}::int, now() + interval '1 day' from generate_series(1, ${count}::int)`.execute(
    database.db,
  );

const addDeliveries = (
  count: number,
  of: { endpointId: string; state: number; dueAt: RawBuilder<unknown> },
) =>
  sql`insert into deliveries (id, account_id, endpoint_id, subject_id, stage, kind, body, state, due_at)
    select uuid7(), ${accountId}, ${of.endpointId}, uuid7(), 0, 'bookings.status', '{}', ${of.state}, ${of.dueAt} from generate_series(1, ${count}::int)`.execute(
    database.db,
  );

beforeEach(async () => {
  for (const table of ['messages', 'deliveries', 'endpoints', 'accounts'])
    await sql`truncate ${sql.table(table)} cascade`.execute(database.db);
  await insertAccount(database.db, accountId);
});

/** The figures as Prometheus gets them. */
function open(now = () => 0) {
  const registry = new Registry();
  const refresh = openFigures({ db: database.db, registry, now });
  return {
    async read(): Promise<(name: string) => number | undefined> {
      await refresh();
      const text = await registry.metrics();
      const values = new Map(
        [...text.matchAll(/^(gateway_\S+?(?:\{.*\})?) (\S+)$/gm)].map(([, name, value]) => [
          name,
          Number(value),
        ]),
      );
      return (name) => values.get(name);
    },
  };
}

/** Days from today (UTC) until the first day of the month that begins after so many months. */
function daysUntilMonth(months: number): number {
  const now = new Date();
  const [year, month] = [now.getUTCFullYear(), now.getUTCMonth()];
  return (Date.UTC(year, month + months) - Date.UTC(year, month, now.getUTCDate())) / 86_400_000;
}

it('shows pending messages and deliveries by state, with the age of the oldest', async () => {
  const [senderId, endpointId] = [uuidv7(), uuidv7()];
  await sql`insert into endpoints (id, account_id, url, events, secret) values (${endpointId}, ${accountId}, 'https://hooks.example/a?b', '{}', '')`.execute(
    database.db,
  );
  await addMessages(3, { senderId, state: 0, dueAt: ago(100) });
  await addMessages(2, { senderId, state: 0, dueAt: ago(-50), leasedBy: 7 });
  await addMessages(4, { senderId, state: 0, dueAt: ago(-50) });
  await addMessages(5, { senderId, state: 1, dueAt: ago(30), leasedBy: 7 });
  await addMessages(9, { senderId, state: 2, dueAt: sql`null` });
  await addDeliveries(2, { endpointId, state: 0, dueAt: ago(40) });
  await addDeliveries(3, { endpointId, state: 0, dueAt: ago(-70) });
  await addDeliveries(4, { endpointId, state: 4, dueAt: ago(-70) });
  await addDeliveries(1, { endpointId, state: 3, dueAt: ago(-70) });
  const value = await open().read();
  const states = (metric: string, names: string[]) =>
    names.map((state) => value(`${metric}{state="${state}"}`));
  const ofMessages = ['due', 'leased', 'delayed', 'dispatching'];
  expect(states('gateway_messages_pending', ofMessages)).toEqual([3, 2, 4, 5]);
  expect(value('gateway_messages_oldest_seconds{state="due"}')).toBeCloseTo(100, -1);
  // leased for 60 seconds, of which 50 are left
  expect(value('gateway_messages_oldest_seconds{state="leased"}')).toBeCloseTo(10, -1);
  expect(value('gateway_messages_oldest_seconds{state="dispatching"}')).toBeCloseTo(90, -1);
  expect(value(`gateway_sender_messages_pending{sender="${senderId}",name="",state="due"}`)).toBe(3);
  expect(states('gateway_deliveries_pending', ['due', 'leased', 'retrying', 'blocked'])).toEqual([
    2, 3, 4, 1,
  ]);
  const here = `{endpoint="${endpointId}",host="hooks.example",state="due"}`;
  expect(value(`gateway_endpoint_deliveries_pending${here}`)).toBe(2);
  expect(value(`gateway_endpoint_deliveries_oldest_seconds${here}`)).toBeCloseTo(40, -1);
  expect(value('gateway_partition_days_ahead')).toBe(daysUntilMonth(3) - 1);
  expect(value('gateway_database_bytes')).toBeGreaterThan(1_000_000);
  expect(value('gateway_table_bytes{table="messages"}')).toBeGreaterThan(8_192);
  expect(value('gateway_processes')).toBe(0);
  expect(value('gateway_figures_readable')).toBe(1);
});

it('counts what is resting, disabled and held', async () => {
  await sql`insert into endpoints (id, account_id, url, events, secret, status, paused_until) values
    (uuid7(), ${accountId}, 'https://a.example', '{}', '', 'active', now() + interval '1 minute'),
    (uuid7(), ${accountId}, 'https://b.example', '{}', '', 'active', now() - interval '1 minute'),
    (uuid7(), ${accountId}, 'https://c.example', '{}', '', 'disabled', null)`.execute(database.db);
  await sql`update gateway_state set held_since = now()`.execute(database.db);
  const value = await open().read();
  expect(value('gateway_endpoints_resting')).toBe(1);
  expect(value('gateway_endpoints_disabled')).toBe(1);
  expect(value('gateway_held')).toBe(1);
  await sql`update gateway_state set held_since = null`.execute(database.db);
});

it('lists the twenty senders with the most messages, and counts all of them together', async () => {
  const senders = Array.from({ length: 23 }, () => uuidv7());
  for (const [index, senderId] of senders.entries())
    await addMessages(index + 1, { senderId, state: 0, dueAt: ago(1) });
  const value = await open().read();
  const listed = senders.filter(
    (id) => value(`gateway_sender_messages_pending{sender="${id}",name="",state="due"}`) !== undefined,
  );
  expect(listed).toEqual(senders.slice(3));
  expect(value('gateway_messages_pending{state="due"}')).toBe((23 * 24) / 2);
});

it('reads a bounded number of rows, shared by all senders, and never a whole hot table', async () => {
  const [busy, calm] = [uuidv7(), uuidv7()];
  await addMessages(1_000, { senderId: busy, state: 0, dueAt: ago(1) });
  await addMessages(5, { senderId: calm, state: 0, dueAt: ago(1) });
  const counts = new Map((await countMessages(database.db, 400)).map(({ id, count }) => [id, count]));
  expect(counts.get(busy)).toBe(200);
  expect(counts.get(calm)).toBe(5);
  await database.db.transaction().execute(async (tx) => {
    await limitFigures(tx, 2_000);
    for (const count of [countMessages, countDeliveries]) {
      const plan = await planOf(tx, (db) => count(db));
      expect(plan).not.toMatch(/Seq Scan on (messages|deliveries)/);
      expect(plan).toMatch(/Index .*(sender_id_priority_due_at|endpoint_id_due_at)/);
    }
  });
});

it('reads again after ten seconds only, and shows no figure that could not be read', async () => {
  const time = { now: 0 };
  const figures = open(() => time.now);
  expect((await figures.read())('gateway_messages_pending{state="due"}')).toBe(0);
  await addMessages(1, { senderId: uuidv7(), state: 0, dueAt: ago(1) });
  time.now = 9_000;
  expect((await figures.read())('gateway_messages_pending{state="due"}')).toBe(0);
  time.now = 11_000;
  expect((await figures.read())('gateway_messages_pending{state="due"}')).toBe(1);
  // a reading that takes a second is not repeated for fifty
  time.now = 22_000;
  const slow = figures.read();
  time.now = 23_000;
  await slow;
  await addMessages(1, { senderId: uuidv7(), state: 0, dueAt: ago(1) });
  time.now = 60_000;
  expect((await figures.read())('gateway_messages_pending{state="due"}')).toBe(1);
  await sql`alter table gateway_state rename to elsewhere`.execute(database.db);
  time.now = 80_000;
  const value = await figures.read();
  await sql`alter table elsewhere rename to gateway_state`.execute(database.db);
  expect(value('gateway_figures_readable')).toBe(0);
  expect(value('gateway_messages_pending{state="due"}')).toBeUndefined();
  expect(value('gateway_database_bytes')).toBeUndefined();
});

it('counts partitions by day like those by month', async () => {
  // empty months that begin later give way to days; this month stays
  await makePartitions(database.db, 'day');
  const value = await open().read();
  expect(value('gateway_partition_days_ahead')).toBe(Math.max(14, daysUntilMonth(1) - 1));
});
