// The message queue: its limit, unknown outcomes, and leases of ended processes.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { AppError } from '../../src/base/errors.ts';
import { httpStatus } from '../../src/http/reply.ts';
import {
  claimDue,
  findOverdue,
  releaseMessagesOfProcesses,
} from '../../src/messaging/dispatch/claims-store.ts';
import { openQueueLimit } from '../../src/messaging/sending/queue-limit.ts';
import { recordCallbackUptime } from '../../src/messaging/status-reports/callback-uptime-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { insertAccount, insertSender } from '../harness/rows.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function account() {
  const accountId = await insertAccount(database.db);
  return { accountId, senderId: await insertSender(database.db, accountId) };
}

/** Inserts messages in a state, due in that many minutes; null: not due. */
async function messages(
  of: { accountId: string; senderId: string },
  count: number,
  state: number,
  minutes: number | null,
): Promise<void> {
  await sql`
    insert into messages (account_id, id, send_id, sender_id, template_id, phone, content, state, due_at, expires_at)
    select ${of.accountId}, uuid7(), gen_random_uuid(), ${of.senderId}, gen_random_uuid(), '15550100', '{}', ${state}::int,
      now() + ${minutes}::float8 * interval '1 minute', now() + interval '1 day' from generate_series(1, ${count}::int)`.execute(
    database.db,
  );
}

describe('the limit of queued messages', () => {
  it('rejects a whole send that would exceed it with 429 and a retry time', async () => {
    let aheadMs = 0;
    const clock = { ...systemClock, steady: () => aheadMs };
    const of = await account();
    await messages(of, 4, 0, 0);
    await messages(of, 2, 1, 1);
    await messages(of, 50, 5, null);
    const check = openQueueLimit({ db: database.db, clock, queuedMax: 10 });
    await check(of.accountId, 3);
    // one that was not stored after all
    (await check(of.accountId, 1))();
    await check(of.accountId, 1);
    const rejected = await check(of.accountId, 1).catch((error: unknown) => error);
    expect(rejected).toBeInstanceOf(AppError);
    const { code, message, details } = rejected as AppError;
    expect([code, details.retryAfterSeconds]).toEqual(['queue_full', 60]);
    expect(httpStatus(code)).toBe(429);
    expect(message).toMatch(/has 10 queued messages; at most 10 are allowed/);
    // other accounts are not affected
    await check((await account()).accountId, 10);
    await expect(check((await account()).accountId, 11)).rejects.toMatchObject({ code: 'queue_full' });
    // messages sent since the last count free capacity
    await sql`update messages set state = 2, due_at = null where account_id = ${of.accountId} and state = 0`.execute(
      database.db,
    );
    await expect(check(of.accountId, 1)).rejects.toMatchObject({ code: 'queue_full' });
    aheadMs += 5_001;
    await check(of.accountId, 8);
    await expect(check(of.accountId, 1)).rejects.toMatchObject({ code: 'queue_full' });
  });

  it('delays no send for a new count while the last one is below the limit', async () => {
    let aheadMs = 0;
    const clock = { ...systemClock, steady: () => aheadMs };
    const of = await account();
    await messages(of, 4, 0, 0);
    const check = openQueueLimit({ db: database.db, clock, queuedMax: 10 });
    await check(of.accountId, 1);
    await messages(of, 5, 0, 0);
    aheadMs += 5_001;
    await database
      .open()
      .transaction()
      .execute(async (tx) => {
        await sql`lock table messages in access exclusive mode`.execute(tx);
        await check(of.accountId, 1);
      });
    // the count was renewed: nine, without the accepted messages, which have no rows here
    await expect.poll(() => check(of.accountId, 1).catch(({ code }) => code)).toBe('queue_full');
    aheadMs += 65_001;
    await check(of.accountId, 1);
  });
});

describe('the ten minutes until an unknown outcome fails a message', () => {
  const overdue = async (accountId: string) =>
    (await findOverdue(database.hot, 100)).filter((key) => key.accountId === accountId).length;
  /** Moves all recorded times into the past by that many minutes. */
  async function pass(minutes: number): Promise<void> {
    const by = sql`${minutes}::float8 * interval '1 minute'`;
    await sql`update messages set due_at = due_at - ${by}`.execute(database.db);
    await sql`update callback_uptime set seen_at = seen_at - ${by}`.execute(database.db);
    await sql`update callback_outages set from_at = from_at - ${by}, to_at = to_at - ${by}`.execute(
      database.db,
    );
  }
  const open = async (minutes: number) => {
    await pass(minutes);
    await sql`update callback_uptime set seen_at = now()`.execute(database.db);
  };
  beforeEach(async () => {
    await sql`delete from callback_outages`.execute(database.db);
    await sql`update callback_uptime set seen_at = now()`.execute(database.db);
  });

  it('exclude outages, during which no callback could be received', async () => {
    const of = await account();
    await messages(of, 1, 1, 0);
    await messages(of, 1, 0, 0);
    await open(6);
    await pass(30);
    // no process has recorded the end of the outage yet
    expect(await overdue(of.accountId)).toBe(0);
    await recordCallbackUptime(database.hot);
    await open(3);
    expect(await overdue(of.accountId)).toBe(0);
    await open(2);
    expect(await overdue(of.accountId)).toBe(1);
  });

  it('end even if the processes restart every minute', async () => {
    const of = await account();
    await messages(of, 1, 1, 0);
    for (let minute = 0; minute < 11; minute += 1) {
      // a start takes a few seconds, with or without other processes
      await open(0.9);
      await pass(0.1);
      await recordCallbackUptime(database.hot);
    }
    expect(await overdue(of.accountId)).toBe(1);
  });

  it('exclude only the part of an outage after the message’s lease', async () => {
    const of = await account();
    await pass(30);
    await messages(of, 1, 1, 0);
    await recordCallbackUptime(database.hot);
    await open(9);
    expect(await overdue(of.accountId)).toBe(0);
    await open(2);
    expect(await overdue(of.accountId)).toBe(1);
  });

  it('do not end for messages that are older than the recording of outages', async () => {
    const fresh = await createTestDatabase();
    try {
      const { rows } = await sql<{ from: Date; seconds: number }>`
        select from_at as from, extract(epoch from now() - to_at)::float8 as seconds from callback_outages`.execute(
        fresh.db,
      );
      expect(rows).toEqual([{ from: new Date(0), seconds: expect.any(Number) }]);
    } finally {
      await fresh.drop();
    }
  });
});

describe('leases of a process that has ended', () => {
  it('are released; leases of other processes, delayed retries and dispatching messages are not', async () => {
    const of = await account();
    const leased = async (state: number, minutes: number, leasedBy: number | null) => {
      await messages(of, 1, state, minutes);
      await sql`update messages set leased_by = ${leasedBy}, attempts = 1
        where account_id = ${of.accountId} and attempts = 0`.execute(database.db);
    };
    await leased(0, 0.5, 7);
    await leased(0, 0.5, 8);
    await leased(1, 0.5, 7);
    await leased(0, 0.5, null);
    const released = await database.hot.transaction().execute((tx) => releaseMessagesOfProcesses(tx, [7]));
    expect(released).toBe(1);
    const { rows } = await sql<{ leased_by: number | null; state: number; due: boolean }>`
      select leased_by, state, due_at <= now() as due from messages where account_id = ${of.accountId}
      order by id`.execute(database.db);
    expect(rows).toEqual([
      { leased_by: 7, state: 0, due: true },
      { leased_by: 8, state: 0, due: false },
      { leased_by: 7, state: 1, due: false },
      { leased_by: null, state: 0, due: false },
    ]);
  });

  it('are released when the process had claimed the messages itself', async () => {
    const of = await account();
    await messages(of, 1, 0, 0);
    const isDue = async () => {
      const { rows } = await sql<{ due: boolean }>`
        select due_at <= now() as due from messages where account_id = ${of.accountId}`.execute(database.db);
      return rows[0]?.due;
    };
    await claimDue(database.hot, 10, [], 9);
    expect(await isDue()).toBe(false);
    await database.hot.transaction().execute((tx) => releaseMessagesOfProcesses(tx, [9]));
    expect(await isDue()).toBe(true);
  });
});
