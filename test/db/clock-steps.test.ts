// Clock steps: detection and reporting, and the pace of a number during a step.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteOldSteps, findSteps } from '../../src/db/database-clock.ts';
import type { Tx } from '../../src/db/db.ts';
import { slowPace } from '../../src/messaging/senders/paces-store.ts';
import { approximately, openTestWatch, stepClockBack } from '../harness/clock-watch.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { sender } from '../harness/dispatch.ts';
import { reservePace } from '../harness/reserve-pace.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('the pace of a number', () => {
  const stepBack = (tx: Tx, id: string) =>
    sql`update sender_paces set tat = tat + interval '20 minutes', slowed_at = slowed_at + interval '20 minutes'
      where sender_id = ${id}`.execute(tx);
  const take = (tx: Tx, id: string) => reservePace(tx, id, 1, 100);
  /** Runs a test in one transaction, in which the database's time stands still. */
  const atOnce = (act: (tx: Tx) => Promise<void>) => () => database.hot.transaction().execute(act);
  const paceOf = async (tx: Tx, id: string) => {
    const { rows } = await sql<{ wait: number; slowed: number; seen: boolean }>`
      select extract(epoch from tat - now())::float8 wait, slowed_to slowed, slowed_at <= now() seen
      from sender_paces where sender_id = ${id}`.execute(tx);
    return rows[0];
  };

  it(
    'continues immediately after a backward step, at the same rate',
    atOnce(async (tx) => {
      const id = await sender(database, 10);
      await take(tx, id);
      await stepBack(tx, id);
      expect(await take(tx, id)).toEqual({ granted: 1, firstInMs: 0 });
      expect(await paceOf(tx, id)).toMatchObject({ wait: 0.1 });
    }),
  );

  it(
    'continues immediately at the reduced rate if the number was throttled before a backward step',
    atOnce(async (tx) => {
      const id = await sender(database, 40);
      await slowPace(tx, id, 60);
      expect(await take(tx, id)).toEqual({ granted: 0, firstInMs: 100 });
      await stepBack(tx, id);
      expect(await take(tx, id)).toEqual({ granted: 1, firstInMs: 0 });
      // at 20 a second
      expect(await paceOf(tx, id)).toMatchObject({ wait: 0.05 });
    }),
  );

  it(
    'is halved by a throttling error after a backward step, and pauses for the time that the error gives',
    atOnce(async (tx) => {
      const id = await sender(database, 40);
      await slowPace(tx, id, 60);
      await stepBack(tx, id);
      await slowPace(tx, id, 1);
      expect(await paceOf(tx, id)).toEqual({ wait: 1, slowed: 10, seen: true });
      expect(await take(tx, id)).toEqual({ granted: 0, firstInMs: 100 });
    }),
  );
});

describe('a step', () => {
  it('of the database’s clock backward is logged once, with its size, by the first process that reads the clock', async () => {
    const [first, second] = [openTestWatch(database.db), openTestWatch(database.db)];
    await first.watch();
    await second.watch();
    await stepClockBack(database.db);
    await first.watch();
    await second.watch();
    expect(first.logged).toEqual([
      { clock: 'database', direction: 'backward', seconds: approximately(1_200) },
    ]);
    expect(second.logged).toEqual([]);
    expect(await first.counted()).toEqual({ 'database backward': 1 });
    const { steps } = await findSteps(database.db, new Date(Date.now() - 60_000));
    expect(steps[0]).toMatchObject({ clock: 'database', seconds: approximately(-1_200) });
  });

  it('of this machine’s clock is logged with its direction and changes the offset metric', async () => {
    const { watch, logged, own, metrics } = openTestWatch(database.db);
    await watch();
    own.wallMs = 600 * 1000;
    await watch();
    own.wallMs = 0;
    await watch();
    expect(logged).toEqual([
      { clock: 'machine', direction: 'forward', seconds: approximately(600) },
      { clock: 'machine', direction: 'backward', seconds: approximately(600) },
    ]);
    expect(Math.abs((await metrics.clockOffset.get()).values[0]?.value ?? Number.NaN)).toBeLessThan(2);
  });

  it('of less than two seconds is ignored', async () => {
    const { watch, logged, own } = openTestWatch(database.db);
    await watch();
    await sql`update database_clock set seen_at = clock_timestamp() + interval '1 second'`.execute(
      database.db,
    );
    own.wallMs = 1_000;
    await watch();
    expect(logged).toEqual([]);
  });

  it('is deleted after a hundred newer ones', async () => {
    await sql`update clock_steps set mended = null`.execute(database.db);
    await sql`insert into clock_steps (clock, machine, seconds, noticed_at)
      select 'machine', 'x', 5, now() from generate_series(1, 150)`.execute(database.db);
    await deleteOldSteps(database.db);
    const { rows } = await sql<{ n: number }>`select count(*)::int n from clock_steps`.execute(database.db);
    expect(rows[0]?.n).toBe(101);
  });
});
