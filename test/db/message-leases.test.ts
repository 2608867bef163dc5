// Messages that two processes claimed: begun under the newest lease only, and never left dispatching.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { claimDue } from '../../src/messaging/dispatch/claims-store.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { forget, message, open, rowOf, sender, write } from '../harness/dispatch.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('a message that was claimed again while it waited here', () => {
  it('is begun under the new lease only, and a rejection of that call returns it to the queue', async () => {
    let ready = () => {};
    const isReady = new Promise<void>((resolve) => {
      ready = resolve;
    });
    const late = open(database, database.hot, true, systemClock, () => isReady);
    const other = open(database, database.hot, true);
    late.release();
    other.release();
    const one = message(await sender(database));
    await write(database, one, 'leased');
    late.dispatcher.offer([one]);
    await sql`update messages set due_at = now() where id = ${one.id}`.execute(database.db);
    const { claimed } = await claimDue(database.hot, 10, [], 0);
    ready();
    await expect.poll(() => late.dispatcher.capacity(one.sender_id, 1, 1)).toBe(1);
    await late.dispatcher.stop();
    expect(late.called).toEqual([]);
    expect(await rowOf(database, one)).toEqual({ state: 0, attempts: 0, due: false });
    other.dispatcher.offer(claimed.filter(({ id }) => id === one.id));
    await expect.poll(() => rowOf(database, one)).toMatchObject({ state: 0, attempts: 1 });
    await other.dispatcher.stop();
    expect(other.called).toEqual([one.id]);
    await forget(database, one);
  });

  it('is never left dispatching after all calls have ended, however often two processes claim it', async () => {
    const both = [open(database, database.hot, true), open(database, database.hot, true)];
    const owner = await sender(database);
    const messages = Array.from({ length: 30 }, () => message(owner));
    for (const one of messages) await write(database, one, 'queued');
    for (const { release } of both) release();
    const idle = () => both.every(({ dispatcher }) => dispatcher.capacity(owner, 1, 1) === 1);
    for (let round = 1; round <= 20; round++) {
      // locked in the order of ids, as every statement does
      await sql`
        update messages m set due_at = now() from (
          select account_id, id from messages where sender_id = ${owner} and state = 0 order by id for update) x
        where m.account_id = x.account_id and m.id = x.id`.execute(database.db);
      await Promise.all(both.map(({ dispatcher }) => dispatcher.round()));
      if (round % 5 === 0) await expect.poll(idle, { interval: 5 }).toBe(true);
    }
    await Promise.all(both.map(({ dispatcher }) => dispatcher.stop()));
    const { rows } = await sql`
      select count(*) filter (where state = 1)::int as dispatching, sum(attempts)::int > 0 as retried
      from messages where sender_id = ${owner}`.execute(database.db);
    expect(rows).toEqual([{ dispatching: 0, retried: true }]);
    await sql`delete from messages where sender_id = ${owner}`.execute(database.db);
  });
});

describe('messages that arrive while their process stops', () => {
  it.each(['offered by a request', 'claimed by the worker'])(
    '%s are released, and none is begun',
    async (how) => {
      const { dispatcher, called, release } = open(database);
      release();
      const one = message(await sender(database));
      await dispatcher.stop();
      await write(database, one, how.startsWith('offered') ? 'leased' : 'queued');
      if (how.startsWith('offered')) dispatcher.offer([one]);
      else await dispatcher.round();
      await expect.poll(() => rowOf(database, one)).toEqual({ state: 0, attempts: 0, due: true });
      expect(called).toEqual([]);
      await forget(database, one);
    },
  );
});
