// The campaign's PostgreSQL: real and durable, in processes of its own, with a door that can be shut, and time that can be passed.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Db, openDb } from '../../src/db/db.ts';
import { findCluster } from '../../src/db/embedded-home.ts';
import { readPostmaster } from '../../src/db/embedded-postmaster.ts';
import { startOwnServer } from '../harness/test-server.ts';
import { openDoor } from './proxy.ts';

/** PostgreSQL's ways to end: SIGINT (fast), SIGQUIT (immediate: crash recovery follows), SIGKILL. */
export type Ending = 'SIGINT' | 'SIGQUIT' | 'SIGKILL';

export interface CampaignDatabase {
  /** DATABASE_URL of the gateways: leads through the door. */
  url: string;
  /** The campaign's own way, past the door. */
  db: Db;
  /** Ends the server so, keeps it out of reach for `downMs` at least, and resolves when it takes statements again. */
  stopAndStart(ending: Ending, downMs: number): Promise<void>;
  /** Cuts every connection of the gateways; answers how many. */
  cutConnections(): number;
  close(): Promise<void>;
}

const backWithinMs = 30_000;

/** Starts the server with the settings that users run: what is committed is on disk. */
export async function startDatabase(): Promise<CampaignDatabase> {
  const server = await startOwnServer({}, { info() {}, warn() {}, error() {} });
  const { connection, folder } = server;
  const cluster = (await findCluster(folder)) ?? '';
  const { host, port, user, password = '', database } = connection;
  const door = await openDoor(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
  const db = openDb(connection, {
    maxConnections: 3,
    applicationName: 'campaign',
    statementTimeoutMs: 60_000,
  });
  const atExit = () => server.stopNow();
  process.once('exit', atExit);
  return {
    url: `postgres://${user}${password && `:${password}`}@127.0.0.1:${door.port}/${database}`,
    db,
    async stopAndStart(ending, downMs) {
      const postmaster = await readPostmaster(cluster);
      if (!postmaster) throw new Error('the campaign’s database server has no pid file');
      door.shut();
      process.kill(postmaster.pid, ending);
      await sleep(downMs);
      await answers(db, postmaster.pid, cluster);
      door.open();
    },
    cutConnections: () => door.cut(),
    async close() {
      process.off('exit', atExit);
      await db.destroy();
      await door.close();
      await server.stop();
    },
  };
}

/** Resolves when a server other than the one of `oldPid` answers. */
async function answers(db: Db, oldPid: number, cluster: string): Promise<void> {
  const until = performance.now() + backWithinMs;
  for (;;) {
    try {
      await sql`select 1`.execute(db);
      const now = await readPostmaster(cluster);
      if (now && now.pid !== oldPid) return;
    } catch (error) {
      if (performance.now() > until) throw error;
    }
    await sleep(50);
  }
}

/**
 * While no gateway runs: makes everything in the database that waits `ms` older, as if the machine had been off for so
 * long. What this cannot shorten: how long a later stage waits for an earlier one, so that order is still owed.
 */
export async function passTime(db: Db, ms: number): Promise<void> {
  const by = sql`${Math.ceil(ms)}::float8 * interval '1 ms'`;
  await db.transaction().execute(async (tx) => {
    await sql`update deliveries set due_at = due_at - ${by} where due_at is not null and state = 0`.execute(
      tx,
    );
    await sql`update idempotency_keys set leased_until = leased_until - ${by} where status is null`.execute(
      tx,
    );
    await sql`update callback_uptime set seen_at = seen_at - ${by}`.execute(tx);
  });
  await passRests(db, ms);
}

/** While gateways run: makes only that older which is in nobody's hands, so that next tries and the unknown come due. */
export async function passRests(db: Db, ms: number): Promise<void> {
  const by = sql`${Math.ceil(ms)}::float8 * interval '1 ms'`;
  await sql`update messages set due_at = due_at - ${by} where due_at is not null and state in (0, 1)`.execute(
    db,
  );
  await sql`update deliveries set due_at = due_at - ${by}, last_attempt_at = last_attempt_at - ${by}
    where state = 4`.execute(db);
  await sql`update endpoints set paused_until = paused_until - ${by}, failing_since = failing_since - ${by},
    recovered_at = recovered_at - ${by} where failing_since is not null or recovered_at is not null`.execute(
    db,
  );
  await sql`update sender_paces set tat = tat - ${by}, slowed_at = slowed_at - ${by}`.execute(db);
  await sql`update callback_outages set from_at = from_at - ${by}, to_at = to_at - ${by}`.execute(db);
}
