// Retention beside what other runs left: searches that were stopped or killed, partitions of months and days mixed, and a wrong clock.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { noDays } from '../../src/base/retention-days.ts';
import { dryRun } from '../../src/retention/dry-run.ts';
import { listPartitions, type Partition, watchPartition } from '../../src/retention/partitions-store.ts';
import { removeExpired } from '../../src/retention/retention.ts';
import { databasePerTest } from '../harness/database-per-test.ts';
import {
  announce,
  days,
  daysBefore,
  has,
  noLog as log,
  longAgo,
  makeDay,
  makeMonth,
  now,
  oldDelivery,
  oldMessage,
  oldReceived,
  partitioned,
  partitionsOf,
  removeAll,
} from '../harness/old-rows.ts';
import { insertAccount } from '../harness/rows.ts';

const database = databasePerTest();

describe('a partition', () => {
  it('keeps what stays when another run begins to search it before the drop', async () => {
    const { db } = database;
    const accountId = await insertAccount(db);
    await announce(db);
    const suffix = await makeMonth(db, ['messages'], longAgo());
    const waiting = await oldMessage(db, { accountId, at: longAgo(), endedAt: null });
    await oldMessage(db, { accountId, at: longAgo() });
    const stopped = removeExpired({ db, log, days }, now);
    // every page was read; the process stops for minutes
    await stopped.next();
    const other = removeExpired({ db, log, days }, now);
    const [partition] = await listPartitions(db, ['messages']);
    await watchPartition(db, partition as Partition);
    const { value } = await stopped.next();
    expect([value.partitions, value.busy]).toEqual([[], [`messages${suffix}`]]);
    expect(await has(db, 'messages', waiting)).toBe(true);
    for (let done = false; !done; ) ({ done = false } = await other.next());
    expect(await partitionsOf(db, 'messages')).toEqual([]);
    expect(await has(db, 'messages', waiting)).toBe(true);
    expect((await sql`select from retention_kept`.execute(db)).rows).toEqual([]);
  });

  it('is no longer watched after a crash if it is kept longer now', async () => {
    const { db } = database;
    const accountId = await insertAccount(db);
    await announce(db);
    await makeMonth(db, ['messages'], longAgo());
    const waiting = await oldMessage(db, { accountId, at: longAgo(), endedAt: null });
    const crashed = removeExpired({ db, log, days }, now);
    await crashed.next();
    const triggers = async () =>
      (await sql`select from pg_trigger where tgname = 'retention_keep'`.execute(db)).rows.length;
    expect(await triggers()).toBe(1);
    await removeAll(db, noDays);
    expect(await triggers()).toBe(0);
    expect((await sql`select from retention_kept`.execute(db)).rows).toEqual([]);
    // the process was only stopped: its search no longer counts
    await crashed.next();
    expect(await has(db, 'messages', waiting)).toBe(true);
  });
});

describe('a partition of which too many rows stay', () => {
  /** Inserts queued messages of a time. */
  const insertWaiting = (accountId: string, at: Date, count: number) =>
    sql`
      insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, expires_at, due_at)
      select ${accountId}, (left(uuid7_floor(${at})::text, 24) || lpad(n::text, 12, '0'))::uuid, gen_random_uuid(), gen_random_uuid(),
        gen_random_uuid(), '15550100', '{}', now(), now() from generate_series(1, ${count}::int) n`.execute(
      database.db,
    );

  it('stays, and is searched again a day later, not every hour', async () => {
    const { db } = database;
    const accountId = await insertAccount(db);
    await announce(db);
    const suffix = await makeMonth(db, ['messages'], longAgo());
    await insertWaiting(accountId, longAgo(), 5_001);
    const searches = new Map<string, number>();
    const run = async (hours: number) => {
      const steps = removeExpired({ db, log, days }, daysBefore(now, 1 - hours / 24), searches);
      for (;;) {
        const { done, value } = await steps.next();
        if (done) return value.partitions;
      }
    };
    expect(await run(0)).toEqual([]);
    expect((await sql`select from messages`.execute(db)).rows).toHaveLength(5_001);
    await sql`update messages set due_at = null, failed_at = ${longAgo()}
      where id = (select min(id::text)::uuid from messages)`.execute(db);
    expect(await run(1)).toEqual([]);
    expect(await partitionsOf(db, 'messages')).toEqual([`messages${suffix}`]);
    expect(await run(24)).toEqual([`messages${suffix}`]);
    expect((await sql`select from messages_default`.execute(db)).rows).toHaveLength(5_000);
  });

  it('is not noted row by row once there are too many', async () => {
    const own = database.open({ maxConnections: 1 });
    const accountId = await insertAccount(own);
    await announce(own);
    await makeMonth(own, ['messages'], longAgo());
    await insertWaiting(accountId, longAgo(), 12_000);
    await removeAll(own);
    await sql`select pg_stat_force_next_flush()`.execute(own);
    const { rows } = await sql<{ n: number }>`
      select n_tup_ins::int as n from pg_stat_user_tables where relname = 'retention_kept'`.execute(own);
    // and the row that names the search
    expect(rows).toEqual([{ n: 5_002 }]);
  });
});

describe('partitions of which the switch between months and days left some', () => {
  const names = async () => {
    const all = await Promise.all(partitioned.map((table) => partitionsOf(database.db, table)));
    return all.flat();
  };
  const onlyDeliveries = { ...noDays, deliveries: 30 };

  it('of attempts by day go with the deliveries of their month', async () => {
    const { db } = database;
    const accountId = await insertAccount(db);
    await announce(db, onlyDeliveries);
    const at = longAgo();
    const month = await makeMonth(db, ['deliveries'], at);
    const day = await makeDay(db, ['attempts'], at);
    const waiting = await oldDelivery(db, { accountId, at, endedAt: null, attempts: 2 });
    const ended = await oldDelivery(db, { accountId, at });
    expect((await dryRun(db, onlyDeliveries, now)).partitions).toEqual([
      `deliveries${month}`,
      `attempts${day}`,
    ]);
    expect((await removeAll(db, onlyDeliveries)).partitions).toEqual([`deliveries${month}`]);
    expect(await names()).toEqual([]);
    expect(await has(db, 'attempts', waiting.subjectId)).toBe(true);
    expect(await has(db, 'attempts', ended.subjectId)).toBe(false);
  });

  it('of attempts without deliveries go alone; the attempts of those in the default partition stay', async () => {
    const { db } = database;
    const accountId = await insertAccount(db);
    await announce(db, onlyDeliveries);
    const at = longAgo();
    const suffix = await makeMonth(db, ['attempts'], at);
    const waiting = await oldDelivery(db, { accountId, at, endedAt: null, attempts: 2 });
    expect((await removeAll(db, onlyDeliveries)).partitions).toEqual([`attempts${suffix}`]);
    expect(await names()).toEqual([]);
    expect(await has(db, 'attempts', waiting.subjectId)).toBe(true);
  });
});

describe('a machine whose clock is ahead', () => {
  it("removes by the database's clock", async () => {
    const { db } = database;
    const accountId = await insertAccount(db);
    await announce(db);
    const recent = await oldReceived(db, { accountId, at: daysBefore(now, 29) });
    const old = await oldReceived(db, { accountId, at: daysBefore(now, 31) });
    await removeAll(db, days, daysBefore(now, -60));
    expect(await has(db, 'received_messages', recent)).toBe(true);
    expect(await has(db, 'received_messages', old)).toBe(false);
  });

  it('does not end the week of notice', async () => {
    const { db } = database;
    const accountId = await insertAccount(db);
    const old = await oldReceived(db, { accountId, at: daysBefore(now, 31) });
    await removeAll(db, days, now);
    await removeAll(db, days, daysBefore(now, -60));
    expect(await has(db, 'received_messages', old)).toBe(true);
  });
});
