// The campaign's PostgreSQL: a real, durable server behind a proxy that can block or cut its connections.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Db, openDb } from '../../src/db/db.ts';
import { findCluster } from '../../src/db/embedded/folders.ts';
import { readPostmaster } from '../../src/db/embedded/postmaster.ts';
import { templateCluster } from '../harness/template-cluster.ts';
import { startOwnServer } from '../harness/test-server.ts';
import { openTcpProxy } from './tcp-proxy.ts';

/** Signals that stop PostgreSQL: SIGINT (fast), SIGQUIT (immediate, followed by crash recovery), SIGKILL. */
export type StopSignal = 'SIGINT' | 'SIGQUIT' | 'SIGKILL';

export interface CampaignDatabase {
  /** DATABASE_URL of the gateways: leads through the proxy. */
  url: string;
  /** The campaign's own connection, not through the proxy. */
  db: Db;
  /** Stops the server by `signal` and keeps it unreachable for at least `downMs`. Resolves when it accepts statements again. */
  stopAndStart(signal: StopSignal, downMs: number): Promise<void>;
  /** Cuts every connection of the gateways; returns how many. */
  cutConnections(): number;
  close(): Promise<void>;
}

const backWithinMs = 30_000;

/** Starts the server with production settings: commits are flushed to disk. */
export async function startDatabase(): Promise<CampaignDatabase> {
  const fill = templateCluster()?.restore;
  const server = await startOwnServer({}, { info() {}, warn() {}, error() {} }, fill ? { fill } : {});
  const { connection, folder } = server;
  const cluster = (await findCluster(folder)) ?? '';
  const { host, port, user, password = '', database } = connection;
  const proxy = await openTcpProxy(
    host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port },
  );
  const db = openDb(connection, {
    maxConnections: 3,
    applicationName: 'campaign',
    statementTimeoutMs: 60_000,
  });
  const atExit = () => server.stopNow();
  process.once('exit', atExit);
  return {
    url: `postgres://${user}${password && `:${password}`}@127.0.0.1:${proxy.port}/${database}`,
    db,
    async stopAndStart(signal, downMs) {
      const postmaster = await readPostmaster(cluster);
      if (!postmaster) throw new Error('the campaign’s database server has no pid file');
      proxy.block();
      process.kill(postmaster.pid, signal);
      await sleep(downMs);
      await waitForNewServer(db, postmaster.pid, cluster);
      proxy.unblock();
    },
    cutConnections: () => proxy.cut(),
    async close() {
      process.off('exit', atExit);
      await db.destroy();
      await proxy.close();
      await server.stop();
    },
  };
}

/** Resolves when a server with another pid than `oldPid` responds. */
async function waitForNewServer(db: Db, oldPid: number, cluster: string): Promise<void> {
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
 * Makes all waiting rows `ms` older, as if the machine had been off. Call it while no gateway runs. Later stages still
 * wait for earlier ones, so that order is still checked.
 */
export async function ageRows(db: Db, ms: number): Promise<void> {
  const by = sql`${Math.ceil(ms)}::float8 * interval '1 ms'`;
  await db.transaction().execute(async (tx) => {
    await sql`update deliveries set due_at = due_at - ${by} where due_at is not null and state = 0`.execute(
      tx,
    );
    await sql`update delivery_leases set due_at = due_at - ${by}`.execute(tx);
    await sql`update idempotency_keys set leased_until = leased_until - ${by} where status is null`.execute(
      tx,
    );
    await sql`update callback_uptime set seen_at = seen_at - ${by}`.execute(tx);
    await sql`update send_feeds set due_at = least(due_at, now())`.execute(tx);
    await sql`update sends set upload_until = now() where upload_until > now()`.execute(tx);
    await sql`update send_cancellations set due_at = least(due_at, now())`.execute(tx);
  });
  await ageUnleasedRows(db, ms);
}

/** Makes rows that no process holds `ms` older, so that retries and unknown outcomes become due. Gateways may run. */
export async function ageUnleasedRows(db: Db, ms: number): Promise<void> {
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
