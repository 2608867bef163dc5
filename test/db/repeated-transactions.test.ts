// Failures of statements: matched by their constraint, and which transactions are repeated after them.
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Db } from '../../src/db/db.ts';
import { isTransient, retryTransient, violates } from '../../src/db/failure.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase('empty');
  db = database.db;
});
afterAll(() => database.drop());

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a failure', () => {
  beforeEach(async () => {
    await sql`drop table if exists failing`.execute(db);
    await sql`create table failing (id int constraint failing_key primary key, n int constraint positive check (n > 0))`.execute(
      db,
    );
    await sql`insert into failing values (1, 1), (2, 1)`.execute(db);
  });

  test('is matched by its constraint', async () => {
    const twice = await failure(sql`insert into failing values (1, 1)`.execute(db));
    expect(violates(twice, 'failing_key')).toBe(true);
    expect(violates(twice, 'positive')).toBe(false);
    expect(violates(await failure(sql`insert into failing values (3, 0)`.execute(db)), 'positive')).toBe(
      true,
    );
    expect(violates(new Error('failing_key'), 'failing_key')).toBe(false);
    expect(isTransient(twice)).toBe(false);
  });

  test('by deadlock is retried, and both transactions succeed', async () => {
    let arrived = 0;
    let open: () => void = () => {};
    const bothHoldOne = new Promise<void>((resolve) => {
      open = resolve;
    });
    let runs = 0;
    const add = (first: number, second: number) =>
      inTransaction(db, async (tx) => {
        runs += 1;
        await sql`update failing set n = n + 1 where id = ${first}`.execute(tx);
        arrived += 1;
        if (arrived === 2) open();
        await bothHoldOne;
        await sql`update failing set n = n + 1 where id = ${second}`.execute(tx);
      });
    await Promise.all([add(1, 2), add(2, 1)]);
    // under load, the two may meet again
    expect(runs).toBeGreaterThanOrEqual(3);
    expect((await sql`select n from failing`.execute(db)).rows).toEqual([{ n: 3 }, { n: 3 }]);
  });

  test('by deadlock is retried only after a pause, in which the other transaction ends', async () => {
    let hasOtherEnded = false;
    setTimeout(() => {
      hasOtherEnded = true;
    }, 1);
    const deadlock = Object.assign(new pg.DatabaseError('deadlock detected', 0, 'error'), { code: '40P01' });
    const run = async () => {
      if (!hasOtherEnded) throw deadlock;
      return 'done';
    };
    expect(await retryTransient(run)).toBe('done');
  });

  test('of another kind, or of the last attempt, is thrown', async () => {
    let runs = 0;
    const rejected = retryTransient(() => {
      runs += 1;
      return sql`insert into failing values (1, 1)`.execute(db);
    });
    await expect(rejected).rejects.toThrow(/failing_key/);
    expect(runs).toBe(1);
    const never = retryTransient(() => {
      runs += 1;
      return sql`do $$ begin raise exception 'again' using errcode = '40001'; end $$`.execute(db);
    }, 4);
    expect(isTransient(await failure(never))).toBe(true);
    expect(runs).toBe(5);
  });
});
