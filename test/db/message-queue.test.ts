// The queue of messages as rows: how many may wait, and the ten minutes that begin anew with every start.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { AppError } from '../../src/base/errors.ts';
import { uuidv7 } from '../../src/base/ids.ts';
import { httpStatus } from '../../src/http/reply.ts';
import { openQueueLimit } from '../../src/messaging/sending/queue-limit.ts';
import { findOverdue, restartWaiting } from '../../src/messaging/sending/queue-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

async function account() {
  const [accountId, senderId] = [uuidv7(), uuidv7()];
  await sql`insert into accounts (id, name) values (${accountId}, 'queue')`.execute(database.db);
  await sql`insert into senders (id, account_id, name, phone_number_id, business_account_id, access_token, app_secret,
    verify_token, app_secret_hash) values (${senderId}, ${accountId}, 's', '1', '2', '', '', '', '')`.execute(
    database.db,
  );
  return { accountId, senderId };
}

/** Messages in that state, due in so many minutes; null: nobody has to look at them. */
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

describe('an account may have so many messages waiting', () => {
  it('and no more: what would be too many is refused whole, with 429 and a time to come back', async () => {
    let aheadMs = 0;
    const clock = { ...systemClock, steady: () => systemClock.steady() + aheadMs };
    const of = await account();
    await messages(of, 4, 0, 0);
    await messages(of, 2, 1, 1);
    await messages(of, 50, 5, null);
    const check = openQueueLimit({ db: database.db, clock, queuedMax: 10 });
    await check(of.accountId, 3);
    await check(of.accountId, 1);
    const refused = await check(of.accountId, 1).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AppError);
    const { code, message, details } = refused as AppError;
    expect([code, details.retryAfterSeconds]).toEqual(['queue_full', 60]);
    expect(httpStatus(code)).toBe(429);
    expect(message).toMatch(/At most 10 messages .* 10 of this one do/);
    // others are not concerned
    await check((await account()).accountId, 10);
    await expect(check((await account()).accountId, 11)).rejects.toMatchObject({ code: 'queue_full' });
    // what went since the last count makes room
    await sql`update messages set state = 2, due_at = null where account_id = ${of.accountId} and state = 0`.execute(
      database.db,
    );
    await expect(check(of.accountId, 1)).rejects.toMatchObject({ code: 'queue_full' });
    aheadMs += 5_001;
    await check(of.accountId, 8);
    await expect(check(of.accountId, 1)).rejects.toMatchObject({ code: 'queue_full' });
  });

  it('and no send waits for them to be counted again while the last count leaves room', async () => {
    let aheadMs = 0;
    const clock = { ...systemClock, steady: () => systemClock.steady() + aheadMs };
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
    // counted meanwhile: nine, and none of those that were let through is in a row
    await expect.poll(() => check(of.accountId, 1).catch(({ code }) => code)).toBe('queue_full');
    aheadMs += 65_001;
    await check(of.accountId, 1);
  });
});

describe('the ten minutes of a message whose outcome is unknown', () => {
  it('begin anew at a start, since no report could be taken while nothing ran', async () => {
    const of = await account();
    await messages(of, 3, 1, -30);
    await messages(of, 1, 1, -9);
    await messages(of, 1, 0, -30);
    await messages(of, 1, 5, null);
    const overdue = async () =>
      (await findOverdue(database.hot, 100)).filter(({ accountId }) => accountId === of.accountId).length;
    const pass = (minutes: number) =>
      sql`update messages set due_at = due_at - ${minutes}::float8 * interval '1 minute' where account_id = ${of.accountId}`.execute(
        database.db,
      );
    expect(await overdue()).toBe(3);
    expect(await restartWaiting(database.hot)).toBe(4);
    expect(await overdue()).toBe(0);
    await pass(9);
    expect(await overdue()).toBe(0);
    await pass(2);
    expect(await overdue()).toBe(4);
    // what is queued or over was not touched
    const { rows } = await sql<{ state: number; minutes: number | null }>`
      select state, round(extract(epoch from due_at - now()) / 60)::int minutes from messages
      where account_id = ${of.accountId} and state <> 1 order by 1`.execute(database.db);
    expect(rows).toEqual([
      { state: 0, minutes: -41 },
      { state: 5, minutes: null },
    ]);
  });
});
