// Retention: what ended long ago is removed, a row at a time, and what still waits stays.
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { noDays } from '../../src/base/retention-days.ts';
import { removeExpired } from '../../src/retention/retention.ts';
import { endRun, findNotices, leaseRun, putOwnDays } from '../../src/retention/settings-store.ts';
import { databasePerTest } from '../harness/database-per-test.ts';
import {
  announce,
  days,
  daysBefore,
  has,
  idAt,
  now,
  oldDelivery,
  oldMessage,
  oldReceived,
  removeAll,
} from '../harness/old-rows.ts';
import { insertAccount } from '../harness/rows.ts';

const database = databasePerTest();

describe('single rows', () => {
  it('go when they ended before the days of their kind, and stay while something waits', async () => {
    const { db } = database;
    const accountId = await insertAccount(db);
    await announce(db);
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

    const removed = await removeAll(db);

    expect(removed).toMatchObject({ partitions: [], rows: { messages: 2, received: 1, deliveries: 1 } });
    for (const [table, id] of Object.entries(gone))
      expect([table, await has(db, table, id)]).toEqual([table, false]);
    for (const [table, id] of kept) expect([table, await has(db, table, id)]).toEqual([table, true]);
    const { rows } = await sql`select from user_id_messages union all select from resends`.execute(db);
    expect(rows).toEqual([]);
  });

  it('of bookings, audit log, sends and replays go with their own age', async () => {
    const { db } = database;
    const accountId = await insertAccount(db);
    await announce(db);
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

    const { rows } = await removeAll(db);

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
    await announce(db);
    const [less, more] = [await insertAccount(db), await insertAccount(db)];
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
    await removeAll(db);
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

describe('a removal', () => {
  it('begins a week after its announcement, and again a week after fewer days were announced', async () => {
    const { db } = database;
    const accountId = await insertAccount(db);
    const began = daysBefore(now, 16);
    const later = (count: number) => daysBefore(began, -count);
    const old = await oldMessage(db, { accountId, at: daysBefore(began, 41) });
    const lines: unknown[] = [];
    const announcing = removeExpired(
      { db, days, log: { warn: (line: unknown) => lines.push(line) } as never },
      began,
    );
    for (let done = false; !done; ) ({ done = false } = await announcing.next());
    expect(lines).toContainEqual({ kind: 'messages', days: 40, from: later(7).toISOString() });
    expect(await has(db, 'messages', old)).toBe(true);
    expect((await removeAll(db, days, later(6))).rows).toEqual({});
    // a process with other settings, and then this one again: the week begins anew
    await removeAll(db, { ...days, messages: 90 }, later(6));
    expect((await removeAll(db, days, later(7.1))).rows).not.toMatchObject({ messages: 1 });
    expect((await findNotices(db)).messages?.firstAnnouncedAt).toEqual(began);
    expect((await removeAll(db, days, later(15))).rows).toMatchObject({ messages: 1 });
  });

  it('does not begin within a week after a clock was put forward', async () => {
    const { db } = database;
    const accountId = await insertAccount(db);
    await announce(db);
    await oldMessage(db, { accountId, at: daysBefore(now, 41) });
    await sql`insert into clock_steps (clock, machine, seconds, noticed_at) values ('machine', 'm', 40000, ${daysBefore(now, 6)})`.execute(
      db,
    );
    expect((await removeAll(db)).rows).toEqual({});
    await sql`update clock_steps set noticed_at = ${daysBefore(now, 8)}`.execute(db);
    expect((await removeAll(db)).rows).toMatchObject({ messages: 1 });
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
