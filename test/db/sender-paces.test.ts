// The pace of a sender: throttling, recovery, and slots that processes and requests share.
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { reservePaces } from '../../src/messaging/dispatch/paces-store.ts';
import { listPaces, slowPace } from '../../src/messaging/senders/paces-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { reservePace } from '../harness/reserve-pace.ts';
import { insertAccount, insertSender } from '../harness/rows.ts';
import { until } from '../harness/until.ts';

let database: TestDatabase;
let senderId: string;
const accountId = uuidv7();
beforeAll(async () => {
  database = await createTestDatabase();
  await insertAccount(database.db, accountId);
});
afterAll(() => database.drop());
beforeEach(async () => {
  senderId = await insertSender(database.db, accountId);
});

describe('the pace of a sender', () => {
  const perSecond = 40;
  beforeEach(async () => {
    await sql`insert into sender_paces (sender_id, per_second) values (${senderId}, ${perSecond})`.execute(
      database.db,
    );
  });
  const slowedTo = async () => {
    const { rows } = await sql<{ rate: number }>`
      select slowed_to as rate from sender_paces where sender_id = ${senderId}`.execute(database.db);
    return rows[0]?.rate;
  };
  const slowedSecondsAgo = (seconds: number) =>
    sql`update sender_paces set slowed_at = now() - ${seconds}::int * interval '1 second', tat = now()
      where sender_id = ${senderId}`.execute(database.db);

  it('is halved once for all calls that are throttled within a second', async () => {
    // one transaction has one now()
    await database.db.transaction().execute(async (tx) => {
      await slowPace(tx, senderId, 1);
      await slowPace(tx, senderId, 1);
    });
    expect(await slowedTo()).toBe(perSecond / 2);
    await slowedSecondsAgo(2);
    await slowPace(database.db, senderId, 1);
    expect(await slowedTo()).toBeLessThan(perSecond / 2);
  });

  it('recovers by 5 % a second after throttling', async () => {
    await slowPace(database.db, senderId, 1);
    const granted = async (secondsAgo: number) => {
      await slowedSecondsAgo(secondsAgo);
      return (await reservePace(database.hot, senderId, 100, 1_000)).granted;
    };
    expect(await granted(3)).toBeLessThan(perSecond * 0.7);
    expect(await granted(60)).toBe(perSecond);
  });

  it('is shown with the code that slowed it down and the end, until it has recovered', async () => {
    await sql`update sender_paces set slowed_to = null, slowed_at = null, tat = now() where sender_id = ${senderId}`.execute(
      database.db,
    );
    const pace = async () => (await listPaces(database.db, [senderId, uuidv7()])).get(senderId);
    expect(await pace()).toEqual({ allowed: perSecond, throttledUntil: null, code: null });
    await slowPace(database.db, senderId, 1, 130429);
    const slowed = await pace();
    expect(slowed).toMatchObject({ allowed: expect.closeTo(perSecond / 2, -1), code: 130429 });
    // from half the rate by 5 % a second
    const seconds = ((slowed?.throttledUntil?.getTime() ?? 0) - Date.now()) / 1_000;
    expect(seconds).toBeGreaterThan(10);
    expect(seconds).toBeLessThan(15);
    await slowedSecondsAgo(10);
    expect((await pace())?.allowed).toBeGreaterThan(perSecond / 2);
    expect((await pace())?.allowed).toBeLessThan(perSecond);
    await slowedSecondsAgo(20);
    expect(await pace()).toEqual({ allowed: perSecond, throttledUntil: null, code: null });
    // longer than the recovery
    await slowPace(database.db, senderId, 50, 4);
    const until = (await pace())?.throttledUntil?.getTime() ?? 0;
    expect(until - Date.now()).toBeGreaterThan(30_000);
  });

  it('gives wishes that arrive together slots one after another, and no more than there are', async () => {
    await sql`update sender_paces set per_second = 100, slowed_to = null, slowed_at = null, tat = now()
      where sender_id = ${senderId}`.execute(database.db);
    const wanted = [2, 3, 9].map((count) => ({ senderId, count }));
    const slots = await reservePaces(database.hot, [...wanted, { senderId: uuidv7(), count: 1 }], 100);
    expect(slots.map(({ granted }) => granted)).toEqual([2, 3, 5, 0]);
    const [first, second, third] = slots.map(({ firstInMs }) => firstInMs) as [
      number,
      number,
      number,
      number,
    ];
    expect(second - first).toBeCloseTo(20, 0);
    expect(third - second).toBeCloseTo(30, 0);
  });

  it('is shared by processes that reserve concurrently', async () => {
    // 20 slots of a second each; a slot may be so far ahead only after throttling
    await sql`update sender_paces set per_second = 1, slowed_to = 1, slowed_at = now(), tat = now()
      where sender_id = ${senderId}`.execute(database.db);
    const first = await database.hot.startTransaction().execute();
    expect(await reservePace(first, senderId, 20, 30_000)).toMatchObject({ granted: 20 });
    const second = reservePace(database.hot, senderId, 20, 30_000);
    await until(async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db);
      expect(rows).toHaveLength(1);
    });
    await first.commit().execute();
    expect((await second).firstInMs).toBeGreaterThan(5_000);
  });
});
