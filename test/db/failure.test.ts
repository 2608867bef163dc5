// Failures that mean "the server is away" are told from failures of the statement, by what really comes of each.
import { readFile } from 'node:fs/promises';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Db, openDb } from '../../src/db/db.ts';
import { isAway } from '../../src/db/failure.ts';
import { type Door, openDoor } from '../faults/proxy.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';

let database: TestDatabase;
let door: Door;
let behindDoor: Db;

beforeAll(async () => {
  database = await createTestDatabase('empty');
  const { connection } = database;
  if ('connectionString' in connection) {
    const url = new URL(connection.connectionString);
    door = await openDoor({ host: url.hostname, port: Number(url.port || 5432) });
    url.host = `127.0.0.1:${door.port}`;
    behindDoor = openDb(
      { connectionString: url.href },
      { maxConnections: 1, applicationName: 'behind door' },
    );
    return;
  }
  const { host, port } = connection;
  door = await openDoor(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
  behindDoor = openDb(
    { ...connection, host: '127.0.0.1', port: door.port },
    { maxConnections: 1, applicationName: 'behind door' },
  );
});
afterAll(async () => {
  await behindDoor?.destroy();
  await door?.close();
  await database?.drop();
});

const failureOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'it did not fail',
    (error: unknown) => error,
  );

test('a connection cut under a statement, and a server that takes no connection', async () => {
  const asleep = failureOf(sql`select pg_sleep(20)`.execute(behindDoor));
  await expect
    .poll(async () => {
      const { rows } = await sql`select from pg_stat_activity where query = 'select pg_sleep(20)'`.execute(
        database.db,
      );
      return rows.length;
    })
    .toBe(1);
  door.shut();
  expect(isAway(await asleep)).toBe(true);
  expect(isAway(await failureOf(sql`select 1`.execute(behindDoor)))).toBe(true);
  door.open();
  expect(await failureOf(sql`select 1`.execute(behindDoor))).toBe('it did not fail');
});

test('a server that nobody runs, and one that ends its connections', async () => {
  const nobody = openDb(
    { host: '127.0.0.1', port: 1, user: 'nobody', database: 'none' },
    { maxConnections: 1, applicationName: 'nobody' },
  );
  expect(isAway(await failureOf(sql`select 1`.execute(nobody)))).toBe(true);
  await nobody.destroy();
  const ended = failureOf(sql`select pg_terminate_backend(pg_backend_pid())`.execute(database.hot));
  expect(isAway(await ended)).toBe(true);
});

test('a statement that is wrong, or took too long, is the statement’s own failure', async () => {
  expect(isAway(await failureOf(sql`select 1 / 0`.execute(database.db)))).toBe(false);
  expect(isAway(await failureOf(sql`select nothing_of_the_kind()`.execute(database.db)))).toBe(false);
  const hasty = database.open({ statementTimeoutMs: 10 });
  expect(isAway(await failureOf(sql`select pg_sleep(5)`.execute(hasty)))).toBe(false);
  expect(isAway(await failureOf(readFile('/nowhere/at/all')))).toBe(false);
});
