// Commits that wait for a synchronous standby: they fail for their callers in time, and take effect when a standby confirms them.
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDb } from '../../src/db/db.ts';
import { isUnavailable } from '../../src/db/failure.ts';
import { openPool, type PoolOptions } from '../../src/db/pool.ts';
import type { SessionClient } from '../../src/db/session-client.ts';
import { isStalled } from '../../src/db/stalls.ts';
import { administer } from '../harness/administer.ts';
import { openDatabaseProxy } from '../harness/database-proxy.ts';
import { failureOf } from '../harness/failure-of.ts';
import { templateCluster } from '../harness/template-cluster.ts';
import { startOwnServer } from '../harness/test-server.ts';

let server: Awaited<ReturnType<typeof startOwnServer>>;
beforeAll(async () => {
  const fill = templateCluster()?.restore;
  const log = { info() {}, warn() {}, error() {} };
  server = await startOwnServer({ synchronous_commit: 'local' }, log, fill ? { fill } : {});
});
afterAll(() => server?.stop());

async function setStandby(name: string): Promise<void> {
  await administer(server.administrator, `alter system set synchronous_standby_names = '${name}'`);
  await administer(server.administrator, 'select pg_reload_conf()');
}

let probes = 0;

/** From now on, no commit is confirmed: a process of the server applies the setting some time after the reload. */
async function loseStandbys(): Promise<void> {
  await setStandby('nobody');
  const commitWaits = async () => {
    const client = new pg.Client({ ...server.administrator, query_timeout: 200 });
    client.on('error', () => {});
    await client.connect();
    probes += 1;
    const text = `set synchronous_commit = on; create table probe${probes} ()`;
    const waits = await client.query(text).then(
      () => false,
      () => true,
    );
    void client.end().catch(() => undefined);
    return waits;
  };
  await expect.poll(commitWaits).toBe(true);
}

/** A pool whose commits wait for standbys. Every statement is one of a caller. */
function openPoolOf(max: number, changed: Partial<PoolOptions> = {}) {
  return openPool({
    ...server.connection,
    max,
    hot: false,
    settings: 'set synchronous_commit = on',
    answerWithinMs: 1_200,
    standbyWaitMs: 200,
    connectionTimeoutMillis: 30_000,
    onLostConnection: undefined,
    ...changed,
  });
}
type Pool = ReturnType<typeof openPoolOf>;

async function run(pool: Pool, statement: string): Promise<unknown[]> {
  const session = await pool.connect();
  try {
    return (await session.query<Record<string, unknown>>(statement, [])).rows;
  } finally {
    session.release();
  }
}

/** The age of the statement that has waited for a standby for the longest, in milliseconds. */
async function oldestWaitMs(): Promise<number> {
  const administrator = openDb(server.administrator, { maxConnections: 1, applicationName: 'test' });
  const { rows } = await sql<{ ms: number }>`
    select coalesce(max(extract(epoch from clock_timestamp() - query_start)), 0)::float8 * 1000 as ms
    from pg_stat_activity where wait_event = 'SyncRep'`.execute(administrator);
  await administrator.destroy();
  return rows[0]?.ms ?? 0;
}

test('a server that answers neither a statement nor a new connection counts as stalled', async () => {
  expect(isStalled()).toBe(false);
  const { proxy, connection } = await openDatabaseProxy(server.connection);
  const pool = openPoolOf(1, connection as Partial<PoolOptions>);
  const session = await pool.connect();
  proxy.freeze();
  const lost = failureOf(session.query('select 1', []));
  await expect.poll(isStalled).toBe(true);
  await proxy.close();
  await lost;
  session.release();
  await pool.end();
});

test('a commit without a standby fails with an unknown outcome, keeps its session, and counts once a standby is there', async () => {
  const pool = openPoolOf(2);
  await run(pool, 'create table confirmed (n int)');
  await loseStandbys();
  // the second statement follows the failed commit in the same session, as a rollback does
  const session = await pool.connect();
  await session.query('begin', []);
  await session.query('insert into confirmed values (1)', []);
  const [commit, rollback] = [
    session.query('commit', []),
    failureOf(run(pool, 'insert into confirmed values (2)')),
  ];
  const lost = await failureOf(commit);
  expect(String(lost)).toMatch(/waits for a synchronous standby/);
  expect(isUnavailable(lost)).toBe(true);
  expect(await failureOf(session.query('rollback', []))).toBe(lost);
  session.release();
  expect(isUnavailable(await rollback)).toBe(true);
  // both sessions wait, and no third one is opened
  expect(String(await failureOf(run(pool, 'select 1')))).toMatch(/waits for a synchronous standby/);
  // also after the time within which any other server has to answer
  await expect.poll(oldestWaitMs, { interval: 50 }).toBeGreaterThan(2_500);
  expect(String(await failureOf(run(pool, 'select 1')))).toMatch(/waits for a synchronous standby/);
  await setStandby('');
  await expect
    .poll(() => run(pool, 'select n from confirmed order by n').catch(String))
    .toEqual([{ n: 1 }, { n: 2 }]);
  await pool.end();
});

test('a commit that goes with its last statement fails as any other, and counts once a standby is there', async () => {
  const pool = openPoolOf(1, { hot: true });
  await run(pool, 'create table together (n int)');
  await loseStandbys();
  const session = await pool.connect();
  await session.query('begin', []);
  const insert = `insert into together values ($1) /* then commit */`;
  const lost = await failureOf(session.query(insert, [1]));
  expect(String(lost)).toMatch(/waits for a synchronous standby/);
  expect(isUnavailable(lost)).toBe(true);
  expect(await failureOf(session.query('rollback', []))).toBe(lost);
  session.release();
  await setStandby('');
  await expect.poll(() => run(pool, 'select n from together').catch(String)).toEqual([{ n: 1 }]);
  await pool.end();
});

test('a statement that waits for the locks of such a commit fails too', async () => {
  const pool = openPoolOf(2);
  await run(pool, 'create table locked (n int)');
  await run(pool, 'insert into locked values (0)');
  await loseStandbys();
  const failures = await Promise.all([1, 2].map(() => failureOf(run(pool, 'update locked set n = n + 1'))));
  // not the error of a closed session
  for (const failure of failures) expect(String(failure)).toMatch(/waits for a synchronous standby/);
  await setStandby('');
  await expect.poll(() => run(pool, 'select n from locked').catch(String)).toEqual([{ n: 2 }]);
  await pool.end();
});

test('a session that the server does not have is closed at once: another server took over the address', async () => {
  const pool = openPoolOf(1, { answerWithinMs: 60_000 });
  const session = await pool.connect();
  (session as unknown as SessionClient).serverPid = 999_999;
  expect(isUnavailable(await failureOf(session.query('select pg_sleep(8)', [])))).toBe(true);
  session.release();
  await pool.end();
});

test('a slow statement that waits for nothing is not ended', async () => {
  const pool = openPoolOf(1);
  expect(await run(pool, 'select pg_sleep(1.3), 1 as n')).toMatchObject([{ n: 1 }]);
  await pool.end();
});

test('a pool closes while its commits wait', async () => {
  const pool = openPoolOf(1);
  await run(pool, 'create table closing (n int)');
  await loseStandbys();
  expect(isUnavailable(await failureOf(run(pool, 'insert into closing values (1)')))).toBe(true);
  await pool.end();
  await setStandby('');
});
