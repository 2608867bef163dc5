// The connection pool under Kysely: drops sessions of a server that became read-only, unavailable or unresponsive.
import { createHash } from 'node:crypto';
import type { PostgresPool } from 'kysely';
import pg from 'pg';
import { isReadOnly, isStalePlan, isUnavailable } from './failure.ts';
import { findStandbyWaits, StandbyWaitError } from './standby-waits.ts';

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
export class ReadOnlyServerError extends Error {
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
/** For a request with several commits: once one has waited in vain, others wait this long, for this time. */
const knownWaitMs = 1_000;
const knownForMs = 15_000;
/** The system's default is two hours. */
const keepAliveMs = 10_000;

/**
 * Increased when a session finds its server read-only. All pools of this thread then drop older sessions before their next
 * use: they lead to the same server, and reads would return old rows.
 */
let generation = 0;

/** When a commit of any pool of this thread was last found waiting for a standby for too long. */
let waitFoundAtMs = Number.NEGATIVE_INFINITY;

/** A statement in progress, as pg knows it. */
interface ActiveQuery {
  callback(error: Error): void;
}

/** A session that remembers fatal errors of its server, and how long a statement has been unanswered. */
class SessionClient extends pg.Client {
  generation = generation;
  /** The error after which the session must not be reused. */
  fatalError: unknown;
  /** Number of unanswered statements, and since when the first of them is in progress. */
  pendingStatements = 0;
  pendingSinceMs = 0;
  /** Ends when the server has answered a statement whose caller no longer waits. */
  standbyWait: Promise<void> | undefined;

  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg, passed through
  override query(...args: any[]): any {
    // such as the rollback after a commit that failed; the server would not read it
    if (this.standbyWait) return Promise.reject(this.fatalError);
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const answer = (super.query as (...args: any[]) => any).apply(this, args);
    if (typeof answer?.then !== 'function') return answer;
    if (this.pendingStatements === 0) this.pendingSinceMs = performance.now();
    this.pendingStatements += 1;
    // a separate chain, so that the caller's promise chain gets no longer
    answer.then(this.#answered, this.#failed);
    return answer;
  }

  readonly #answered = (): void => {
    this.pendingStatements -= 1;
    if (this.pendingStatements > 0) this.pendingSinceMs = performance.now();
  };

  readonly #failed = (error: unknown): void => {
    this.#answered();
    if (isUnavailable(error)) this.fatalError = error;
  };

  /** Milliseconds without an answer. */
  silentMs(): number {
    return this.pendingStatements > 0 || this.standbyWait ? performance.now() - this.pendingSinceMs : 0;
  }

  /**
   * The server just said that the statement in progress waits for a standby: fails it for its caller. The session stays open
   * until the server answers, so that no more sessions wait than the pool may have.
   */
  noteStandbyWait(): void {
    this.pendingSinceMs = performance.now();
    const { _activeQuery: query } = this as unknown as { _activeQuery: ActiveQuery | null };
    if (this.standbyWait || !query) return;
    this.fatalError = new StandbyWaitError();
    const fail = query.callback;
    this.standbyWait = new Promise((resolve) => {
      query.callback = () => resolve();
    });
    fail.call(query, this.fatalError as Error);
  }

  /** Closes a session that does not answer. Its statements fail as after any lost connection. */
  abandon(): void {
    const { stream } = (this as unknown as { connection: { stream: { destroy(): void } } }).connection;
    stream.destroy();
  }
}

/**
 * Prepares each statement once per connection, named by a digest of its text. For connections with few, fixed statements
 * (measured under load: planning took a quarter to a third of the server's time).
 */
class PreparingClient extends SessionClient {
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of pg, passed through
  override query(...args: any[]): any {
    const [text, values, ...rest] = args;
    const prepared = typeof text === 'string' && Array.isArray(values) && values.length > 0;
    if (!prepared) return super.query(...args);
    const answer = super.query({ name: nameOf(text), text, values }, ...rest);
    return typeof answer?.then === 'function'
      ? answer.then(undefined, this.#retryStale(text, values))
      : answer;
  }

  /**
   * After a migration of a later version, statements with `select *` fail until they are prepared again. Such a statement did
   * nothing, so outside a transaction it is repeated.
   */
  readonly #retryStale = (text: string, values: unknown[]) => (error: unknown) => {
    if (!isStalePlan(error)) throw error;
    names.clear();
    preparations += 1;
    if (this.getTransactionStatus() !== 'I') throw error;
    return super.query({ name: nameOf(text), text, values });
  };
}

const names = new Map<string, string>();
/** Part of every name: increased when the statements of all sessions have to be prepared again. */
let preparations = 0;

/** A short name for a statement; PostgreSQL truncates names to 63 bytes. */
function nameOf(text: string): string {
  const known = names.get(text);
  if (known !== undefined) return known;
  const name = createHash('sha256').update(`${preparations} ${text}`).digest('base64url');
  names.set(text, name);
  return name;
}

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
          void failStandbyWaits(held, config, standbyWaitMs ?? defaultStandbyWaitMs).finally(() => {
            isAsking = false;
          });
        }, silenceCheckMs);
  watch?.unref();
  let readOnly: { error: unknown; untilMs: number } | undefined;

  async function newest(): Promise<SessionClient & pg.PoolClient> {
    for (;;) {
      const client = (await pool.connect()) as SessionClient & pg.PoolClient;
      if (client.generation === generation) return client;
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
      if (isReadOnly(client.fatalError) && client.generation === generation) generation += 1;
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
    "select pg_is_in_recovery() as standby, current_setting('transaction_read_only') = 'on' as read_only";
  const results = (await client.query(`${settings}; ${look}`)) as unknown as pg.QueryResult[];
  const { standby, read_only: isReadOnlyNow } = results.at(-1)?.rows[0] ?? {};
  if (isReadOnlyNow) throw new ReadOnlyServerError(standby === true);
}

function dropUnresponsive(held: Set<SessionClient>, afterMs: number): void {
  for (const client of held) if (client.silentMs() > afterMs) client.abandon();
}

const everyWaits = (held: Set<SessionClient>): boolean =>
  [...held].every(({ standbyWait }) => standbyWait !== undefined);

/** Asks the server which of the silent sessions wait for a standby, and fails their statements. */
async function failStandbyWaits(
  held: Set<SessionClient>,
  connection: pg.ClientConfig,
  afterMs: number,
): Promise<void> {
  const isKnown = performance.now() - waitFoundAtMs < knownForMs;
  const limitMs = isKnown ? Math.min(knownWaitMs, afterMs) : afterMs;
  const silent = [...held]
    .filter((client) => client.silentMs() > limitMs)
    .map((client) => ({ client, sinceMs: client.pendingSinceMs }));
  if (silent.length === 0) return;
  const pidOf = (client: pg.Client) => (client as unknown as { processID: number }).processID;
  const pids = silent.map(({ client }) => pidOf(client));
  const waiting = await findStandbyWaits(connection, pids).catch(() => new Set<number>());
  // unless it was answered in the meantime
  for (const { client, sinceMs } of silent)
    if (waiting.has(pidOf(client)) && client.pendingSinceMs === sinceMs) client.noteStandbyWait();
  if (waiting.size > 0) waitFoundAtMs = performance.now();
}
