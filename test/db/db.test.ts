// The database connection: conversion of values, and session settings.
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLog } from '../../src/base/log.ts';
import { checkServer, type Db } from '../../src/db/db.ts';
import { isReadOnly, isUnavailable } from '../../src/db/failure.ts';
import { openPool } from '../../src/db/pool.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { openDatabase } from '../../src/open-database.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { openDatabaseProxy } from '../harness/database-proxy.ts';

let database: TestDatabase;
let db: Db;
beforeAll(async () => {
  database = await createTestDatabase('empty');
  db = database.db;
});
afterAll(() => database.drop());

async function value(expression: string, on: Db = db): Promise<unknown> {
  const { rows } = await sql<{ value: unknown }>`select ${sql.raw(expression)} as value`.execute(on);
  return rows[0]?.value;
}

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a value', () => {
  test.each<[string, unknown]>([
    ["timestamptz '2026-03-29 02:30:00+02'", new Date('2026-03-29T00:30:00Z')],
    ["timestamptz 'infinity'", Number.POSITIVE_INFINITY],
    ["timestamptz '-infinity'", Number.NEGATIVE_INFINITY],
    ['9007199254740991::int8', 9007199254740991],
    ['count(*)', 1],
    ['array[1, null, 3]::int8[]', [1, null, 3]],
    ["date '2026-03-29'", '2026-03-29'],
    ["array['2026-03-29']::date[]", ['2026-03-29']],
    ["interval '90 minutes'", '01:30:00'],
    ['1.10::numeric', '1.10'],
    ['1.5::float8', 1.5],
    ['\'{"a": [1, null]}\'::jsonb', { a: [1, null] }],
    ["'\\x00ff'::bytea", Buffer.from([0, 255])],
    ["array['0190a5c1-0000-7000-8000-000000000000']::uuid[]", ['0190a5c1-0000-7000-8000-000000000000']],
    ["array['a,b', null, '\"']", ['a,b', null, '"']],
    ['null::int8', null],
  ])('%s is converted as expected', async (expression, expected) => {
    expect(await value(expression)).toEqual(expected);
  });

  test('outside the safe integer range throws and is not rounded', async () => {
    await expect(value('9007199254740993::int8')).rejects.toThrow(/exceeds the range/);
    expect(await value('1')).toBe(1);
  });
});

describe('a session', () => {
  const setting = (name: string, on: Db) => value(`current_setting('${name}')`, on);

  test('uses UTC and has time limits', async () => {
    expect(await setting('timezone', db)).toBe('UTC');
    expect(await setting('statement_timeout', db)).toBe('30s');
    expect(await setting('lock_timeout', db)).toBe('10s');
    expect(await setting('idle_in_transaction_session_timeout', db)).toBe('30s');
    expect(await setting('plan_cache_mode', db)).toBe('auto');
    expect(await setting('application_name', db)).toBe('test');
  });

  test('applies the given limits, and a statement that exceeds its limit fails', async () => {
    const short = database.open({
      statementTimeoutMs: 200,
      lockTimeoutMs: 0,
      idleInTransactionTimeoutMs: 1500,
    });
    expect(await setting('lock_timeout', short)).toBe('0');
    expect(await setting('idle_in_transaction_session_timeout', short)).toBe('1500ms');
    await expect(value('pg_sleep(5)', short)).rejects.toThrow(/statement timeout/);
  });

  test('for hot statements uses the primary key even if the table is empty', async () => {
    await sql`create table plans (account_id uuid, id uuid, state int, primary key (account_id, id))`.execute(
      db,
    );
    const plan = async (on: Db) => {
      const { rows } = await sql<{ 'QUERY PLAN': string }>`
        explain (generic_plan) update plans m set state = 1 from unnest(${sql.raw('$1')}::uuid[], ${sql.raw('$2')}::uuid[]) x(a, i)
        where m.account_id = x.a and m.id = x.i`.execute(on);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    };
    expect(await plan(database.hot)).toMatch(/Index Scan using plans_pkey|Bitmap Index Scan on plans_pkey/);
    expect(await plan(database.hot)).not.toMatch(/Seq Scan|Hash Join|Merge Join/);
  });

  test('for hot statements prepares them again after a migration added a column', async () => {
    await sql`create table widened (id int); insert into widened values (1)`.execute(database.db);
    const hot = database.open({ maxConnections: 1, hot: true });
    const read = (tx: Db = hot) => sql`select * from widened where id = ${1}`.execute(tx);
    await read();
    await sql`alter table widened add column b int`.execute(database.db);
    expect((await read()).rows).toEqual([{ id: 1, b: null }]);
    await sql`alter table widened add column c int`.execute(database.db);
    // a transaction cannot go on, so it is repeated as a whole
    const readOnce = () => hot.transaction().execute(read);
    await expect(readOnce()).rejects.toThrow(/cached plan/);
    expect((await readOnce()).rows).toEqual([{ id: 1, b: null, c: null }]);
    await sql`alter table widened add column d int`.execute(database.db);
    expect((await inTransaction(hot, read)).rows).toEqual([{ id: 1, b: null, c: null, d: null }]);
  });

  test('lost while idle is replaced', async () => {
    const lost: Error[] = [];
    const pool = database.open({ maxConnections: 1, onLostConnection: (error) => lost.push(error) });
    const pid = await value('pg_backend_pid()', pool);
    await sql`select pg_terminate_backend(${pid}, 5000)`.execute(db);
    await expect.poll(() => lost.length).toBe(1);
    expect(await value('pg_backend_pid()', pool)).not.toBe(pid);
  });

  test('lost during a transaction fails only that transaction', async () => {
    const pool = database.open({ maxConnections: 1 });
    const work = pool.transaction().execute(async (tx) => {
      const pid = await value('pg_backend_pid()', tx);
      await sql`select pg_terminate_backend(${pid}, 5000)`.execute(db);
      await expect.poll(() => failure(value('1', tx))).toBeInstanceOf(Error);
      await value('1', tx);
    });
    expect(await failure(work)).toBeInstanceOf(Error);
    expect(await value('1', pool)).toBe(1);
  });
});

describe('a session', () => {
  const pidOf = (pool: Db) => value('pg_backend_pid()', pool);

  test.each([false, true])(
    'whose server becomes read-only is dropped at the first rejected write (hot: %s)',
    async (hot) => {
      const pool = database.open({ maxConnections: 1, hot });
      const first = await pidOf(pool);
      await sql`set default_transaction_read_only = on`.execute(pool);
      const rejected = await failure(sql`create table never (id int)`.execute(pool));
      expect(isReadOnly(rejected)).toBe(true);
      expect(await pidOf(pool)).not.toBe(first);
      await sql`create table if not exists written (id int)`.execute(pool);
    },
  );

  test('in a transaction fails with the server’s error, not with that of the dropped session', async () => {
    const pool = database.open({ maxConnections: 1 });
    await sql`set default_transaction_read_only = on`.execute(pool);
    const rejected = pool.transaction().execute((tx) => sql`create table never (id int)`.execute(tx));
    expect(isReadOnly(await failure(rejected))).toBe(true);
  });

  test('of another pool to the same server is dropped too', async () => {
    const [one, other] = [
      database.open({ maxConnections: 1 }),
      database.open({ maxConnections: 1, hot: true }),
    ];
    const before = await pidOf(other);
    await sql`set default_transaction_read_only = on`.execute(one);
    await failure(sql`create table never (id int)`.execute(one));
    expect(await pidOf(other)).not.toBe(before);
  });

  test('is not opened on a read-only server', async () => {
    const name = (await value('current_database()')) as string;
    await sql.raw(`alter database ${name} set default_transaction_read_only = on`).execute(db);
    try {
      const pool = database.open({ maxConnections: 1 });
      const rejected = await failure(value('1', pool));
      expect(isReadOnly(rejected)).toBe(true);
      expect(String(rejected)).toMatch(/the server is read-only/);
      const start = openDatabase(
        { connection: database.connection, dataDir: '/nowhere' },
        openLog('silent'),
        'migrate',
      );
      await expect(start).rejects.toThrow(/read-only.*Set DATABASE_URL to the primary/);
    } finally {
      await sql.raw(`alter database ${name} reset default_transaction_read_only`).execute(db);
    }
  });

  test.each(['53200', '57P05', '58030'])('whose server reports %s is dropped', async (code) => {
    const pool = database.open({ maxConnections: 1 });
    const first = await pidOf(pool);
    const said = sql.raw(`do $$ begin raise exception 'raised' using errcode = '${code}'; end $$`);
    expect(isUnavailable(await failure(said.execute(pool)))).toBe(true);
    expect(await pidOf(pool)).not.toBe(first);
  });

  test('without an answer is closed, and its statement fails with an unknown outcome', async () => {
    const way = await openDatabaseProxy(database.connection);
    const pool = openPool({
      ...('connectionString' in way.connection ? way.connection : { ...way.connection }),
      max: 1,
      hot: false,
      settings: "set timezone = 'UTC'",
      answerWithinMs: 1_000,
      onLostConnection: undefined,
    });
    const session = await pool.connect();
    way.proxy.freeze();
    const lost = await failure(session.query('select 1', []));
    expect(isUnavailable(lost)).toBe(true);
    session.release();
    way.proxy.unfreeze();
    const next = await pool.connect();
    expect((await next.query<{ n: number }>('select 1 as n', [])).rows).toEqual([{ n: 1 }]);
    next.release();
    await pool.end();
    await way.proxy.close();
  });

  test('is kept after an error of the statement itself', async () => {
    const pool = database.open({ maxConnections: 1 });
    const first = await pidOf(pool);
    await failure(value('1 / 0', pool));
    expect(await pidOf(pool)).toBe(first);
  });
});

test('checkServer accepts the server of the tests', async () => {
  await checkServer(db);
  await sql`create extension btree_gist`.execute(db);
  await checkServer(db);
});
