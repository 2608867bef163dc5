// Retention: what ended long ago is removed, whole partitions at a time, and what still waits stays.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { noDays, type RetentionDays } from '../../src/base/retention-days.ts';
import { openSnapshot } from '../../src/db/snapshot.ts';
import { type Removed, removeExpired } from '../../src/retention/retention.ts';
import {
  endRun,
  findNotices,
  leaseRun,
  putOwnDays,
  recordNotices,
} from '../../src/retention/settings-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import {
  account,
  daysBefore,
  has,
  idAt,
  makeMonth,
  oldDelivery,
  oldMessage,
  oldReceived,
  partitioned,
  partitionsOf,
} from '../harness/old-rows.ts';

const now = new Date();
const log = { info: () => undefined, warn: () => undefined } as never;
const days: RetentionDays = {
  ...noDays,
  messages: 40,
  received: 30,
  deliveries: 30,
  bookings: 10,
  audit: 100,
};

let database: TestDatabase;
const databases: TestDatabase[] = [];
beforeEach(async () => {
  database = await createTestDatabase();
  databases.push(database);
});
afterAll(() => Promise.all(databases.map((one) => one.drop())));

const announced = (of: RetentionDays = days) => recordNotices(database.db, of, daysBefore(now, 8));

async function runAll(of: RetentionDays = days, at = now, db = database.db): Promise<Removed> {
  const steps = removeExpired({ db, log, days: of }, at);
  for (;;) {
    const { done, value } = await steps.next();
    if (done) return value;
  }
}

/** The 15th of a month, four months ago or `more`. */
const longAgo = (more = 0) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 4 - more, 15, 12));

describe('single rows', () => {
  it('go when they ended before the days of their kind, and stay while something waits', async () => {
    const { db } = database;
    const accountId = await account(db);
    await announced();
    const at = (age: number) => daysBefore(now, age);
    const gone = {
      messages: await oldMessage(db, { accountId, at: at(41) }),
      received_messages: await oldReceived(db, { accountId, at: at(31) }),
      attempts: (await oldDelivery(db, { accountId, at: at(31), attempts: 2 })).subjectId,
    };
    const reply = await oldMessage(db, { accountId, at: at(41), userId: 'u1' });
    await sql`insert into user_id_messages values (${accountId}, 'u1', ${reply})`.execute(db);
    await sql`insert into resends (account_id, message_id, new_id) values (${accountId}, ${gone.messages}, ${idAt(at(2))})`.execute(
      db,
    );
    const waiting = await oldMessage(db, { accountId, at: at(80), endedAt: null });
    const readLate = await oldMessage(db, { accountId, at: at(80), endedAt: at(39) });
    const pending = await oldMessage(db, { accountId, at: at(80) });
    const pendingDelivery = await oldDelivery(db, {
      accountId,
      at: at(80),
      endedAt: null,
      subjectId: pending,
    });
    const deliveredLate = await oldDelivery(db, { accountId, at: at(80), endedAt: at(29) });
    const recent = await oldReceived(db, { accountId, at: at(29) });
    const kept: [string, string][] = [
      ['messages', waiting],
      ['messages', readLate],
      ['messages', pending],
      ['attempts', pendingDelivery.subjectId],
      ['deliveries', pendingDelivery.id],
      ['deliveries', deliveredLate.id],
      ['received_messages', recent],
    ];

    const removed = await runAll();

    expect(removed).toMatchObject({ partitions: [], rows: { messages: 2, received: 1, deliveries: 1 } });
    for (const [table, id] of Object.entries(gone))
      expect([table, await has(db, table, id)]).toEqual([table, false]);
    for (const [table, id] of kept) expect([table, await has(db, table, id)]).toEqual([table, true]);
    const { rows } = await sql`select from user_id_messages union all select from resends`.execute(db);
    expect(rows).toEqual([]);
  });

  it('of bookings, audit log, sends and replays go with their own age', async () => {
    const { db } = database;
    const accountId = await account(db);
    await announced();
    const staffId = randomUUID();
    await sql`insert into staff (id, account_id, name) values (${staffId}, ${accountId}, 's')`.execute(db);
    const booking = async (age: number, more: { state?: string; due?: boolean } = {}) => {
      const id = randomUUID();
      const ends = daysBefore(now, age);
      await sql`
        insert into bookings (id, account_id, staff_id, state, starts_at, ends_at, timezone, email, phone_number, source, answers,
          fallback_link, due_at)
        values (${id}, ${accountId}, ${staffId}, ${more.state ?? 'confirmed'}, ${new Date(ends.getTime() - 1_800_000)}, ${ends}, 'UTC',
          'a@example.com', '15550100', 'api', '[]', 'x', ${more.due ? ends : null})`.execute(db);
      return id;
    };
    const bookings = {
      old: await booking(11),
      cancelled: await booking(11, { state: 'cancelled' }),
      pending: await booking(11, { due: true }),
      held: await booking(11, { state: 'held' }),
      recent: await booking(9),
      future: await booking(-20, { state: 'cancelled' }),
    };
    const entry = async (age: number) => {
      const id = idAt(daysBefore(now, age));
      await sql`
        insert into audit_log (account_id, id, actor_kind, action, subject_kind, subject_id, changes)
        values (${accountId}, ${id}, 'system', 'key.created', 'key', ${id}, '{}')`.execute(db);
      return id;
    };
    const [oldEntry, newEntry] = [await entry(101), await entry(99)];
    const send = async (age: number, isOpen = false) => {
      const id = idAt(daysBefore(now, age));
      await sql`
        insert into sends (account_id, id, sender_id, template_id, template_name, language, total, created_at, is_open)
        values (${accountId}, ${id}, ${id}, ${id}, 't', 'en', 1, ${daysBefore(now, age)}, ${isOpen})`.execute(
        db,
      );
      return id;
    };
    const sends = {
      old: await send(41),
      draft: await send(41, true),
      recent: await send(39),
      used: await send(90),
    };
    await oldMessage(db, { accountId, at: daysBefore(now, 80), endedAt: null, sendId: sends.used });

    const { rows } = await runAll();

    expect(rows).toMatchObject({ bookings: 2, audit: 1, sends: 1 });
    const left = await Promise.all(
      Object.entries(bookings).map(async ([name, id]) => [name, await has(db, 'bookings', id)]),
    );
    expect(Object.fromEntries(left)).toEqual({
      old: false,
      cancelled: false,
      pending: true,
      held: true,
      recent: true,
      future: true,
    });
    expect([await has(db, 'audit_log', oldEntry), await has(db, 'audit_log', newEntry)]).toEqual([
      false,
      true,
    ]);
    const leftSends = await Promise.all(
      Object.entries(sends).map(async ([name, id]) => [name, await has(db, 'sends', id)]),
    );
    expect(Object.fromEntries(leftSends)).toEqual({ old: false, draft: true, recent: true, used: true });
  });

  it('of an account that keeps less go earlier, and never later than the gateway keeps them', async () => {
    const { db } = database;
    await announced();
    const [less, more] = [await account(db), await account(db)];
    await db.transaction().execute((tx) => putOwnDays(tx, less, { ...noDays, messages: 35, received: 8 }));
    // stored when the gateway kept more
    await db.transaction().execute((tx) => putOwnDays(tx, more, { ...noDays, messages: 90 }));
    const at = (age: number) => daysBefore(now, age);
    const of = async (accountId: string) => ({
      m36: await oldMessage(db, { accountId, at: at(36) }),
      m41: await oldMessage(db, { accountId, at: at(41) }),
      r9: await oldReceived(db, { accountId, at: at(9) }),
    });
    const [a, b] = [await of(less), await of(more)];
    await runAll();
    expect([await has(db, 'messages', a.m36), await has(db, 'received_messages', a.r9)]).toEqual([
      false,
      false,
    ]);
    expect([await has(db, 'messages', b.m36), await has(db, 'received_messages', b.r9)]).toEqual([
      true,
      true,
    ]);
    expect(await has(db, 'messages', b.m41)).toBe(false);
  });
});

describe('a partition', () => {
  it('is dropped when nobody keeps its rows; those that stay move to the default partition', async () => {
    const { db } = database;
    const accountId = await account(db);
    await announced();
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

    const removed = await runAll();

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
    expect((await runAll()).rows).toMatchObject({ messages: 3, deliveries: 1 });
  });

  it('is not dropped while one account keeps its rows; the others lose theirs one by one', async () => {
    const { db } = database;
    const [forever, less] = [await account(db), await account(db)];
    await announced(noDays);
    await db.transaction().execute((tx) => putOwnDays(tx, less, { ...noDays, messages: 31, deliveries: 31 }));
    const suffix = await makeMonth(db, ['messages'], longAgo());
    const kept = await oldMessage(db, { accountId: forever, at: longAgo() });
    const gone = await oldMessage(db, { accountId: less, at: longAgo() });
    const { subjectId } = await oldDelivery(db, { accountId: less, at: longAgo() });
    expect(await runAll(noDays)).toMatchObject({ partitions: [], rows: { messages: 1, deliveries: 1 } });
    expect(await has(db, 'attempts', subjectId)).toBe(false);
    expect([await has(db, 'messages', kept), await has(db, 'messages', gone)]).toEqual([true, false]);
    expect(await partitionsOf(db, 'messages')).toContain(`messages${suffix}`);
  });

  it('keeps what is written to it between the search and the drop', async () => {
    const { db } = database;
    const accountId = await account(db);
    await announced();
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
    const accountId = await account(db);
    await announced();
    const suffix = await makeMonth(db, ['messages'], longAgo());
    await oldMessage(db, { accountId, at: longAgo() });
    const busy = { partitions: [], busy: [`messages${suffix}`] };
    const run = () => runAll({ ...noDays, messages: 40 });
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
    const accountId = await account(db);
    await announced();
    const suffix = await makeMonth(db, ['messages'], longAgo());
    await oldMessage(db, { accountId, at: longAgo() });
    await db.transaction().execute(async (tx) => {
      await sql`select from messages`.execute(tx);
      const running = runAll();
      expect((await running).busy).toEqual([`messages${suffix}`]);
    });
    expect((await runAll()).partitions).toEqual([`messages${suffix}`]);
  });

  it('goes the same way whatever step a crash interrupts', async () => {
    const { db } = database;
    const accountId = await account(db);
    await announced();
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

describe('a removal', () => {
  it('begins a week after its announcement, and again a week after fewer days were announced', async () => {
    const { db } = database;
    const accountId = await account(db);
    const old = await oldMessage(db, { accountId, at: daysBefore(now, 41) });
    const lines: unknown[] = [];
    const announcing = removeExpired(
      { db, days, log: { warn: (line: unknown) => lines.push(line) } as never },
      now,
    );
    for (let done = false; !done; ) ({ done = false } = await announcing.next());
    expect(lines).toContainEqual({ kind: 'messages', days: 40, from: daysBefore(now, -7).toISOString() });
    expect(await has(db, 'messages', old)).toBe(true);
    expect((await runAll(days, daysBefore(now, -6))).rows).toEqual({});
    // a process with other settings, and then this one again: the week begins anew
    await runAll({ ...days, messages: 90 }, daysBefore(now, -6));
    expect((await runAll(days, daysBefore(now, -7.1))).rows).not.toMatchObject({ messages: 1 });
    expect((await findNotices(db)).messages?.firstAnnouncedAt).toEqual(now);
    expect((await runAll(days, daysBefore(now, -15))).rows).toMatchObject({ messages: 1 });
  });

  it('does not begin within a week after a clock was put forward', async () => {
    const { db } = database;
    const accountId = await account(db);
    await announced();
    await oldMessage(db, { accountId, at: daysBefore(now, 41) });
    await sql`insert into clock_steps (clock, machine, seconds, noticed_at) values ('machine', 'm', 40000, ${daysBefore(now, 6)})`.execute(
      db,
    );
    expect((await runAll()).rows).toEqual({});
    await sql`update clock_steps set noticed_at = ${daysBefore(now, 8)}`.execute(db);
    expect((await runAll()).rows).toMatchObject({ messages: 1 });
  });

  it('is done by one process at a time, while the gateway is not held', async () => {
    const { db } = database;
    expect([await leaseRun(db, 1), await leaseRun(db, 2), await leaseRun(db, 1)]).toEqual([
      true,
      false,
      true,
    ]);
    // the process died
    await sql`update retention_runs set leased_until = now()`.execute(db);
    expect([await leaseRun(db, 2), await leaseRun(db, 1)]).toEqual([true, false]);
    await endRun(db, 2, 3_600);
    expect(await leaseRun(db, 1)).toBe(false);
    await sql`update retention_runs set due_at = now()`.execute(db);
    await sql`update gateway_state set held_since = now()`.execute(db);
    expect(await leaseRun(db, 1)).toBe(false);
  });
});
