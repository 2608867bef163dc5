// The connection pool under Kysely: drops sessions of a server that became read-only, unavailable or unresponsive.
import type { PostgresPool } from 'kysely';
import pg from 'pg';
import { isReadOnly } from './failure.ts';
import { PreparingClient } from './preparing-client.ts';
import { beginGeneration, isCurrent, SessionClient } from './session-client.ts';
import { msSinceStall, noteStall } from './stalls.ts';
import { findSilentSessions, StandbyWaitError } from './standby-waits.ts';

export interface PoolOptions extends pg.PoolConfig {
  /** Prepare every statement with parameters once per session. */
  hot: boolean;
  /** Statements that every new session runs first. */
  settings: string;
  /** A session without an answer for this long is closed. */
  answerWithinMs: number | undefined;
  /** A commit that waits for a standby for longer fails for its caller. Default 8 s. */
  standbyWaitMs?: number;
  onLostConnection: ((error: Error) => void) | undefined;
  onWait?: ((ms: number) => void) | undefined;
}

/** Connections of a pool at this moment. */
export interface PoolUsage {
  max: number;
  used: number;
  idle: number;
  /** Statements and transactions that wait for a connection. */
  waiting: number;
}

/** The server rejects writes; found while opening a session. */
class ReadOnlyServerError extends Error {
  readonly code = '25006';

  constructor(isStandby: boolean) {
    super(
      isStandby
        ? 'the server is a standby, which rejects writes'
        : 'the server is read-only (default_transaction_read_only is on)',
    );
    this.name = 'ReadOnlyServerError';
  }
}

/** After a read-only server was found, no session is opened for this long. */
const readOnlyBackoffMs = 250;
const silenceCheckMs = 1_000;
/** With the check once a second, the first callers have their responses within about 10 s. */
const defaultStandbyWaitMs = 8_000;
/** The server is asked about a session without an answer after this long, so that a server which does not respond is known in time. */
const askAfterMs = 5_000;
/** For a request with several commits: once one has waited in vain, others wait this long, for this time. */
const knownWaitMs = 1_000;
const knownForMs = 15_000;
/** The system's default is two hours. */
const keepAliveMs = 10_000;

/** Opens the pool. It connects at the first `connect`. */
export function openPool(options: PoolOptions): PostgresPool & { usage: () => PoolUsage } {
  const { hot, settings, answerWithinMs, standbyWaitMs, onLostConnection, onWait, ...config } = options;
  const pool = new pg.Pool({
    ...config,
    Client: hot ? PreparingClient : SessionClient,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    onConnect: (client) => startSession(client, settings),
  });
  pool.on('error', (error) => onLostConnection?.(error));
  // the pool listens only to idle clients. Without this listener, losing a client between two statements or while it
  // closes would end the process. The client's next statement fails anyway.
  pool.on('connect', (client) => client.on('error', () => {}));
  const held = new Set<SessionClient>();
  let isAsking = false;
  const watch =
    answerWithinMs === undefined
      ? undefined
      : setInterval(() => {
          dropUnresponsive(held, answerWithinMs);
          if (isAsking) return;
          isAsking = true;
          void checkSilent(held, config, standbyWaitMs ?? defaultStandbyWaitMs).finally(() => {
            isAsking = false;
          });
        }, silenceCheckMs);
  watch?.unref();
  let readOnly: { error: unknown; untilMs: number } | undefined;

  async function newest(): Promise<SessionClient & pg.PoolClient> {
    for (;;) {
      const client = (await pool.connect()) as SessionClient & pg.PoolClient;
      if (isCurrent(client)) return client;
      client.release(true);
    }
  }

  async function connect() {
    if (readOnly && pool.idleCount === 0 && performance.now() < readOnly.untilMs) throw readOnly.error;
    if (held.size >= pool.options.max && everyWaits(held)) throw new StandbyWaitError();
    const beganMs = performance.now();
    const client = await newest().catch((error: unknown) => {
      if (isReadOnly(error)) readOnly = { error, untilMs: performance.now() + readOnlyBackoffMs };
      throw error;
    });
    onWait?.(performance.now() - beganMs);
    const { release } = client;
    held.add(client);
    client.release = (destroy) => {
      if (client.standbyWait) return void client.standbyWait.then(() => end(true));
      end(destroy);
    };
    const end: typeof release = (destroy) => {
      held.delete(client);
      if (isReadOnly(client.fatalError) && isCurrent(client)) beginGeneration();
      release.call(client, destroy === true || client.fatalError !== undefined);
    };
    return client;
  }

  return {
    connect: connect as unknown as PostgresPool['connect'],
    end() {
      clearInterval(watch);
      for (const client of held) if (client.standbyWait) client.abandon();
      return pool.end();
    },
    usage: () => ({
      max: pool.options.max ?? 0,
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    options: pool.options,
    Client: pg.Client as unknown as NonNullable<PostgresPool['Client']>,
  };
}

/** Applies the settings to a new session in one round trip. Throws ReadOnlyServerError if the server rejects writes. */
async function startSession(client: pg.ClientBase, settings: string): Promise<void> {
  const look =
    "select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as read_only, pg_backend_pid() as pid";
  const results = (await client.query(`${settings}; ${look}`)) as unknown as pg.QueryResult[];
  const { standby, read_only: isReadOnlyNow, pid } = results.at(-1)?.rows[0] ?? {};
  (client as SessionClient).serverPid = pid;
  if (isReadOnlyNow) throw new ReadOnlyServerError(standby === true);
  if (client instanceof PreparingClient) await client.prepareTransactions();
}

function dropUnresponsive(held: Set<SessionClient>, afterMs: number): void {
  for (const client of held) if (client.silentMs() > afterMs) client.abandon();
}

const everyWaits = (held: Set<SessionClient>): boolean =>
  [...held].every(({ standbyWait }) => standbyWait !== undefined);

/**
 * Asks the server about the silent sessions: fails the statements of those that wait for a standby for too long, and closes
 * those that it does not have (it is another server, which took over the address).
 */
async function checkSilent(
  held: Set<SessionClient>,
  connection: pg.ClientConfig,
  standbyWaitMs: number,
): Promise<void> {
  const limitMs = msSinceStall() < knownForMs ? Math.min(knownWaitMs, standbyWaitMs) : standbyWaitMs;
  const silent = [...held]
    .filter((client) => client.silentMs() > Math.min(limitMs, askAfterMs))
    .map((client) => ({ client, sinceMs: client.pendingSinceMs }));
  if (silent.length === 0) return;
  const pids = silent.map(({ client }) => client.serverPid);
  const found = await findSilentSessions(connection, pids).catch((error: unknown) => {
    // no answer, which is worse than a rejected connection
    if (!(error instanceof pg.DatabaseError)) noteStall();
  });
  if (!found) return;
  for (const { client, sinceMs } of silent) {
    // it was answered in the meantime
    if (client.pendingSinceMs !== sinceMs || client.silentMs() === 0) continue;
    if (!found.present.has(client.serverPid)) client.abandon();
    else if (found.waiting.has(client.serverPid) && client.silentMs() > limitMs) {
      client.noteStandbyWait();
      noteStall();
    }
  }
}
