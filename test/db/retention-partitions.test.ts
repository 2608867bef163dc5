// Retention by partition: dropped when nobody keeps its rows, and without losing what waits or is written in the meantime.
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { noDays } from '../../src/base/retention-days.ts';
import { makePartitions } from '../../src/db/partitions.ts';
import { openSnapshot } from '../../src/db/snapshot.ts';
import { dryRun } from '../../src/retention/dry-run.ts';
import { removeExpired } from '../../src/retention/retention.ts';
import { putOwnDays } from '../../src/retention/settings-store.ts';
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
  it('is dropped when nobody keeps its rows; those that stay move to the default partition', async () => {
    const { db } = database;
    const accountId = await insertAccount(db);
    await announce(db);
    const suffix = await makeMonth(db, partitioned, longAgo());
    const at = longAgo();
    const ended = await oldMessage(db, { accountId, at });
    const waiting = await oldMessage(db, { accountId, at, endedAt: null });
    const readLate = await oldMessage(db, { accountId, at, endedAt: daysBefore(now, 1) });
    const withDelivery = await oldMessage(db, { accountId, at });
    const delivery = await oldDelivery(db, {
      accountId,
      at,
      endedAt: null,
      subjectId: withDelivery,
      attempts: 3,
    });
    const dead = await oldDelivery(db, { accountId, at, attempts: 2 });
    const received = await oldReceived(db, { accountId, at });

    const removed = await removeAll(db);

    expect(removed.partitions.sort()).toEqual(
      [`deliveries${suffix}`, `messages${suffix}`, `received_messages${suffix}`].sort(),
    );
    for (const table of partitioned) expect(await partitionsOf(db, table)).not.toContain(`${table}${suffix}`);
    for (const id of [waiting, readLate, withDelivery]) expect(await has(db, 'messages', id)).toBe(true);
    expect(await has(db, 'deliveries', delivery.id)).toBe(true);
    const { rows } = await sql<{ n: number }>`
      select count(*)::int as n from attempts where subject_id = ${delivery.subjectId}`.execute(db);
    expect(rows).toEqual([{ n: 3 }]);
    expect(await has(db, 'messages', ended)).toBe(false);
    expect(await has(db, 'deliveries', dead.id)).toBe(false);
    expect(await has(db, 'attempts', dead.subjectId)).toBe(false);
    expect(await has(db, 'received_messages', received)).toBe(false);
    expect((await sql`select from retention_kept`.execute(db)).rows).toEqual([]);
    // the moved rows go later, as any other
    await sql`update messages set due_at = null, delivered_at = ${at}`.execute(db);
    await sql`update deliveries set due_at = null, state = 1, delivered_at = ${at}`.execute(db);
    expect((await removeAll(db)).rows).toMatchObject({ messages: 3, deliveries: 1 });
  });

  it('is not dropped while one account keeps its rows; the others lose theirs one by one', async () => {
    const { db } = database;
    const [forever, less] = [await insertAccount(db), await insertAccount(db)];
    await announce(db, noDays);
    await db.transaction().execute((tx) => putOwnDays(tx, less, { ...noDays, messages: 31, deliveries: 31 }));
    const suffix = await makeMonth(db, ['messages'], longAgo());
    const kept = await oldMessage(db, { accountId: forever, at: longAgo() });
    const gone = await oldMessage(db, { accountId: less, at: longAgo() });
    const { subjectId } = await oldDelivery(db, { accountId: less, at: longAgo() });
    expect(await removeAll(db, noDays)).toMatchObject({
      partitions: [],
      rows: { messages: 1, deliveries: 1 },
    });
    expect(await has(db, 'attempts', subjectId)).toBe(false);
    expect([await has(db, 'messages', kept), await has(db, 'messages', gone)]).toEqual([true, false]);
    expect(await partitionsOf(db, 'messages')).toContain(`messages${suffix}`);
  });

  it('keeps what is written to it between the search and the drop', async () => {
    const { db } = database;
    const accountId = await insertAccount(db);
    await announce(db);
    await makeMonth(db, ['messages'], longAgo());
    const at = longAgo();
    const reported = await oldMessage(db, { accountId, at });
    const steps = removeExpired({ db, log, days }, now);
    // the search has read every page
    await steps.next();
    const fed = await oldMessage(db, { accountId, at, endedAt: null });
    await sql`update messages set due_at = null, accepted_at = ${now}, state = 2 where id = ${fed}`.execute(
      db,
    );
    await sql`update messages set read_at = ${now}, state = 5 where id = ${reported}`.execute(db);
    for (let done = false; !done; ) ({ done = false } = await steps.next());
    expect(await partitionsOf(db, 'messages')).toEqual([]);
    expect([await has(db, 'messages', fed), await has(db, 'messages', reported)]).toEqual([true, true]);
  });

  it('is not dropped while a backup reads the database', async () => {
    const { db } = database;
    const accountId = await insertAccount(db);
    await announce(db);
    const suffix = await makeMonth(db, ['messages'], longAgo());
    await oldMessage(db, { accountId, at: longAgo() });
    const busy = { partitions: [], busy: [`messages${suffix}`] };
    const run = () => removeAll(db, { ...noDays, messages: 40 });
    const snapshot = await openSnapshot(database.connection, {
      maxMs: 60_000,
      // from here on; the transaction itself locks the partitions only a moment later
      onLocked: async () => expect(await run()).toMatchObject(busy),
    });
    expect(await run()).toMatchObject(busy);
    await snapshot?.end();
    await snapshot?.close();
    expect(await partitionsOf(db, 'messages')).toEqual([`messages${suffix}`]);
    await expect.poll(run).toMatchObject({ partitions: [`messages${suffix}`] });
  });

  it('waits for the next run if its locks are not free, and stops nobody for longer than a moment', async () => {
    const { db } = database;
    const accountId = await insertAccount(db);
    await announce(db);
    const suffix = await makeMonth(db, ['messages'], longAgo());
    await oldMessage(db, { accountId, at: longAgo() });
    await db.transaction().execute(async (tx) => {
      await sql`select from messages`.execute(tx);
      const running = removeAll(db);
      expect((await running).busy).toEqual([`messages${suffix}`]);
    });
    expect((await removeAll(db)).partitions).toEqual([`messages${suffix}`]);
  });

  it('goes the same way whatever step a crash interrupts', async () => {
    const { db } = database;
    const accountId = await insertAccount(db);
    await announce(db);
    const at = longAgo();
    await makeMonth(db, partitioned, at);
    const waiting = await oldMessage(db, { accountId, at, endedAt: null });
    const message = await oldMessage(db, { accountId, at });
    await oldDelivery(db, { accountId, at, subjectId: message });
    await oldMessage(db, { accountId, at: daysBefore(now, 41) });
    for (let crashAfter = 0; ; crashAfter += 1) {
      const steps = removeExpired({ db, log, days }, now);
      let done: boolean | undefined = false;
      for (let step = 0; step <= crashAfter && !done; step += 1) ({ done } = await steps.next());
      expect(await has(db, 'messages', waiting)).toBe(true);
      if (done) break;
      await steps.return(undefined as never);
    }
    const { rows } = await sql<{ n: number }>`
      select (select count(*) from messages)::int + (select count(*) from deliveries)::int + (select count(*) from attempts)::int as n`.execute(
      db,
    );
    expect(rows).toEqual([{ n: 1 }]);
  });
});

describe('partitions by day', () => {
  it('are dropped whole once no account keeps their rows; the days that one keeps lose the rows of the others in batches', async () => {
    const { db } = database;
    const [longer, shorter] = [await insertAccount(db), await insertAccount(db)];
    const days = { ...noDays, messages: 40, received: 40, deliveries: 40 };
    await announce(db, days);
    const own = { ...noDays, messages: 31, received: 10, deliveries: 10 };
    await db.transaction().execute((tx) => putOwnDays(tx, shorter, own));
    // noon: every row is of one day
    const noon = (age: number) => new Date(daysBefore(now, age).setUTCHours(12, 0, 0, 0));
    const [gone, kept, recent] = [noon(45), noon(35), noon(5)];
    const [goneDay, keptDay] = [await makeDay(db, partitioned, gone), await makeDay(db, partitioned, kept)];
    await makeDay(db, partitioned, recent);
    await makePartitions(db, 'day');
    const rowsAt = async (accountId: string, at: Date) => {
      const message = await oldMessage(db, { accountId, at });
      const { id, subjectId } = await oldDelivery(db, { accountId, at, subjectId: message });
      return [message, await oldReceived(db, { accountId, at }), id, subjectId] as const;
    };
    const all: (readonly [string, string, string, string])[] = [];
    for (const at of [gone, kept, recent]) for (const id of [longer, shorter]) all.push(await rowsAt(id, at));
    const waiting = await oldMessage(db, { accountId: longer, at: gone, endedAt: null });
    // more than one batch of 1,000
    await sql`
      insert into received_messages (account_id, id, sender_id, message_ref, person, phone, name, type, content, received_at)
      select ${shorter}, (left(uuid7_floor(${kept})::text, 24) || lpad(n::text, 12, '0'))::uuid, gen_random_uuid(), n::text, '15550100',
        '15550100', 'Ada', 'text', '{}', ${kept} from generate_series(1, 2500) n`.execute(db);
    const planned = await dryRun(db, days, now);

    let before = 0;
    let batches = 0;
    const steps = removeExpired({ db, log, days }, now);
    for (let step = await steps.next(); ; step = await steps.next()) {
      const received = step.value.rows.received ?? 0;
      expect(received - before).toBeLessThanOrEqual(1_000);
      if (received > before) batches += 1;
      before = received;
      if (!step.done) continue;
      const { partitions, rows } = step.value;
      expect(planned.partitions.sort()).toEqual(partitioned.map((table) => `${table}${goneDay}`).sort());
      expect(partitions.sort()).toEqual(
        ['deliveries', 'messages', 'received_messages'].map((table) => `${table}${goneDay}`),
      );
      expect(rows).toMatchObject({ messages: 1, deliveries: 1, received: 2_501 });
      break;
    }
    expect(batches).toBeGreaterThanOrEqual(3);
    const tables = ['messages', 'received_messages', 'deliveries', 'attempts'];
    const there = await Promise.all(
      all.map((ids) => Promise.all(ids.map((id, index) => has(db, tables[index] as string, id)))),
    );
    const none = [false, false, false, false];
    const every = [true, true, true, true];
    expect(there).toEqual([none, none, every, none, every, every]);
    expect(await has(db, 'messages', waiting)).toBe(true);
    // the dropped days do not come back, those that one account keeps stay
    expect(await makePartitions(db, 'day')).toBe(0);
    for (const table of partitioned) {
      const names = await partitionsOf(db, table);
      expect([names.includes(`${table}${goneDay}`), names.includes(`${table}${keptDay}`)]).toEqual([
        false,
        true,
      ]);
    }
  });
});
