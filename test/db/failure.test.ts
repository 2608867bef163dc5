// Errors of an unavailable server and errors of a statement, told apart with real failures.
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Db, openDb } from '../../src/db/db.ts';
import { isDiskFull, isReadOnly, isUnavailable } from '../../src/db/failure.ts';
import type { TcpProxy } from '../faults/tcp-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { openDatabaseProxy } from '../harness/database-proxy.ts';
import { failureOf } from '../harness/failure-of.ts';

let database: TestDatabase;
let proxy: TcpProxy;
let throughProxy: Db;

beforeAll(async () => {
  database = await createTestDatabase('empty');
  const way = await openDatabaseProxy(database.connection);
  proxy = way.proxy;
  throughProxy = openDb(way.connection, { maxConnections: 1, applicationName: 'through proxy' });
});
afterAll(async () => {
  await throughProxy?.destroy();
  await proxy?.close();
  await database?.drop();
});

test('isUnavailable is true for a connection lost during a statement and for a server that accepts no connection', async () => {
  const sleeping = failureOf(sql`select pg_sleep(20)`.execute(throughProxy));
  await expect
    .poll(async () => {
      const { rows } = await sql`select from pg_stat_activity
        where datname = current_database() and query = 'select pg_sleep(20)'`.execute(database.db);
      return rows.length;
    })
    .toBe(1);
  proxy.block();
  expect(isUnavailable(await sleeping)).toBe(true);
  expect(isUnavailable(await failureOf(sql`select 1`.execute(throughProxy)))).toBe(true);
  proxy.unblock();
  expect(await failureOf(sql`select 1`.execute(throughProxy))).toBeUndefined();
});

test('isUnavailable is true for a server that does not run and for one that terminates its connections', async () => {
  const nobody = openDb(
    { host: '127.0.0.1', port: 1, user: 'nobody', database: 'none' },
    { maxConnections: 1, applicationName: 'nobody' },
  );
  expect(isUnavailable(await failureOf(sql`select 1`.execute(nobody)))).toBe(true);
  await nobody.destroy();
  const ended = failureOf(sql`select pg_terminate_backend(pg_backend_pid())`.execute(database.hot));
  expect(isUnavailable(await ended)).toBe(true);
});

test('isUnavailable is false for an invalid statement and for a statement timeout', async () => {
  expect(isUnavailable(await failureOf(sql`select 1 / 0`.execute(database.db)))).toBe(false);
  expect(isUnavailable(await failureOf(sql`select nothing_of_the_kind()`.execute(database.db)))).toBe(false);
  const withTimeout = database.open({ statementTimeoutMs: 10 });
  expect(isUnavailable(await failureOf(sql`select pg_sleep(5)`.execute(withTimeout)))).toBe(false);
  expect(isUnavailable(await failureOf(readFile('/nowhere/at/all')))).toBe(false);
});

/** An error with that code, raised by the server. */
const raised = (code: string) =>
  failureOf(
    sql.raw(`do $$ begin raise exception 'raised' using errcode = '${code}'; end $$`).execute(database.db),
  );

test.each([
  '08006',
  '25006',
  '25P03',
  '53000',
  '53100',
  '53200',
  '53300',
  '53400',
  '57000',
  '57P01',
  '57P02',
  '57P03',
  '57P04',
  '57P05',
  '58000',
  '58030',
  '58P01',
])('isUnavailable is true for error code %s', async (code) => {
  expect(isUnavailable(await raised(code))).toBe(true);
});

test.each(['22012', '23505', '40001', '42501', '42P01', '55P03', '57014', 'P0001', 'XX000'])(
  'isUnavailable is false for error code %s',
  async (code) => {
    expect(isUnavailable(await raised(code))).toBe(false);
  },
);

test('an error from another thread, which lost its class, is recognized by its code', () => {
  expect(isUnavailable(Object.assign(new Error('terminating connection'), { code: '57P01' }))).toBe(true);
  expect(isUnavailable(Object.assign(new Error('no such file'), { code: 'ENOENT', syscall: 'open' }))).toBe(
    false,
  );
});

test('a full disk and a read-only server are distinguished', async () => {
  expect([isDiskFull(await raised('53100')), isDiskFull(await raised('53200'))]).toEqual([true, false]);
  expect([isReadOnly(await raised('25006')), isReadOnly(await raised('53100'))]).toEqual([true, false]);
});
