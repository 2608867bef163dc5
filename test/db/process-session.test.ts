// The session of a process: its leases are kept while it is open and released within seconds of its end.
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { uuidv7 } from '../../src/base/ids.ts';
import { openProcessSession, type ProcessSession } from '../../src/db/process-session.ts';
import { thisProgram } from '../../src/db/programs.ts';
import { notifyWork } from '../../src/db/wake-notifications.ts';
import { releaseDeliveriesOfProcesses } from '../../src/webhooks/delivery/take-over.ts';
import { publish } from '../../src/webhooks/publish.ts';
import { releaseLeasesOfEnded } from '../../src/work/ended-processes.ts';
import { until } from '../harness/until.ts';
import { openWebhooksFixture, stageEvent, type WebhooksFixture } from '../harness/webhooks-fixture.ts';

let fixture: WebhooksFixture;
const sessions: ProcessSession[] = [];
beforeAll(async () => {
  fixture = await openWebhooksFixture();
});
afterAll(() => fixture.close());
afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.close()));
  await sql`delete from processes`.execute(fixture.db);
});

const silent = { warn() {} } as never;
const release = () => releaseLeasesOfEnded({ hot: fixture.hot, log: silent }, [releaseDeliveriesOfProcesses]);

async function openSession(): Promise<ProcessSession> {
  const session = await openProcessSession({
    connection: fixture.database.connection,
    program: await thisProgram('1.0.0'),
    log: silent,
  });
  sessions.push(session);
  return session;
}

/** A delivery that a process committed and leased to itself but never attempted. */
async function leaseTo(process: ProcessSession, hook: string): Promise<void> {
  const account = await fixture.account();
  await fixture.endpoint(account, hook);
  const deliveries = { processId: process.id, busyEndpoints: () => [], offer: () => {} };
  await fixture.hot
    .transaction()
    .execute((tx) => publish({ deliveries }, tx, [stageEvent(account, uuidv7(), 'sent')]));
}

/** The pid of the session's server process. */
async function backendOf(process: ProcessSession): Promise<number | undefined> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_locks where locktype = 'advisory' and objid = ${process.id}::int::oid and granted
      and database = (select oid from pg_database where datname = current_database())`.execute(fixture.db);
  return rows[0]?.pid;
}

const processes = async () =>
  (
    await sql<{
      id: number;
      ended: boolean;
    }>`select id, ended_at is not null as ended from processes`.execute(fixture.db)
  ).rows;

it('other processes cannot claim a lease while the session is open, and can as soon as it has ended', async () => {
  const process = await openSession();
  await leaseTo(process, 'live');
  expect(await release()).toBe(0);
  expect(await fixture.deliveries.claimDue()).toBe(0);
  await process.close();
  await until(async () => expect(await release()).toBe(1));
  expect(await fixture.deliveries.claimDue()).toBe(1);
  await until(() => expect(fixture.hooks.hitsOf('live')).toHaveLength(1));
});

it('releases what an ended process commits late, and forgets the process after ten seconds', async () => {
  const process = await openSession();
  await process.close();
  await until(async () => {
    await release();
    expect(await processes()).toEqual([{ id: process.id, ended: true }]);
  });
  await release();
  await leaseTo(process, 'late');
  expect(await release()).toBe(1);
  await sql`update processes set ended_at = now() - interval '11 seconds'`.execute(fixture.db);
  await release();
  expect(await processes()).toEqual([]);
});

it('a process that lost its session reopens it with the same id and keeps its new leases', async () => {
  const process = await openSession();
  const lost = await backendOf(process);
  await sql`update processes set ended_at = now()`.execute(fixture.db);
  await sql`select pg_terminate_backend(${lost}::int)`.execute(fixture.db);
  await until(async () => {
    expect(await backendOf(process)).not.toBe(lost);
    expect(await processes()).toEqual([{ id: process.id, ended: false }]);
  });
  await leaseTo(process, 'again');
  expect(await release()).toBe(0);
});

it('processes have distinct ids, and the end of one releases no leases of another', async () => {
  const [one, other] = [await openSession(), await openSession()];
  expect(one.id).not.toBe(other.id);
  await leaseTo(one, 'one');
  await other.close();
  let released = 0;
  await until(async () => {
    released += await release();
    expect(await processes()).toContainEqual({ id: other.id, ended: true });
  });
  expect(released).toBe(0);
});

it('a notification of work reaches every other process, and not the one that sent it', async () => {
  const [one, other] = [await openSession(), await openSession()];
  const told: string[] = [];
  one.onWork(() => told.push('one'));
  other.onWork(() => told.push('other'));
  await notifyWork(fixture.db, one.id);
  await until(() => expect(told).toEqual(['other']));
  // two sessions are notified in any order: the second notification waits for the first
  await notifyWork(fixture.db, other.id);
  await until(() => expect(told).toEqual(['other', 'one']));
});

it('a process that lost its session is told of work when it reopens it: notifications may have been lost', async () => {
  const process = await openSession();
  let told = 0;
  process.onWork(() => {
    told += 1;
  });
  await sql`select pg_terminate_backend(${await backendOf(process)}::int)`.execute(fixture.db);
  await until(() => expect(told).toBe(1));
  await notifyWork(fixture.db, -1);
  await until(() => expect(told).toBe(2));
});
